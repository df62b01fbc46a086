//! The long haul: a swarm of real processes for a long time, and its costs at the beginning and at
//! the end.
//!
//! `cargo bench --bench haul` takes ten minutes; `-- 43 200 100` forty-three minutes, 200 Myses and
//! ticks of 100 ms. The game's tick is 10 s: at 100 ms, 43 minutes are 72 hours of the game.

#![expect(clippy::print_stdout, reason = "a bench's figures are its output")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use zoea_rig::{Home, Process, Server, http};

/// A tick of the real game.
const REAL_TICK_MS: u64 = 10_000;
/// The time between two measurements.
const EVERY: Duration = Duration::from_secs(60);

fn main() {
    let mut numbers = std::env::args().filter_map(|text| text.parse::<u64>().ok());
    let minutes = numbers.next().unwrap_or(10);
    let myses = numbers.next().unwrap_or(200);
    let tick = numbers.next().unwrap_or(100);
    let home = Home::new();
    let galaxy = Server::galaxy(&["--tick", &format!("{tick}ms")]);
    let pilot = Server::pilot(&["--latency", &format!("{}ms", tick / 2)]);
    let declared: String = (0..myses)
        .map(|number| format!("[[myses]]\nname = \"m{number}\"\n"))
        .collect();
    let keep = "[store]\nkeep_rows = 2000\n";
    home.configure(&pilot.url, &galaxy.url, &format!("{keep}{declared}"));
    home.ok(&[
        "broadcast",
        "Mine ore, sell it at your station, refuel and go again.",
    ]);
    let mut swarm = home.fly(&["--start-swarm"]);
    let begun = Instant::now();
    println!("| after | game | PSS | threads | descriptors | written | database | turns | calls |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let end = Duration::from_secs(minutes * 60);
    // The first measurement comes when all Myses have begun to play.
    let mut next = EVERY.min(end / 10);
    let mut events = Events::default();
    while begun.elapsed() < end {
        let line = swarm.line().expect("the swarm goes on");
        events.take(&line);
        if begun.elapsed() >= next {
            next += EVERY;
            let look = Look::at(&swarm, &home);
            let game = begun.elapsed().as_secs() * REAL_TICK_MS / tick;
            println!("{}", look.line(begun.elapsed(), game, &events));
        }
    }
    let states = states(&home);
    swarm.signal("-TERM");
    let left = swarm.wait();
    let (booked, reported) = (booked(&home), reported(&pilot));
    println!("states {states}; left: {left}");
    println!("notices: {:?}", events.notices);
    println!(
        "books {booked} tokens, the pilot says {reported}: {} of them for answers that were still under \
         way at the end",
        reported.saturating_sub(booked)
    );
}

/// The events between two measurements.
#[derive(Default)]
struct Events {
    turns: u64,
    calls: u64,
    notices: std::collections::BTreeMap<String, u64>,
}

impl Events {
    fn take(&mut self, line: &str) {
        let is = |name: &str| line.contains(&format!("\"event\":\"{name}\""));
        if is("turn_started") {
            self.turns += 1;
        } else if is("tool_returned") {
            self.calls += 1;
        } else if is("host") {
            let event: Value = serde_json::from_str(line).expect("a line of JSON");
            let code = event["code"].as_str().unwrap_or("?");
            *self.notices.entry(code.to_string()).or_default() += 1;
        }
    }
}

/// The resources that the program uses at one moment.
struct Look {
    pss_kb: u64,
    threads: u64,
    descriptors: usize,
    written: u64,
    database: u64,
}

impl Look {
    fn at(swarm: &Process, home: &Home) -> Look {
        let proc = format!("/proc/{}", swarm.pid());
        let number = |file: &str, label: &str| {
            let text = fs::read_to_string(format!("{proc}/{file}")).expect("the program runs");
            let line = text.lines().find(|line| line.starts_with(label));
            let number = line.and_then(|line| line.split_whitespace().nth(1));
            number.and_then(|number| number.parse().ok()).unwrap_or(0)
        };
        let size = |name: &str| home.file(name).metadata().map_or(0, |file| file.len());
        Look {
            pss_kb: number("smaps_rollup", "Pss:"),
            threads: number("status", "Threads:"),
            descriptors: fs::read_dir(Path::new(&proc).join("fd")).map_or(0, Iterator::count),
            written: number("io", "write_bytes:"),
            database: size("zoea.db") + size("zoea.db-wal"),
        }
    }

    fn line(&self, elapsed: Duration, game: u64, events: &Events) -> String {
        let Events { turns, calls, .. } = events;
        format!(
            "| {} s | {}.{} h | {}.{} MB | {} | {} | {} MB | {} MB | {turns} | {calls} |",
            elapsed.as_secs(),
            game / 3600,
            game % 3600 / 360,
            self.pss_kb / 1000,
            self.pss_kb % 1000 / 100,
            self.threads,
            self.descriptors,
            self.written / 1_000_000,
            self.database / 1_000_000,
        )
    }
}

/// The number of Myses in each state.
fn states(home: &Home) -> String {
    let myses = home.json(&["mysis", "list", "--json"]);
    let mut states = std::collections::BTreeMap::<String, usize>::new();
    for mysis in myses.as_array().expect("a list") {
        *states.entry(mysis["state"].to_string()).or_default() += 1;
    }
    format!("{states:?}")
}

/// The tokens that `zoea books` reports.
fn booked(home: &Home) -> u64 {
    let books = home.json(&["books", "--json"]);
    let entries = books.as_array().expect("entries").iter();
    let tokens = |entry: &Value, key: &str| entry[key].as_u64().unwrap_or(0);
    entries
        .map(|entry| tokens(entry, "tokens_in") + tokens(entry, "tokens_out"))
        .sum()
}

/// The tokens that the pilot reported.
fn reported(pilot: &Server) -> u64 {
    let (_, stats) = http("GET", &pilot.url.replace("/v1", "/stats"), &[], "");
    let stats: Value = serde_json::from_str(&stats).expect("JSON");
    let tokens = |key: &str| stats[key].as_u64().unwrap_or(0);
    tokens("tokens_in") + tokens("tokens_out")
}
