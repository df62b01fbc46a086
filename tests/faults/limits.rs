//! Limits that several processes share: what they ask all together is counted at the provider, while one
//! of them is killed and comes back.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use zoea_rig::postgres;
use zoea_rig::{Home, Process, Server, until, written};

const MISSION: &str = "Mine ore, sell it at your station, refuel and go again.";

/// What is in flight at a provider now, and the most there ever was.
pub(crate) fn in_flight(pilot: &Server) -> (u64, u64) {
    let stats = pilot.stats();
    let count = |name: &str| stats[name].as_u64().expect("a number");
    (count("in_flight"), count("most_in_flight"))
}

fn until_in_flight(pilot: &Server, count: u64) -> Duration {
    let begun = Instant::now();
    until(&format!("{count} requests are in flight"), || {
        (in_flight(pilot).0 == count).then_some(())
    });
    begun.elapsed()
}

/// A home on this database with these sections.
pub(crate) fn home(url: &str, galaxy: &Server, sections: &str) -> Home {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let budget = match sections.contains("[budget]") {
        true => "",
        false => "[budget]\nusd_per_day = \"unlimited\"\n",
    };
    let text = format!(
        "{budget}[store]\ndatabase_url = \"{url}\"\n\
         [mcp]\nupstream = \"{}\"\nlogins_per_minute = 1000000\n{sections}",
        galaxy.url
    );
    std::fs::write(home.file("zoea.toml"), text).expect("a configuration");
    home
}

pub(crate) fn myses(names: impl Iterator<Item = (String, &'static str)>) -> String {
    let section =
        |(name, provider)| format!("[[myses]]\nname = \"{name}\"\nprovider = \"{provider}\"\n");
    names.map(section).collect()
}

/// Three homes on this database with the same sections; the first one has the Myses.
fn three_homes(url: &str, galaxy: &Server, sections: &str, myses: &str) -> [Home; 3] {
    let first = format!("{sections}{myses}");
    [first.as_str(), sections, sections].map(|sections| home(url, galaxy, sections))
}

/// Three processes on this database that share the Myses, who have a mission.
fn three_play(
    url: &str,
    galaxy: &Server,
    sections: &str,
    myses: &str,
) -> ([Home; 3], Vec<Process>) {
    let homes = three_homes(url, galaxy, sections, myses);
    let first = homes[0].fly(&["--start-swarm"]);
    let processes = vec![first, homes[1].fly(&[]), homes[2].fly(&[])];
    until_shared_out(url, "3");
    homes[0].ok(&["broadcast", MISSION]);
    (homes, processes)
}

/// Waits until each of so many processes holds some of the Myses.
fn until_shared_out(url: &str, processes: &str) {
    until("the Myses are shared out", || {
        let holders = postgres::column(
            url,
            "SELECT count(DISTINCT owner)::text FROM lease WHERE expires_at > clock_timestamp()",
        );
        (holders == [processes]).then_some(())
    });
}

pub(crate) fn end(swarms: Vec<Process>) {
    for swarm in &swarms {
        swarm.signal("-TERM");
    }
    for swarm in swarms {
        assert!(swarm.wait().success());
    }
}

#[test]
fn so_many_requests_are_in_flight_of_all_processes_together_and_a_dead_ones_part_comes_back() {
    let Some(url) = postgres::database() else {
        return;
    };
    let (galaxy, pilot) = (
        Server::galaxy(&["--tick", "100ms"]),
        Server::pilot(&["--latency", "1500ms"]),
    );
    let provider = format!(
        "[swarm]\nmax_myses = 1000\nturn_pause = \"50ms\"\ndefault_provider = \"pilot\"\n\
         [providers.pilot]\nendpoint = \"{}\"\nmodel = \"pilot\"\nmax_concurrency = 6\n",
        pilot.url
    );
    let all = myses((0..18).map(|place| (format!("m{place}"), "pilot")));
    let homes = three_homes(&url, &galaxy, &provider, &all);
    let first = homes[0].fly(&["--start-swarm"]);
    homes[0].ok(&["broadcast", MISSION]);
    // One alone has all of it.
    until_in_flight(&pilot, 6);
    let second = homes[1].fly(&[]);
    let third = homes[2].fly(&[]);
    until_shared_out(&url, "3");
    let parts = || {
        postgres::column(
            &url,
            "SELECT part::text FROM allowance WHERE name = 'provider pilot: in flight' \
             AND expires_at > clock_timestamp() ORDER BY 1",
        )
    };
    until("each has a third", || {
        (parts() == ["2", "2", "2"]).then_some(())
    });
    until_in_flight(&pilot, 6);

    // One is killed. What it held is used by the others.
    second.signal("-KILL");
    second.wait();
    until_in_flight(&pilot, 4);
    let back = until_in_flight(&pilot, 6);
    // It comes back, and has a part again.
    let second = homes[1].fly(&[]);
    until("each has a third", || {
        (parts() == ["2", "2", "2"]).then_some(())
    });
    let (_, most) = in_flight(&pilot);
    println!("in flight of 3 processes: {most} of 6; a dead one's part was used {back:?} later");
    assert_eq!(most, 6);
    assert!(back < Duration::from_secs(20), "{back:?}");
    end(vec![first, second, third]);
}

/// The requests of a provider: when each came, in milliseconds, and its tokens.
pub(crate) fn requests(record: &Path) -> Vec<(u64, u64)> {
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let request = |line: &Value| {
        let usage = &line["usage"];
        let tokens = number(&usage["prompt_tokens"]) + number(&usage["completion_tokens"]);
        (number(&line["at_ms"]), tokens)
    };
    let mut requests: Vec<(u64, u64)> = written(record).iter().map(request).collect();
    requests.sort_unstable();
    requests
}

/// The time within which requests are counted that were admitted within a minute: on a busy machine a request is
/// on its way to the provider for some seconds.
const COUNTED_MS: u64 = 50_000;

/// The most that was admitted within any minute, as far as the provider can tell.
pub(crate) fn most_in_a_minute(requests: &[(u64, u64)], count: impl Fn(&(u64, u64)) -> u64) -> u64 {
    let until = |from: u64| {
        requests
            .iter()
            .filter(move |(at, _)| (from..from + COUNTED_MS).contains(at))
    };
    let sums = requests
        .iter()
        .map(|(from, _)| until(*from).map(&count).sum());
    sums.max().unwrap_or(0)
}

#[test]
fn in_no_minute_do_all_processes_together_ask_more_than_is_allowed() {
    let Some(url) = postgres::database() else {
        return;
    };
    let files = tempfile::tempdir().expect("a directory");
    let record = |name: &str| files.path().join(name);
    let pilot = |name: &str| {
        let record = record(name);
        Server::pilot(&[
            "--latency",
            "100ms",
            "--record",
            record.to_str().expect("a path"),
        ])
    };
    let (galaxy, paced, metered) = (
        Server::galaxy(&["--tick", "100ms"]),
        pilot("paced"),
        pilot("metered"),
    );
    let providers = format!(
        "[swarm]\nmax_myses = 1000\nturn_pause = \"50ms\"\ndefault_provider = \"paced\"\n\
         [providers.paced]\nendpoint = \"{}\"\nmodel = \"pilot\"\nmax_concurrency = 6\n\
         requests_per_minute = 90\n\
         [providers.metered]\nendpoint = \"{}\"\nmodel = \"pilot\"\nmax_concurrency = 64\n\
         tokens_per_minute = 200000\n",
        paced.url, metered.url
    );
    let half = |place: usize| ["paced", "metered"][place % 2];
    let all = myses((0..18).map(|place| (format!("m{place}"), half(place))));
    let begun = Instant::now();
    let (homes, mut processes) = three_play(&url, &galaxy, &providers, &all);
    let until_minute = |least: u64| {
        let name = format!("{least} requests");
        until(&name, || {
            (requests(&record("paced")).len() as u64 >= least).then_some(())
        })
    };
    until_minute(60);
    let second = processes.remove(1);
    second.signal("-KILL");
    second.wait();
    processes.push(homes[1].fly(&[]));
    until_minute(110);
    until_minute(160);
    end(processes);
    let (paced, metered) = (requests(&record("paced")), requests(&record("metered")));
    let most_requests = most_in_a_minute(&paced, |_| 1);
    let most_tokens = most_in_a_minute(&metered, |(_, tokens)| *tokens);
    println!(
        "3 processes in {:?}: {most_requests} requests within 50 s of 90 a minute and a burst of 6, \
         {most_tokens} tokens of 200000 a minute ({} and {} requests in all)",
        begun.elapsed(),
        paced.len(),
        metered.len()
    );
    assert!(most_requests <= 96, "{most_requests}");
    assert!(most_requests >= 50, "they did ask: {most_requests}");
    // Until its answer comes, a request counts by its estimate.
    assert!(most_tokens <= 210_000, "{most_tokens}");
    assert!(most_tokens >= 100_000, "they did ask: {most_tokens}");
}

#[test]
fn what_all_processes_spend_counts_for_the_budget_of_each() {
    let Some(url) = postgres::database() else {
        return;
    };
    let budget = 300_000;
    let (galaxy, pilot) = (
        Server::galaxy(&["--tick", "100ms"]),
        Server::pilot(&["--latency", "300ms"]),
    );
    let provider = format!(
        "[budget]\ntokens_per_day = {budget}\n\
         [swarm]\nmax_myses = 1000\nturn_pause = \"50ms\"\ndefault_provider = \"pilot\"\n\
         [providers.pilot]\nendpoint = \"{}\"\nmodel = \"pilot\"\nmax_concurrency = 6\n",
        pilot.url
    );
    let all = myses((0..18).map(|place| (format!("m{place}"), "pilot")));
    let (homes, processes) = three_play(&url, &galaxy, &provider, &all);
    for home in &homes {
        until("the budget is spent", || {
            let status = home.json(&["status", "--json"]);
            let percent = status["today"]["budget_percent"].as_u64();
            (percent >= Some(100)).then_some(())
        });
    }
    until("nothing is in flight", || {
        (in_flight(&pilot).0 == 0).then_some(())
    });
    let stats = pilot.stats();
    let count = |name: &str| stats[name].as_u64().expect("a number");
    let (tokens, requests) = (count("tokens_in") + count("tokens_out"), count("requests"));
    println!("3 processes spent {tokens} tokens of {budget} in {requests} requests");
    // Calls in flight, and those of the second that it takes until all know of it.
    let of_one = tokens / requests;
    assert!(tokens >= budget, "{tokens}");
    assert!(
        tokens <= budget + 18 * of_one,
        "{tokens}, {of_one} a request"
    );
    end(processes);
}

#[test]
fn a_provider_that_is_away_is_tried_by_one_process_for_all() {
    let Some(url) = postgres::database() else {
        return;
    };
    let files = tempfile::tempdir().expect("a directory");
    let record = files.path().join("record");
    let path = record.to_str().expect("a path");
    let galaxy = Server::galaxy(&["--tick", "100ms"]);
    let pilot = Server::pilot(&[
        "--latency",
        "200ms",
        "--record",
        path,
        "--fault",
        "outage:30s,35s",
    ]);
    let provider = format!(
        "[swarm]\nmax_myses = 1000\nturn_pause = \"50ms\"\ndefault_provider = \"pilot\"\n\
         [providers.pilot]\nendpoint = \"{}\"\nmodel = \"pilot\"\nmax_concurrency = 12\n\
         circuit_wait = \"2s\"\n",
        pilot.url
    );
    let all = myses((0..12).map(|place| (format!("m{place}"), "pilot")));
    let (homes, processes) = three_play(&url, &galaxy, &provider, &all);
    let answers = || {
        let answer = |line: &Value| {
            let number = |name: &str| line[name].as_u64().expect("a number");
            (number("at_ms"), number("status"))
        };
        written(&record).iter().map(answer).collect::<Vec<_>>()
    };
    let after = |end: u64, status: u64| {
        let of_then = |(at, of): &&(u64, u64)| *at >= end && *of == status;
        answers().iter().filter(of_then).count()
    };
    until("it is away for all", || {
        let known = postgres::column(&url, "SELECT provider FROM outage");
        (known == ["pilot"]).then_some(())
    });
    until("it is back for all", || {
        let known = postgres::column(&url, "SELECT provider FROM outage");
        (known.is_empty() && after(65_000, 200) > 20).then_some(())
    });
    let in_outage = |(at, _): &&(u64, u64)| (42_000..63_000).contains(at);
    let trials = answers().iter().filter(in_outage).count();
    println!("3 processes tried a provider that was away {trials} times in 21 s, every 2 s");
    // Three processes that do not share what they know try it some thirty times. On a loaded machine a few
    // requests of the beginning are counted, too.
    assert!((4..=20).contains(&trials), "{trials}");
    for home in &homes {
        let outages = home.json(&["status", "--json"])["outages"].clone();
        assert!(outages.as_array().is_none_or(Vec::is_empty), "{outages}");
    }
    end(processes);
}
