//! A swarm that plays: it registers, mines, sells, and comes back after a kill.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use zoea_rig::{Home, Process, Server, http, lines, texts, until, zoea};

/// Reads events until every Mysis has called all of these tools.
pub(crate) fn until_all_have(process: &mut Process, myses: usize, tools: &[&str]) -> Vec<Value> {
    let mut done: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut events = Vec::new();
    loop {
        let line = process.line().expect("the swarm goes on");
        let event: Value = serde_json::from_str(&line).expect("a line of JSON");
        if event["event"] == "tool_returned" && event["is_error"] == false {
            let (who, tool) = (event["mysis"].as_str(), event["tool"].as_str());
            let tools = done.entry(who.unwrap_or_default().to_string()).or_default();
            tools.insert(tool.unwrap_or_default().to_string());
        }
        events.push(event);
        let is_done = |seen: &BTreeSet<String>| tools.iter().all(|tool| seen.contains(*tool));
        if done.len() == myses && done.values().all(is_done) {
            return events;
        }
    }
}

#[test]
fn every_mysis_registers_mines_and_sells() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--nonsense", "0.05"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    for name in ["alpha", "beta", "gamma"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&[
        "broadcast",
        "Mine ore, sell it at your station, refuel and go again.",
    ]);
    let mut swarm = home.fly(&[]);
    let events = until_all_have(&mut swarm, 3, &["register", "mine", "dock", "sell"]);
    let errored: Vec<&Value> = events
        .iter()
        .filter(|event| event["to"] == "errored")
        .collect();
    assert!(errored.is_empty(), "{errored:?}");
    let alpha = home.mysis("alpha");
    assert_eq!(alpha["state"], "running");
    assert_eq!(alpha["mcp"], "ok");
    assert!(alpha["tokens_in"].as_u64().unwrap_or(0) > 0);
    let results = home.ok(&[
        "log", "alpha", "--kind", "result", "--words", "--limit", "0",
    ]);
    assert!(results.contains("        mined "), "{results}");
    assert!(!results.contains("        {"), "{results}");
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let stats = pilot_stats(&pilot.url);
    assert_eq!(stats["refused"], 0, "every request was valid: {stats}");
}

/// The pilot's statistics of its requests.
pub(crate) fn pilot_stats(url: &str) -> Value {
    let (status, body) = http("GET", &url.replace("/v1", "/stats"), &[], "");
    assert_eq!(status, 200);
    serde_json::from_str(&body).expect("JSON")
}

#[test]
fn a_killed_swarm_goes_on_where_it_was() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["mysis", "create", "beta"]);
    home.ok(&["broadcast", "mine"]);
    let mut swarm = home.fly(&[]);
    until_all_have(&mut swarm, 2, &["mine"]);
    let account = home.mysis("alpha")["account"].clone();
    let sent = home.ok(&["send", "alpha", "remember the number 7301"]);
    assert!(sent.contains("stored for alpha"), "{sent}");
    swarm.signal("-KILL");
    assert!(!swarm.wait().success());

    let found = home.lines(&["search", "remember the number 7301", "--json"]);
    assert_eq!(found.len(), 1, "what was acknowledged is there");
    assert_eq!(
        home.mysis("alpha")["state"],
        "idle",
        "nobody runs before it is started"
    );

    let rows = home.lines(&["log", "alpha", "--limit", "1", "--json"]);
    let last = rows.last().and_then(|row| row["seq"].as_i64());
    let mut again = home.fly(&["--resume"]);
    until_all_have(&mut again, 2, &["mine"]);
    let alpha = home.mysis("alpha");
    assert_eq!(
        (&alpha["state"], &alpha["account"]),
        (&Value::from("running"), &account)
    );
    let open = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
    let is_open = |row: &Value| {
        let calls = row["tool_calls"].as_array().cloned().unwrap_or_default();
        calls
            .iter()
            .any(|call| matches!(call["status"].as_str(), Some("recorded" | "sent")))
    };
    let of_before = open.iter().filter(|row| row["seq"].as_i64() <= last);
    assert!(
        !of_before.clone().any(is_open),
        "every call of before has its result"
    );
    assert!(of_before.count() > 0);
}

/// Runs until a kill. Then a run without options begins.
#[test]
fn after_a_kill_a_plain_run_says_who_ran_and_starts_them_at_a_word_or_by_configuration() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    for name in ["alpha", "beta", "gamma"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "mine"]);
    let mut swarm = home.fly(&[]);
    until_all_have(&mut swarm, 3, &["mine"]);
    home.ok(&["mysis", "stop", "gamma"]);
    swarm.signal("-KILL");
    assert!(!swarm.wait().success());

    // Without options it starts no Mysis and says so. So do the next run and the commands in
    // between.
    for _ in 0..2 {
        let page = home.ok(&["status"]);
        let hint = "interrupted: 2 of the Myses ran when the program ended; `zoea run --resume`";
        assert!(page.contains(hint), "{page}");
        let page = home.ok(&["mysis", "list"]);
        assert_eq!(page.matches("interrupted: it ran ").count(), 2, "{page}");
        let mut swarm = home.fly(&[]);
        let printed = loop {
            let line = swarm.line().expect("it says so");
            if line.contains("\"interrupted\"") {
                break line;
            }
        };
        assert!(printed.contains("2 Myses were running when"), "{printed}");
        let alpha = until("it has read its past", || {
            let alpha = home.mysis("alpha");
            let reason = alpha["reason"].as_str()?;
            let has_read = reason.starts_with("interrupted: it ran until 20");
            has_read.then_some(alpha)
        });
        assert_eq!(alpha["state"], "idle");
        let page = home.ok(&["status"]);
        assert!(
            page.contains("interrupted: 2 of the Myses ran when"),
            "{page}"
        );
        swarm.signal("-KILL");
        assert!(!swarm.wait().success());
    }
    let mut swarm = home.fly(&[]);
    until("they have read their past", || {
        let page = home.ok(&["status"]);
        page.contains("interrupted: 2 of the Myses ran when")
            .then_some(())
    });
    let started = home.ok(&["mysis", "start", "--state", "interrupted"]);
    assert_eq!(started, "started alpha\nstarted beta\n");
    until_all_have(&mut swarm, 2, &["mine"]);
    swarm.signal("-KILL");
    assert!(!swarm.wait().success());

    // The configuration can replace the option.
    let file = home.file("zoea.toml");
    let text = std::fs::read_to_string(&file).expect("a configuration");
    let text = text.replace("[swarm]\n", "[swarm]\nresume = true\n");
    std::fs::write(file, text).expect("a configuration");
    let mut swarm = home.fly(&[]);
    until_all_have(&mut swarm, 2, &["mine"]);
    assert_eq!(home.mysis("gamma")["state"], "stopped");
}

#[test]
fn other_shells_find_the_offline_swarm_and_begin_no_second_one() {
    let home = Home::new();
    let mut command = home.command(&["run", "--offline", "--headless", "--json", "--myses", "2"]);
    command.args(["--tick", "50ms"]);
    let swarm = Process::spawn(command);
    let offline = home.file("offline");
    until("the offline swarm is up", || {
        offline.join("run.json").exists().then_some(())
    });
    let status = home.run(&["status", "--json"]);
    let (out, err) = texts(&status);
    let status: Value = serde_json::from_str(&out).expect("JSON");
    let names: Vec<&str> = status["myses"]
        .as_array()
        .expect("Myses")
        .iter()
        .filter_map(|mysis| mysis["name"].as_str())
        .collect();
    assert_eq!(names.len(), 2, "{out}");
    let place = format!("the offline swarm that runs in {}", offline.display());
    assert!(err.contains(&place), "{err}");
    let sent = home.ok(&["send", names[0], "Mine ore."]);
    assert!(
        sent.starts_with(&format!("stored for {}", names[0])),
        "{sent}"
    );
    let doctor = home.json(&["doctor", "--json"]);
    assert_eq!(doctor["ok"], true, "{doctor}");
    let checks = doctor["checks"].as_array().expect("checks").iter();
    let asked: Vec<&str> = checks.filter_map(|check| check["name"].as_str()).collect();
    assert!(asked.contains(&"servers"), "{asked:?}");
    let is_of_others = |name: &&str| *name == "mcp" || name.starts_with("provider");
    assert!(!asked.iter().any(is_of_others), "{asked:?}");
    // So it is with those that wait, those that read files of the home, and those about the database.
    let running = ["--until", "state=running", "--timeout", "2m"];
    home.ok(&[&["wait", names[0]][..], &running].concat());
    let follow = ["events", "--follow", "--from", "0", "--limit", "2"];
    assert_eq!(home.ok(&follow).lines().count(), 2);
    std::fs::create_dir_all(offline.join("routines")).expect("a directory");
    std::fs::write(offline.join("routines/haul.json"), "{}").expect("a file");
    let routines = home.ok(&["routine", "list"]);
    assert!(routines.contains("haul: a file in "), "{routines}");
    std::fs::write(offline.join("system-prompt.md"), "You fly.").expect("a file");
    for words in [&["prompt", "show"][..], &["prompt", "show", names[0]]] {
        let shown = home.ok(words);
        assert!(shown.starts_with("You fly."), "{shown}");
    }
    let checked = home.ok(&["prompt", "check"]);
    assert!(checked.contains("every placeholder is known"), "{checked}");
    home.ok(&["db", "check"]);
    home.ok(&["db", "compact"]);
    assert!(!home.file("zoea.db").exists(), "no second swarm is begun");
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

#[test]
fn offline_needs_nothing_and_stops_in_good_order() {
    let home = Home::new();
    let out = home.ok(&[
        "run",
        "--offline",
        "--headless",
        "--json",
        "--for",
        "6s",
        "--tick",
        "50ms",
        "--myses",
        "3",
    ]);
    let events = lines(&out);
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!(count("mysis_created"), 3);
    assert_eq!(count("shutdown"), 1);
    assert!(count("tool_returned") > 0);
    assert!(count("message") > 0);
    assert!(events.iter().all(|event| event["at"].is_string()));
    assert!(!events.iter().any(|event| event["to"] == "errored"));
    let offline = home.file("offline");
    assert!(offline.join("zoea.db").exists());
    assert!(
        !offline.join("run.json").exists(),
        "nothing claims to run any more"
    );
    // What it spent is known to be free of charge, also while nothing runs.
    let ask = |words: &[&str]| {
        let asked = zoea().arg("--home").arg(&offline).args(words).output();
        let (out, err) = texts(&asked.expect("the command runs"));
        assert!(err.is_empty(), "{words:?}: {err}");
        out
    };
    let status: Value = serde_json::from_str(&ask(&["status", "--json"])).expect("JSON");
    let today = &status["today"];
    assert!(today["tokens_in"].as_u64() > Some(0), "{today}");
    assert_eq!(today["cost"], 0.0, "{today}");
    assert_eq!(today["budget_percent"], Value::Null, "{today}");
    let samples: Value = serde_json::from_str(&ask(&["samples", "--sum", "--json"])).expect("JSON");
    let samples = samples["series"][0]["samples"].as_array().expect("samples");
    assert!(
        samples.iter().all(|sample| sample["cost"] == 0.0),
        "{samples:?}"
    );
    assert!(!ask(&["samples"]).contains("unknown"));
    let report = ask(&["report", "--day", "today"]);
    assert!(!report.contains("unknown"), "{report}");
}

#[test]
fn a_signal_ends_it_within_two_seconds_even_while_everything_hangs() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--fault", "hang"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    for number in 0..20 {
        home.ok(&["mysis", "create", &format!("m{number}")]);
    }
    let swarm = home.fly(&["--start-swarm"]);
    until("all ask the model", || {
        let myses = home.json(&["mysis", "list", "--json"]);
        let asking = |mysis: &&Value| mysis["activity"] == "calling the model";
        let count = myses.as_array()?.iter().filter(asking).count();
        (count == 20).then_some(())
    });
    let asked = std::time::Instant::now();
    swarm.signal("-INT");
    assert!(swarm.wait().success());
    assert!(asked.elapsed().as_secs() < 4, "{:?}", asked.elapsed());
}
