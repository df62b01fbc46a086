//! A Zoea-Nova database is imported: everything that can be, and the rest is reported.

use std::path::PathBuf;

use serde_json::{Value, json};

use zoea_rig::Home;
use zoea_rig::sqlite;

/// The schema of Zoea-Nova v12.
const SCHEMA: &str = "
CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
INSERT INTO schema_version VALUES (12);
CREATE TABLE myses (id TEXT PRIMARY KEY, name TEXT NOT NULL, provider TEXT NOT NULL,
  model TEXT NOT NULL, temperature REAL NOT NULL DEFAULT 0.7, state TEXT NOT NULL DEFAULT 'idle',
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, mysis_id TEXT NOT NULL,
  role TEXT NOT NULL, source TEXT NOT NULL DEFAULT 'direct', sender_id TEXT,
  content TEXT NOT NULL, reasoning TEXT, created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE accounts (username TEXT PRIMARY KEY, password TEXT NOT NULL, assigned_to TEXT,
  last_used_at DATETIME, created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE game_state_snapshots (id TEXT PRIMARY KEY, username TEXT NOT NULL,
  tool_name TEXT NOT NULL, content TEXT NOT NULL, game_tick INTEGER, captured_at INTEGER NOT NULL);
";

/// Rows that a year of play and several versions leave behind.
const NASTY: &str = r#"
INSERT INTO myses VALUES ('m-1', 'alpha', 'ollama', 'qwen3:8b', 0.7, 'running',
  '2026-02-07 12:00:00.5 +0000 UTC', '2026-02-07 12:00:00');
INSERT INTO myses VALUES ('m-2', 'Crab Miner!', 'zen', '', 1.5, 'errored', '1770465600', '');
INSERT INTO myses VALUES ('m-3', 'alpha', 'ollama', 'x', 0.1, 'stopped', 'someday', '');
INSERT INTO memories (mysis_id, role, source, sender_id, content, reasoning, created_at) VALUES
 ('m-1', 'system', 'system', '', 'You are an autonomous AI pilot.', '', '2026-02-07 12:00:01'),
 ('m-1', 'user', 'broadcast', '', 'Mine | sell: 100%', '', '2026-02-07 12:00:02.123456789 +0000 UTC m=+3.1'),
 ('m-2', 'user', 'broadcast', NULL, 'Mine | sell: 100%', NULL, '2026-02-07T12:00:02.2Z'),
 ('m-1', 'user', 'direct', '', 'Where are you?', '', '2026-02-07T13:00:03+01:00'),
 ('m-1', 'assistant', 'llm', '', '[TOOL_CALLS]call:1:login:{"username":"Quill","password":"nova-pass-0001"}|c2:travel:{"to":"a|b:c:{}"}|c3:get_status:{}', 'I log in with nova-pass-0001.', '1770465605'),
 ('m-1', 'tool', 'tool', '', 'call:1:{"session_id":"sess-0123456789abcdef","password":"nova-pass-0001"}', '', '1770465606000'),
 ('m-1', 'user', 'broadcast', 'm-2', 'Crab here, all well.', '', 'garbage'),
 ('m-1', 'user', 'direct', 'm-2', 'Meet me at Sol.', '', '2026-02-07 12:00:08'),
 ('m-1', 'tool', 'tool', '', 'c2:Error: no fuel: dock|refuel', '', '2026-02-07 12:00:09'),
 ('m-1', 'tool', 'tool', '', 'c9:nobody asked', '', '2026-02-07 12:00:10'),
 ('m-1', 'tool', 'tool', '', 'no id at all', '', '2026-02-07 12:00:11'),
 ('m-1', 'assistant', 'llm', '', '[TOOL_CALLS]broken', '', '2026-02-07 12:00:12'),
 ('m-1', 'assistant', 'llm', '', '[TOOL_CALLS]c4:mine:{"x": |c5:dock:{}', '', '2026-02-07 12:00:13'),
 ('m-1', 'tool', 'tool', '', 'c5:docked', '', '2026-02-07 12:00:14'),
 ('m-1', 'user', 'system', '', 'Continue your mission.', '', '2026-02-07 12:00:15'),
 ('m-1', 'oracle', 'dream', '', 'unheard of', '', '2026-02-07 12:00:16'),
 ('m-1', 'assistant', 'llm', '', '', NULL, '2026-02-07 12:00:17'),
 ('m-1', 'assistant', 'llm', '', CAST(x'68c3a9ff6c6c6f' AS TEXT), '', '2026-02-07 12:00:18'),
 ('m-2', 'user', 'broadcast', '', 'Mine | sell: 100%', '', '2026-02-07 12:00:19'),
 ('m-3', 'user', 'broadcast', '', 'Explore.', '', '2026-02-07 12:00:20'),
 ('m-9', 'user', 'direct', '', 'of a deleted mysis', '', '2026-02-07 12:00:21');
INSERT INTO accounts VALUES ('Quill', 'nova-pass-0001', 'm-1', NULL, '2026-02-07 11:00:00');
INSERT INTO accounts VALUES ('Brass', 'nova-pass-0002', NULL, NULL, '2026-02-07 10:00:00');
INSERT INTO accounts VALUES ('Ghost', 'nova-pass-0003', 'm-9', NULL, '2026-02-07 09:00:00');
INSERT INTO game_state_snapshots VALUES
 ('s', 'Quill', 'get_status', '{"credits":1203,"password":"nova-pass-0001"}', 7, 1770465600),
 ('t', 'Brass', 'get_status', '{"credits":5}', 7, 1770465600),
 ('u', 'Quill', 'mine', '{"mined":1}', 7, 1770465600),
 ('v', 'Quill', 'get_ship', '{"hull":1}', 7, 'some day');
"#;

fn nova(home: &Home, more: &str) -> PathBuf {
    home.configure("http://127.0.0.1:9/v1", "", "");
    let file = home.file("nova.db");
    sqlite::execute(&file, &format!("{SCHEMA}{NASTY}{more}"));
    file
}

/// The files of imports that are in a home.
fn left_of_imports(home: &Home) -> Vec<String> {
    let left = std::fs::read_dir(home.path()).expect("the home");
    left.filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.contains("import"))
        .collect()
}

fn import(home: &Home, file: &std::path::Path) -> String {
    home.ok(&["import", file.to_str().expect("text")])
}

#[test]
fn everything_that_fits_is_taken_over_and_the_rest_is_told() {
    let home = Home::new();
    let file = nova(&home, "");
    let before = std::fs::read(&file).expect("the source");
    let report = import(&home, &file);
    let listed: Vec<&str> = report.lines().collect();
    assert_eq!(
        listed,
        [
            "taken over: 3 myses, 22 rows, 5 tool calls, 2 missions, 3 accounts",
            "2 calls have no result in the source: outcome unknown",
            "4 rows fit nothing and are kept as host notices",
            "1 rows have no time that can be read: they have that of the row before",
            "1 snapshots of the game, with the time at which they were made",
            "3 snapshots of the game were not imported: they belong to no Mysis, have no time, or are of a tool that is not a query",
            "\"Crab Miner!\" is called Crab-Miner- here",
            "\"alpha\" is called alpha-2 here",
        ]
    );
    assert_eq!(std::fs::read(&file).expect("the source"), before);
    for ending in ["-wal", "-shm", "-journal"] {
        assert!(!home.file(&format!("nova.db{ending}")).exists(), "{ending}");
    }
    let rows = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
    let kinds: Vec<&str> = rows.iter().filter_map(|row| row["kind"].as_str()).collect();
    assert_eq!(
        kinds,
        [
            "audit", "mission", "prompt", "call", "result", "peer", "peer", "result", "host",
            "host", "host", "call", "result", "host", "host", "reply", "reply", "result", "result",
        ]
    );
    let at: Vec<&str> = rows.iter().filter_map(|row| row["at"].as_str()).collect();
    assert_eq!(at[1], "2026-02-07T12:00:02.123Z");
    assert_eq!(at[2], "2026-02-07T12:00:03.000Z");
    assert_eq!(
        (at[3], at[4], at[5]),
        (
            "2026-02-07T12:00:05.000Z",
            "2026-02-07T12:00:06.000Z",
            "2026-02-07T12:00:06.000Z"
        )
    );
    let calls = &rows[3]["tool_calls"];
    assert_eq!(calls[0]["id"], "call:1");
    assert_eq!(calls[1]["arguments"], json!({"to": "a|b:c:{}"}));
    let status = |row: usize, call: usize| rows[row]["tool_calls"][call]["status"].clone();
    assert_eq!(
        (status(3, 0), status(3, 1), status(3, 2)),
        ("done".into(), "failed".into(), "unknown".into())
    );
    assert_eq!(rows[7]["content"], "Error: no fuel: dock|refuel");
    assert_eq!(
        (&rows[5]["sender"], &rows[6]["sender"]),
        (&"Crab Miner!".into(), &"Crab Miner!".into())
    );
    assert_eq!(rows[8]["content"], "c9:nobody asked");
    assert_eq!(rows[10]["content"], "[TOOL_CALLS]broken");
    assert_eq!(rows[11]["tool_calls"][0]["arguments"], "{\"x\": ");
    assert_eq!(rows[12]["content"], "docked");
    assert_eq!(rows[16]["content"], "hé\u{fffd}llo");
    let all = Value::from(rows.clone()).to_string();
    for secret in ["nova-pass-0001", "sess-0123456789abcdef"] {
        assert!(!all.contains(secret), "{secret}");
    }
}

#[test]
fn what_was_seen_of_the_game_is_taken_over_as_old_as_it_is() {
    let home = Home::new();
    let file = nova(&home, "");
    import(&home, &file);
    let exported = home.ok(&["export"]);
    let seen: Vec<Value> = exported
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|line: &Value| line["record"] == "sighting")
        .collect();
    assert_eq!(seen.len(), 1, "{seen:?}");
    let alpha = &home.mysis("alpha")["id"];
    let (mysis, account) = (&seen[0]["mysis_id"], &seen[0]["account"]);
    assert_eq!((mysis, account), (alpha, &"Quill".into()));
    assert_eq!(
        (&seen[0]["tool"], &seen[0]["tick"], &seen[0]["at"]),
        (
            &"get_status".into(),
            &7.into(),
            &"2026-02-07T12:00:00.000Z".into()
        )
    );
    let shown = seen[0]["content"].as_str().expect("a digest");
    assert!(shown.contains("1203"), "{shown}");
    assert!(!shown.contains("nova-pass-0001"), "{shown}");
}

#[test]
fn missions_states_and_accounts_are_those_of_the_source() {
    let home = Home::new();
    let file = nova(&home, "");
    import(&home, &file);
    assert_eq!(
        home.ok(&["mission", "show"]),
        "Explore.\n",
        "the newest stands"
    );
    let found = home.lines(&["search", "sell: 100%", "--in", "missions", "--json"]);
    assert_eq!(found.len(), 1, "one mission for all copies");
    let alpha = home.mysis("alpha");
    assert_eq!(
        (&alpha["state"], &alpha["account"], &alpha["model"]),
        (&"idle".into(), &"Quill".into(), &"qwen3:8b".into())
    );
    let crab = home.mysis("Crab-Miner-");
    assert_eq!(
        (&crab["state"], &crab["account"]),
        (&"errored".into(), &Value::Null)
    );
    assert_eq!(crab["reason"], "it was errored when it was imported");
    assert_eq!(home.mysis("alpha-2")["state"], "stopped");
    let accounts = home.json(&["accounts", "list", "--json"]);
    let names: Vec<&str> = accounts
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|account| account["username"].as_str())
        .collect();
    assert_eq!(names, ["Ghost", "Brass", "Quill"]);
}

#[test]
fn importing_again_changes_nothing_and_the_homes_own_mission_stays() {
    let home = Home::new();
    let file = nova(&home, "");
    home.ok(&["mysis", "create", "own"]);
    home.ok(&["broadcast", "Our own mission."]);
    import(&home, &file);
    assert_eq!(home.ok(&["mission", "show"]), "Our own mission.\n");
    let once = home.ok(&["export"]);
    let report = import(&home, &file);
    assert!(
        report.starts_with("taken over: 0 myses, 0 rows, 0 tool calls, 0 missions, 0 accounts"),
        "{report}"
    );
    assert!(report.contains("3 myses are here already"), "{report}");
    assert!(report.contains("3 accounts are here already"), "{report}");
    assert_eq!(home.ok(&["export"]), once);
}

/// The old runtime's words for an answer without any are no words of the model, so none gets them back.
#[test]
fn the_old_runtimes_words_for_no_answer_are_not_imported_as_the_models() {
    let home = Home::new();
    let said = ["(no response)", " (no response)\n"].map(|words| {
        format!(
            "INSERT INTO memories (mysis_id, role, source, content, reasoning, created_at) VALUES \
             ('m-3', 'assistant', 'llm', '{words}', 'why', '2026-02-07 12:00:30');"
        )
    });
    import(&home, &nova(&home, &said.concat()));
    let rows = home.lines(&["log", "alpha-2", "--limit", "0", "--json"]);
    let said = rows.iter().filter(|row| row["role"] == "assistant");
    let said: Vec<_> = said
        .map(|row| (&row["content"], &row["reasoning"]))
        .collect();
    assert_eq!(said, [(&json!(""), &json!("why")); 2], "{rows:?}");
}

#[test]
fn what_stands_in_the_sources_log_only_is_taken_over_too() {
    let home = Home::new();
    let file = nova(&home, "");
    // A killed Zoea-Nova leaves its log behind; a copy of the open files is the same.
    let (other, copy) = (home.file("open.db"), home.file("killed.db"));
    std::fs::copy(&file, &other).expect("a copy");
    sqlite::while_open(
        &other,
        "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; \
         INSERT INTO memories (mysis_id, role, source, content, created_at) \
         VALUES ('m-1', 'user', 'direct', 'only in the log', '2026-02-08');",
        || {
            for ending in ["", "-wal"] {
                let name = |file: &std::path::Path| format!("{}{ending}", file.display());
                std::fs::copy(name(&other), name(&copy)).expect("a copy");
            }
        },
    );
    let before = std::fs::read(format!("{}-wal", copy.display())).expect("the log");
    assert!(!before.is_empty());
    import(&home, &copy);
    assert_eq!(
        home.lines(&["search", "only in the log", "--json"]).len(),
        1
    );
    let after = std::fs::read(format!("{}-wal", copy.display())).expect("the log");
    assert_eq!(before, after, "the source is only read");
    assert!(!PathBuf::from(format!("{}-shm", copy.display())).exists());
    assert_eq!(left_of_imports(&home), Vec::<String>::new());
}

#[test]
fn a_source_whose_log_cannot_be_read_leaves_no_copy_of_its_passwords() {
    let home = Home::new();
    let file = nova(&home, "");
    // What a killed import left behind.
    std::fs::write(home.file("zoea.db.import-shm"), "left").expect("a file");
    let log = home.file("nova.db-wal");
    std::fs::create_dir(&log).expect("a directory");
    std::fs::write(log.join("something"), "in it").expect("a file");
    let (status, error) = home.fails(&["import", file.to_str().expect("text")]);
    assert_eq!(status, 1);
    assert!(error.contains("nova.db-wal"), "{error}");
    assert_eq!(left_of_imports(&home), Vec::<String>::new());
}

#[test]
fn other_versions_and_other_databases_are_refused() {
    let home = Home::new();
    let file = nova(&home, "UPDATE schema_version SET version = 11;");
    let name = file.to_str().expect("text");
    let (status, error) = home.fails(&["import", name]);
    assert_eq!(status, 1);
    assert!(
        error.contains("of version 11") && error.contains("12"),
        "{error}"
    );
    let other = home.file("other.db");
    sqlite::execute(&other, "CREATE TABLE x (y)");
    let (_, error) = home.fails(&["import", other.to_str().expect("text")]);
    assert!(error.contains("no Zoea-Nova database"), "{error}");
    assert_eq!(home.json(&["mysis", "list", "--json"]), json!([]));
    let swarm = home.fly(&[]);
    let (_, error) = home.fails(&["import", name]);
    assert!(error.contains("a swarm is running"), "{error}");
    drop(swarm);
}

const MYSIS: &str = r#"{"record":"mysis","id":"0000000000000007","name":"alpha","provider":"pilot","model":null,"temperature":null,"state":"idle","reason":null,"fault":null,"turns":1,"tokens_in":5,"tokens_out":3,"cost_micros":9,"notes_after":0,"created_at":"2026-02-07T12:00:00.000Z"}"#;
const CALL: &str = r#"{"record":"row","mysis_id":"0000000000000007","seq":1,"at":"2026-02-07T12:00:01.000Z","turn":1,"kind":"call","content":"","horizon":0,"metadata":{"provider":"pilot","model":"m","ms":1,"usage":{"input":7,"output":2,"cached":0}},"tool_calls":[{"id":"c","name":"mine","arguments":"{}","status":"done"}]}"#;
const RESULT: &str = r#"{"record":"row","mysis_id":"0000000000000007","seq":2,"at":"2026-02-07T12:00:02.000Z","turn":1,"kind":"result","content":"ore","answers":{"seq":1,"position":0},"metadata":{"call_id":"c","tool":"mine","status":"done","ms":1}}"#;

#[test]
fn an_export_with_numbers_that_cannot_be_is_refused_by_line_and_nothing_of_it_is_taken() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    let file = home.file("odd.jsonl");
    let refused = |lines: &[&str]| {
        std::fs::write(&file, lines.join("\n")).expect("a file");
        let (status, why) = home.fails(&["import", file.to_str().expect("text")]);
        assert_eq!(status, 1, "{why}");
        why
    };
    for (odd, said) in [
        (
            CALL.replace("\"seq\":1", "\"seq\":-5"),
            "line 2: `seq` is -5; allowed: from 1 to",
        ),
        (CALL.replace("\"seq\":1", "\"seq\":0"), "line 2: `seq` is 0"),
        (
            CALL.replace("\"seq\":1", "\"seq\":9223372036854775807"),
            "line 2: `seq` is 9223372036854775807",
        ),
        (
            CALL.replace("\"seq\":1", "\"seq\":9223372036854775808"),
            "line 2: `seq` is missing, or no whole",
        ),
        (
            CALL.replace("\"turn\":1", "\"turn\":-1"),
            "line 2: `turn` is -1",
        ),
        (
            CALL.replace("2026-", "+12345-"),
            "line 2: `at` is not a moment of the years 0000 to 9999",
        ),
        (
            CALL.replace(
                "\"at\":\"2026-02-07T12:00:01.000Z\"",
                "\"at\":\"+262142-12-31 23:59:59\"",
            ),
            "line 2: `at` is not a moment",
        ),
    ] {
        let why = refused(&[MYSIS, &odd]);
        assert!(why.contains(said), "{odd}: {why}");
    }
    let notes = MYSIS.replace("\"notes_after\":0", "\"notes_after\":9223372036854775807");
    assert!(refused(&[&notes]).contains("line 1: `notes_after` is 9223372036854775807"));
    // A repeated place or answer, and an answer without a call.
    assert!(
        refused(&[MYSIS, CALL, CALL]).contains("line 3: row 1 of this mysis comes after row 1")
    );
    let third = RESULT.replace("\"seq\":2,", "\"seq\":3,");
    assert!(refused(&[MYSIS, CALL, RESULT, &third]).contains("line 4: row 3 answers call 1.0"));
    assert!(refused(&[MYSIS, RESULT]).contains("line 2: row 2 answers call 1.0"));
    assert_eq!(home.json(&["mysis", "list", "--json"]), json!([]));
    assert_eq!(home.json(&["books", "--days", "0", "--json"]), json!([]));

    // A value that a provider must have invented counts as nothing.
    let usage = "\"input\":18446744073709551615,\"output\":2";
    let call = CALL.replace("\"input\":7,\"output\":2", usage);
    let mysis = MYSIS.replace("\"tokens_in\":5", "\"tokens_in\":18446744073709551615");
    std::fs::write(&file, [&*mysis, &call, RESULT].join("\n")).expect("a file");
    import(&home, &file);
    let books = home.json(&["books", "--days", "0", "--json"]);
    assert_eq!(
        (&books[0]["tokens_in"], &books[0]["tokens_out"]),
        (&json!(0), &json!(2))
    );
    let alpha = home.mysis("alpha");
    assert_eq!(
        (&alpha["tokens_in"], &alpha["tokens_out"]),
        (&json!(0), &json!(3))
    );
    home.ok(&["db", "check"]);
    home.ok(&["send", "alpha", "hello"]);
}

#[test]
fn a_line_that_is_too_large_is_refused_by_its_number_before_it_is_read_whole() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    let long = format!(
        "{{\"record\": \"mysis\", \"name\": \"{}\"}}",
        "x".repeat(63 << 20)
    );
    let many = format!(
        "{{\"record\": \"row\", \"content\": [{}0]}}",
        "0,".repeat(300_000)
    );
    for line in [long, many] {
        let file = home.file("big.jsonl");
        std::fs::write(&file, format!("\n{line}\n")).expect("a file");
        let begun = std::time::Instant::now();
        let (status, error) = home.fails(&["import", file.to_str().expect("text")]);
        assert_eq!(status, 1, "{error}");
        assert!(
            error.contains("line 2: longer than 24 MiB, or of more than 262144 values"),
            "{error}"
        );
        assert!(begun.elapsed() < std::time::Duration::from_secs(20));
    }
}
