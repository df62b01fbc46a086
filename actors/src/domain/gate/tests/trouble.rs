//! Since when a server does not serve, and whose trouble it may be.

use super::owners::{call, gate_with, works};
use super::*;

/// The troubles of the first provider: since when, whether it is the server's, and whether its circuit is open.
fn seen(gate: &AdmissionGate) -> Option<(i64, bool, bool)> {
    let trouble = gate.troubles().find(|(lane, _)| **lane == P());
    let outage = gate.outages().find(|(lane, _)| **lane == P());
    match (trouble, outage) {
        (Some((_, it)), _) => Some((it.since.0, it.is_servers, false)),
        (None, Some((_, it))) => Some((it.since.0, true, true)),
        (None, None) => None,
    }
}

fn unreachable() -> CallOutcome {
    CallOutcome::Fails {
        text: "connection refused".into(),
        is_unreachable: true,
        ends_round: false,
        is_refusal: false,
    }
}

fn refuses(wait: Option<u64>, is_of_all: bool) -> CallOutcome {
    CallOutcome::Refuses {
        text: "HTTP 4xx".into(),
        wait: wait.map(Duration::from_secs),
        is_of_all,
        ends_round: false,
    }
}

/// What is seen after each of these calls of one Mysis or another, a second apart.
fn course(calls: &[(i64, CallOutcome)]) -> Vec<Option<(i64, bool, bool)>> {
    let mut gate = gate_with(None);
    let mut after = Vec::new();
    for (place, (mysis, outcome)) in (0..).zip(calls) {
        let pass = u64::try_from(place).unwrap();
        call(&mut gate, (pass, MysisId(*mysis)), outcome, place * 1000);
        after.push(seen(&gate));
    }
    after
}

#[test]
fn a_server_that_cannot_be_reached_is_away_from_the_first_failure_on() {
    let calls: Vec<_> = [works(), unreachable(), unreachable()]
        .map(|outcome| (1, outcome))
        .into();
    let red = Some((1000, true, false));
    assert_eq!(course(&calls), [None, red, red]);
    // Others are there, and none of them was asked since.
    let calls = [(1, works()), (2, works()), (1, unreachable())];
    assert_eq!(course(&calls)[2], Some((2000, true, false)));
    let calls = [(1, unreachable()), (1, works())];
    assert_eq!(course(&calls)[1], None, "it serves again");
}

#[test]
fn an_outage_begins_with_the_first_failure_and_not_when_the_circuit_opens() {
    let mut calls = vec![(1, works())];
    calls.extend((0..6).map(|_| (1, fails())));
    let seen = course(&calls);
    assert_eq!(seen[1], Some((1000, true, false)), "it is alone");
    assert_eq!(seen[5], Some((1000, true, true)), "five in a row open it");
}

#[test]
fn one_failure_among_several_conversations_may_be_its_own() {
    let amber = Some((2000, false, false));
    let red = Some((2000, true, false));
    let begin = [(1, works()), (2, works()), (1, fails())];
    let with = |more: (i64, CallOutcome)| course(&[&begin[..], &[more]].concat());
    assert_eq!(with((2, works()))[2..], [amber, None]);
    assert_eq!(with((2, fails()))[2..], [amber, red], "another one, too");
    assert_eq!(
        with((1, fails()))[2..],
        [amber, red],
        "and no other one since"
    );
    // Others are served meanwhile: what it gets is its own.
    let poisoned = [(1, fails()), (2, works()), (1, fails()), (1, fails())];
    let seen = course(&[&begin[..2], &poisoned[..]].concat());
    assert_eq!(seen[2..], [amber, None, None, None]);
}

#[test]
fn a_lone_pause_that_it_asks_for_is_amber_and_a_refused_key_is_red() {
    let limited = || refuses(Some(1), false);
    let amber = Some((0, false, false));
    assert_eq!(course(&[(1, limited()), (1, works())]), [amber, None]);
    let calls = [(1, limited()), (1, limited())];
    assert_eq!(course(&calls)[1], Some((0, true, false)), "again and again");
    let key = || refuses(None, true);
    assert_eq!(course(&[(1, key())]), [Some((0, true, false))]);
    // What one conversation says may be what is refused.
    let refused = || refuses(None, false);
    let calls = [(1, works()), (2, works()), (1, refused())];
    assert_eq!(course(&calls)[2], None);
    assert_eq!(course(&[(1, refused())]), [amber], "there is no other one");
}

#[test]
fn what_lasted_over_a_restart_keeps_its_beginning_until_the_server_serves() {
    let mut gate = gate_with(None);
    gate.note_away_before(&[(P(), Timestamp(-60_000))], even(Moment(0)));
    assert_eq!(seen(&gate), None, "it was not asked yet");
    call(&mut gate, (1, MysisId(1)), &unreachable(), 1000);
    assert_eq!(seen(&gate), Some((-60_000, true, false)));
    call(&mut gate, (2, MysisId(1)), &works(), 2000);
    assert_eq!(seen(&gate), None);
    assert!(
        gate.take_news()
            .contains(&GateEvent::CircuitClosed { lane: P() })
    );
    call(&mut gate, (3, MysisId(1)), &unreachable(), 3000);
    assert_eq!(seen(&gate), Some((3000, true, false)));
}

#[test]
fn one_failed_call_of_the_game_among_many_that_are_served_is_amber() {
    let lost = CallOutcome::Fails {
        text: "HTTP 500".into(),
        is_unreachable: false,
        ends_round: false,
        is_refusal: false,
    };
    let mut gate = gate_with(None);
    let mut system = |mysis, outcome: &CallOutcome, seconds: i64| {
        gate.note_outcome(&Lane::Game, MysisId(mysis), outcome, Moment(seconds * 1000));
        let trouble = gate.troubles().find(|(lane, _)| **lane == Lane::Game);
        trouble.map(|(_, it)| it.is_servers)
    };
    for mysis in 1..=3 {
        assert_eq!(system(mysis, &works(), 100 + mysis), None);
    }
    assert_eq!(system(1, &lost, 110), Some(false), "others are served");
    assert_eq!(system(2, &works(), 111), None);
    assert_eq!(system(1, &lost, 112), None, "it is its own by now");
    assert_eq!(system(2, &lost, 113), Some(false));
    assert_eq!(system(3, &lost, 114), Some(true), "and another one's");
    assert_eq!(system(3, &works(), 115), None);
    // Of one that is alone a failure is the server's.
    assert_eq!(system(3, &lost, 200), Some(true));
}

/// The lane that gets a call of a lone Mysis.
fn lone(gate: &mut AdmissionGate, seconds: i64, outcome: &CallOutcome) -> Option<Lane> {
    let pass = u64::try_from(seconds).unwrap();
    call(gate, (pass, MysisId(1)), outcome, seconds * 1000)
}

#[test]
fn a_pause_that_a_server_asks_for_ends_no_outage() {
    let mut gate = gate_with(None);
    for seconds in 0..5 {
        lone(&mut gate, seconds, &fails());
    }
    assert_eq!(gate.outages().count(), 1);
    gate.take_news();
    let pause = refuses(Some(1), false);
    for trial in [9, 14, 19] {
        assert_eq!(lone(&mut gate, trial, &pause), Some(P()));
        let (_, outage) = gate.outages().next().expect("it is away still");
        assert_eq!((&*outage.text, outage.since), ("HTTP 4xx", Moment(0)));
        assert_eq!(gate.take_news(), [], "it does not work again");
        let meanwhile = lone(&mut gate, trial + 3, &works());
        assert_eq!(meanwhile, Some(Q()), "it is tried every four seconds");
    }
    // A longer one is obeyed.
    assert_eq!(lone(&mut gate, 24, &refuses(Some(20), false)), Some(P()));
    assert_eq!(lone(&mut gate, 43, &works()), Some(Q()));
    assert_eq!(lone(&mut gate, 44, &works()), Some(P()));
    assert_eq!(gate.outages().count(), 0);
    let closed = GateEvent::CircuitClosed { lane: P() };
    assert_eq!(gate.take_news(), [closed]);
}

#[test]
fn a_server_that_fails_and_states_a_wait_is_away_after_as_many_failures_as_any() {
    for (text, is_away) in [("HTTP 503: overloaded", true), ("HTTP 429: slow", false)] {
        let mut gate = gate_with(None);
        for round in 0..5 {
            assert_eq!(gate.outages().count(), 0, "{text}, {round}");
            let outcome = CallOutcome::Refuses {
                text: text.into(),
                wait: Some(Duration::from_secs(10)),
                is_of_all: false,
                ends_round: false,
            };
            let seconds = round * 11;
            assert_eq!(lone(&mut gate, seconds, &outcome), Some(P()));
        }
        assert_eq!(gate.outages().count(), usize::from(is_away), "{text}");
        if is_away {
            assert_eq!(lone(&mut gate, 53, &works()), Some(Q()), "its wait runs");
            assert_eq!(lone(&mut gate, 54, &works()), Some(P()));
        }
    }
}

#[test]
fn who_is_told_to_wait_until_no_try_is_left_finds_the_server_away_and_its_wait_holds() {
    let mut gate = gate_with(None);
    for round in 0..4 {
        assert_eq!(gate.outages().count(), 0, "{round}");
        let outcome = CallOutcome::Refuses {
            text: "HTTP 429: slow".into(),
            wait: Some(Duration::from_secs(10)),
            is_of_all: false,
            ends_round: round == 3,
        };
        assert_eq!(lone(&mut gate, round * 11, &outcome), Some(P()));
    }
    assert_eq!(gate.outages().count(), 1);
    assert_eq!(lone(&mut gate, 34, &works()), Some(Q()));
    assert_eq!(lone(&mut gate, 42, &works()), Some(Q()), "its wait runs");
    assert_eq!(lone(&mut gate, 43, &works()), Some(P()), "the trial");
    assert_eq!(gate.outages().count(), 0);
}

/// A gate whose first provider was away as the rules changed.
fn reloaded() -> AdmissionGate {
    let mut gate = gate_with(None);
    for seconds in 0..5 {
        lone(&mut gate, seconds, &fails());
    }
    assert_eq!(gate.take_news().len(), 1);
    let rules = gate.rules.clone();
    gate.set_rules(rules);
    assert_eq!(seen(&gate), None, "it was not asked yet");
    assert_eq!(gate.take_news(), []);
    gate
}

#[test]
fn an_outage_that_a_reload_ends_is_told_as_over_by_the_first_call_that_is_served() {
    let closed = || GateEvent::CircuitClosed { lane: P() };
    let mut gate = reloaded();
    assert_eq!(lone(&mut gate, 6, &works()), Some(P()));
    assert_eq!(gate.take_news(), [closed()]);
    lone(&mut gate, 7, &works());
    assert_eq!(gate.take_news(), []);
    // The server is still away, since then, and its return is told once.
    let mut gate = reloaded();
    lone(&mut gate, 6, &fails());
    assert_eq!(seen(&gate), Some((0, true, false)));
    for seconds in 7..11 {
        lone(&mut gate, seconds, &fails());
    }
    assert_eq!(seen(&gate), Some((0, true, true)));
    gate.take_news();
    queue_at(&mut gate, 15, vec![P()], 15_000);
    assert_eq!(ways(&mut gate, 15_000), [(15, P())]);
    gate.on_sign_of_life(&P(), PermitId(15));
    assert_eq!(gate.take_news(), [closed()]);
    gate.release_permit(&P(), PermitId(15), &works(), Moment(16_000));
    assert_eq!(gate.take_news(), []);
}
