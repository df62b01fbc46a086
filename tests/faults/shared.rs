//! Processes that share a database on a server: each has its own Myses, another one succeeds a
//! process that is gone or stands still, and nothing is carried out twice.

use serde_json::Value;

use crate::books::{executed, mistakes, recorded};
use zoea_rig::postgres;
use zoea_rig::{Home, Process, Server, until};

struct Scene {
    url: String,
    galaxy: Server,
    pilot: Server,
}

impl Scene {
    /// A home on the shared database whose configuration lists these Myses.
    fn home(&self, myses: &[&str]) -> Home {
        let home = Home::new();
        let url = &self.url;
        let mut more = format!("[store]\ndatabase_url = \"{url}\"\n");
        for name in myses {
            more.push_str(&format!("[[myses]]\nname = \"{name}\"\n"));
        }
        home.configure(&self.pilot.url, &self.galaxy.url, &more);
        home
    }

    /// Lets the leases of the first two processes run out, as half a minute would.
    fn expire(&self) {
        postgres::execute(
            &self.url,
            "UPDATE lease SET expires_at = now() - interval '1 second' \
             WHERE mysis_id IN (SELECT id FROM mysis WHERE name LIKE 'a%')",
        );
    }
}

fn names(home: &Home) -> Vec<String> {
    let myses = home.json(&["mysis", "list", "--json"]);
    let myses = myses.as_array().expect("a list").iter();
    let name = |mysis: &Value| mysis["name"].as_str().expect("a name").to_string();
    myses.map(name).collect()
}

/// Reads events until each of these Myses has had a tool result.
fn until_all_play(swarm: &mut Process, names: &[&str]) {
    let mut waiting: Vec<&str> = names.to_vec();
    while !waiting.is_empty() {
        let line = swarm.line().expect("the swarm goes on");
        let event: Value = serde_json::from_str(&line).expect("a line of JSON");
        if event["event"] == "tool_returned" {
            waiting.retain(|name| event["mysis"] != *name);
        }
    }
}

#[test]
fn each_mysis_is_run_by_one_process_at_a_time_whatever_becomes_of_it() {
    let Some(url) = postgres::database() else {
        return;
    };
    let files = tempfile::tempdir().expect("a directory");
    let ledger = files.path().join("ledger.jsonl");
    let scene = Scene {
        url,
        galaxy: Server::galaxy(&["--ledger", ledger.to_str().expect("a path")]),
        pilot: Server::pilot(&["--latency", "5ms"]),
    };
    let (one, other) = (scene.home(&["a1", "a2"]), scene.home(&["b1", "b2"]));
    let mut first = one.fly(&[]);
    one.ok(&[
        "broadcast",
        "Mine ore, sell it at your station, refuel and go again.",
    ]);
    let mut second = other.fly(&[]);
    other.ok(&["mysis", "start", "--all"]);
    until_all_play(&mut first, &["a1", "a2"]);
    until_all_play(&mut second, &["b1", "b2"]);
    assert_eq!(
        (names(&one), names(&other)),
        (
            vec!["a1".to_string(), "a2".to_string()],
            vec!["b1".to_string(), "b2".to_string()]
        )
    );
    let (_, taken) = other.fails(&["mysis", "create", "a1"]);
    assert!(taken.contains("another zoea process"), "{taken}");

    // One process is killed. Until its leases run out, no other process has its Myses.
    first.signal("-KILL");
    first.wait();
    let heir = scene.home(&[]);
    assert_eq!(names(&heir), [] as [&str; 0]);
    scene.expire();
    let mut third = heir.fly(&["--resume"]);
    until_all_play(&mut third, &["a1", "a2"]);
    assert_eq!(names(&heir), ["a1", "a2"]);

    // One process stands still until its Myses are taken over.
    third.signal("-STOP");
    scene.expire();
    let last = scene.home(&[]);
    let mut fourth = last.fly(&["--resume"]);
    until_all_play(&mut fourth, &["a1", "a2"]);
    third.signal("-CONT");
    for name in ["a1", "a2"] {
        until("the former owner has stopped it", || {
            let mysis = heir.mysis(name);
            let reason = mysis["reason"].as_str().unwrap_or_default();
            let is_told = reason.contains("another zoea process runs this mysis");
            (mysis["state"] == "errored" && is_told).then_some(())
        });
    }
    until_all_play(&mut fourth, &["a1", "a2"]);
    until_all_play(&mut second, &["b1", "b2"]);
    for swarm in [third, fourth, second] {
        swarm.signal("-TERM");
        assert!(swarm.wait().success());
    }

    // Myses that an orderly end gives back are free for every process.
    assert_eq!(names(&one), ["a1", "a2", "b1", "b2"]);
    let done = executed(&ledger);
    assert!(done.len() > 8, "they did play");
    let wrong = mistakes(&recorded(&one), &done);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
