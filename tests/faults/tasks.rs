//! Tasks: the program is killed while the game works on its calls, between the ids and the outcomes.
//!
//! `ZOEA_UPSTREAM` and `ZOEA_UPSTREAM_LEDGER` name another server than the galaxy, and the file in
//! which it writes the calls that it carried out. It needs the tools `dock` and `undock`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use crate::books::{executed, mistakes, recorded};
use crate::verdict::{finish_without_faults, how_to_start, number};
use zoea_rig::{Home, Process, Server, sqlite, until};

/// The number of kills, unless `ZOEA_TASK_KILLS` gives another.
const KILLS: u64 = 6;
/// A galaxy that answers actions with tasks, which take a moment.
const GALAXY: [&str; 4] = ["--stateless", "--tasks", "--tick", "500ms"];

/// The calls that the server works on, as they are stored, by their names on the wire.
fn stored_tasks(home: &Home) -> BTreeSet<String> {
    let query = "SELECT mysis_id || '.' || seq || '.' || position FROM tool_call \
                 WHERE task IS NOT NULL AND status = 'sent'";
    let names = sqlite::column(&home.file("zoea.db"), query).into_iter();
    let to_wire = |name: String| {
        let (mysis, place) = name.split_once('.').expect("three parts");
        let mysis: i64 = mysis.parse().expect("a number");
        format!("{mysis:016x}.{place}")
    };
    names.map(to_wire).collect()
}

/// Runs the swarm until the server works on a call that is not among these.
fn run_until_a_task(home: &Home, before: &BTreeSet<String>) -> Process {
    let process = home.fly(&[how_to_start(home)]);
    until("the server works on a call", || {
        let open = stored_tasks(home);
        (!open.is_subset(before)).then_some(())
    });
    process
}

/// A home with one Mysis. Whenever an id is stored, no other call is under way.
fn create_swarm(pilot: &Server, upstream: &str) -> Home {
    let home = Home::new();
    home.configure(&pilot.url, upstream, "");
    home.ok(&["mysis", "create", "m0"]);
    home.ok(&[
        "broadcast",
        "Mine ore, sell it at your station, refuel and go again.",
    ]);
    home
}

#[expect(
    clippy::disallowed_methods,
    reason = "settings are the program's; this is where a test plays"
)]
fn other_server() -> Option<(String, PathBuf)> {
    let url = std::env::var("ZOEA_UPSTREAM").ok()?;
    let ledger = std::env::var("ZOEA_UPSTREAM_LEDGER").expect("its ledger");
    Some((url, ledger.into()))
}

#[test]
fn killed_between_a_tasks_id_and_its_outcome_it_asks_for_the_outcome() {
    let beside = tempfile::tempdir().expect("a directory");
    let mut galaxy = None;
    let (upstream, ledger) = other_server().unwrap_or_else(|| {
        let ledger = beside.path().join("ledger.jsonl");
        let mut options = GALAXY.to_vec();
        options.extend(["--ledger", ledger.to_str().expect("a path")]);
        let server = galaxy.insert(Server::galaxy(&options));
        (server.url.clone(), ledger)
    });
    // Another server need not be a game in which one can get far.
    let persona = if galaxy.is_some() { "steady" } else { "docker" };
    let pilot = Server::pilot(&["--latency", "5ms", "--seed", "1", "--persona", persona]);
    let home = create_swarm(&pilot, &upstream);
    let mut left_open = BTreeSet::new();
    let kills = number("ZOEA_TASK_KILLS", KILLS);
    for _ in 0..kills {
        let process = run_until_a_task(&home, &left_open);
        process.signal("-KILL");
        assert!(!process.wait().success());
        let open = stored_tasks(&home);
        left_open.extend(open);
    }
    assert!(!left_open.is_empty(), "no kill came before an outcome");
    finish_without_faults(&home);

    let calls = recorded(&home);
    let done = executed(&ledger);
    let wrong = mistakes(&calls, &done);
    assert!(wrong.is_empty(), "{wrong:#?}");
    let status = |call: &String| calls[call].status.as_str();
    for call in &left_open {
        assert!(
            matches!(status(call), "done" | "failed"),
            "{call}: {:?}",
            calls[call]
        );
    }
    let unknown = calls.values().filter(|call| call.status == "unknown");
    let unknown = unknown.count();
    let carried_out = left_open.iter().filter(|call| done.contains(call)).count();
    assert!(carried_out > 0, "the game carried none of them out");
    println!(
        "{kills} kills; {} calls were open as tasks, the game carried out {carried_out} of them, \
         none twice, none of unknown outcome; {unknown} of {} calls of unknown outcome in all",
        left_open.len(),
        calls.len()
    );
}

#[test]
fn a_task_that_the_server_has_forgotten_is_of_unknown_outcome() {
    let galaxy = Server::galaxy(&["--stateless", "--tasks", "--tick", "2s"]);
    let pilot = Server::pilot(&["--latency", "5ms", "--seed", "1"]);
    let home = create_swarm(&pilot, &galaxy.url);
    let process = run_until_a_task(&home, &BTreeSet::new());
    process.signal("-KILL");
    assert!(!process.wait().success());
    let open = stored_tasks(&home).pop_first().expect("one task");
    drop(galaxy);
    // Another server at another address knows neither the task nor the account.
    let forgetful = Server::galaxy(&["--stateless", "--tasks"]);
    home.configure(&pilot.url, &forgetful.url, "");
    let process = home.fly(&["--resume"]);
    until("the outcome is reported", || {
        let calls = recorded(&home);
        (calls[&open].status != "sent").then_some(())
    });
    process.land();
    assert_eq!(recorded(&home)[&open].status, "unknown");
}

#[test]
fn stopped_during_a_task_a_mysis_asks_for_the_outcome_when_it_runs_again() {
    let beside = tempfile::tempdir().expect("a directory");
    let ledger = beside.path().join("ledger.jsonl");
    let mut options = GALAXY.to_vec();
    options.extend(["--ledger", ledger.to_str().expect("a path")]);
    let galaxy = Server::galaxy(&options);
    let pilot = Server::pilot(&["--latency", "5ms", "--seed", "1"]);
    let home = create_swarm(&pilot, &galaxy.url);
    let process = run_until_a_task(&home, &BTreeSet::new());
    let mut left_open = BTreeSet::new();
    until("stop came during a task", || {
        home.ok(&["mysis", "stop", "m0"]);
        left_open = stored_tasks(&home);
        let calls = recorded(&home);
        let is_open = |call: &String| calls[call].status == "sent";
        assert!(left_open.iter().all(is_open), "{left_open:?}");
        let was_in_time = !left_open.is_empty();
        home.ok(&["mysis", "start", "m0"]);
        was_in_time.then_some(())
    });
    let notices = home.lines(&["log", "m0", "--limit", "0", "--kind", "host", "--json"]);
    let is_task_left = |row: &Value| row["metadata"]["code"] == "task_left";
    assert!(notices.iter().any(is_task_left), "{notices:?}");
    until("the outcomes are reported", || {
        let calls = recorded(&home);
        let is_over = |call: &String| calls[call].status != "sent";
        left_open.iter().all(is_over).then_some(())
    });
    process.land();
    let calls = recorded(&home);
    for call in &left_open {
        let status = &calls[call].status;
        assert!(
            matches!(status.as_str(), "done" | "failed"),
            "{call}: {status}"
        );
    }
    let wrong = mistakes(&calls, &executed(&ledger));
    assert!(wrong.is_empty(), "{wrong:#?}");
}
