//! Processes that share a database on a server: each has its own Myses, another one that runs succeeds
//! a process that is gone or stands still, and nothing is carried out twice.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::books::{executed, mistakes, recorded};
use zoea_rig::postgres;
use zoea_rig::{Home, Process, Server, until};

pub(crate) struct Scene {
    pub(crate) url: String,
    galaxy: Server,
    pilot: Server,
}

impl Scene {
    /// A home on the shared database whose configuration lists these Myses.
    pub(crate) fn home(&self, myses: &[&str]) -> Home {
        let home = Home::new();
        let url = &self.url;
        let mut more = format!("[store]\ndatabase_url = \"{url}\"\n");
        for name in myses {
            more.push_str(&format!("[[myses]]\nname = \"{name}\"\n"));
        }
        home.configure(&self.pilot.url, &self.galaxy.url, &more);
        home
    }
}

/// All Myses that a home shows.
pub(crate) fn shown(home: &Home) -> Vec<Value> {
    let myses = home.json(&["mysis", "list", "--json"]);
    myses.as_array().expect("a list").clone()
}

/// The name of the process that runs in a home; null as long as it has the database for itself.
pub(crate) fn process_of(home: &Home) -> Value {
    home.json(&["status", "--json"])["process"].clone()
}

/// The Myses that a home shows as its own.
pub(crate) fn names(home: &Home) -> Vec<String> {
    let own = process_of(home);
    let myses = shown(home).into_iter();
    let here = myses.filter(|mysis| mysis["process"] == own);
    let name = |mysis: Value| mysis["name"].as_str().expect("a name").to_string();
    here.map(name).collect()
}

/// Waits until each of these homes shows all these Myses as running, each in the process that holds
/// its lease.
pub(crate) fn until_all_show(url: &str, homes: &[&Home], all: &[&str]) {
    let mut wanted = std::collections::BTreeSet::new();
    until("every screen shows the whole fleet", || {
        wanted = postgres::column(
            url,
            "SELECT mysis.name || ' running in ' || process.name FROM mysis \
             JOIN lease ON lease.mysis_id = mysis.id JOIN process ON process.owner = lease.owner",
        )
        .into_iter()
        .collect();
        let is_whole = |home: &&Home| {
            let printed = |mysis: Value| {
                let text = |key: &str| mysis[key].as_str().unwrap_or("nothing").to_string();
                format!("{} {} in {}", text("name"), text("state"), text("process"))
            };
            shown(home)
                .into_iter()
                .map(printed)
                .collect::<std::collections::BTreeSet<_>>()
                == wanted
        };
        (wanted.len() == all.len() && homes.iter().all(is_whole)).then_some(())
    });
}

/// Reads events until each of these Myses has had a tool result.
fn until_all_play(swarm: &mut Process, names: &[&str]) {
    let mut waiting: Vec<&str> = names.to_vec();
    while !waiting.is_empty() {
        let event = swarm.event();
        if event["event"] == "tool_returned" {
            waiting.retain(|name| event["mysis"] != *name);
        }
    }
}

/// Where each Mysis runs: the number of Myses by home, as the database says.
fn holders(url: &str) -> Vec<String> {
    postgres::column(
        url,
        "SELECT count(*) || ' in ' || home FROM lease \
         WHERE expires_at > clock_timestamp() GROUP BY home ORDER BY 1",
    )
}

/// Waits until so many processes hold so many Myses each. Returns how long that took.
pub(crate) fn until_held(url: &str, counts: &[&str]) -> Duration {
    let begun = Instant::now();
    until("the Myses are shared out", || {
        let held = holders(url);
        let held: Vec<&str> = held
            .iter()
            .filter_map(|of| of.split_once(" in "))
            .map(|(count, _)| count)
            .collect();
        (held == counts).then_some(())
    });
    begun.elapsed()
}

/// Waits until a home runs exactly so many Myses. Returns how long that took.
#[expect(
    clippy::print_stdout,
    reason = "what each process showed is told where the test fails"
)]
pub(crate) fn until_run(home: &Home, count: usize) -> Duration {
    let begun = Instant::now();
    let mut printed = String::new();
    until("they run", || {
        let own = process_of(home);
        let myses = shown(home);
        let line = |mysis: &Value| {
            let word = |key: &str| mysis[key].as_str().unwrap_or("-").to_string();
            let words = ["name", "process", "state", "activity", "error"].map(word);
            words.join(" ")
        };
        let lines: Vec<String> = myses.iter().map(line).collect();
        let shown = format!("{own} wants {count}: {}", lines.join(", "));
        if shown != printed {
            println!("{:?} {shown}", begun.elapsed());
            printed = shown;
        }
        let here: Vec<&Value> = myses
            .iter()
            .filter(|mysis| mysis["process"] == own)
            .collect();
        let run = here
            .iter()
            .filter(|mysis| mysis["state"] == "running")
            .count();
        ((run, here.len()) == (count, count)).then_some(())
    });
    begun.elapsed()
}

pub(crate) fn scene() -> Option<(Scene, tempfile::TempDir)> {
    let url = postgres::database()?;
    let files = tempfile::tempdir().expect("a directory");
    let ledger = files.path().join("ledger.jsonl");
    let scene = Scene {
        url,
        galaxy: Server::galaxy(&[
            "--tick",
            "400ms",
            "--ledger",
            ledger.to_str().expect("a path"),
        ]),
        pilot: Server::pilot(&["--latency", "400ms"]),
    };
    Some((scene, files))
}

pub(crate) const MISSION: &str = "Mine ore, sell it at your station, refuel and go again.";

#[test]
fn each_mysis_is_run_by_one_process_at_a_time_whatever_becomes_of_it() {
    let Some((scene, files)) = scene() else {
        return;
    };
    let all = ["m1", "m2", "m3", "m4", "m5", "m6"];
    let homes = [scene.home(&all), scene.home(&[]), scene.home(&[])];
    let mut first = homes[0].fly(&["--start-swarm"]);
    homes[0].ok(&["broadcast", MISSION]);
    until_all_play(&mut first, &all);

    // Two more come, and get their share between two turns.
    let second = homes[1].fly(&[]);
    let third = homes[2].fly(&[]);
    until_held(&scene.url, &["2", "2", "2"]);
    for home in &homes {
        until_run(home, 2);
    }
    until_all_show(&scene.url, &[&homes[0], &homes[1], &homes[2]], &all);
    let (_, taken) = homes[1].fails(&["mysis", "create", &names(&homes[2])[0]]);
    assert!(taken.contains("exists already"), "{taken}");

    // One ends in good order.
    let begun = Instant::now();
    third.land();
    until_held(&scene.url, &["3", "3"]);
    let orderly = begun.elapsed();
    assert!(orderly < Duration::from_secs(5), "{orderly:?}");
    // A command in its home, in which nothing runs, takes none, and shows all.
    assert_eq!(names(&homes[2]), [] as [&str; 0]);
    assert_eq!(shown(&homes[2]).len(), all.len());

    // One is killed, and one stands still for longer than its leases last.
    let third = homes[2].fly(&[]);
    until_held(&scene.url, &["2", "2", "2"]);
    for home in &homes {
        until_run(home, 2);
    }
    let begun = Instant::now();
    second.signal("-KILL");
    second.wait();
    third.signal("-STOP");
    until_run(&homes[0], 6);
    let abrupt = begun.elapsed();
    until_all_play(&mut first, &all);
    println!("all run elsewhere {orderly:?} after SIGTERM, {abrupt:?} after kill -9 and SIGSTOP");
    assert!(abrupt < Duration::from_secs(45), "{abrupt:?}");

    // The one that stood still drops what it lost, and gets its share again.
    third.signal("-CONT");
    until_held(&scene.url, &["3", "3"]);
    until_run(&homes[2], 3);
    until_all_show(&scene.url, &[&homes[0], &homes[2]], &all);
    for swarm in [first, third] {
        swarm.land();
    }
    let done = executed(&files.path().join("ledger.jsonl"));
    assert!(done.len() > 30, "they did play: {}", done.len());
    let wrong = mistakes(&recorded(&homes[0]), &done);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
