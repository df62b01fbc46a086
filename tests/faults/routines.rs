//! Faults inside routines: SIGKILL at random moments while the runtime repeats steps, and prices that fall.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::books::{executed, mistakes, recorded, text};
use crate::verdict::{finish_without_faults_with, how_to_start, number};
use zoea_rig::{Home, Process, Server, sqlite, until};

/// The number of kills, unless `ZOEA_ROUTINE_KILLS` gives another.
const KILLS: u64 = 8;
/// The lost calls of which at least one is proven.
const MANY_LOST: usize = 40;
const MYSES: usize = 3;
/// The most milliseconds between the begin of a step and the kill.
const MOST_WAIT_MS: u64 = 400;

/// The steps of routines that are stored, and how many of them are open.
fn stored_steps(home: &Home) -> (usize, usize) {
    let steps = |more: &str| {
        let query = format!("SELECT status FROM tool_call WHERE routine IS NOT NULL{more}");
        sqlite::column(&home.file("zoea.db"), &query).len()
    };
    (steps(""), steps(" AND status IN ('recorded', 'sent')"))
}

fn outcomes(home: &Home, status: &str) -> usize {
    let query =
        format!("SELECT call_id FROM tool_call WHERE routine IS NOT NULL AND status = '{status}'");
    sqlite::column(&home.file("zoea.db"), &query).len()
}

/// How many Myses are inside a routine, by their checkpoints.
fn running(home: &Home) -> usize {
    let memos = sqlite::column(&home.file("zoea.db"), "SELECT memo FROM routine");
    let runs = memos.iter().filter(|memo| {
        let memo: Value = serde_json::from_str(memo).expect("a checkpoint");
        !memo["run"].is_null()
    });
    runs.count()
}

/// The calls of unknown outcome by their tools, with whether the game carried them out and whether that
/// was proven.
fn lost_calls(home: &Home, ledger: &Path) -> BTreeMap<String, usize> {
    let done: BTreeSet<String> = executed(ledger).into_iter().collect();
    let made = proven(home);
    let query = "SELECT printf('%016x', mysis_id) || ' ' || seq || ' ' || name FROM tool_call \
                 WHERE routine IS NOT NULL AND status = 'unknown'";
    let mut lost = BTreeMap::new();
    for line in sqlite::column(&home.file("zoea.db"), query) {
        let parts: Vec<&str> = line.split(' ').collect();
        let [mysis, seq, tool] = parts[..] else {
            panic!("{line}");
        };
        let wire = format!("{mysis}.{seq}.0");
        let is_made = if done.contains(&wire) {
            "made"
        } else {
            "not made"
        };
        let is_proven = if made.contains(&wire) {
            "proven"
        } else {
            "not tested"
        };
        *lost
            .entry(format!("{tool}: {is_made}, {is_proven}"))
            .or_default() += 1;
    }
    lost
}

/// The rounds and steps of each run in its order: no step of a round was left out.
fn left_out(home: &Home) -> Vec<String> {
    let query = "SELECT printf('%016x', mysis_id) || ' ' || seq || ' ' || call_id || ' ' || status FROM tool_call \
                 WHERE routine IS NOT NULL AND call_id NOT LIKE 'look%' ORDER BY mysis_id, seq";
    let made = proven(home);
    let mut wrong = Vec::new();
    let mut before: Option<(String, Place, String)> = None;
    for line in sqlite::column(&home.file("zoea.db"), query) {
        let parts: Vec<&str> = line.split(' ').collect();
        let [mysis, seq, id, status] = parts[..] else {
            panic!("{line}");
        };
        let wire = format!("{mysis}.{seq}.0");
        let status = match status {
            "unknown" if made.contains(&wire) => "done",
            status => status,
        };
        let place = Place::read(id);
        if let Some((of, last, ended)) = &before
            && of == mysis
            && !place.follows(*last, ended)
        {
            wrong.push(format!("{line} after {last:?} ({ended})"));
        }
        before = Some((mysis.to_string(), place, status.to_string()));
    }
    wrong
}

/// The names on the wire of the calls of unknown outcome of which looks have proven that they were made.
fn proven(home: &Home) -> BTreeSet<String> {
    let mut calls = BTreeSet::new();
    let myses = home.json(&["mysis", "list", "--json"]);
    for mysis in myses.as_array().expect("a list") {
        let (name, id) = (text(&mysis["name"]), text(&mysis["id"]));
        let notices = home.lines(&["log", &name, "--limit", "0", "--kind", "host", "--json"]);
        for row in notices {
            if row["metadata"]["code"] != "outcome_proven" {
                continue;
            }
            let printed = text(&row["content"]);
            let call = printed
                .split_once("call ")
                .and_then(|(_, rest)| rest.split_once(' '));
            let (call, _) = call.expect("the place of a call");
            calls.insert(format!("{id}.{call}"));
        }
    }
    calls
}

/// The place of a step's call: its round, step and repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u32, u32, u32);

/// The number of steps of the simulated model's round.
const STEPS: u32 = 8;
/// Those that a round leaves out where the hold is full, where there are no goods, and where the tank is.
const LEFT_OUT: [u32; 3] = [2, 6, 8];

impl Place {
    fn read(id: &str) -> Place {
        let parts = id.trim_start_matches('r').split('.');
        let parts: Vec<u32> = parts.map(|part| part.parse().expect("a number")).collect();
        Place(parts[0], parts[1], parts[2])
    }

    /// Whether it may come after another one that ended so: a call that was not executed is made
    /// again, one of unknown outcome ends its run, and every other one is followed by the next of its
    /// round, by the next round, or by a new run.
    fn follows(self, last: Place, ended: &str) -> bool {
        let begins = self == Place(1, 1, 1);
        match ended {
            "not_executed" => return self == last || begins,
            "unknown" => return begins,
            _ => {}
        }
        let repeats = self == Place(last.0, last.1, last.2 + 1);
        let are_left_out = |from: u32, to: u32| (from..to).all(|step| LEFT_OUT.contains(&step));
        let goes_on =
            self.0 == last.0 && self.2 == 1 && self.1 > last.1 && are_left_out(last.1 + 1, self.1);
        let next_round = self == Place(last.0 + 1, 1, 1) && are_left_out(last.1 + 1, STEPS + 1);
        begins || repeats || goes_on || next_round
    }
}

/// Runs until a step of a routine was just made, and a random moment longer.
fn run_into_a_routine(home: &Home, dice: &mut fastrand::Rng) -> Process {
    let process = home.fly(&[how_to_start(home)]);
    let (before, _) = stored_steps(home);
    let more = dice.usize(1..8);
    until("steps are made", || {
        (stored_steps(home).0 >= before + more).then_some(())
    });
    wait_a_moment(dice.u64(..MOST_WAIT_MS));
    process
}

#[expect(
    clippy::disallowed_methods,
    reason = "the instant of the kill is chance itself"
)]
fn wait_a_moment(ms: u64) {
    std::thread::sleep(std::time::Duration::from_millis(ms));
}

#[test]
fn killed_inside_routines_it_goes_on_at_the_step_and_repeats_nothing() {
    kill_inside_routines("");
}

#[expect(clippy::print_stdout, reason = "the figures are worth a look")]
fn kill_inside_routines(path: &str) {
    let seed = number("ZOEA_SEED", u64::from(std::process::id()));
    let mut dice = fastrand::Rng::with_seed(seed);
    let kills = number("ZOEA_ROUTINE_KILLS", KILLS);
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let ledger = home.path().with_file_name("ledger.jsonl");
    let data = home.path().with_file_name("galaxy");
    let galaxy = Server::galaxy(&[
        "--tick",
        "40ms",
        "--ledger",
        ledger.to_str().expect("a path"),
        "--data",
        data.to_str().expect("a path"),
    ]);
    let pilot = Server::pilot(&["--latency", "5ms", "--seed", "1"]);
    home.configure(&pilot.url, &format!("{}{path}", galaxy.url), "");
    for number in 0..MYSES {
        home.ok(&["mysis", "create", &format!("m{number}")]);
    }
    home.ok(&[
        "broadcast",
        "Mine ore, sell it at your station, refuel and go again. Leave what repeats to a routine.",
    ]);
    let (mut inside, mut with_open_steps) = (0, 0);
    for _ in 0..kills {
        let process = run_into_a_routine(&home, &mut dice);
        process.signal("-KILL");
        assert!(!process.wait().success());
        inside += usize::from(running(&home) > 0);
        with_open_steps += usize::from(stored_steps(&home).1 > 0);
    }
    assert!(inside > 0, "seed {seed}: no kill came inside a routine");
    // A routine that goes on after each kill would keep its turn open for long.
    finish_without_faults_with(&home, || {
        for number in 0..MYSES {
            // It may have none, and then that is refused.
            let _ = home.run(&["routine", "stop", &format!("m{number}")]);
        }
    });
    judge(&home, &ledger, &pilot, seed);
    let (steps, open) = stored_steps(&home);
    let made = proven(&home).len();
    let unknown = outcomes(&home, "unknown");
    let lost = lost_calls(&home, &ledger);
    // Each of many lost calls being beyond proof would be no chance.
    assert!(
        unknown < MANY_LOST || made > 0,
        "seed {seed}: {unknown} of unknown outcome, and nothing was proven"
    );
    println!(
        "seed {seed}: {kills} kills, {inside} of them inside a routine, {with_open_steps} with a step under \
         way; {steps} steps, {open} open, {unknown} of unknown outcome: {made} proven to be made; 0 lost, 0 \
         twice, 0 left out; made (or not) and proven (or not), by tool: {lost:?}"
    );
}

fn judge(home: &Home, ledger: &Path, pilot: &Server, seed: u64) {
    let calls = recorded(home);
    let done = executed(ledger);
    let wrong = mistakes(&calls, &done);
    assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");
    let wrong = left_out(home);
    assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");
    // What the game is said to show is what it did.
    let done: BTreeSet<String> = done.into_iter().collect();
    let made = proven(home);
    let invented: Vec<&String> = made.difference(&done).collect();
    assert!(invented.is_empty(), "seed {seed}: not made: {invented:?}");
    assert_eq!(pilot.stats()["refused"], 0, "seed {seed}");
    // What the game carried out for a routine was recorded as done, or its outcome is unknown and the
    // model was told.
    let myses = home.json(&["mysis", "list", "--json"]);
    for mysis in myses.as_array().expect("a list") {
        let name = text(&mysis["name"]);
        let notices = home.lines(&["log", &name, "--limit", "0", "--kind", "host", "--json"]);
        let begun = notices
            .iter()
            .filter(|row| row["metadata"]["code"] == "routine_started");
        let ended = notices
            .iter()
            .filter(|row| row["metadata"]["code"] == "routine_ended");
        let (begun, ended) = (begun.count(), ended.count());
        assert!(
            begun >= ended && begun <= ended + 1,
            "seed {seed}: {begun} began, {ended} ended"
        );
        assert!(begun > 0, "seed {seed}: {name} had no routine");
    }
}

/// What a notice of this code tells of a Mysis, once it tells it.
fn notice(home: &Home, name: &str, code: &str, part: &str) -> String {
    until(&format!("{code} tells of {part}"), || {
        let notices = home.lines(&["log", name, "--limit", "0", "--kind", "host", "--json"]);
        let of_code = notices.iter().filter(|row| row["metadata"]["code"] == code);
        let mut texts = of_code.map(|row| text(&row["content"]));
        texts.rfind(|printed| printed.contains(part))
    })
}

/// The credits of the rounds that a report of a fall names, and those of a good one.
fn rounds_of(printed: &str) -> (Vec<i64>, i64) {
    let (_, rest) = printed
        .split_once("the last 3 rounds earned ")
        .expect("the rounds");
    let (rounds, rest) = rest.split_once(", a good one ").expect("a good one");
    let (good, _) = rest.split_once(' ').expect("credits");
    let number = |text: &str| text.parse().expect("a number");
    (rounds.split(", ").map(number).collect(), number(good))
}

#[test]
fn the_runtime_begins_what_earned_and_drops_it_within_three_rounds_when_prices_fall() {
    let home = Home::new();
    let galaxy = Server::galaxy(&["--tick", "20ms", "--prices-fall-after", "40"]);
    let pilot = Server::pilot(&["--latency", "2ms", "--seed", "1"]);
    let more = "[routines]\nmode = \"auto\"\n";
    home.configure(&pilot.url, &galaxy.url, more);
    home.ok(&["mysis", "create", "m0"]);
    home.ok(&[
        "broadcast",
        "Mine ore, sell it at your station, refuel and go again.",
    ]);
    let swarm = home.fly(&["--start-swarm"]);
    let offered = notice(&home, "m0", "routine_offered", "paying loop, ");
    assert!(
        offered.contains("it begins with the next turn"),
        "{offered}"
    );
    notice(&home, "m0", "routine_started", "of the runtime begins");
    let printed = notice(&home, "m0", "routine_ended", "its gain fell");
    let (rounds, good) = rounds_of(&printed);
    assert_eq!(rounds.len(), 3, "{printed}");
    assert!(rounds.iter().all(|earned| *earned * 2 < good), "{printed}");
    swarm.land();
}
