//! The restart: the time until a killed program of 200 Myses has all of them running again, and the
//! number of Myses that log in again.
//!
//! `cargo bench --bench restart` takes about a minute; `-- 50` uses that many Myses, `-- 10000 2` kills twice.

#![expect(clippy::print_stdout, reason = "a bench's figures are its output")]

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use zoea_rig::{Home, Process, Server};

/// The number of Myses, unless an argument gives another.
const MYSES: usize = 200;
/// The number of kills, unless an argument gives another.
const KILLS: usize = 7;

fn main() {
    let mut sizes = std::env::args().filter_map(|text| text.parse::<usize>().ok());
    let myses = sizes.next().unwrap_or(MYSES);
    let kills = sizes.next().unwrap_or(KILLS);
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let ledger = home.path().with_file_name("ledger.jsonl");
    let file = ledger.to_str().expect("a path");
    let galaxy = Server::galaxy(&["--tick", "1s", "--ledger", file]);
    let pilot = Server::pilot(&["--latency", "200ms"]);
    let declared: String = (0..myses)
        .map(|number| format!("[[myses]]\nname = \"m{number}\"\n"))
        .collect();
    home.configure(&pilot.url, &galaxy.url, &declared);
    let started = command(&home, &["broadcast", "Mine ore and sell it."]).status();
    assert!(started.expect("the program starts").success());
    let mut swarm = start(&home, "--start-swarm");
    all_have(&mut swarm, myses, "tool_returned");
    let before = logins(&ledger);
    let mut up = Vec::new();
    let mut playing = Vec::new();
    for _ in 0..kills {
        swarm.signal("-KILL");
        swarm.wait();
        let started = Instant::now();
        swarm = start(&home, "--resume");
        all_have(&mut swarm, myses, "state_changed");
        up.push(started.elapsed());
        all_have(&mut swarm, myses, "model_replied");
        playing.push(started.elapsed());
    }
    swarm.signal("-TERM");
    swarm.wait();
    println!(
        "{myses} Myses, {kills} kills: all run again after {:?} (median; longest {:?}), each has heard \
         from its model after {:?}; {} logins beside the first",
        middle(&mut up),
        up.last().copied().unwrap_or_default(),
        middle(&mut playing),
        logins(&ledger) - before,
    );
}

fn start(home: &Home, how: &str) -> Process {
    Process::spawn(command(home, &["run", "--headless", "--json", how]))
}

/// A command of the program, which may have as many Myses as the program can.
fn command(home: &Home, arguments: &[&str]) -> Command {
    let mut command = home.command(arguments);
    command.env("ZOEA_MAX_MYSES", "10000");
    command
}

/// Reads events until each Mysis had one of this kind.
fn all_have(swarm: &mut Process, myses: usize, kind: &str) {
    let mut seen = std::collections::BTreeSet::new();
    while seen.len() < myses {
        let line = swarm.line().expect("the swarm goes on");
        let event: Value = serde_json::from_str(&line).expect("a line of JSON");
        if event["event"] == kind {
            seen.insert(event["mysis"].to_string());
        }
    }
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn logins(ledger: &std::path::Path) -> usize {
    let text = std::fs::read_to_string(ledger).unwrap_or_default();
    let logins = text.lines().filter(|line| line.contains("\"login\""));
    logins.count()
}
