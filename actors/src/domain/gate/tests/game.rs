//! Whose a failure of the tool server is: each Mysis has a session of its own, and maybe a process.

use super::owners::works;
use super::*;
use crate::model::{OthersGet, ServiceReturn};

const GAME: Lane = Lane::Game;

fn gate_of_game() -> AdmissionGate {
    let circuit = CircuitRules {
        failures: 1,
        ..CircuitRules::default()
    };
    let rules = LaneRules {
        circuit: Some(circuit),
        ..LaneRules::default()
    };
    gate_of([(GAME, rules)])
}

fn begin(gate: &mut AdmissionGate, (pass, mysis): (u64, i64), now: i64) {
    let request = AdmissionRequest {
        asker: Some(MysisId(mysis)),
        ..request(vec![GAME], false)
    };
    gate.queue_request(PermitId(pass), request, Moment(now));
}

/// One attempt to open a session, which ends at once.
fn open(gate: &mut AdmissionGate, call: (u64, i64), outcome: &CallOutcome, now: i64) {
    begin(gate, call, now);
    assert_eq!(ways(gate, now), [(call.0, GAME)]);
    gate.release_permit(&GAME, PermitId(call.0), outcome, Moment(now));
}

fn call(gate: &mut AdmissionGate, mysis: i64, outcome: &CallOutcome, now: i64) {
    gate.note_outcome(&GAME, MysisId(mysis), outcome, Moment(now));
}

/// Whether its circuit is closed, and nothing is said against it or only what may be a Mysis' own.
fn is_well(gate: &AdmissionGate) -> bool {
    gate.outages().count() == 0 && gate.troubles().all(|(_, trouble)| !trouble.is_servers)
}

#[test]
fn who_gets_no_session_while_another_is_served_tells_nothing_of_the_game() {
    let mut gate = gate_of_game();
    // All begin at once, as at the start of a swarm whose server has room for one client.
    for mysis in 1..=3_i64 {
        begin(&mut gate, (mysis.cast_unsigned(), mysis), 0);
    }
    assert_eq!(ways(&mut gate, 0).len(), 3);
    for (pass, outcome) in [(2, fails()), (3, fails()), (1, works())] {
        gate.release_permit(&GAME, PermitId(pass), &outcome, Moment(0));
    }
    let mut pass = 10;
    for second in 1..90 {
        call(&mut gate, 1, &works(), second * 1000);
        if second % 3 == 0 {
            for mysis in [2, 3] {
                pass += 1;
                open(&mut gate, (pass, mysis), &fails(), second * 1000);
                let others = gate.others_get(&GAME, MysisId(mysis), Moment(second * 1000));
                // At first the other one's failure may be the server's.
                assert!(others == OthersGet::Served || second == 3, "{others:?}");
            }
        }
        assert!(is_well(&gate), "after {second} s");
    }
    assert_eq!(gate.take_news(), []);
}

#[test]
fn one_whose_sessions_open_and_whose_calls_fail_keeps_its_failures() {
    let mut gate = gate_of_game();
    let mut pass = 0;
    for second in 0..120 {
        let now = second * 1000;
        call(&mut gate, 1, &works(), now);
        if second % 8 == 7 {
            pass += 1;
            open(&mut gate, (pass, 2), &works(), now + 100);
            call(&mut gate, 2, &fails(), now + 200);
        }
        if second > 7 && second % 3 == 0 || second % 8 == 7 {
            pass += 1;
            open(&mut gate, (pass, 2), &fails(), now + 300);
        }
        // Its first two failures came before another one was served.
        assert!(second == 7 || is_well(&gate), "after {second} s");
    }
    assert_eq!(gate.take_news(), []);
}

#[test]
fn a_game_that_is_gone_is_away_when_those_who_use_it_fail_and_back_with_the_first_served_call() {
    let mut gate = gate_of_game();
    for mysis in 1..=3 {
        call(&mut gate, mysis, &works(), 0);
    }
    let mut seen = Vec::new();
    for mysis in 1..=3 {
        call(&mut gate, mysis, &fails(), 1000 + mysis);
        seen.push(is_well(&gate));
    }
    assert_eq!(seen, [true, false, false], "two of them are enough");
    assert_eq!(gate.take_news(), []);
    open(&mut gate, (1, 1), &fails(), 9000);
    let since = gate.outages().map(|(_, away)| away.since).next();
    assert_eq!(since, Some(Moment(1001)));
    assert!(matches!(
        gate.take_news()[..],
        [GateEvent::CircuitOpened { .. }]
    ));
    begin(&mut gate, (2, 2), 9500);
    assert_eq!(ways(&mut gate, 9500), [], "one tries for all");
    // The session of another one stands still.
    call(&mut gate, 3, &works(), 9600);
    assert!(is_well(&gate));
    assert_eq!(gate.take_news(), [GateEvent::CircuitClosed { lane: GAME }]);
    assert_eq!(ways(&mut gate, 9600), [(2, GAME)]);
}

#[test]
fn one_alone_and_one_that_is_refused_access_find_the_game_away_at_once() {
    let mut gate = gate_of_game();
    open(&mut gate, (1, 1), &fails(), 0);
    assert_eq!(gate.outages().count(), 1, "no other one uses it");
    let mut gate = gate_of_game();
    call(&mut gate, 2, &works(), 0);
    let refused = CallOutcome::OutOfService {
        text: "HTTP 401".into(),
        wait: Duration::from_secs(30),
        ends_by: ServiceReturn::Operator,
        is_of_all: true,
    };
    open(&mut gate, (1, 1), &refused, 1000);
    assert_eq!(gate.outages().count(), 1, "the token is that of all");
}
