//! The database is checked, copied, restored and compacted, with and without a running swarm.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::flight::until_all_have;
use zoea_rig::{Home, Process, Server, until};

/// A swarm of two that has mined.
fn playing(home: &Home) -> (Process, Server, Server) {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["mysis", "create", "beta"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let mut swarm = home.fly(&["--start-swarm"]);
    until_all_have(&mut swarm, 2, &["mine", "sell"]);
    (swarm, galaxy, pilot)
}

fn assert_sound(home: &Home) {
    let checked = home.json(&["db", "check", "--json"]);
    assert_eq!(checked["ok"], true, "{checked}");
    let names = checked["checks"].as_array().expect("checks").iter();
    let names: Vec<&str> = names.filter_map(|check| check["name"].as_str()).collect();
    let all = [
        "pages",
        "references",
        "calls",
        "places",
        "index",
        "books",
        "samples",
        "figures",
    ];
    assert_eq!(names, all);
}

fn land(swarm: Process) {
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

/// The sizes in bytes before and after.
fn bytes(line: &str) -> (u64, u64) {
    let numbers = line
        .split_whitespace()
        .filter_map(|word| word.replace(',', "").parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    (numbers[0], numbers[1])
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in letters")
}

#[test]
fn a_database_is_checked_copied_and_compacted_while_a_swarm_plays_and_put_back_when_none_does() {
    let home = Home::new();
    let (swarm, _galaxy, _pilot) = playing(&home);
    assert_sound(&home);
    let copy = home.file("copies").join("one.db");
    let (_, said) = home.fails(&["db", "backup", text(&copy)]);
    assert!(said.contains("free some space there, or choose"), "{said}");
    let copy = home.path().with_file_name("one.db");
    home.ok(&["db", "backup", text(&copy)]);
    let mode = fs::metadata(&copy).expect("a copy").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (status, said) = home.fails(&["db", "backup", text(&copy)]);
    assert!(status == 1 && said.contains("exists already"), "{said}");
    let (status, said) = home.fails(&["db", "restore", text(&copy)]);
    assert!(status == 1 && said.contains("is using"), "{said}");

    home.ok(&["mysis", "delete", "beta", "--yes"]);
    let (before, after) = bytes(&home.ok(&["db", "compact"]));
    assert!(after < before, "{before} {after}");
    // The swarm continues with the file that became smaller.
    let turns = || home.mysis("alpha")["turns"].as_u64().expect("a number");
    let now = turns();
    until("alpha goes on", || (turns() > now + 2).then_some(()));
    assert_sound(&home);
    land(swarm);

    let then = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
    home.ok(&["db", "restore", text(&copy)]);
    assert!(home.file("zoea.db.replaced").is_file());
    assert_sound(&home);
    let now = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
    assert!(now.len() > 20 && now.len() < then.len());
    // The call that was under way then has another result now. All rows before it are unchanged.
    let whole = now.len() - 4;
    let said = |rows: &[Value]| -> Vec<(Value, Value, Value)> {
        let rows = rows.iter();
        let of = |row: &Value| {
            (
                row["seq"].clone(),
                row["kind"].clone(),
                row["content"].clone(),
            )
        };
        rows.map(of).collect()
    };
    assert_eq!(said(&now[..whole]), said(&then[..whole]));
    assert!(home.ok(&["mysis", "list"]).contains("beta"), "beta is back");
    let (before, after) = bytes(&home.ok(&["db", "compact"]));
    assert!(after <= before);
    assert_sound(&home);
}

#[test]
fn what_is_not_sound_is_told_and_not_put_back() {
    let home = Home::new();
    let (swarm, _galaxy, _pilot) = playing(&home);
    land(swarm);
    let copy = home.path().with_file_name("bad.db");
    home.ok(&["db", "backup", text(&copy)]);
    let mut content = fs::read(&copy).expect("a copy");
    let (from, to) = (content.len() / 2, content.len() / 2 + 8192);
    content[from..to].fill(0xA5);
    fs::write(&copy, &content).expect("a damaged copy");
    // Calls under way at the shutdown get their results first.
    let before = until("the log stands", || {
        let log = || home.ok(&["log", "alpha", "--limit", "0"]);
        Some(log()).filter(|before| *before == log())
    });
    let (status, said) = home.fails(&["db", "restore", text(&copy)]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("nothing was replaced") || said.contains("malformed"),
        "{said}"
    );
    assert_eq!(home.ok(&["log", "alpha", "--limit", "0"]), before);
    assert!(!home.file("zoea.db.replaced").exists());
    assert!(!home.file("zoea.db.restoring").exists());

    // The check of the restored database finds the same rows.
    home.ok(&["db", "check"]);
    fs::write(home.file("zoea.db"), &content).expect("a damaged database");
    let (status, said) = home.fails(&["db", "check"]);
    assert_eq!(status, 1, "{said}");
    let other = home.path().with_file_name("other.txt");
    fs::write(
        &other,
        "no database, but long enough to be looked at by one",
    )
    .expect("a file");
    let (_, said) = home.fails(&["db", "restore", text(&other)]);
    assert!(said.contains("not a database"), "{said}");
}

#[test]
fn what_a_restore_that_was_cut_short_left_behind_is_removed_and_told() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    let copy = home.path().with_file_name("copy.db");
    home.ok(&["db", "backup", text(&copy)]);
    home.ok(&["mysis", "create", "beta"]);
    let left = ["zoea.db.restoring", "zoea.db.restoring-wal"].map(|name| home.file(name));
    let leave = || {
        for file in &left {
            fs::copy(&copy, file).expect("a piece of a copy");
        }
    };
    let is_gone = || left.iter().all(|file| !file.exists());
    leave();
    let output = home.run(&["mysis", "list"]);
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("a restore was cut short"), "{told}");
    assert!(is_gone());
    // The next restore must not take the copy for its own.
    leave();
    home.ok(&["db", "restore", text(&copy)]);
    assert!(is_gone());
    let names = home.ok(&["mysis", "list"]);
    assert!(
        names.contains("alpha") && !names.contains("beta"),
        "{names}"
    );
}
