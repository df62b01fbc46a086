//! The verdict: the outcome of a swarm with repeated faults, compared with the game's ledger and
//! the acknowledged orders.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::books::{executed, mistakes, recorded, text};
use zoea_rig::{Home, Process, Server, until};

#[expect(
    clippy::disallowed_methods,
    reason = "settings are the program's; this is how much a test does"
)]
pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => otherwise,
    }
}

/// The text of an order, and whether it was acknowledged.
pub(crate) struct Order {
    pub(crate) text: String,
    pub(crate) is_acknowledged: bool,
}

/// A finished run, with the means to check it.
pub(crate) struct Played<'a> {
    pub(crate) seed: u64,
    pub(crate) home: &'a Home,
    pub(crate) ledger: &'a Path,
    pub(crate) pilot: &'a Server,
    pub(crate) orders: &'a [Order],
}

impl Played<'_> {
    /// Checks that nothing acknowledged is lost, and that nothing was done twice or without a
    /// record. Returns the figures of the run.
    pub(crate) fn judge(&self, myses: usize) -> String {
        let seed = self.seed;
        let calls = recorded(self.home);
        let done = executed(self.ledger);
        let acknowledged = self.orders.iter().filter(|order| order.is_acknowledged);
        let acknowledged = acknowledged.count();
        assert!(done.len() > myses, "the swarm did play");
        assert!(acknowledged > 0, "somebody was heard");
        let (mut lost, mut doubled) = (Vec::new(), Vec::new());
        let said = prompts(self.home);
        for order in self.orders {
            let prompts = said.iter().filter(|text| **text == order.text).count();
            if prompts == 0 && order.is_acknowledged {
                lost.push(&order.text);
            }
            if prompts > 1 {
                doubled.push(&order.text);
            }
        }
        assert!(
            lost.is_empty() && doubled.is_empty(),
            "seed {seed}: {} of {acknowledged} acknowledged orders are lost: {lost:?}; these stand \
             more than once: {doubled:?}",
            lost.len()
        );
        let wrong = mistakes(&calls, &done);
        assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");
        assert_eq!(self.pilot.stats()["refused"], 0, "seed {seed}");
        let count = |status: &str| calls.values().filter(|call| call.status == status).count();
        format!(
            "{} orders ({acknowledged} acknowledged), 0 lost, 0 twice; {} calls: {} done, {} failed, \
             {} of unknown outcome, {} not executed; the game carried out {}",
            self.orders.len(),
            calls.len(),
            count("done"),
            count("failed"),
            count("unknown"),
            count("not_executed"),
            done.len(),
        )
    }
}

/// Every stored direct message.
fn prompts(home: &Home) -> Vec<String> {
    let myses = home.json(&["mysis", "list", "--json"]);
    let myses = myses.as_array().expect("a list").iter();
    let of = |mysis: &Value| {
        let name = text(&mysis["name"]);
        home.lines(&["log", &name, "--limit", "0", "--kind", "prompt", "--json"])
    };
    let rows = myses.flat_map(of);
    rows.map(|row| text(&row["content"])).collect()
}

/// Lets the swarm play once more without faults, and ends it in good order.
pub(crate) fn finish_without_faults(home: &Home) {
    finish_without_faults_with(home, || {});
}

/// The same, with something that is done again and again until everybody has played.
pub(crate) fn finish_without_faults_with(home: &Home, help: impl Fn()) {
    let swarm = home.fly(&["--resume"]);
    until("everybody has taken up its conversation", || {
        let myses = home.json(&["mysis", "list", "--json"]);
        let mut myses = myses.as_array().into_iter().flatten();
        myses.all(|mysis| mysis["state"] == "running").then_some(())
    });
    let before = turns(home);
    until("every mysis plays again", || {
        help();
        let now = turns(home);
        now.iter()
            .all(|(name, turns)| *turns > before[name])
            .then_some(())
    });
    swarm.land();
}

/// The option for starting a swarm that may have run before.
pub(crate) fn how_to_start(home: &Home) -> &'static str {
    let myses = home.json(&["mysis", "list", "--json"]);
    let mut myses = myses.as_array().into_iter().flatten();
    let has_run = myses.any(|mysis| mysis["turns"] != 0);
    if has_run { "--resume" } else { "--start-swarm" }
}

pub(crate) fn is_up(home: &Home, process: &Process) -> bool {
    let run = std::fs::read_to_string(home.file("run.json")).unwrap_or_default();
    run.contains(&format!("\"pid\":{}", process.pid()))
}

/// The number of turns of each Mysis. All of them are running.
fn turns(home: &Home) -> BTreeMap<String, u64> {
    let myses = home.json(&["mysis", "list", "--json"]);
    let myses = myses.as_array().expect("a list").iter();
    myses
        .map(|mysis| {
            assert_eq!(mysis["state"], "running", "{mysis}");
            let name = mysis["name"].as_str().expect("a name").to_string();
            (name, mysis["turns"].as_u64().expect("a number"))
        })
        .collect()
}
