//! Several processes of a fleet are killed at once: all their Myses run elsewhere, nothing is carried
//! out twice, and the provider is asked no more than one configuration allows.
//!
//! Leases have to expire, so this is done on demand alone: `ZOEA_FLEET=10` is the number of processes,
//! `ZOEA_FLEET_MYSES=1000` that of Myses. `shared` has the same with two of three.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use actors::domain::ids::MysisId;

use crate::books::{Recorded, executed, mistakes};
use crate::limits::{end, home, in_flight, most_in_a_minute, myses, requests};
use crate::shared::MISSION;
use crate::verdict::number;
use zoea_rig::{Home, Process, Server, postgres, until};

/// The number of Myses, unless the environment gives another.
const MYSES: u64 = 20;
/// How many are killed.
const KILLED: usize = 3;
/// The longest time until all run again.
const LONGEST: Duration = Duration::from_secs(45);

/// Waits until a count reaches this, for as long as it grows.
pub(crate) fn until_count(what: &str, url: &str, query: &str, all: u64) {
    let mut before = 0;
    while before < all {
        before = until(&format!("more than {before} of {all} {what}"), || {
            let now = postgres::column(url, query).concat();
            let now: u64 = now.parse().expect("a number");
            (now > before).then_some(now)
        });
    }
}

/// The ids of processes that run in these homes.
fn owners(url: &str, homes: &[Home]) -> String {
    let directories = homes.iter().map(|home| {
        let path = home.path().canonicalize().expect("a home");
        format!("'{}'", path.display())
    });
    let directories = directories.collect::<Vec<_>>().join(", ");
    let query = format!("SELECT owner FROM process WHERE directory IN ({directories})");
    let owners = postgres::column(url, &query);
    assert_eq!(owners.len(), homes.len(), "each is a process of the fleet");
    let owners: Vec<String> = owners.iter().map(|owner| format!("'{owner}'")).collect();
    owners.join(", ")
}

/// Every call of every Mysis, by its name on the wire.
pub(crate) fn recorded(url: &str) -> BTreeMap<String, Recorded> {
    let query = "SELECT mysis_id || ' ' || seq || ' ' || position || ' ' || status || ' ' || name \
                 FROM tool_call";
    let call = |line: String| {
        let parts: Vec<&str> = line.splitn(5, ' ').collect();
        let mysis = MysisId(parts[0].parse().expect("an id"));
        let call = Recorded {
            tool: parts[4].to_string(),
            status: parts[3].to_string(),
        };
        (format!("{mysis}.{}.{}", parts[1], parts[2]), call)
    };
    postgres::column(url, query).into_iter().map(call).collect()
}

/// The fleet: each home has its part of the Myses in its configuration.
fn fleet(url: &str, galaxy: &Server, provider: &str, sizes: (u64, u64)) -> Vec<Home> {
    let (processes, all) = sizes;
    let of = |process: u64| {
        let names = (0..all).filter(move |place| place % processes == process);
        let names = names.map(|place| (format!("m{place}"), "pilot"));
        home(url, galaxy, &format!("{provider}{}", myses(names)))
    };
    (0..processes).map(of).collect()
}

/// Kills some of them. Returns how long it took until living processes held all Myses, and until
/// each of those that the killed ones had has called a tool again.
fn kill(url: &str, homes: &[Home], killed: Vec<Process>, all: u64) -> [Duration; 2] {
    let dead = owners(url, &homes[..killed.len()]);
    let theirs = format!("SELECT mysis_id::text FROM lease WHERE owner IN ({dead})");
    let begun = Instant::now();
    for process in &killed {
        process.signal("-KILL");
    }
    for process in killed {
        assert!(!process.wait().success());
    }
    let theirs = postgres::column(url, &theirs);
    assert!(!theirs.is_empty(), "they had some");
    let held = format!(
        "SELECT count(*)::text FROM lease JOIN mysis ON mysis.id = lease.mysis_id \
         WHERE owner NOT IN ({dead}) AND expires_at > clock_timestamp() AND state = 'running'"
    );
    until_count("are held by processes that live", url, &held, all);
    let held = begun.elapsed();
    let newest = postgres::column(url, "SELECT max(id)::text FROM message").concat();
    let called = format!(
        "SELECT count(DISTINCT mysis_id)::text FROM message \
         WHERE kind = 'call' AND id > {newest} AND mysis_id IN ({})",
        theirs.join(", ")
    );
    until_count("call again", url, &called, theirs.len() as u64);
    [held, begun.elapsed()]
}

#[test]
fn three_of_a_fleet_are_killed_and_the_others_run_all() {
    let sizes = (number("ZOEA_FLEET", 0), number("ZOEA_FLEET_MYSES", MYSES));
    let (processes, all) = sizes;
    if processes == 0 {
        return;
    }
    let Some(url) = postgres::database() else {
        return;
    };
    let (most, a_minute) = (processes * 4, processes * 600);
    let files = tempfile::tempdir().expect("a directory");
    let file = |name: &str| files.path().join(name);
    let path = |name: &str| file(name).to_str().expect("a path").to_string();
    let galaxy = Server::galaxy(&["--tick", "200ms", "--ledger", &path("ledger")]);
    let pilot = Server::pilot(&["--latency", "300ms", "--record", &path("record")]);
    let provider = format!(
        "[swarm]\nmax_myses = 1000\nturn_pause = \"50ms\"\ndefault_provider = \"pilot\"\n\
         [providers.pilot]\nendpoint = \"{}\"\nmodel = \"pilot\"\nmax_concurrency = {most}\n\
         requests_per_minute = {a_minute}\n",
        pilot.url
    );
    let homes = fleet(&url, &galaxy, &provider, sizes);
    let mut swarms: Vec<Process> = homes
        .iter()
        .map(|home| home.fly(&["--start-swarm"]))
        .collect();
    homes[0].ok(&["broadcast", MISSION]);
    let called = "SELECT count(DISTINCT mysis_id)::text FROM tool_call";
    until_count("play", &url, called, all);
    let living = swarms.split_off(KILLED);
    let [held, called] = kill(&url, &homes, swarms, all);
    end(living);

    let done = executed(&file("ledger"));
    let wrong = mistakes(&recorded(&url), &done);
    let (_, in_flight) = in_flight(&pilot);
    let minute = most_in_a_minute(&requests(&file("record")), |_| 1);
    println!(
        "kill -9 of {KILLED} of {processes} processes with {all} Myses: all run elsewhere after {held:.1?}, \
         and have called after {called:.1?}; {} calls, {} carried out twice or wrongly; \
         {in_flight} in flight of {most}, {minute} requests within 50 s of {a_minute} a minute",
        done.len(),
        wrong.len(),
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(held < LONGEST, "{held:?}");
    assert!(in_flight <= most, "{in_flight}");
    assert!(minute <= a_minute + most, "{minute}");
}
