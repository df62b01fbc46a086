//! The Myses of other processes of a fleet.

use std::sync::Arc;

use actors::domain::event::{Activity, Elsewhere, MysisStatus};
use zoea_scenes::swarm::Swarm;

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
