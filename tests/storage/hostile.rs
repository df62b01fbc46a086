//! Hostile text: whatever servers, models, players, files and arguments contain, no command writes
//! anything to a terminal that a terminal would obey, or that hides a part of a text.

use std::process::Output;
use std::sync::Arc;

use serde_json::{Value, json};
use zoea_text::clean::is_hidden;

use crate::parrot::Parrot;
use zoea_rig::Home;

/// Harmful characters: the clipboard, the title, colours, the cursor, all of C0 and C1, direction
/// marks.
const HOSTILE: [&str; 9] = [
    "\u{1b}]52;c;ZXZpbA==\u{7}clip",
    "\u{1b}]0;title\u{1b}\\t\u{9d}0;x\u{9c}",
    "\u{1b}[2J\u{1b}[31mred\u{9b}1mbold",
    "a\u{202e}nrut\u{202c}\u{2066}b\u{2069}\u{200f}\u{61c}",
    "\u{feff}z\u{200b}w\u{2060}j\u{ad}\u{180e}",
    "\u{e0041}\u{e0042}\u{e007f}tag",
    "\r\u{8}\u{b}\u{c}over\u{7f}\u{0}",
    "\u{85}\u{90}q\u{98}\u{1b}Pdcs\u{1b}\\\u{1b}_apc\u{1b}\\",
    "ig\u{200d}no\u{200c}re \u{fe01}\u{3164}\u{2028}line\u{2029}",
];

/// The part of an output that no terminal may get.
fn harm(output: &[u8]) -> Option<String> {
    let text = match std::str::from_utf8(output) {
        Ok(text) => text,
        Err(error) => return Some(format!("no UTF-8: {error}")),
    };
    let is_bad = |(_, c): &(usize, char)| (c.is_control() && *c != '\n') || is_hidden(*c);
    let (at, c) = text.char_indices().find(is_bad)?;
    let around: String = text[..at].chars().rev().take(80).collect();
    let around: String = around.chars().rev().collect();
    Some(format!("{c:?} behind {around:?}"))
}

/// The texts are independent of each other, so swarms with a few of them each play side by side.
#[test]
fn no_command_writes_what_a_terminal_would_obey() {
    std::thread::scope(|scope| {
        for texts in HOSTILE.chunks(HOSTILE.len().div_ceil(4)) {
            scope.spawn(move || no_command_writes_any(texts));
        }
    });
}

#[expect(clippy::print_stderr, reason = "the figures of a run")]
fn no_command_writes_any(texts: &'static [&'static str]) {
    let parrot = Parrot::start(
        texts.len(),
        "registered",
        Arc::new(|place, round| format!("[{place}] {}", texts[round])),
    );
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let address = parrot.address;
    let text = format!(
        "[budget]\nusd_per_day = \"unlimited\"\n[swarm]\nturn_pause = \"1ms\"\ndefault_provider = \"whole\"\ncontext_budget = \"8KiB\"\n\
         [providers.whole]\nendpoint = \"http://{address}/whole\"\nmodel = \"m\"\nstream = false\n\
         retry = [\"1ms\", \"1ms\", \"1ms\"]\nprice = {{ input = 1.0, output = 1.0 }}\n\
         [providers.streamed]\nendpoint = \"http://{address}/streamed\"\nmodel = \"m\"\nstream = true\n\
         retry = [\"1ms\", \"1ms\", \"1ms\"]\n\
         [mcp]\nupstream = \"http://{address}/mcp\"\nlogins_per_minute = 100000\nretry = [\"1ms\"]\n\
         [supervision]\nrelaunch = \"always\"\nbackoff = [\"1ms\", \"2ms\"]\nmax_relaunches = 100000\n\
         [progress]\nwatch = \"off\"\n"
    );
    std::fs::write(home.file("zoea.toml"), text).expect("a configuration");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["mysis", "create", "beta", "--provider", "streamed"]);
    let all = HOSTILE.map(|text| text.replace('\0', "")).join(" ");
    let name = format!("Quill {all}");
    let pool = json!([{"username": name, "password": "0a1b2c3d4e5f", "assigned_to": "alpha"},
                      {"username": "Short", "password": "abc12"}]);
    std::fs::write(home.file("pool.json"), pool.to_string()).expect("a file");
    let pool = home.file("pool.json");
    let mut outputs: Vec<(String, Output)> = Vec::new();
    let mut run = |arguments: &[&str]| {
        let output = home.run(arguments);
        outputs.push((format!("{arguments:?}"), output));
    };
    run(&["accounts", "import", pool.to_str().expect("text")]);
    run(&["note", "alpha", &all]);
    run(&["broadcast", &format!("Say all you know. {all}")]);

    let mut plain = home.launch(home.command(&["run", "--headless"]));
    parrot.speak_out(&home);
    run(&["send", "alpha", &all]);
    every_command(&mut run, &home, &all);
    plain.signal("-TERM");
    let mut events = Vec::new();
    while let Some(line) = plain.line() {
        events.extend_from_slice(line.as_bytes());
        events.push(b'\n');
    }
    assert!(plain.wait().success());
    every_command(&mut run, &home, &all);
    let mut json = home.fly(&["--start-swarm", "--for", "2s"]);
    let mut json_events = Vec::new();
    while let Some(line) = json.line() {
        serde_json::from_str::<Value>(&line).expect("JSON");
        json_events.extend_from_slice(line.as_bytes());
    }
    run(&["mysis", "delete", "--all", "--yes"]);

    let mut found = Vec::new();
    for (what, bytes) in [("plain events", &events), ("JSON events", &json_events)] {
        found.extend(harm(bytes).map(|harm| format!("{what}: {harm}")));
    }
    let log = std::fs::read(home.file("zoea.log")).expect("the log");
    found.extend(harm(&log).map(|harm| format!("the log: {harm}")));
    for (arguments, output) in &outputs {
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            found.extend(harm(bytes).map(|harm| format!("{name} of {arguments}: {harm}")));
        }
    }
    for (ending, file) in written(&home) {
        let bytes = std::fs::read(&file).expect("a file");
        found.extend(harm(&bytes).map(|harm| format!("a file .{ending}: {harm}")));
    }
    assert!(
        found.is_empty(),
        "{} of {}:\n{}",
        found.len(),
        outputs.len(),
        found.join("\n")
    );
    eprintln!(
        "{} commands, {} places, {} hostile texts",
        outputs.len(),
        parrot.places().len(),
        texts.len()
    );
    let logged = outputs
        .iter()
        .find(|(name, _)| name.contains("\"log\", \"alpha\""));
    let logged = String::from_utf8_lossy(&logged.expect("a log").1.stdout).into_owned();
    assert!(
        logged.contains("call name") && logged.contains("YOU"),
        "{logged}"
    );
}

/// The files that the commands wrote for reading.
fn written(home: &Home) -> Vec<(String, std::path::PathBuf)> {
    let files = std::fs::read_dir(home.path()).expect("a directory");
    let files = files.map(|entry| entry.expect("an entry").path());
    files
        .filter_map(|path| Some((path.extension()?.to_str()?.to_string(), path)))
        .filter(|(ending, _)| matches!(ending.as_str(), "md" | "html" | "jsonl"))
        .collect()
}

/// Runs every command, with correct arguments and with hostile ones.
fn every_command(run: &mut impl FnMut(&[&str]), home: &Home, hostile: &str) {
    let file = |name: &str| {
        let place = std::fs::read_dir(home.path()).expect("a directory").count();
        home.file(&format!("{place}-{name}"))
            .to_str()
            .expect("text")
            .to_string()
    };
    for arguments in [
        &["status"][..],
        &["doctor"],
        &["doctor", "--json"],
        &["mysis", "list"],
        &["mysis", "list", "--json"],
        &["mission", "show"],
        &["log", "alpha", "--limit", "0"],
        &["log", "beta", "--limit", "0"],
        &["log", "alpha", "--limit", "0", "--json"],
        &["log", "alpha", "--kind", "host"],
        &["search", "a", "--limit", "1000"],
        &["search", "a", "--limit", "1000", "--json"],
        &["search", "e", "--in", "reasoning", "--limit", "1000"],
        &["search", "a", "--in", "missions"],
        &["books"],
        &["books", "--json"],
        &["report"],
        &["report", "--format", "html"],
        &["accounts", "list"],
        &["accounts", "list", "--json"],
        &["export"],
        &["export", "--format", "md"],
        &["db", "check"],
    ] {
        run(arguments);
    }
    run(&["export", "--out", &file("a.jsonl")]);
    run(&["export", "--format", "md", "--out", &file("b.md")]);
    run(&["report", "--format", "html", "--out", &file("c.html")]);
    for arguments in [
        &["mysis", "create", hostile][..],
        &["mysis", "create", "gamma", "--provider", hostile],
        &["mysis", "configure", "beta", "--model", hostile],
        &["mysis", "start", hostile],
        &["mysis", "list", "--state", hostile],
        &["mysis", "start", "--state", hostile],
        &["send", hostile, "x"],
        &["note", hostile, "x"],
        &["log", hostile],
        &["log", "alpha", "--kind", hostile],
        &["log", "alpha", "--limit", hostile],
        &["search", hostile],
        &["search", "a", "--mysis", hostile],
        &["search", "a", "--in", hostile],
        &["report", "--day", hostile],
        &["books", "--days", hostile],
        &["export", "--format", hostile],
        &["export", "--mysis", hostile],
        &["export", "--out", &format!("/nowhere/{hostile}")],
        &["accounts", "import", &format!("/nowhere/{hostile}")],
        &["import", &format!("/nowhere/{hostile}")],
        &["--config", &format!("/nowhere/{hostile}"), "status"],
        &["galaxy", "--addr", hostile],
        &["galaxy", "--fault", hostile],
        &["pilot", "--persona", hostile],
        &["simulate", "--days", hostile],
        &["run", "--for", hostile],
        &["attach", hostile],
        &["db", "restore", &format!("/nowhere/{hostile}")],
        &[hostile],
        &["--help"],
        &["--version"],
    ] {
        run(arguments);
    }
}
