//! A fleet is updated: one process after the other ends and starts as another build of the program, with a
//! newer schema, while the others play on.
//!
//! It takes two builds, so this is done on demand alone: `ZOEA_BEFORE` is the path of a program that was
//! built before.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::books::{executed, mistakes};
use crate::fleet_kills::{recorded, until_count};
use crate::limits::{end, home, myses};
use crate::shared::MISSION;
use zoea_rig::{Home, Process, Server, postgres, until};

const PROCESSES: usize = 3;
/// The Myses of each process.
const MYSES: usize = 7;
const ALL: u64 = (PROCESSES * MYSES) as u64;
/// Counts the Myses that run in processes that live.
const HELD: &str = "SELECT count(*)::text FROM lease JOIN mysis ON mysis.id = lease.mysis_id \
                    WHERE expires_at > clock_timestamp() AND state = 'running'";
const RUN: [&str; 4] = ["run", "--headless", "--json", "--start-swarm"];

#[expect(
    clippy::disallowed_methods,
    reason = "settings are the program's; this is what a test is given"
)]
fn earlier_program() -> Option<PathBuf> {
    std::env::var_os("ZOEA_BEFORE").map(PathBuf::from)
}

/// How many calls each of the Myses has made, the fewest of all.
fn fewest_calls(url: &str) -> u64 {
    let query = "SELECT count(tool_call.seq)::text FROM mysis LEFT JOIN tool_call \
                 ON tool_call.mysis_id = mysis.id GROUP BY mysis.id";
    let counts = postgres::column(url, query);
    let counts = counts
        .iter()
        .map(|count| count.parse::<u64>().expect("a number"));
    counts.min().unwrap_or(0)
}

/// Waits until each Mysis has made another call.
fn until_all_call_again(url: &str) {
    let before = postgres::column(url, "SELECT max(id)::text FROM message").concat();
    let query = format!(
        "SELECT count(DISTINCT mysis_id)::text FROM message WHERE kind = 'call' AND id > {before}"
    );
    until_count("call again", url, &query, ALL);
}

/// Gives a direct message to the first Mysis of each home at this one, and waits until each stands in its
/// conversation, once.
fn order_from(url: &str, at: &Home, said: &str) {
    for home in 0..PROCESSES {
        let text = format!("{said} to m{home}.");
        at.ok(&["send", &format!("m{home}-0"), &text]);
        let query = format!(
            "SELECT count(*)::text FROM message WHERE kind = 'prompt' AND content LIKE '%{text}%'"
        );
        until("the message stands there once", || {
            (postgres::column(url, &query).concat() == "1").then_some(())
        });
    }
}

/// Ends the process of a home in good order and starts today's program there. Returns how long it took until
/// all Myses ran again, and until the new process was there.
fn update(url: &str, home: &Home, process: Process) -> (Process, [Duration; 2]) {
    let begun = Instant::now();
    process.land();
    until_count("run in processes that live", url, HELD, ALL);
    let held = begun.elapsed();
    let process = home.fly(&["--start-swarm"]);
    (process, [held, begun.elapsed()])
}

/// What a start of the earlier program says of the newer schema.
fn refusal(earlier: &Path, home: &Home) -> String {
    let output = home.command_of(earlier, &RUN).output().expect("it runs");
    assert!(
        !output.status.success(),
        "an earlier program must not start"
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_fleet_is_updated_one_process_after_the_other_and_plays_on() {
    let (Some(earlier), Some(url)) = (earlier_program(), postgres::database()) else {
        return;
    };
    let files = tempfile::tempdir().expect("a directory");
    let ledger = files.path().join("ledger");
    let path = ledger.to_str().expect("a path");
    let galaxy = Server::galaxy(&["--tick", "200ms", "--ledger", path]);
    let pilot = Server::pilot(&["--latency", "300ms"]);
    let provider = format!(
        "[swarm]\nmax_myses = 1000\nturn_pause = \"50ms\"\ndefault_provider = \"pilot\"\n\
         [providers.pilot]\nendpoint = \"{}\"\nmodel = \"pilot\"\nmax_concurrency = 12\n",
        pilot.url
    );
    let homes: Vec<Home> = (0..PROCESSES)
        .map(|process| {
            let names = (0..MYSES).map(|place| (format!("m{process}-{place}"), "pilot"));
            home(&url, &galaxy, &format!("{provider}{}", myses(names)))
        })
        .collect();
    let mut processes: Vec<Process> = homes
        .iter()
        .map(|home| home.launch(home.command_of(&earlier, &RUN)))
        .collect();
    homes[0].ok(&["broadcast", MISSION]);
    until("all play", || (fewest_calls(&url) > 0).then_some(()));
    let mut times = Vec::new();
    for at in 0..PROCESSES {
        let (process, took) = update(&url, &homes[at], processes.remove(0));
        processes.push(process);
        times.push(took);
        order_from(&url, &homes[at], &format!("Word of process {at}"));
        order_from(
            &url,
            &homes[PROCESSES - 1],
            &format!("Word after process {at}"),
        );
        until_all_call_again(&url);
    }
    let gone = processes.remove(0);
    gone.land();
    let refused = refusal(&earlier, &homes[0]);
    assert!(refused.contains("newer version of zoea"), "{refused}");
    end(processes);
    let done = executed(&ledger);
    let wrong = mistakes(&recorded(&url), &done);
    println!(
        "{PROCESSES} processes are updated one after the other: all Myses run without the one that ended, and it \
         is back, after {times:.1?}; {} calls, {} carried out twice or wrongly; a start of the earlier \
         program: {}",
        done.len(),
        wrong.len(),
        refused.trim()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}
