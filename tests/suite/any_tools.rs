//! A server of tools that is no game: nothing is said of a game, and nothing is done twice because
//! the server says that it may be.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use zoea_rig::terminal_program::Program;
use zoea_rig::{Home, ScriptedReply, ScriptedRequest, ScriptedServer, until};

/// Words of the game that are false of any other server.
const FALSE_WORDS: [&str; 14] = [
    "spacemolt",
    "credit",
    "cargo",
    "captain",
    "ship",
    "fuel",
    "hull",
    "player",
    "tick",
    "docked",
    "travelling",
    "mining",
    "earned",
    "wallet",
];

fn tool(name: &str, hints: &Value) -> Value {
    json!({"name": name, "description": format!("Does {name}. DEPRECATED: it will overwrite."),
        "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
        "annotations": hints})
}

/// Tools of other servers, some with names and answers like the game's.
fn tools() -> Value {
    let lying = json!({"readOnlyHint": true, "idempotentHint": true, "destructiveHint": false});
    json!([
        tool("append_line", &lying),
        tool("read_file", &json!({"readOnlyHint": true})),
        tool("get_status", &json!({})),
        tool("sell", &json!({})),
        tool("travel", &json!({})),
        tool("get_next_job", &lying),
    ])
}

/// What a shop and a booking of journeys answer: nothing of it is the game's.
fn other_answer(request: &ScriptedRequest) -> ScriptedReply {
    let text = match request.body["params"]["name"].as_str() {
        Some("get_status") => json!({"player": {"credits": 77, "current_system": "prod"},
            "ship": {"fuel": 3, "max_fuel": 9, "cargo_used": 1, "cargo_capacity": 2},
            "current_tick": 9}),
        Some("sell") => json!({"total_earned": 12, "item_id": "chair", "quantity": 1}),
        _ => json!({"next": 1}),
    };
    request.result(&json!({"content": [{"type": "text", "text": text.to_string()}]}))
}

/// A model that makes these calls, one in each answer, and then says that it is done.
fn model(calls: &'static [&'static str]) -> ScriptedServer {
    let made = AtomicUsize::new(0);
    ScriptedServer::start("/v1", move |request| {
        let next = calls.get(made.fetch_add(1, Ordering::SeqCst));
        request.calling(next.map(|name| (*name, json!({"path": "notes.txt"}))))
    })
}

fn results(home: &Home, count: usize) -> Vec<Value> {
    until("the calls have results", || {
        let rows = home.lines(&["log", "alpha", "--kind", "result", "--limit", "0", "--json"]);
        (rows.len() >= count).then_some(rows)
    })
}

/// Kills the program in the middle of `append_line` and starts it again. Returns how often that was
/// called, and what became of the first call.
fn killed_in_a_call(more: &str) -> (usize, String) {
    let arrived = Arc::new((Mutex::new(0_usize), Condvar::new()));
    let seen = arrived.clone();
    let server = ScriptedServer::game(tools(), move |request| {
        let mut count = seen.0.lock();
        *count += 1;
        seen.1.notify_all();
        let is_first = *count == 1;
        drop(count);
        if is_first {
            // No answer as long as the program lives.
            std::thread::park_timeout(std::time::Duration::from_secs(600));
        }
        other_answer(request)
    });
    let model = model(&["append_line"]);
    let home = Home::new();
    let game = format!("upstream = \"{}\"\n{more}", server.url);
    home.configure_game(&model.url, &game, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Keep notes."]);
    let swarm = home.fly(&["--start-swarm"]);
    let (count, has_arrived) = &*arrived;
    has_arrived.wait_while(&mut count.lock(), |count| *count == 0);
    swarm.signal("-KILL");
    swarm.wait();
    let swarm = home.fly(&["--start-swarm"]);
    let first = results(&home, 1).remove(0);
    swarm.signal("-TERM");
    swarm.wait();
    let calls = server.requests();
    let calls = calls.iter().filter(|it| it.method() == "tools/call");
    let status = first["metadata"]["status"].as_str().unwrap_or_default();
    (calls.count(), status.to_string())
}

#[test]
fn a_call_is_made_again_by_the_operators_word_alone_whatever_the_server_says() {
    assert_eq!(killed_in_a_call(""), (1, "unknown".to_string()));
    let named = killed_in_a_call("repeatable = [\"append_*\"]");
    assert_eq!(named, (2, "done".to_string()));
    let trusted = killed_in_a_call("trust_annotations = true");
    assert_eq!(trusted, (2, "done".to_string()));
}

#[test]
fn the_screen_judges_other_tools_by_the_number_that_the_operator_named_also_after_a_kill() {
    let printed = AtomicUsize::new(0);
    let server = ScriptedServer::game(json!([tool("count_notes", &json!({}))]), move |request| {
        let total = 40 + 1_000 * printed.fetch_add(1, Ordering::SeqCst);
        let text = json!({"notes": {"total": total}, "credits": 5}).to_string();
        request.result(&json!({"content": [{"type": "text", "text": text}]}))
    });
    let model = model(&["count_notes", "count_notes", "count_notes"]);
    let home = Home::new();
    let game = format!(
        "upstream = \"{}\"\nnumber = \"count_*/notes/total\"",
        server.url
    );
    home.configure_game(&model.url, &game, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Keep notes."]);
    let swarm = home.fly(&["--start-swarm"]);
    results(&home, 3);
    let folder = tempfile::tempdir().expect("a folder");
    let path = home.path();
    let arguments = ["--home", &path.to_string_lossy(), "attach"];
    let shows_number = |screen: &str| {
        ["UP", "total a minute", "total 2,040", "A MINUTE"]
            .iter()
            .all(|word| screen.contains(word))
    };
    let open = || {
        let program = zoea_rig::program().to_string_lossy().into_owned();
        Program::open(&program, &arguments, folder.path(), (120, 40))
    };
    let mut screen = open();
    screen.until("the number is shown", shows_number);
    let text = screen.contents().to_lowercase();
    assert!(
        !text.contains("credits") && !text.contains("earn"),
        "{text}"
    );
    screen.kill();
    let status = home.json(&["status", "--json"]);
    let number = json!({"name": "total", "sum": 2_040, "last_hour": 2_000});
    assert_eq!(status["number"], number, "{status}");
    assert_eq!(status["credits"], Value::Null);
    let alpha = home.mysis("alpha");
    assert_eq!(
        (&alpha["number"], &alpha["number_name"]),
        (&json!(2_040), &json!("total"))
    );
    let printed = home.ok(&["status"]);
    assert!(
        printed.contains("total: 2,040 in all, 2,000 in the last hour"),
        "{printed}"
    );
    swarm.signal("-KILL");
    swarm.wait();
    let swarm = home.fly(&[]);
    let mut screen = open();
    screen.until("it is read from the rows again", |screen| {
        screen.contains("total 2,040") && screen.contains("A MINUTE")
    });
    screen.kill();
    home.ok(&["send", "alpha", "go on"]);
    home.ok(&["wait", "alpha", "--until", "answered"]);
    swarm.signal("-TERM");
    swarm.wait();
    let report = home.ok(&["report"]);
    assert!(report.contains("changed total by "), "{report}");
    assert!(
        report.contains("| total | gained |") && !report.contains("credit"),
        "{report}"
    );
    let samples = home.ok(&["samples", "--json"]);
    assert!(samples.contains(r#""number_name":"total""#), "{samples}");
}

/// Opens each view that shows no results, and finds no false word on it.
fn walk_the_views(home: &Home) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = home.path();
    let arguments = ["--home", &path.to_string_lossy(), "attach"];
    let program = zoea_rig::program().to_string_lossy().into_owned();
    let mut screen = Program::open(&program, &arguments, folder.path(), (120, 40));
    screen.until("the table is there", |screen| screen.contains("MYSIS"));
    for (key, title) in [
        ("g", "GRAPHS  tokens"),
        ("\t", "GRAPHS  dollars"),
        ("$", "BOOKS"),
        ("M", "these tools tell of no places"),
        ("Z", "WAITS"),
        ("H", "PROCESSES"),
        ("L", "LOG"),
        ("?", "The signs"),
    ] {
        screen.press_until(key, |screen| screen.contains(title));
        speaks_of_no_game(key, &screen);
        if title.starts_with("GRAPHS  tokens") {
            continue;
        }
        if title == "The signs" {
            read_to_the_end(&mut screen);
        }
        // At the end of the help its title is gone before it is closed.
        screen.press_until("\u{1b}", |screen| {
            !screen.contains(title) && screen.contains("MYSIS")
        });
    }
    for (typed, offered) in [
        (":col", "columns COLUMNS|auto"),
        ("\u{15}group ", "model"),
        ("\u{15}sort ", "provider"),
        ("\u{15}columns name,", "provider"),
        ("\u{15}sort nonsense\r", "is not one of"),
    ] {
        screen.press_until(typed, |screen| screen.contains(offered));
        speaks_of_no_game(typed, &screen);
    }
    screen.kill();
}

fn speaks_of_no_game(key: &str, screen: &Program) {
    let text = screen.contents().to_lowercase();
    for word in FALSE_WORDS.iter().chain(&["game", "$0", "group by place"]) {
        assert!(!text.contains(word), "{key}: {word}: {text}");
    }
}

/// Turns the pages of the help.
fn read_to_the_end(screen: &mut Program) {
    while screen.contents().contains("↓ more") {
        let before = screen.contents();
        screen.press_until("\u{1b}[6~", |screen| screen != before);
        speaks_of_no_game("the help", screen);
    }
}

#[test]
fn nothing_that_is_shown_or_sent_speaks_of_a_game() {
    let server = ScriptedServer::game(tools(), other_answer);
    let model = model(&[
        "get_status",
        "sell",
        "travel",
        "get_next_job",
        "read_file",
        "sell",
    ]);
    let home = Home::new();
    home.configure(&model.url, &server.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Keep the shop in order."]);
    let swarm = home.fly(&["--start-swarm"]);
    let rows = results(&home, 6);
    for row in &rows {
        assert_eq!(row["metadata"]["tick"], Value::Null, "{row}");
        assert_eq!(row["metadata"]["game"], "any", "{row}");
        let text = row["content"].as_str().unwrap_or_default();
        assert!(
            text.starts_with('{'),
            "a result is as the server gave it: {text}"
        );
    }
    let alpha = home.mysis("alpha");
    for fact in [
        "credits", "earned", "system", "poi", "cargo", "fuel", "tick",
    ] {
        assert_eq!(alpha[fact], Value::Null, "{fact}: {alpha}");
    }
    let asked = model.requests();
    for request in &asked {
        let messages = request.body["messages"].as_array().expect("messages");
        let by_us = messages
            .iter()
            .filter(|it| it["role"] == "system" || it["role"] == "user");
        for message in by_us {
            let text = message["content"].to_string().to_lowercase();
            for word in FALSE_WORDS.iter().chain(&["game", "register first"]) {
                assert!(!text.contains(word), "{word}: {text}");
            }
        }
        let tools = request.body["tools"].to_string();
        assert!(
            tools.contains("Does sell. DEPRECATED: it will overwrite."),
            "{tools}"
        );
        assert!(tools.contains("get_next_job"), "{tools}");
    }
    walk_the_views(&home);
    let words = home.ok(&["log", "alpha", "--words"]);
    let report = home.ok(&["report"]);
    // Its style has a cell that is `sticky`, which is no word about a tick.
    let page = home
        .ok(&["report", "--format", "html"])
        .replace("sticky", "");
    let (prompt, samples) = (home.ok(&["prompt", "show", "alpha"]), home.ok(&["samples"]));
    let shown = [
        home.ok(&["status"]),
        home.ok(&["mysis", "list"]),
        report,
        page,
        prompt,
        samples,
    ];
    for text in shown {
        for word in FALSE_WORDS {
            assert!(!text.to_lowercase().contains(word), "{word}: {text}");
        }
    }
    assert!(!words.contains("sold"), "{words}");
    swarm.signal("-TERM");
    swarm.wait();
    // After a restart the same is known before the server is asked.
    let without = ScriptedServer::start("/mcp", |_| {
        ScriptedReply::of("text/plain", "away").with_status(503)
    });
    home.configure(&model.url, &without.url, "");
    let swarm = home.fly(&[]);
    let alpha = home.mysis("alpha");
    assert_eq!(alpha["credits"], Value::Null, "{alpha}");
    swarm.signal("-TERM");
    swarm.wait();
}
