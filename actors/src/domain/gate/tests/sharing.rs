//! Limits that several processes share.

use super::*;
use crate::sharing::{LimitClaim, LimitKind, LimitPart};

fn limited() -> LaneRules {
    LaneRules {
        max_in_flight: Some(6),
        per_minute: Some(60),
        burst: 6,
        tokens_per_minute: Some(600),
        ..LaneRules::default()
    }
}

/// A gate of several processes whose lane `p` has these rules.
fn shared(rules: LaneRules) -> AdmissionGate {
    let mut gate = gate_of([(P(), rules), (Lane::Game, LaneRules::default())]);
    gate.share_limits();
    gate
}

fn parts(in_flight: u64, pace: u64, tokens: u64) -> [LimitPart; 3] {
    let part = |kind, part| LimitPart {
        lane: P(),
        kind,
        part,
        is_first: true,
    };
    [
        part(LimitKind::InFlight, in_flight),
        part(LimitKind::Pace, pace),
        part(LimitKind::Tokens, tokens),
    ]
}

fn claim(gate: &mut AdmissionGate, kind: LimitKind, now: i64) -> LimitClaim {
    let claims = gate.claims(Moment(now));
    claims.into_iter().find(|claim| claim.kind == kind).unwrap()
}

fn queue_all(gate: &mut AdmissionGate, passes: std::ops::Range<u64>) {
    for pass in passes {
        queue_at(gate, pass, vec![P()], 0);
    }
}

#[test]
fn nothing_that_is_limited_is_admitted_before_the_parts_are_told_and_after_they_end() {
    let mut gate = shared(limited());
    queue_all(&mut gate, 1..9);
    queue_at(&mut gate, 99, vec![Lane::Game], 0);
    assert_eq!(
        ways(&mut gate, 0),
        [(99, Lane::Game)],
        "the game is not limited"
    );
    assert_eq!(gate.wakes_at(), None);
    gate.set_parts(&parts(2, 60_000, 600), Moment(8000), Moment(0));
    assert_eq!(ways(&mut gate, 10).len(), 2);
    gate.release_permit(&P(), PermitId(1), &CallOutcome::Dropped, Moment(20));
    assert_eq!(ways(&mut gate, 7999).len(), 1);
    gate.release_permit(&P(), PermitId(2), &CallOutcome::Dropped, Moment(8000));
    assert_eq!(ways(&mut gate, 8000), []);
    assert!(gate.has_lapsed_at(Moment(8000)));
    assert_eq!(gate.wakes_at(), None, "the next parts wake it");
    let lapsed = claim(&mut gate, LimitKind::InFlight, 8000);
    assert_eq!((lapsed.held, lapsed.used, lapsed.need.wanted), (0, 1, 6));
    gate.set_parts(&parts(2, 60_000, 600), Moment(16_000), Moment(8000));
    assert_eq!(ways(&mut gate, 8000).len(), 1);
}

#[test]
fn a_smaller_part_lets_calls_in_flight_end_and_is_told_as_used() {
    let mut gate = shared(LaneRules {
        max_in_flight: Some(6),
        ..LaneRules::default()
    });
    gate.set_parts(&parts(6, 0, 0)[..1], Moment(8000), Moment(0));
    queue_all(&mut gate, 1..20);
    assert_eq!(ways(&mut gate, 0).len(), 6);
    gate.set_parts(&parts(2, 0, 0)[..1], Moment(8000), Moment(0));
    let text = claim(&mut gate, LimitKind::InFlight, 0);
    assert_eq!((text.held, text.used, text.need.wanted), (2, 6, 19));
    for pass in 1..=4 {
        gate.release_permit(&P(), PermitId(pass), &CallOutcome::Dropped, Moment(1));
        assert_eq!(ways(&mut gate, 1), []);
    }
    gate.release_permit(&P(), PermitId(5), &CallOutcome::Dropped, Moment(1));
    assert_eq!(ways(&mut gate, 1).len(), 1);
}

#[test]
fn tokens_of_the_last_minute_are_told_as_used_and_a_part_that_is_too_small_lets_nothing_pass() {
    let mut gate = shared(limited());
    gate.set_parts(&parts(6, 60_000, 250), Moment(200_000), Moment(0));
    queue_all(&mut gate, 1..9);
    assert_eq!(ways(&mut gate, 0).len(), 2, "of 100 tokens each");
    assert_eq!(gate.wakes_at(), Some(Moment(60_000)));
    let text = claim(&mut gate, LimitKind::Tokens, 30_000);
    assert_eq!((text.held, text.used), (250, 200));
    assert_eq!((text.need.wanted, text.need.unit), (800, 100));
    assert_eq!(claim(&mut gate, LimitKind::Tokens, 60_000).used, 0);
    gate.set_parts(&parts(6, 60_000, 99), Moment(200_000), Moment(60_000));
    assert_eq!((ways(&mut gate, 60_000), gate.wakes_at()), (vec![], None));
}

#[test]
fn the_pace_is_that_of_the_part() {
    let mut gate = shared(limited());
    gate.set_parts(&parts(6, 20_000, 600), Moment(200_000), Moment(0));
    queue_all(&mut gate, 1..9);
    assert_eq!(ways(&mut gate, 0).len(), 2, "a third of the burst");
    assert_eq!(gate.wakes_at(), Some(Moment(3000)));
    let later = |pace| {
        parts(6, pace, 600).map(|part| LimitPart {
            is_first: false,
            ..part
        })
    };
    gate.set_parts(&later(0), Moment(200_000), Moment(1000));
    assert_eq!((ways(&mut gate, 9000), gate.wakes_at()), (vec![], None));
    gate.set_parts(&later(60_000), Moment(200_000), Moment(9000));
    assert_eq!(
        (ways(&mut gate, 9000), gate.wakes_at()),
        (vec![], Some(Moment(10_000)))
    );
}

#[test]
fn of_a_limit_that_a_reload_sets_nothing_is_used_before_a_part_is_told() {
    let mut gate = shared(LaneRules {
        max_in_flight: Some(6),
        ..LaneRules::default()
    });
    gate.set_parts(&parts(6, 0, 0)[..1], Moment(8000), Moment(0));
    gate.set_rules(GateRules {
        lanes: [(P(), limited())].into(),
        ..GateRules::default()
    });
    queue_all(&mut gate, 1..9);
    assert_eq!(ways(&mut gate, 0), []);
    gate.set_parts(&parts(6, 60_000, 600), Moment(8000), Moment(0));
    assert_eq!(ways(&mut gate, 0).len(), 6);
}
