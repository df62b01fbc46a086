//! The zoo in a small form: every way to be stuck is found and taken up the ladder, and nobody who is
//! well is bothered. `cargo run --release --example zoo` prints the whole table.

use std::time::Duration;

use actors::domain::progress::EscalationStep;
use actors::domain::rules::ProgressRules;
use zoea_simulation::stall_suite::{
    CaseGroup, CaseResult, StallCase, SuiteOptions, healthy_groups, run_group, stuck_cases,
};

/// A watch that is in more of a hurry than the usual one, so that half an hour is enough.
fn hurried() -> SuiteOptions {
    SuiteOptions {
        seed: 1,
        length: Duration::from_secs(1000),
        rules: ProgressRules {
            turns: 8,
            at_least: Duration::from_secs(120),
            ..ProgressRules::default()
        },
        has_other_provider: false,
        adapters: zoea::wiring::simulated::adapters(),
    }
}

/// Those of which one is enough, and those that take the longest to play.
const LEFT_OUT: [&str; 7] = [
    "wanderer",
    "essayist",
    "octet",
    "searcher",
    "notifier",
    "shopper",
    "answers are lost",
];

#[test]
fn every_way_to_be_stuck_is_found() {
    let mut ways = stuck_cases();
    ways.retain(|animal| !LEFT_OUT.contains(&animal.name));
    assert!(ways.len() >= 12);
    all_are_found(ways);
}

fn all_are_found(members: Vec<StallCase>) {
    let party = CaseGroup {
        order: "Mine ore, sell it at your station, refuel and go again.",
        members,
    };
    let seen = run_group(&hurried(), &party).expect("the zoo can be visited");
    let unseen: Vec<&CaseResult> = seen.iter().filter(|sight| sight.told.is_none()).collect();
    assert!(unseen.is_empty(), "{unseen:#?}");
    let taken = seen
        .iter()
        .filter(|sight| sight.rung >= EscalationStep::ContextReset)
        .count();
    assert!(taken * 2 >= seen.len(), "{seen:#?}");
}

#[test]
fn nobody_who_is_well_is_bothered() {
    for party in healthy_groups(1) {
        let visited = SuiteOptions {
            rules: ProgressRules::default(),
            ..hurried()
        };
        for sight in run_group(&visited, &party).expect("the zoo can be visited") {
            assert!(sight.turns > 3, "{sight:?}");
            assert_eq!(sight.told, None, "{sight:?}");
        }
    }
}
