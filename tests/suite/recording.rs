//! Events and orders: stored, logged, and shown after a kill.

use std::collections::BTreeSet;

use serde_json::Value;

use zoea_rig::{Home, Server, until};

/// The orders among the events: the order, its target, and its source.
fn orders(home: &Home) -> Vec<(String, String, String)> {
    let text = |event: &Value, key: &str| event[key].as_str().unwrap_or("-").to_string();
    let events = home.lines(&["events", "--limit", "0", "--json"]);
    let orders = events.iter().filter(|event| event["kind"] == "order");
    orders
        .map(|event| {
            (
                text(event, "code"),
                text(event, "mysis"),
                text(event, "source"),
            )
        })
        .collect()
}

fn expected(orders: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    let owned = |(code, mysis, source): &(&str, &str, &str)| {
        (code.to_string(), mysis.to_string(), source.to_string())
    };
    orders.iter().map(owned).collect()
}

#[test]
fn every_order_is_recorded_with_the_door_it_came_through() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "[[myses]]\nname = \"declared\"\n");
    home.ok(&["mysis", "create", "alpha"]);
    let mut all = expected(&[
        ("create", "declared", "configuration"),
        ("create", "alpha", "command_line"),
    ]);
    assert_eq!(orders(&home), all);

    let accounts = home.path().with_file_name("accounts.json");
    let list = r#"[{"username": "captain", "password": "open sesame", "assigned_to": "alpha"}]"#;
    std::fs::write(&accounts, list).expect("a file of accounts");
    let accounts = accounts.to_str().expect("a path");
    let swarm = home.fly(&[]);
    home.ok(&["mysis", "configure", "alpha", "--temperature", "0.5"]);
    home.ok(&["accounts", "import", accounts]);
    home.ok(&["note", "alpha", "never sell the ship"]);
    home.ok(&["note", "alpha", "--clear"]);
    home.ok(&["send", "alpha", "what is in the hold?"]);
    home.ok(&["broadcast", "mine"]);
    home.ok(&["mission", "clear"]);
    home.ok(&["mission", "clear"]);
    home.ok(&["mysis", "stop", "alpha"]);
    home.fails(&["mysis", "stop", "alpha"]);
    home.ok(&["mysis", "start", "alpha"]);
    let deleted = home.run(&["mysis", "delete", "declared", "--yes"]);
    let told = String::from_utf8_lossy(&deleted.stderr);
    assert!(
        deleted.status.success() && told.contains("the configuration declares declared"),
        "{told}"
    );
    all.extend(expected(&[
        ("configure", "alpha", "control"),
        ("accounts", "-", "control"),
        ("note", "alpha", "control"),
        ("clear_notes", "alpha", "control"),
        ("message", "alpha", "control"),
        ("mission", "-", "control"),
        ("clear_mission", "-", "control"),
        ("stop", "alpha", "control"),
        ("stop", "alpha", "control"),
        ("start", "alpha", "control"),
        ("delete", "declared", "control"),
    ]));
    assert_eq!(orders(&home), all);
    swarm.signal("-HUP");
    all.extend(expected(&[
        ("create", "declared", "configuration"),
        ("reload", "-", "signal"),
    ]));
    until("the signal is recorded", || {
        (orders(&home) == all).then_some(())
    });

    swarm.signal("-KILL");
    assert!(!swarm.wait().success());
    assert_eq!(orders(&home), all, "what was acknowledged is recorded");
    let plain = home.ok(&["events", "--limit", "0"]);
    assert!(plain.contains("captain (assigned)"), "{plain}");
    for text in [
        "a message: what is in the hold?",
        "stop was refused: mysis already stopped",
        "mine (stored for",
    ] {
        assert!(plain.contains(text), "{text}: {plain}");
    }
    assert!(!plain.contains("open sesame"), "{plain}");
}

/// What a message became, and what answered it, is told with its record, also when nothing runs.
#[test]
fn a_message_is_recorded_with_its_row_and_the_row_that_answers_it() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    let swarm = home.fly(&[]);
    home.ok(&["send", "alpha", "what is in the hold?"]);
    let message = || {
        let events = home.lines(&["events", "--limit", "0", "--json"]);
        let mut events = events.into_iter();
        events
            .find(|event| event["code"] == "message")
            .expect("its record")
    };
    let answered = until("it is answered", || {
        let message = message();
        message["answered"].is_i64().then_some(message)
    });
    swarm.signal("-KILL");
    assert!(!swarm.wait().success());
    assert_eq!(message(), answered);
    let rows = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
    let row = |seq: &Value| rows.iter().find(|row| row["seq"] == *seq).expect("a row");
    assert_eq!(row(&answered["seq"])["kind"], "prompt");
    assert_eq!(row(&answered["answered"])["kind"], "reply");
}

#[test]
fn what_happened_is_in_the_log_and_outlives_a_kill() {
    let home = Home::new();
    let pilot = Server::pilot(&["--fault", "http-401"]);
    home.configure(&pilot.url, "", "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["send", "alpha", "hello"]);
    let swarm = home.fly(&[]);
    until("it is errored", || {
        (home.mysis("alpha")["state"] == "errored").then_some(())
    });
    home.recorded("it is recorded", |event| event["code"] == "errored");
    swarm.signal("-KILL");
    assert!(!swarm.wait().success());
    let log = std::fs::read_to_string(home.file("zoea.log")).expect("a log");
    for text in ["idle → running", "running → errored"] {
        assert!(log.contains(text), "{text}: {log}");
    }
    let events = home.lines(&["events", "--json"]);
    let codes: BTreeSet<&str> = events
        .iter()
        .filter_map(|event| event["code"].as_str())
        .collect();
    for code in ["up", "running", "errored"] {
        assert!(codes.contains(code), "{code}: {codes:?}");
    }
    let errored = events.iter().find(|event| event["code"] == "errored");
    assert_eq!(errored.expect("it is there")["mysis"], "alpha");
}

#[test]
fn a_request_is_traced_at_three_stages_with_whose_it_is_and_what_it_is_made_of() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["send", "alpha", "hello"]);
    let swarm = home.launch(home.command(&["--debug", "run", "--headless", "--json"]));
    until("it has played", || {
        (home.mysis("alpha")["turns"] != 0).then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let log = std::fs::read_to_string(home.file("zoea.log")).expect("a log");
    for stage in ["composed", "converted", "sent"] {
        let mut lines = log
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let line = lines.find(|line| line["fields"]["stage"] == stage);
        let line = line.expect(stage);
        assert_eq!(line["span"]["mysis"], "alpha", "{line}");
        for kind in ["system_prompt", "prompts", "operator", "runtime"] {
            assert!(line["span"][kind].as_u64() > Some(0), "{kind}: {line}");
        }
        for kind in ["results", "calls", "reasoning_left_out"] {
            assert!(line["span"][kind].is_u64(), "{kind}: {line}");
        }
        assert!(line["fields"]["bytes"].as_u64() > Some(0), "{line}");
    }
}
