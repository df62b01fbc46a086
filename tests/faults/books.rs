//! Compares the calls that the game carried out with the swarm's database.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use zoea_rig::{Home, written};

/// A call of a game tool in the swarm's database.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) tool: String,
    pub(crate) status: String,
}

/// Every call of every Mysis, by its name on the wire.
pub(crate) fn recorded(home: &Home) -> BTreeMap<String, Recorded> {
    let mut calls = BTreeMap::new();
    let myses = home.json(&["mysis", "list", "--json"]);
    for mysis in myses.as_array().expect("a list") {
        let (name, id) = (text(&mysis["name"]), text(&mysis["id"]));
        for row in home.lines(&["log", &name, "--limit", "0", "--json"]) {
            let made = row["tool_calls"].as_array().into_iter().flatten();
            for (place, call) in made.enumerate() {
                let wire = format!("{id}.{}.{place}", row["seq"]);
                let call = Recorded {
                    tool: text(&call["name"]),
                    status: text(&call["status"]),
                };
                calls.insert(wire, call);
            }
        }
    }
    calls
}

/// The names of the calls that the galaxy carried out, in its order.
pub(crate) fn executed(ledger: &Path) -> Vec<String> {
    written(ledger)
        .iter()
        .filter(|line| line["ok"] == true)
        .filter_map(|line| line["call"].as_str().map(str::to_string))
        .collect()
}

/// The number of logins in the journal of a galaxy's data directory, registrations not counted. Its
/// ledger has none, since a login takes no tick.
pub(crate) fn logins(data: &Path) -> usize {
    let segments = std::fs::read_dir(data).expect("a data directory");
    let segments = segments.map(|entry| entry.expect("an entry").path());
    let is_journal = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
    let of_logins = |line: &&Value| line["command"] == "login";
    let count = |path: PathBuf| written(&path).iter().filter(of_logins).count();
    segments.filter(is_journal).map(count).sum()
}

/// Compares the swarm's calls with the galaxy's ledger. Returns the differences.
pub(crate) fn mistakes(recorded: &BTreeMap<String, Recorded>, executed: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for call in executed {
        if !seen.insert(call.as_str()) {
            wrong.push(format!("{call} was carried out twice"));
        }
        match recorded.get(call) {
            None => wrong.push(format!("{call} was carried out and never recorded")),
            Some(known) if known.status == "not_executed" => {
                wrong.push(format!(
                    "{call} ({}) is said not to be executed",
                    known.tool
                ));
            }
            Some(_) => {}
        }
    }
    wrong
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_string()
}
