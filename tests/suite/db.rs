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
    assert!(
        said.contains("choose a file in a directory that exists"),
        "{said}"
    );
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
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(printed.contains("a restore was cut short"), "{printed}");
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

/// A home with one Mysis, and a backup of it.
fn with_backup(home: &Home) -> std::path::PathBuf {
    home.configure("http://127.0.0.1:9/v1", "http://127.0.0.1:9/mcp", "");
    home.ok(&["mysis", "create", "alpha"]);
    let copy = home.path().with_file_name("copy.db");
    home.ok(&["db", "backup", text(&copy)]);
    copy
}

/// Leaves the files of a killed program, with orders that only its log has.
fn kill_one(home: &Home) {
    let swarm = home.fly(&[]);
    home.ok(&["send", "alpha", "only the log has this"]);
    swarm.signal("-KILL");
    swarm.wait();
}

#[test]
fn a_restore_works_whatever_stands_in_the_place_and_keeps_it() {
    let home = Home::new();
    let copy = with_backup(&home);
    let (file, log) = (home.file("zoea.db"), home.file("zoea.db-wal"));
    let elsewhere = home.path().with_file_name("elsewhere.db");
    let changes: [(&str, &dyn Fn()); 6] = [
        ("missing", &|| fs::remove_file(&file).expect("a file")),
        ("empty", &|| fs::write(&file, "").expect("a file")),
        ("no database", &|| {
            fs::write(&file, "no database").expect("a file");
        }),
        ("another file", &|| {
            fs::copy(&copy, &file).expect("a copy");
        }),
        ("a link that leads nowhere", &|| {
            fs::remove_file(&file).expect("a file");
            std::os::unix::fs::symlink("/nowhere/zoea.db", &file).expect("a link");
        }),
        ("a link", &|| {
            fs::rename(&file, &elsewhere).expect("it moves");
            std::os::unix::fs::symlink(&elsewhere, &file).expect("a link");
        }),
    ];
    for (what, change) in changes {
        kill_one(&home);
        let left = fs::read(&log).expect("a log");
        change();
        home.ok(&["db", "restore", text(&copy)]);
        let folder = |path: &Path| {
            fs::read_dir(path)
                .expect("a folder")
                .flatten()
                .collect::<Vec<_>>()
        };
        let mut kept = folder(&home.path());
        kept.extend(folder(home.path().parent().expect("a folder")));
        let is_kept = kept
            .iter()
            .any(|entry| fs::read(entry.path()).is_ok_and(|it| it == left));
        assert!(is_kept, "{what}: the log is kept");
        assert!(
            !home.ok(&["log", "alpha"]).contains("only the log"),
            "{what}"
        );
        assert_sound(&home);
    }
}

#[test]
fn a_home_that_lost_its_database_begins_anew_only_on_purpose() {
    let home = Home::new();
    let copy = with_backup(&home);
    let way = |words: &str| format!("zoea --home {} db {words}", home.path().display());
    let file = home.file("zoea.db");
    for is_missing in [true, false] {
        match is_missing {
            true => fs::remove_file(&file).expect("a file"),
            false => fs::write(&file, "").expect("a file"),
        }
        for words in [
            &["run", "--headless"][..],
            &["send", "alpha", "hello"],
            &["mysis", "create", "beta"],
            &["status"],
            &["doctor"],
        ] {
            let (_, said) = home.fails(words);
            let output = home.run(words);
            let said = said + &String::from_utf8_lossy(&output.stdout);
            assert!(said.contains(&way("new")), "{words:?}: {said}");
            assert!(said.contains(&way("restore")), "{words:?}: {said}");
        }
        assert!(!file.exists() || fs::read(&file).expect("a file").is_empty());
    }
    home.ok(&["db", "new"]);
    assert!(!home.ok(&["mysis", "list"]).contains("alpha"));
    home.ok(&["mysis", "create", "beta"]);
    home.ok(&["db", "restore", text(&copy)]);
    assert!(home.ok(&["mysis", "list"]).contains("alpha"));
    let replaced = home.file("zoea.db.replaced");
    fs::remove_file(&file).expect("a file");
    let (_, said) = home.fails(&["send", "alpha", "hello"]);
    let way_back = way(&format!("restore {}", replaced.display()));
    assert!(said.contains(&way_back), "{said}");
    // What was replaced on purpose is kept, with its Mysis.
    home.ok(&["db", "restore", text(&replaced)]);
    assert!(home.ok(&["mysis", "list"]).contains("beta"));
}
