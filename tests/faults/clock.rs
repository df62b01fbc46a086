//! A wall clock that is set by hours and by years, forward and back, while the program runs.
//! Nothing waits for it. The library in `tests/failing-disk` replaces the clock.

use std::collections::BTreeMap;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::disk::FailingDisk;
use zoea_rig::{Home, Server};

const HOUR: i64 = 3600;
const YEAR: i64 = 365 * 24 * HOUR;

/// The settings of the clock ahead, one after the other.
const SHIFTS: [i64; 9] = [
    2 * HOUR,
    -3 * HOUR,
    YEAR,
    -20 * YEAR,
    0,
    150 * YEAR,
    -HOUR,
    30 * YEAR,
    0,
];

/// Far longer than a step of a turn takes on a busy machine, also where the provider refuses it a
/// dozen times in a row, and far shorter than any setting of the clock.
const PATIENCE: Duration = Duration::from_secs(240);

const NAMES: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

/// A running swarm and its output.
struct Swarm {
    pid: Pid,
    events: Receiver<Value>,
    ended: Option<JoinHandle<ExitStatus>>,
}

impl Drop for Swarm {
    fn drop(&mut self) {
        if self.ended.is_some() {
            // It may have ended already.
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }
}

impl Swarm {
    fn start(home: &Home, clock: &FailingDisk, how: &str) -> Swarm {
        let mut command = home.command(&["run", "--headless", "--json", how]);
        clock.stand_before(&mut command);
        let mut process = home.launch(command);
        let pid = i32::try_from(process.pid()).ok().and_then(Pid::from_raw);
        let (sender, events) = channel();
        let ended = std::thread::spawn(move || {
            while let Some(line) = process.line() {
                let event = serde_json::from_str(&line).expect("JSON");
                if sender.send(event).is_err() {
                    break;
                }
            }
            process.wait()
        });
        Swarm {
            pid: pid.expect("a process"),
            events,
            ended: Some(ended),
        }
    }

    /// Sends it a signal and waits for its end, which must come soon.
    fn end(mut self, signal: Signal) -> ExitStatus {
        let begun = Instant::now();
        kill_process(self.pid, signal).expect("it hears");
        let ended = self.ended.take().expect("it runs");
        while !ended.is_finished() {
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            // Further output is thrown away.
            let _ = self.events.recv_timeout(Duration::from_millis(20));
        }
        ended.join().expect("its status")
    }

    /// Waits for an event. No Mysis may fail meanwhile.
    fn until_event(&self, what: &str, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            let event = self.events.recv_timeout(left);
            let event = event.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_ne!(event["to"], "errored", "{what}: {event}");
            if is_it(&event) {
                return event;
            }
        }
    }

    /// Waits until each Mysis has finished a model call and a game call that began after this
    /// moment.
    fn turns(&self, what: &str, shift: i64) {
        while self.events.try_recv().is_ok() {}
        let mut done: BTreeMap<String, u32> = BTreeMap::new();
        let last = self.until_event(what, |event| {
            if event["event"] == "tool_returned" {
                let name = event["mysis"].as_str().expect("a name");
                *done.entry(name.to_string()).or_default() += 1;
            }
            NAMES.iter().all(|name| done.get(*name) >= Some(&3))
        });
        // The clock really is set.
        let seconds = (chrono::Utc::now().timestamp() + shift) - at(&last);
        assert!(seconds.abs() < 600, "{what}: {last}");
    }
}

fn at(event: &Value) -> i64 {
    let at = event["at"].as_str().expect("a time");
    let at = chrono::DateTime::parse_from_rfc3339(at);
    at.expect("a time").timestamp()
}

#[test]
fn a_wall_clock_that_is_set_by_hours_and_by_years_makes_nobody_wait() {
    let galaxy = Server::galaxy(&[]);
    // Some request always waits, since the provider answers 429.
    let usual = ["--latency", "20ms", "--seed", "1"];
    let pilot = Server::pilot(&[&usual[..], &["--fault", "http-429@0.2:1"]].concat());
    let home = Home::new();
    home.configure(
        &pilot.url,
        &galaxy.url,
        "[budget]\ntokens_per_day = 1000000000\n[store]\nkeep = \"1d\"\nkeep_rows = 25000\n",
    );
    for name in NAMES {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let clock = FailingDisk::new(&home.path());
    let swarm = Swarm::start(&home, &clock, "--start-swarm");
    swarm.turns("before", 0);
    for shift in SHIFTS {
        clock.set_clock_ahead(shift);
        swarm.turns(&format!("{shift} s ahead"), shift);
    }

    // The outage begins by one clock and ends by another.
    let address = pilot.address();
    drop(pilot);
    swarm.until_event("the outage", |event| event["code"] == "circuit_open");
    clock.set_clock_ahead(-5 * YEAR);
    let _pilot = Server::pilot_at(&address, &usual);
    swarm.until_event("its end", |event| event["code"] == "circuit_closed");
    swarm.turns("after the outage", -5 * YEAR);
    let answer = home.ok(&["send", "alpha", "report"]);
    assert!(answer.contains("stored for alpha"), "{answer}");
    assert!(!swarm.end(Signal::KILL).success());

    // A machine starts with a wrong clock that is corrected later.
    clock.set_clock_ahead(-40 * YEAR);
    let swarm = Swarm::start(&home, &clock, "--resume");
    swarm.turns("from 40 years ago", -40 * YEAR);
    clock.set_clock_ahead(0);
    swarm.turns("put right", 0);
    clock.set_clock_ahead(-10 * YEAR);
    assert!(swarm.end(Signal::TERM).success());
    home.ok(&["db", "check"]);
}
