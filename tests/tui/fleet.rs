//! The Myses of other processes of a fleet.

use std::sync::Arc;

use actors::domain::event::{Activity, Elsewhere, MysisStatus};
use actors::domain::state::LifeState;
use zoea_scenes::swarm::Swarm;

use crate::operator::Operator;
use crate::snapshots::{check_at, normal};

const SIZES: [(u16, u16); 3] = [(80, 20), (120, 40), (200, 60)];

/// Twelve Myses, of which two processes elsewhere run some; one of them is gone.
fn fleet() -> Swarm {
    let mut swarm = normal();
    let place = |process: &str, is_gone| {
        Arc::new(Elsewhere {
            process: process.into(),
            is_gone,
        })
    };
    for (at, status) in swarm.statuses.values_mut().enumerate() {
        let place = match at % 3 {
            1 => place("box-2", false),
            2 => place("eu-west-14-b", true),
            _ => continue,
        };
        *status = MysisStatus {
            activity: Activity::Mining,
            ..status.as_seen_from_afar(place.clone())
        };
        *status = status.as_seen_from_afar(place);
    }
    swarm
}

#[test]
fn the_table_names_the_process_of_each_mysis() {
    check_at("fleet", SIZES, fleet, |_| {});
}

#[test]
fn myses_are_sorted_by_their_process() {
    check_at("fleet_by_process", SIZES, fleet, |operator| {
        operator.keys(":sort process<enter>");
    });
}

#[test]
fn the_processes_are_a_list() {
    check_at("processes", SIZES, fleet, |operator| {
        operator.keys("Hj");
    });
}

#[test]
fn a_process_is_drained_after_a_question_and_takes_myses_again_without_one() {
    let mut operator = Operator::at(fleet(), (80, 20));
    operator.keys("Hd");
    let asked = operator.text();
    assert!(
        asked.contains("Drain box? Myses that it runs: 34."),
        "{asked}"
    );
    operator.keys("n");
    assert!(!operator.text().contains("Drain box?"), "it is left alone");
    operator.keys("dy");
    let text = operator.text();
    assert!(text.contains("drain box"), "{text}");
    // The second one is being drained already.
    operator.keys("jd");
    let text = operator.text();
    assert!(text.contains("undrain box-2"), "{text}");
    operator.keys("<end>d");
    let text = operator.text();
    assert!(text.contains("us-2 no longer runs"), "{text}");
    operator.keys("<esc>:processes<enter>");
    assert!(operator.text().contains("3 share this database"));
}

#[test]
fn the_question_before_the_end_counts_the_myses_that_run_here() {
    let swarm = fleet();
    let running = swarm.statuses.values();
    let running = running.filter(|status| status.state == LifeState::Running);
    let all = running.clone().count();
    let here = running.filter(|of| of.elsewhere.is_none()).count();
    assert!(0 < here && here < all);
    let mut operator = Operator::at(swarm, (100, 30));
    operator.keys("q");
    let asked = operator.text();
    let wanted = format!("Quit? {here} of {all} Myses run here.");
    assert!(asked.contains(&wanted), "{asked}");
    // Where none of them runs here nothing stops.
    let mut swarm = fleet();
    swarm
        .statuses
        .retain(|_, status| status.elsewhere.is_some());
    let mut operator = Operator::at(swarm, (100, 30));
    operator.keys("q");
    assert!(!operator.text().contains("Quit?"), "{}", operator.text());
}
