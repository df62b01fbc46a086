//! Freeze: after its acknowledgement no request begins, over a kill and restarts. After the thaw
//! everything goes on, nothing is lost and nothing done twice.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::verdict::{Order, Played};
use zoea_rig::{Home, Process, Server, http, sqlite, until};

const NAMES: [&str; 5] = ["m0", "m1", "m2", "m3", "m4"];
/// In this time the swarm makes hundreds of requests if it is not frozen.
const LOOK: Duration = Duration::from_millis(1500);

/// The requests that the galaxy counted.
fn calls(galaxy: &Server) -> u64 {
    let (_, health) = http("GET", &galaxy.url.replace("/mcp", "/health"), &[], "");
    let health: Value = serde_json::from_str(&health).expect("JSON");
    health["requests"].as_u64().expect("a number")
}

struct Servers {
    galaxy: Server,
    pilot: Server,
}

impl Servers {
    /// The requests of all kinds that both got since they started.
    fn requests(&self) -> (u64, u64) {
        (self.pilot.requests(), calls(&self.galaxy))
    }

    /// Checks that no further request comes.
    fn stay_at(&self, counted: (u64, u64)) {
        let begun = Instant::now();
        until("a while has passed", || {
            assert_eq!(self.requests(), counted);
            (begun.elapsed() > LOOK).then_some(())
        });
    }

    /// Waits until no request has come for a while, and returns how many there were.
    fn until_all_have_arrived(&self) -> (u64, u64) {
        let mut last = (self.requests(), Instant::now());
        until("nothing is on its way", || {
            let now = self.requests();
            if now != last.0 {
                last = (now, Instant::now());
            }
            (last.1.elapsed() > LOOK / 3).then_some(now)
        })
    }

    fn until_it_plays(&self) {
        let (asked, called) = self.requests();
        until("the swarm plays", || {
            let now = self.requests();
            (now.0 > asked + 20 && now.1 > called + 20).then_some(())
        });
    }
}

/// A swarm that has its orders and does not play yet.
fn swarm(ledger: &str) -> (Home, Servers) {
    let galaxy = Server::galaxy(&["--ledger", ledger]);
    let pilot = Server::pilot(&["--latency", "20ms", "--seed", "1"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    for name in NAMES {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore, sell it at your station, refuel."]);
    (home, Servers { galaxy, pilot })
}

fn states(home: &Home) -> Vec<String> {
    let myses = home.json(&["mysis", "list", "--json"]);
    let myses = myses.as_array().expect("a list").iter();
    myses.map(|mysis| mysis["state"].to_string()).collect()
}

#[test]
fn frozen_it_sends_nothing_over_a_kill_and_thawed_it_goes_on() {
    let beside = tempfile::tempdir().expect("a directory");
    let ledger = beside.path().join("ledger.jsonl");
    let (home, servers) = swarm(ledger.to_str().expect("a path"));
    let mut orders = Vec::new();
    let mut send = |name: &str, text: &str| {
        home.ok(&["send", name, text]);
        orders.push(Order {
            text: text.to_string(),
            is_acknowledged: true,
        });
    };
    let running = home.fly(&["--start-swarm"]);
    servers.until_it_plays();

    // The line is the acknowledgement. What a Mysis had sent before may reach its server, and be
    // counted there, a moment later: one request of each at most.
    let mut freezing = Process::spawn(home.command(&["freeze"]));
    let printed = freezing.line().expect("an acknowledgement");
    let acknowledged = servers.requests();
    assert!(freezing.wait().success());
    let counted = servers.until_all_have_arrived();
    let late = counted.0 - acknowledged.0 + counted.1 - acknowledged.1;
    assert!(
        late <= NAMES.len() as u64,
        "{late} after the acknowledgement"
    );
    assert!(printed.starts_with("frozen since 2"), "{printed}");
    send("m1", "order 1: report when you can");
    servers.stay_at(counted);
    let status = home.json(&["status", "--json"]);
    assert!(status["frozen_since"].is_string(), "{status}");
    assert!(home.ok(&["status"]).contains("FROZEN since"));
    assert!(home.ok(&["doctor"]).contains("no request was sent"));
    until("what had left is heard out", || {
        let open = "SELECT name FROM tool_call WHERE status = 'sent'";
        sqlite::column(&home.file("zoea.db"), open)
            .is_empty()
            .then_some(())
    });

    running.signal("-KILL");
    assert!(!running.wait().success());
    let mut running = home.fly(&[]);
    running.until_line("\"code\":\"frozen\"");
    until("those that ran run", || {
        states(&home)
            .iter()
            .all(|state| state == "\"running\"")
            .then_some(())
    });
    send("m2", "order 2: report when you can");
    servers.stay_at(counted);

    assert!(home.ok(&["thaw"]).starts_with("thawed"));
    servers.until_it_plays();
    for (name, order) in [("m1", "order 1"), ("m2", "order 2")] {
        until("an order is answered", || {
            let rows = home.lines(&["log", name, "--limit", "0", "--json"]);
            let is_order = |row: &Value| {
                let text = row["content"].as_str().unwrap_or_default();
                row["kind"] == "prompt" && text.starts_with(order)
            };
            let place = rows.iter().position(is_order)?;
            let mut after = rows[place..].iter();
            after.any(|row| row["kind"] == "reply").then_some(())
        });
    }
    running.land();
    let played = Played {
        seed: 1,
        home: &home,
        ledger: &ledger,
        pilot: &servers.pilot,
        orders: &orders,
    };
    // Everything had been heard out before the kill.
    let verdict = played.judge(NAMES.len());
    assert!(verdict.contains(" 0 of unknown outcome"), "{verdict}");
}

#[test]
fn a_home_where_nothing_runs_can_be_frozen_and_its_next_start_sends_nothing() {
    let beside = tempfile::tempdir().expect("a directory");
    let ledger = beside.path().join("ledger.jsonl");
    let (home, servers) = swarm(ledger.to_str().expect("a path"));
    assert!(home.ok(&["thaw"]).contains("was not frozen"));
    assert!(home.ok(&["freeze"]).contains("the next start is frozen"));
    let counted = servers.requests();
    let mut running = home.fly(&["--start-swarm"]);
    running.until_line("\"code\":\"frozen\"");
    servers.stay_at(counted);
    assert!(home.ok(&["thaw"]).starts_with("thawed"));
    servers.until_it_plays();
    running.land();
}
