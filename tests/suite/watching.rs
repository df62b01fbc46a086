//! Those who look on from outside: what they are told agrees with what happened.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::flight::{pilot_stats, until_all_have};
use crate::rig::{Home, Process, Server, http, until};

/// A swarm of two that has mined, with more in its configuration.
fn playing(more: &str) -> (Home, Process, Server, Server) {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, more);
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let mut swarm = home.fly(&["--start-swarm"]);
    until_all_have(&mut swarm, 2, &["mine", "sell"]);
    (home, swarm, galaxy, pilot)
}

/// A page of metrics: the numbers by name and labels.
fn scrape(home: &Home) -> BTreeMap<String, f64> {
    let run = fs::read_to_string(home.file("run.json")).expect("a run file");
    let run: Value = serde_json::from_str(&run).expect("JSON");
    let url = run["metrics"].as_str().expect("metrics are served");
    let (status, page) = http("GET", url, &[], "");
    assert_eq!(status, 200);
    let lines = page.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').expect("a name and a number");
            (name.to_string(), value.parse().expect("a number"))
        })
        .collect()
}

#[test]
fn the_metrics_agree_with_the_books_the_events_and_the_model_server() {
    let (home, swarm, _galaxy, pilot) = playing("[metrics]\nlisten = \"127.0.0.1:0\"\n");
    home.ok(&["mysis", "stop", "--all"]);
    until("everybody has stopped", || {
        let stopped = scrape(&home).get("zoea_myses{state=\"stopped\"}").copied();
        (stopped == Some(2.0)).then_some(())
    });
    let numbers = scrape(&home);
    let number = |name: &str| *numbers.get(name).unwrap_or_else(|| panic!("no {name}"));
    for name in ["alpha", "beta"] {
        let mysis = home.mysis(name);
        let told = |key: &str| mysis[key].as_f64().expect("a number");
        let of = |direction: &str| {
            let labels = format!("mysis=\"{name}\",direction=\"{direction}\"");
            number(&format!("zoea_tokens_total{{{labels}}}"))
        };
        assert_eq!(of("in"), told("tokens_in"));
        assert_eq!(of("out"), told("tokens_out"));
        let turns = number(&format!("zoea_turns_total{{mysis=\"{name}\"}}"));
        assert_eq!(turns, told("turns"));
        assert!(turns > 0.0 && of("in") > 0.0);
    }
    let answered = number("zoea_model_requests_total{provider=\"pilot\",outcome=\"ok\"}");
    let asked: f64 = numbers
        .iter()
        .filter(|(name, _)| name.starts_with("zoea_model_requests_total"))
        .map(|(_, count)| count)
        .sum();
    assert!(answered > 4.0);
    let timed = number("zoea_model_seconds_count{provider=\"pilot\"}");
    assert_eq!(timed, asked);
    let seen = pilot_stats(&pilot.url)["requests"].as_f64();
    assert!(
        seen.is_some_and(|seen| seen <= asked && seen >= answered),
        "{seen:?} {asked}"
    );
    assert!(number("zoea_store_commit_seconds_count") > 10.0);
    assert!(number("zoea_store_commit_seconds_bucket{le=\"+Inf\"}") > 10.0);
    assert_eq!(number("zoea_mailbox_depth{actor=\"store\"}"), 0.0);
    let calls = |outcome: &str| -> f64 {
        let is_call =
            |name: &str| name.starts_with("zoea_tool_calls_total") && name.contains(outcome);
        let counted = numbers.iter().filter(|(name, _)| is_call(name));
        counted.map(|(_, count)| count).sum()
    };
    let (good, bad) = (calls("\"ok\""), calls("\"error\""));
    assert_eq!(number("zoea_tool_seconds_count"), good + bad);
    // Every call that came back has its result among the rows; a call that was cut off has one, too.
    let came_back = |row: &Value| {
        let status = row["metadata"]["status"].as_str();
        matches!(status, Some("done" | "failed"))
    };
    let mut results = 0;
    for name in ["alpha", "beta"] {
        let rows = home.lines(&["log", name, "--limit", "0", "--kind", "result", "--json"]);
        results += rows.iter().filter(|row| came_back(row)).count();
    }
    assert_eq!(good + bad, results as f64);
    home.ok(&["mysis", "delete", "beta", "--yes"]);
    until("beta is counted no more", || {
        let names = scrape(&home).into_keys();
        let mut of_beta = names.filter(|name| name.contains("\"beta\""));
        of_beta.next().is_none().then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}
