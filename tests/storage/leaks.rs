//! Leaks: both servers put secrets, encoded in every way, into every field of every answer. The
//! test decodes and searches every byte that the program writes to disk, screen and sockets.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use crate::parrot::Parrot;
use crate::screen;
use zoea_rig::revealed::revealed;
use zoea_rig::{Home, http, sqlite};

/// The provider's key, and the passwords of the pool and of a Mysis. None consists of plain
/// letters.
const KEY: &str = "sk-p0ly\"<n&sia>'/x\\y%41+0a1b2c3d";
const PASSWORD: &str = "päss<wörd>&\"q/u\\ill\"+%42 9f8e7d";
const POOLED: &str = "pool-13579bdf2468ace0";

type Writing = fn(&str) -> String;

fn json_of(text: &str) -> String {
    let json = serde_json::to_string(text).expect("JSON");
    json[1..json.len() - 1].to_string()
}

fn each(text: &str, write: impl FnMut(char) -> String) -> String {
    text.chars().map(write).collect()
}

fn unit(c: char, is_upper: bool) -> String {
    let mut units = [0; 2];
    let units = c.encode_utf16(&mut units).iter();
    units
        .map(|unit| {
            if is_upper {
                format!("\\u{unit:04X}")
            } else {
                format!("\\u{unit:04x}")
            }
        })
        .collect()
}

/// The encoding of Python's `json.dumps` and of careful servers.
fn dumped(text: &str, is_upper: bool) -> String {
    each(text, |c| match c {
        c if !c.is_ascii() || matches!(c, '<' | '>' | '&' | '\'') => unit(c, is_upper),
        c => json_of(&c.to_string()),
    })
}

fn percent(text: &str, is_upper: bool, keeps: impl Fn(u8) -> bool) -> String {
    text.bytes()
        .map(|byte| match byte {
            byte if keeps(byte) => char::from(byte).to_string(),
            byte if is_upper => format!("%{byte:02X}"),
            byte => format!("%{byte:02x}"),
        })
        .collect()
}

fn html(text: &str) -> String {
    each(text, |c| match c {
        '<' => "&lt;".to_string(),
        '>' => "&gt;".to_string(),
        '&' => "&amp;".to_string(),
        '"' => "&quot;".to_string(),
        '\'' => "&apos;".to_string(),
        'ä' => "&auml;".to_string(),
        'ö' => "&ouml;".to_string(),
        c => c.to_string(),
    })
}

fn base64(text: &str, letters: &[u8; 64], pads: bool) -> String {
    let mut coded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let byte = |place: usize| usize::from(chunk.get(place).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            match place > chunk.len() {
                true if pads => coded.push('='),
                true => {}
                false => coded.push(char::from(letters[word >> (18 - 6 * place) & 63])),
            }
        }
    }
    coded
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_ADDRESSES: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Every encoding, and some nested ones; each has a round of its own.
static WRITINGS: [(&str, Writing); 26] = [
    ("as it is", |text| text.to_string()),
    ("JSON", json_of),
    ("JSON in JSON", |text| json_of(&json_of(text))),
    ("JSON in JSON in JSON", |text| {
        json_of(&json_of(&json_of(text)))
    }),
    ("json.dumps", |text| dumped(text, false)),
    ("json.dumps, upper case", |text| dumped(text, true)),
    ("json.dumps in JSON", |text| json_of(&dumped(text, true))),
    ("JSON with \\/", |text| json_of(text).replace('/', "\\/")),
    ("every letter by its unit", |text| {
        each(text, |c| unit(c, true))
    }),
    ("percent", |text| {
        percent(text, true, |byte| byte.is_ascii_alphanumeric())
    }),
    ("percent, lower case", |text| {
        percent(text, false, |byte| byte.is_ascii_alphanumeric())
    }),
    ("a form", |text| {
        percent(text, true, |byte| byte.is_ascii_alphanumeric()).replace("%20", "+")
    }),
    ("every byte by percent", |text| {
        percent(text, true, |_| false)
    }),
    ("percent twice", |text| {
        let once = percent(text, true, |byte| byte.is_ascii_alphanumeric());
        once.replace('%', "%25")
    }),
    ("HTML by names", html),
    ("HTML by numbers", |text| {
        each(text, |c| format!("&#{};", u32::from(c)))
    }),
    ("HTML by hexadecimal numbers", |text| {
        each(text, |c| format!("&#x{:x};", u32::from(c)))
    }),
    ("HTML in JSON", |text| json_of(&html(text))),
    ("HTML in HTML", |text| html(&html(text))),
    ("Base64", |text| base64(text, STANDARD, true)),
    ("Base64, second byte", |text| {
        base64(&format!("u{text}"), STANDARD, false)
    }),
    ("Base64, third byte", |text| {
        base64(&format!("u:{text}"), STANDARD, true)
    }),
    ("Base64 for addresses", |text| {
        base64(&format!("{text}."), FOR_ADDRESSES, false)
    }),
    ("Base64 for addresses, second byte", |text| {
        base64(&format!("u{text}z"), FOR_ADDRESSES, true)
    }),
    ("Base64 in JSON", |text| {
        base64(text, STANDARD, true).replace('/', "\\/")
    }),
    ("each letter in another way", |text| {
        let mut place = 0;
        each(text, |c| {
            place += 1;
            match place % 5 {
                0 => unit(c, true),
                1 => format!("&#{};", u32::from(c)),
                2 => percent(&c.to_string(), false, |_| false),
                3 => json_of(&unit(c, false)),
                _ => json_of(&c.to_string()),
            }
        })
    }),
];

#[test]
fn the_search_finds_a_secret_in_every_writing() {
    for (name, write) in WRITINGS {
        for secret in [KEY, PASSWORD, POOLED] {
            let text = format!("before {} behind", write(secret));
            assert!(!revealed(&text, &[secret]).is_empty(), "{name}: {text}");
        }
    }
    assert!(revealed("nothing is told here", &[KEY, PASSWORD, POOLED]).is_empty());
}

fn configure(home: &Home, parrot: &Parrot) {
    std::fs::create_dir_all(home.path()).expect("a home");
    let address = parrot.address;
    let provider = |name: &str, stream: bool| {
        format!(
            "[providers.{name}]\nendpoint = \"http://{address}/{name}\"\nmodel = \"m\"\n\
             api_key_name = \"parrot\"\nstream = {stream}\nretry = [\"1ms\", \"1ms\", \"1ms\"]\n",
        )
    };
    let text = format!(
        "[budget]\nusd_per_day = \"unlimited\"\n[swarm]\nturn_pause = \"1ms\"\ndefault_provider = \"whole\"\ncontext_budget = \"8KiB\"\n\
         {}{}[mcp]\nupstream = \"http://{address}/mcp\"\nlogins_per_minute = 100000\n\
         retry = [\"1ms\"]\n\
         [supervision]\nrelaunch = \"always\"\nbackoff = [\"1ms\", \"2ms\"]\nmax_relaunches = 100000\n\
         [progress]\nwatch = \"off\"\n\
         [traces]\nendpoint = \"http://{address}\"\ncontents = true\n\
         protocol = \"json\"\ncompression = \"none\"\n\
         [alerts]\nwebhook = \"http://{address}/alerts\"\ncool_down = \"1ms\"\n\
         [metrics]\nlisten = \"127.0.0.1:0\"\n",
        provider("whole", false),
        provider("streamed", true),
    );
    std::fs::write(home.file("zoea.toml"), text).expect("a configuration");
    let keys = json!({"providers": {"parrot": {"api_key": KEY}}});
    std::fs::write(home.file("credentials.json"), keys.to_string()).expect("credentials");
}

/// Every file of the home, without those that exist to hold secrets and without the database.
pub(crate) fn files(directory: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.display().to_string();
        let holds_secrets = [
            "credentials.json",
            "control.token",
            "accounts.json",
            "pool.json",
        ]
        .iter()
        .any(|file| name.ends_with(file));
        if path.is_dir() {
            files(&path, found);
        } else if !holds_secrets {
            found.push((name, std::fs::read(&path).expect("a file")));
        }
    }
}

/// The writings are independent of each other, so swarms with a few of them each play side by side.
#[test]
fn no_field_of_no_answer_leaks_a_secret_in_any_writing() {
    std::thread::scope(|scope| {
        for writings in WRITINGS.chunks(WRITINGS.len().div_ceil(8)) {
            scope.spawn(move || no_field_leaks(writings));
        }
    });
}

#[expect(clippy::print_stderr, reason = "the figures of a run")]
fn no_field_leaks(writings: &'static [(&'static str, Writing)]) {
    let parrot = Parrot::start(
        writings.len(),
        "registered",
        Arc::new(move |place, round| {
            let (name, write) = writings[round];
            let said = [KEY, PASSWORD, POOLED].map(write).join(" ; ");
            format!("[{place}; {name}] {said} ;")
        }),
    );
    let home = Home::new();
    configure(&home, &parrot);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["mysis", "create", "beta", "--provider", "streamed"]);
    let pool = json!([
        {"username": "Quill", "password": PASSWORD, "assigned_to": "alpha"},
        {"username": "Brass", "password": POOLED, "assigned_to": "beta"},
    ]);
    std::fs::write(home.file("pool.json"), pool.to_string()).expect("a file");
    home.ok(&[
        "accounts",
        "import",
        home.file("pool.json").to_str().expect("text"),
    ]);
    let mut outputs: Vec<(String, Vec<u8>)> = Vec::new();

    let mut swarm = home.fly(&["--debug"]);
    home.ok(&["broadcast", "Say all you know."]);
    parrot.speak_out(&home);
    let run: serde_json::Value =
        serde_json::from_slice(&std::fs::read(home.file("run.json")).expect("a file"))
            .expect("JSON");
    let metrics = run["metrics"].as_str().expect("an address");
    outputs.push((
        "metrics".to_string(),
        http("GET", metrics, &[], "").1.into_bytes(),
    ));
    for arguments in [
        &["mysis", "list"][..],
        &["mysis", "list", "--json"],
        &["status"],
        &["log", "alpha", "--limit", "0"],
        &["log", "beta", "--limit", "0", "--json"],
        &["search", "said", "--limit", "1000"],
        &[
            "search",
            "reasoning",
            "--in",
            "reasoning",
            "--json",
            "--limit",
            "1000",
        ],
        &["export"],
        &["export", "--format", "md"],
        &["report"],
        &["report", "--format", "html"],
        &["books"],
        &["doctor"],
        &["doctor", "--json"],
        &["accounts", "list", "--json"],
        &["mysis", "create", PASSWORD],
        &["log", KEY],
        &["search", POOLED],
    ] {
        let output = home.run(arguments);
        outputs.push((format!("stdout of {}", arguments[0]), output.stdout));
        outputs.push((format!("stderr of {}", arguments[0]), output.stderr));
    }
    home.ok(&["mission", "clear"]);
    home.ok(&[
        "send",
        "alpha",
        &format!("Remember {KEY} {PASSWORD} {POOLED}"),
    ]);
    swarm.signal("-TERM");
    let mut events = Vec::new();
    while let Some(line) = swarm.line() {
        events.extend_from_slice(line.as_bytes());
    }
    outputs.push(("events".to_string(), events));
    assert!(swarm.wait().success());
    outputs.push(("screen".to_string(), screen::of_first_mysis(&home)));
    let mut is_brought = [false; 4];
    for (whom, what) in parrot.brought() {
        let place = ["model", "game", "/v1/traces", "/alerts"]
            .iter()
            .position(|to| *to == whom);
        is_brought[place.expect("somebody known")] = true;
        outputs.push((whom, what.into_bytes()));
    }
    assert_eq!(is_brought, [true; 4], "model, game, collector and webhook");
    files(&home.path(), &mut outputs);
    let mut texts: Vec<(String, String)> = outputs
        .into_iter()
        .map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()))
        .collect();
    let is_database = |name: &str| name.contains("zoea.db");
    let tables = sqlite::all_texts(&home.file("zoea.db"));
    assert!(tables.iter().any(|(name, _)| name == "message.content"));
    texts.extend(tables);

    let mut leaks = Vec::new();
    for (name, text) in &texts {
        // Only the pool of accounts contains passwords as they are.
        let may_hold = is_database(name) || name == "account.password";
        let secrets: &[&str] = if may_hold {
            &[KEY]
        } else {
            &[KEY, PASSWORD, POOLED]
        };
        leaks.extend(
            revealed(text, secrets)
                .into_iter()
                .map(|leak| format!("{name}: {leak}")),
        );
    }
    leaks.sort();
    leaks.dedup();
    assert!(
        leaks.is_empty(),
        "{} leaks\n{}",
        leaks.len(),
        leaks[..leaks.len().min(30)].join("\n")
    );
    let everything: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let places = parrot.places();
    eprintln!(
        "{} places, {} ways of writing, {} secrets; {} requests; {everything} bytes looked through",
        places.len(),
        writings.len(),
        3,
        parrot.asked().iter().sum::<usize>(),
    );
    assert!(places.len() >= 90, "{} places: {places:?}", places.len());
    let logins = parrot.logins();
    let is_assigned = |login: &String| login.contains("Quill") || login.contains("Brass");
    assert!(
        !logins.is_empty() && logins.iter().all(is_assigned),
        "{logins:?}"
    );
}
