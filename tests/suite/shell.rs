//! What a shell needs: orders to many with what came of each, texts from standard input, names with a
//! mistake, searches by exit status, and times.

use std::io::Write;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Output, Stdio};

use serde_json::Value;
use zoea_rig::{Home, Process, Server, ending_signals, lines, sqlite, texts, until};

use crate::listeners::prepared;

/// A home with these Myses, in which nothing runs.
fn home_with(names: &[&str]) -> Home {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "http://127.0.0.1:9/mcp", "");
    for name in names {
        home.ok(&["mysis", "create", name]);
    }
    home
}

/// Runs a command with this standard input.
fn piped(home: &Home, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = home.command(arguments);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writing = std::thread::spawn(move || {
        // A command that refuses to read more closes the pipe.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("it ends");
    writing.join().expect("it was written");
    output
}

/// What a command prints as JSON, its exit status and what it says.
fn printed_json(home: &Home, arguments: &[&str]) -> (Value, Option<i32>, String) {
    let output = home.run(arguments);
    let (out, error) = texts(&output);
    let json = serde_json::from_str(&out).unwrap_or_else(|why| panic!("{why}: {out} {error}"));
    (json, output.status.code(), error)
}

fn prompts(home: &Home, name: &str) -> Vec<String> {
    let rows = home.lines(&["log", name, "--kind", "prompt", "--json"]);
    let rows = rows
        .iter()
        .map(|row| row["content"].as_str().expect("a text"));
    rows.map(str::to_string).collect()
}

#[test]
fn an_order_to_many_says_what_came_of_it_for_each() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    let _swarm = home.fly(&[]);
    for name in ["miner-1", "miner-2", "scout"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["mysis", "start", "miner-2"]);
    let (outcomes, status, _) = printed_json(
        &home,
        &["mysis", "start", "--where", "name=miner-*", "--json"],
    );
    let outcomes = outcomes.as_array().expect("a list");
    let short: Vec<_> = outcomes
        .iter()
        .map(|one| {
            (
                one["name"].as_str().unwrap(),
                one["outcome"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(short, [("miner-1", "done"), ("miner-2", "unchanged")]);
    assert_eq!(outcomes[1]["why"], "mysis already running");
    assert_eq!(status, Some(0));
    home.ok(&["mysis", "stop", "miner-2"]);
    // One of three refuses a message: the others have it, and the command fails.
    let (outcomes, status, error) = printed_json(&home, &["send", "--all", "dig here", "--json"]);
    let refused: Vec<_> = outcomes
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| one["outcome"] == "refused")
        .map(|one| (one["name"].as_str().unwrap(), one["why"].as_str().unwrap()))
        .collect();
    assert_eq!(
        refused,
        [("miner-2", "mysis stopped - press 'r' to relaunch")]
    );
    assert!(outcomes[0]["seq"].is_i64(), "{outcomes}");
    assert_eq!(status, Some(1));
    assert_eq!(error, "error: 1 of 3 Myses did not get the order\n");
    let output = home.run(&["send", "miner-2,scout,miner-2,scout", "dig there"]);
    let (out, _) = texts(&output);
    assert!(!output.status.success());
    assert!(out.contains("refused: miner-2: mysis stopped"), "{out}");
    assert!(out.contains("stored for scout as"), "{out}");
    assert_eq!(prompts(&home, "scout"), ["dig here", "dig there"]);
}

#[test]
fn a_message_for_those_that_match_leaves_the_mission_alone() {
    let home = home_with(&["miner-1", "miner-2", "scout"]);
    home.ok(&["broadcast", "earn"]);
    let out = home.ok(&["broadcast", "--where", "name=miner-*", "only you"]);
    assert!(
        out.contains("stored for miner-1 as") && !out.contains("scout"),
        "{out}"
    );
    assert_eq!(home.ok(&["mission", "show"]), "earn\n");
    assert_eq!(prompts(&home, "miner-2"), ["only you"]);
    assert_eq!(prompts(&home, "scout"), [""; 0]);
    let out = home.ok(&["send", "--where", "name=miner-*", "--dry-run", "later"]);
    assert_eq!(out, "would be sent: miner-1\nwould be sent: miner-2\n");
    let (sent, _, _) = printed_json(&home, &["broadcast", "again", "--json"]);
    assert_eq!(
        sent["delivered"].as_array().map(Vec::len),
        Some(3),
        "{sent}"
    );
    // Nothing is sent in silence to no one, and wrong usage is told as such.
    for command in ["send", "broadcast"] {
        let (status, error) = home.fails(&[command, "--where", "name=trader-*", "hello"]);
        assert!(status == 1 && error.contains("no Mysis matches"), "{error}");
    }
    for wrong in [
        &["send", "miner-1"][..],
        &["send", "--all", "one", "two"],
        &["send", "--all", "--where", "state=idle", "one"],
        &["send", "--where", "colour=red", "one"],
        &["broadcast", "--where", "state=idle", "--ends", "one"],
        &["mysis", "stop"],
        &["mysis", "stop", "miner-1", "--all"],
    ] {
        assert_eq!(home.fails(wrong).0, 2, "{wrong:?}");
    }
}

#[test]
fn a_text_comes_from_standard_input_clean_and_bounded() {
    let home = home_with(&["alpha", "bravo"]);
    let input = "\u{feff}dig\r\nhere \u{1b}[31mnow\u{202e}\n\n".as_bytes();
    assert!(
        piped(&home, &["send", "alpha", "-"], input)
            .status
            .success()
    );
    assert_eq!(prompts(&home, "alpha"), ["dig\nhere now"]);
    assert!(
        piped(&home, &["broadcast", "-"], b"earn\n")
            .status
            .success()
    );
    assert_eq!(home.ok(&["mission", "show"]), "earn\n");
    assert!(
        piped(&home, &["note", "alpha", "-"], b"never sell\n")
            .status
            .success()
    );
    for (input, printed_json) in [
        (&b""[..], "nothing in the message"),
        (b"\n \n", "nothing in the message"),
        (b"\xff\xfe", "standard input is not UTF-8 text"),
        (
            &vec![b'x'; (1 << 20) + 1],
            "standard input has more than the 1048576 bytes",
        ),
    ] {
        let output = piped(&home, &["send", "bravo", "-"], input);
        let (_, error) = texts(&output);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(printed_json), "{error}");
    }
    assert_eq!(prompts(&home, "bravo"), [""; 0]);
    // A name given twice is asked for once, else the second time it would be gone.
    let names = b"\xef\xbb\xbfalpha\nbravo\nalpha\n";
    let output = piped(&home, &["mysis", "delete", "--yes", "-"], names);
    assert!(output.status.success());
    assert_eq!(
        home.json(&["mysis", "list", "--json"]),
        Value::Array(Vec::new())
    );
    let (_, error) = texts(&piped(&home, &["mysis", "stop", "-"], b"\n"));
    assert!(error.contains("no Mysis is named"), "{error}");
}

#[test]
fn a_mistyped_name_gets_the_nearest_one_wherever_a_name_is_taken() {
    let home = home_with(&["miner-1", "miner-12", "scout"]);
    let right = "; did you mean miner-1?";
    for command in [
        &["send", "miner1", "hello"][..],
        &["note", "minor-1", "hello"],
        &["log", "miner-l"],
        &["search", "x", "--mysis", "mnier-1"],
        &["samples", "miner_1"],
        &["export", "--mysis", "miner.1"],
        &["prompt", "show", "miner--1"],
        &["routine", "show", "miner1"],
        &["answer", "miner1"],
        &["mysis", "stop", "miner1"],
        &["mysis", "delete", "--yes", "miner1"],
        &["mysis", "configure", "miner1", "--temperature", "1"],
    ] {
        let (_, error) = home.fails(command);
        assert!(error.contains(right), "{command:?}: {error}");
    }
    let (_, error) = home.fails(&["log", "trader"]);
    assert_eq!(error, "error: no mysis is called `trader`\n");
}

#[test]
fn a_search_says_by_its_exit_status_whether_there_is_a_hit() {
    let home = home_with(&["alpha"]);
    home.ok(&["send", "alpha", "Look for OSMIUM and Würfel"]);
    let found = home.ok(&["search", "-i", "osmium"]);
    assert!(found.contains("OSMIUM"), "{found}");
    assert!(
        home.ok(&["search", "--ignore-case", "WÜRFEL"])
            .contains("Würfel")
    );
    for arguments in [
        &["search", "osmium"][..],
        &["search", "osmium", "--json"],
        &["search", "-i", "gold", "--in", "messages,missions"],
    ] {
        let output = home.run(arguments);
        let (out, error) = texts(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            out.is_empty() && error.starts_with("note: nothing in the "),
            "{error}"
        );
        assert!(!error.contains("osmium"), "{error}");
    }
    // An error is not taken for an answer.
    assert_eq!(home.fails(&["search", "x", "--mysis", "nobody"]).0, 2);
    assert_eq!(home.fails(&["search", ""]).0, 2);
}

#[test]
fn a_search_says_where_older_places_may_be_left_out() {
    let home = home_with(&["alpha"]);
    let database = home.file("zoea.db");
    sqlite::execute(
        &database,
        "WITH RECURSIVE place(number) AS \
         (SELECT 1 UNION ALL SELECT number + 1 FROM place WHERE number < 1001) \
         INSERT INTO message (mysis_id, seq, at, turn, kind, content) \
         SELECT mysis.id, place.number, strftime('%s', 'now') * 1000, 1, 'prompt', 'osmium' \
         FROM mysis, place",
    );
    let search = |text: &str, limit: &str| {
        let output = home.run(&["search", text, "--json", "--limit", limit]);
        let (out, said) = texts(&output);
        (lines(&out).len(), said)
    };
    let no_more = "older ones may be left out";
    for limit in ["0", "1000", "5000"] {
        let (count, said) = search("osmium", limit);
        assert_eq!(count, 1000, "{said}");
        assert!(said.contains(no_more), "{said}");
    }
    let (count, said) = search("osmium", "7");
    assert_eq!(count, 7, "{said}");
    assert!(said.contains("there may be more with --limit"), "{said}");
    let (count, said) = search("gold", "0");
    assert_eq!(count, 0, "{said}");
    assert!(!said.contains("these are the newest"), "{said}");
    // Few of them, but long.
    let long = "UPDATE message SET content = 'osmium' || hex(zeroblob(500000)) WHERE seq > 996";
    sqlite::execute(&database, long);
    let (count, said) = search("osmium", "20");
    assert!((1..20).contains(&count), "{count} {said}");
    assert!(said.contains(no_more), "{said}");
}

#[test]
fn an_export_to_stdout_leaves_nothing_and_removes_what_a_killed_one_left() {
    let home = home_with(&["alpha"]);
    let passage = |name: &str| home.file(&format!("zoea.db.export-{name}"));
    for name in ["killed", "running"] {
        std::fs::create_dir(passage(name)).expect("a directory");
        std::fs::write(passage(name).join("export"), "a conversation").expect("a file");
    }
    let running = std::fs::File::open(passage("running")).expect("a directory");
    running.lock_shared().expect("a lock");
    let exported = home.ok(&["export"]);
    assert!(exported.contains("alpha"), "{exported}");
    let left = std::fs::read_dir(home.path()).expect("a home").flatten();
    let left: Vec<String> = left
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("zoea.db.export-"))
        .collect();
    assert_eq!(left, ["zoea.db.export-running"]);
}

#[test]
fn an_export_to_stdout_that_a_signal_ends_leaves_nothing() {
    let home = home_with(&["alpha"]);
    // So that writing takes a while.
    sqlite::execute(
        &home.file("zoea.db"),
        "WITH RECURSIVE place(number) AS \
         (SELECT 1 UNION ALL SELECT number + 1 FROM place WHERE number < 1000) \
         INSERT INTO message (mysis_id, seq, at, turn, kind, content) \
         SELECT mysis.id, place.number, strftime('%s', 'now') * 1000, 1, 'prompt', \
         replace(hex(zeroblob(5000)), '00', 'osmium ') FROM mysis, place",
    );
    let passages = || {
        let entries = std::fs::read_dir(home.path()).expect("a home").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names
            .filter(|name| name.starts_with("zoea.db.export-"))
            .collect::<Vec<String>>()
    };
    for (name, number) in ending_signals() {
        // Nobody reads what it prints, so it does not end by itself.
        let export = Process::spawn(home.command(&["export"]));
        until("it writes", || (!passages().is_empty()).then_some(()));
        export.signal(name);
        assert_eq!(export.wait().signal(), Some(number));
        assert_eq!(passages(), [] as [&str; 0], "{name}");
    }
    // What is ignored as it begins (`nohup`) does not end it.
    let export = Process::spawn(prepared(&home, "trap '' HUP", &["export"]));
    until("it writes", || (!passages().is_empty()).then_some(()));
    export.signal("-HUP");
    assert!(export.wait().success());
}

#[test]
fn times_are_those_of_the_operator_unless_utc_is_asked_for() {
    let home = home_with(&["alpha"]);
    home.ok(&["send", "alpha", "hello"]);
    let stored = home.lines(&["log", "alpha", "--json"])[0]["at"].clone();
    let stored = stored.as_str().expect("a time");
    assert!(stored.ends_with('Z'), "{stored}");
    let in_zone = |arguments: &[&str]| {
        let output = home.command(arguments).env("TZ", "Etc/GMT-9").output();
        texts(&output.expect("it runs")).0
    };
    let utc: chrono::DateTime<chrono::Utc> = stored.parse().expect("a time");
    let local = (utc + chrono::TimeDelta::hours(9))
        .format("%Y-%m-%d %H:%M:%S")
        .to_string();
    for command in [
        &["log", "alpha"][..],
        &["search", "hello"],
        &["events", "--limit", "1"],
    ] {
        let shown = in_zone(command);
        assert!(shown.contains(&local[..16]), "{shown} {local}");
        let asked = [command, &["--utc"]].concat();
        let shown = in_zone(&asked);
        assert!(shown.contains(&stored[..16]), "{shown}");
    }
    let json = in_zone(&["log", "alpha", "--json"]);
    assert!(json.contains(stored), "{json}");
}

#[test]
fn the_status_has_credits_needs_and_costs() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    let _swarm = home.fly(&[]);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["mysis", "start", "alpha"]);
    let credits = until("the game tells of credits", || {
        home.json(&["status", "--json"])["credits"].as_i64()
    });
    assert!(credits > 0);
    home.ok(&["mysis", "stop", "alpha"]);
    let status = home.ok(&["status"]);
    assert!(
        status.contains("credits: ") && status.contains(" in all wallets"),
        "{status}"
    );
    let head = status
        .lines()
        .find(|line| line.starts_with("NAME"))
        .expect("a table");
    for column in ["CREDITS", "EARNED", "COST"] {
        assert!(head.contains(column), "{head}");
    }
}
