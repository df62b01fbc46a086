//! The whole program with its database on a Postgres server.

use std::path::Path;

use serde_json::json;

use crate::flight::until_all_have;
use zoea_rig::postgres;
use zoea_rig::{Home, Pooler, Server, until};

/// The password in the address of every database of the tests' server.
const PASSWORD: &str = "sesame-open-sesame";

fn store(url: &str) -> String {
    format!("[store]\ndatabase_url = \"{url}\"\n")
}

/// Every file below a directory that contains a text, without the configuration.
fn holding(directory: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).expect("a file");
            let is_in = bytes
                .windows(text.len())
                .any(|some| some == text.as_bytes());
            if is_in && !path.ends_with("zoea.toml") {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn a_swarm_keeps_its_books_on_a_server() {
    let Some(url) = postgres::database() else {
        return;
    };
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--nonsense", "0.05"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, &store(&url));
    let said = home.ok(&["--debug", "doctor"]);
    assert!(said.contains("is empty; the first run fills it"), "{said}");
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&[
        "broadcast",
        "Mine ore, sell it at your station, refuel and go again.",
    ]);
    let mut swarm = home.fly(&["--debug"]);
    until_all_have(&mut swarm, 2, &["register", "mine"]);
    let sent = home.ok(&[
        "send",
        "alpha",
        &format!("the number is 73_01, not {PASSWORD}"),
    ]);
    assert!(sent.contains("stored for alpha"), "{sent}");
    swarm.signal("-KILL");
    swarm.wait();
    let said = home.ok(&["doctor"]);
    assert!(said.contains("2 Myses"), "{said}");
    let mut swarm = home.fly(&["--resume"]);
    until_all_have(&mut swarm, 2, &["mine"]);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let found = home.lines(&["search", "number is 73_01", "--json"]);
    let found: Vec<_> = found.iter().filter(|row| row["kind"] == "prompt").collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["content"], "the number is 73_01, not [redacted]");
    assert!(home.ok(&["status"]).contains("alpha"));
    assert!(home.lines(&["log", "beta", "--limit", "0", "--json"]).len() > 5);
    assert!(!home.file("zoea.db").exists());
    let accounts = home.file("in.json");
    let pooled = json!([{"username": "Quill", "password": "pool-secret-1|:\"é"}]);
    std::fs::write(&accounts, pooled.to_string()).expect("a file");
    home.ok(&["accounts", "import", accounts.to_str().expect("text")]);
    let pool = home.json(&["accounts", "list", "--json"]);
    let quill = pool.as_array().expect("a list").iter();
    assert_eq!(quill.filter(|one| one["username"] == "Quill").count(), 1);
    assert_eq!(holding(&home.path(), PASSWORD), [] as [String; 0]);
}

#[test]
fn conversations_move_from_a_file_to_a_server_and_back_without_loss() {
    let Some(url) = postgres::database() else {
        return;
    };
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--nonsense", "0.3"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["note", "alpha", "never sell the ship"]);
    home.ok(&[
        "broadcast",
        "Mine ore and sell it. Grüße \u{1f680} \"quoted\"",
    ]);
    let swarm = home.fly(&[]);
    until("there is something to move", || {
        let rows = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
        (rows.len() > 30).then_some(())
    });
    // A stopped Mysis has a result for each call. Without the stop, a query would be repeated
    // later.
    home.ok(&["mysis", "stop", "alpha"]);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let first = home.ok(&["export"]);
    let file = home.file("export.jsonl");
    std::fs::write(&file, &first).expect("a file");
    let other = Home::new();
    other.configure(&pilot.url, &galaxy.url, &store(&url));
    for _again in 0..2 {
        other.ok(&["import", file.to_str().expect("text")]);
        assert!(other.ok(&["export"]) == first, "what was moved differs");
    }
    std::fs::write(&file, other.ok(&["export"])).expect("a file");
    let third = Home::new();
    third.configure(&pilot.url, &galaxy.url, "");
    third.ok(&["import", file.to_str().expect("text")]);
    assert!(third.ok(&["export"]) == first, "what came back differs");
}

#[test]
fn a_server_that_cannot_be_used_is_told_without_the_password() {
    let home = Home::new();
    let url = format!("postgres://zoea:{PASSWORD}@127.0.0.1:1/books");
    home.configure("http://127.0.0.1:9/v1", "", &store(&url));
    let (status, said) = home.fails(&["mysis", "list"]);
    assert_eq!(status, 1);
    assert!(said.contains("postgres://zoea@127.0.0.1:1/books"), "{said}");
    assert!(said.contains("store.database_url"), "{said}");
    assert!(!said.contains(PASSWORD), "{said}");
    let doctor = home.run(&["--debug", "doctor"]);
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(said.contains("✗ database: open the database"), "{said}");
    assert!(!said.contains(PASSWORD), "{said}");
    assert_eq!(holding(&home.path(), PASSWORD), [] as [String; 0]);
}

#[test]
fn a_pooler_in_transaction_mode_is_named_with_the_remedy_and_one_in_session_mode_works() {
    let Some(url) = postgres::database() else {
        return;
    };
    let home_at = |url: &str| {
        let home = Home::new();
        let store = format!("[store]\ndatabase_url = \"{url}\"\n");
        home.configure("http://127.0.0.1:9/v1", "", &store);
        home
    };
    for mode in ["transaction", "statement"] {
        let Some(pooler) = Pooler::before(&url, mode) else {
            return;
        };
        let home = home_at(&pooler.url);
        for arguments in [
            &["run", "--headless"][..],
            &["status"],
            &["mysis", "create", "a"],
        ] {
            for _ in 0..3 {
                let (_, printed) = home.fails(arguments);
                assert!(
                    printed.contains("pooler in transaction mode"),
                    "{mode}: {printed}"
                );
                assert!(
                    printed.contains("port 5432") && printed.contains("session mode"),
                    "{printed}"
                );
            }
        }
        let doctor = home.run(&["doctor"]);
        let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(doctor.contains("pooler in transaction mode"), "{doctor}");
        // Nothing is left behind: no lock, no table.
        let locks = "SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory' AND database = \
                     (SELECT oid FROM pg_database WHERE datname = current_database())";
        assert_eq!(postgres::column(&url, locks), ["0"]);
        let tables = "SELECT count(*)::text FROM pg_tables WHERE schemaname = 'public'";
        assert_eq!(postgres::column(&url, tables), ["0"]);
    }
    let Some(pooler) = Pooler::before(&url, "session") else {
        return;
    };
    let home = home_at(&pooler.url);
    home.ok(&["mysis", "create", "alpha"]);
    let direct = home_at(&url);
    assert!(direct.ok(&["mysis", "list"]).contains("alpha"));
}
