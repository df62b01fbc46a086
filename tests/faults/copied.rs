//! A home that is copied while its process plays, or once that was killed: the copy is a home of its own,
//! which takes nothing that another process may still hold.
//!
//! `ZOEA_COPIES=100` is the number of copies.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::books::{executed, mistakes, recorded};
use crate::shared::{MISSION, scene, until_held};
use crate::verdict::number;
use zoea_rig::{Home, postgres, texts, until};

/// The number of copies, unless the environment gives another.
const COPIES: u64 = 2;
const MYSES: [&str; 3] = ["m1", "m2", "m3"];

/// A copy of a home, as `cp` with this option makes it.
fn copied(home: &Home, how: &str) -> Home {
    let copy = Home::new();
    let made = Command::new("cp")
        .arg(how)
        .args([home.path(), copy.path()])
        .status();
    assert!(made.expect("cp runs").success());
    copy
}

/// The home's name, as its file has it.
fn id_of(home: &Home) -> String {
    let text = std::fs::read_to_string(home.file("home.id")).expect("a name");
    text.lines().next().expect("a name").to_string()
}

/// Who holds the Myses.
fn owners(url: &str) -> Vec<String> {
    let query = "SELECT DISTINCT owner FROM lease WHERE expires_at > clock_timestamp()";
    postgres::column(url, query)
}

/// Gives commands in a copy. They see everything and change nothing.
fn command(copy: &Home, is_first: bool) {
    let output = copy.run(&["send", "m1", "hello"]);
    let (_, error) = texts(&output);
    assert!(!output.status.success(), "{error}");
    assert_eq!(error.contains("was copied"), is_first, "{error}");
    assert!(error.contains("runs in the process"), "{error}");
    copy.fails(&["mysis", "stop", "m2"]);
    copy.ok(&["status"]);
    assert!(copy.ok(&["mysis", "list"]).contains("m3"));
}

#[test]
fn a_copied_home_takes_nothing_from_the_one_that_plays() {
    let copies = number("ZOEA_COPIES", COPIES);
    let Some((scene, files)) = scene() else {
        return;
    };
    let home = scene.home(&MYSES);
    let process = home.fly(&["--start-swarm"]);
    home.ok(&["broadcast", MISSION]);
    let called = "SELECT count(DISTINCT mysis_id)::text FROM tool_call";
    until("all play", || {
        (postgres::column(&scene.url, called).concat() == "3").then_some(())
    });
    let owner = owners(&scene.url);
    let begun = Instant::now();
    for copy in 0..copies {
        let how = ["-r", "-a"][usize::from(copy % 2 == 1)];
        let copy = copied(&home, how);
        command(&copy, true);
        assert_ne!(id_of(&copy), id_of(&home));
        command(&copy, false);
        assert_eq!(owners(&scene.url), owner, "commands took something");
        // It joins as any other process does, and gets its share between two turns.
        let joined = copy.fly(&[]);
        until_held(&scene.url, &["1", "2"]);
        joined.land();
        until_held(&scene.url, &["3"]);
        assert_eq!(owners(&scene.url), owner);
    }
    let lost = "SELECT text FROM event WHERE code = 'lease_lost'";
    assert_eq!(postgres::column(&scene.url, lost), [] as [&str; 0]);
    process.land();
    let calls = recorded(&home);
    let unknown = calls.values().filter(|call| call.status == "unknown");
    let unknown: Vec<_> = unknown.collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    let done = executed(&files.path().join("ledger.jsonl"));
    let wrong = mistakes(&calls, &done);
    println!(
        "{copies} copies of a home that plays, in {:.0?}: {} calls, {} wrong, {} of unknown outcome",
        begun.elapsed(),
        done.len(),
        wrong.len(),
        unknown.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_killed_process_has_its_myses_back_at_once_in_its_own_home_and_in_no_copy() {
    let Some((scene, _files)) = scene() else {
        return;
    };
    let home = scene.home(&MYSES);
    let process = home.fly(&["--start-swarm"]);
    until_held(&scene.url, &["3"]);
    let owner = owners(&scene.url);
    process.signal("-KILL");
    assert!(!process.wait().success());
    let copy = copied(&home, "-a");
    command(&copy, true);
    let beside = copy.fly(&[]);
    assert_eq!(owners(&scene.url), owner, "the copy took something");
    // The home may have moved meanwhile, and commands were given in it.
    let begun = Instant::now();
    home.ok(&["note", "m1", "keep the ship"]);
    let again = home.fly(&["--resume"]);
    until("all of them are held again", || {
        let held = owners(&scene.url);
        (!held.is_empty() && held != owner).then_some(())
    });
    let back = begun.elapsed();
    assert!(back < Duration::from_secs(15), "{back:?}");
    drop((again, beside));
}
