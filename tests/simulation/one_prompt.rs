//! What the requests of a role have in common after an hour, as they are on the wire: two players on simulated time ask a
//! model server over HTTP. `ZOEA_REQUESTS=FILE` keeps the requests, for `tests/conformance/one_prompt.sh`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use zoea_measures::economy::{EconomyOptions, measure};
use zoea_pilot::PilotOptions;

use super::economy::{options, served};

/// The tools and the messages of a request.
type Request = [String; 2];

/// The requests of each player, as the server recorded them.
fn requests_of(record: &Path) -> BTreeMap<String, Vec<Request>> {
    let text = std::fs::read_to_string(record).expect("the record");
    let mut requests: BTreeMap<String, Vec<Request>> = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        let of_one = line["agent"].as_str().expect("who asks").to_string();
        let parts = ["tools", "messages"].map(|part| line["body"][part].to_string());
        requests.entry(of_one).or_default().push(parts);
    }
    requests
}

fn common(one: &Request, other: &Request) -> usize {
    let [one, other] = [one, other].map(|request| request.concat());
    let same = one.bytes().zip(other.bytes());
    same.take_while(|(a, b)| a == b).count()
}

#[test]
fn after_an_hour_requests_share_what_their_first_ones_did() {
    let directory = tempfile::tempdir().expect("a folder");
    #[expect(
        clippy::disallowed_methods,
        reason = "where the requests of this run are kept"
    )]
    let kept = std::env::var_os("ZOEA_REQUESTS");
    let record = kept.map_or_else(|| directory.path().join("requests"), Into::into);
    let options = EconomyOptions {
        only: Some("trader"),
        players: 2,
        length: Duration::from_secs(75 * 60),
        ..options()
    };
    served(
        PilotOptions {
            record: Some(record.clone()),
            keeps_bodies: true,
            ..PilotOptions::default()
        },
        |real| measure(&options, &[], Some(real)).expect("they play"),
    );
    let requests = requests_of(&record);
    let [one, other] = &requests.values().collect::<Vec<_>>()[..] else {
        panic!("{:?}", requests.keys());
    };
    assert!(one.len() > 100 && other.len() > 100, "{}", one.len());
    // All that stands before what is its own: who it is and the state of the game, or its conversation.
    let whole = one[0].concat();
    let shared = whole.rfind("[from the runtime").expect("its own part");
    let [newest, of_other] = [one, other].map(|all| all.last().expect("a request"));
    let [firsts, later] = [common(&one[0], &other[0]), common(newest, of_other)];
    println!(
        "{firsts} bytes of two first requests, {later} an hour later; {shared} of {} are of all",
        whole.len()
    );
    assert!(firsts >= shared && later * 100 >= shared * 95, "{shared}");
    let changes = one.windows(2).filter(|pair| pair[0][0] != pair[1][0]);
    println!(
        "the list of tools changed {} times",
        changes.clone().count()
    );
    assert!(changes.count() <= 1, "once an hour");
}
