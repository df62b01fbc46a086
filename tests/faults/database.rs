//! A database that is taken away, locked or full while the program runs: the operator is told, the
//! swarm waits, and nothing that was acknowledged is lost.

use crate::rig::{Home, Process, Server, until};
use crate::sql;

struct Scene {
    _galaxy: Server,
    _pilot: Server,
    home: Home,
}

fn scene() -> Scene {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--latency", "5ms"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "mine"]);
    Scene {
        _galaxy: galaxy,
        _pilot: pilot,
        home,
    }
}

/// Reads what the program says until a line holds this.
fn hear(swarm: &mut Process, word: &str) -> String {
    loop {
        let line = swarm.line().expect("the swarm goes on");
        if line.contains(word) {
            return line;
        }
    }
}

#[test]
fn a_removed_database_is_saved_and_goes_on_where_it_was() {
    let scene = scene();
    let home = &scene.home;
    let mut swarm = home.fly(&["--start-swarm"]);
    hear(&mut swarm, "tool_returned");
    let sent = home.ok(&["send", "alpha", "remember the number 4711"]);
    assert!(sent.contains("stored for alpha"), "{sent}");
    std::fs::remove_file(home.file("zoea.db")).expect("the database is removed");
    let told = hear(&mut swarm, "was removed");
    assert!(told.contains("rescued"), "{told}");
    swarm.signal("-KILL");
    swarm.wait();
    for name in ["zoea.db-wal", "zoea.db-shm"] {
        // They may be gone already.
        let _ = std::fs::remove_file(home.file(name));
    }
    std::fs::rename(home.file("zoea.db.rescued"), home.file("zoea.db")).expect("what was saved");
    let found = home.lines(&["search", "remember the number 4711", "--json"]);
    assert!(found.iter().any(|row| row["kind"] == "prompt"), "{found:?}");
    let mut swarm = home.fly(&["--resume"]);
    hear(&mut swarm, "tool_returned");
}

#[test]
fn a_locked_database_makes_the_swarm_wait_and_then_go_on() {
    let scene = scene();
    let home = &scene.home;
    let mut swarm = home.fly(&["--start-swarm"]);
    hear(&mut swarm, "tool_returned");
    sql::while_open(
        &home.file("zoea.db"),
        "PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE",
        || {
            let told = hear(&mut swarm, "store_trouble");
            assert!(told.contains("locked"), "{told}");
        },
    );
    hear(&mut swarm, "store_healed");
    hear(&mut swarm, "tool_returned");
    assert_eq!(home.mysis("alpha")["state"], "running");
}

#[test]
fn a_process_that_stood_still_goes_on() {
    let scene = scene();
    let home = &scene.home;
    let mut swarm = home.fly(&["--start-swarm"]);
    hear(&mut swarm, "tool_returned");
    swarm.signal("-STOP");
    let state = format!("/proc/{}/stat", swarm.pid());
    until("it stands still", || {
        let stat = std::fs::read_to_string(&state).ok()?;
        stat.contains(") T ").then_some(())
    });
    swarm.signal("-CONT");
    hear(&mut swarm, "tool_returned");
    let answer = home.ok(&["send", "alpha", "are you there?"]);
    assert!(answer.contains("stored for alpha"), "{answer}");
}
