//! The stall suite in a small form: every stuck player is found and taken up the steps, and no healthy
//! player gets a notice. `cargo run --release --example stall_suite` prints the whole table.

use std::time::Duration;

use actors::domain::progress::EscalationStep;
use actors::domain::rules::ProgressRules;
use zoea_measures::stall_suite::{
    CaseGroup, CaseResult, StallCase, SuiteOptions, healthy_groups, run_group, stuck_cases,
};

/// Options with lower limits than the default ones, so that half an hour is enough.
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

/// Cases that resemble another one, and those that take the longest to play.
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
    ways.retain(|case| !LEFT_OUT.contains(&case.name));
    assert!(ways.len() >= 12);
    all_are_found(ways);
}

fn all_are_found(members: Vec<StallCase>) {
    let group = CaseGroup {
        order: "Mine ore, sell it at your station, refuel and go again.",
        members,
    };
    let results = run_group(&hurried(), &group).expect("the simulation can be set up");
    let unseen: Vec<&CaseResult> = results
        .iter()
        .filter(|result| result.reported.is_none())
        .collect();
    assert!(unseen.is_empty(), "{unseen:#?}");
    let taken = results
        .iter()
        .filter(|result| result.step >= EscalationStep::ContextReset)
        .count();
    assert!(taken * 2 >= results.len(), "{results:#?}");
}

#[test]
fn nobody_who_is_well_is_bothered() {
    for group in healthy_groups(1) {
        let options = SuiteOptions {
            rules: ProgressRules::default(),
            ..hurried()
        };
        for result in run_group(&options, &group).expect("the simulation can be set up") {
            assert!(result.turns > 3, "{result:?}");
            assert_eq!(result.reported, None, "{result:?}");
        }
    }
}
