//! Whose a failure is: one conversation's, or its server's.

use super::*;
use crate::model::{OthersGet, ServiceReturn};
use crate::sharing::{OutageChange, SharedOutage};

const POISONED: MysisId = MysisId(0);

fn of(mysis: MysisId, routes: Vec<Lane>, is_urgent: bool) -> AdmissionRequest {
    AdmissionRequest {
        asker: Some(mysis),
        payer: Some(mysis),
        ..request(routes, is_urgent)
    }
}

pub(super) fn gate_with(fallback: Option<&str>) -> AdmissionGate {
    let rules = LaneRules {
        max_in_flight: Some(9),
        circuit: Some(CircuitRules::default()),
        fallback: fallback.map(Into::into),
        ..LaneRules::default()
    };
    gate_of([(P(), rules.clone()), (Q(), rules)])
}

/// One call of a conversation, which ends at once. Returns the lane that served or refused it.
pub(super) fn call(
    gate: &mut AdmissionGate,
    (pass, mysis): (u64, MysisId),
    outcome: &CallOutcome,
    now: i64,
) -> Option<Lane> {
    gate.queue_request(
        PermitId(pass),
        of(mysis, vec![P(), Q()], false),
        Moment(now),
    );
    let ways = ways(gate, now);
    let (_, lane) = ways.into_iter().find(|(of, _)| *of == pass)?;
    let outcome = match lane == P() {
        true => outcome.clone(),
        false => works(),
    };
    gate.release_permit(&lane, PermitId(pass), &outcome, Moment(now));
    Some(lane)
}

pub(super) fn works() -> CallOutcome {
    CallOutcome::Works {
        tokens: None,
        is_bare: false,
    }
}

fn last_try() -> CallOutcome {
    CallOutcome::Fails {
        text: "HTTP 500".into(),
        is_unreachable: false,
        ends_round: true,
        is_refusal: false,
    }
}

fn out_of_service() -> CallOutcome {
    CallOutcome::OutOfService {
        text: "HTTP 429".into(),
        wait: Duration::from_secs(900),
        ends_by: ServiceReturn::Time,
        is_of_all: false,
    }
}

fn asked_to_wait(ends_round: bool) -> CallOutcome {
    CallOutcome::Refuses {
        text: "HTTP 429".into(),
        is_of_all: false,
        wait: Some(Duration::from_secs(20)),
        ends_round,
    }
}

/// Ten minutes of some conversations that ask every two seconds. The first one gets this outcome from
/// the first minute on and asks again after a second. Returns how many answers each of the others got
/// of the first provider, and how often anything was told.
fn course(others: i64, poison: Option<&CallOutcome>) -> (Vec<u32>, usize) {
    let mut gate = gate_with(Some("q"));
    let (mut pass, mut news) = (0, 0);
    let mut served = vec![0; usize::try_from(others).unwrap()];
    for moment in (0..600_000).step_by(100) {
        let is_poisoned = moment >= 60_000 && poison.is_some();
        if is_poisoned && moment % 1000 == 100 {
            pass += 1;
            call(&mut gate, (pass, POISONED), poison.unwrap(), moment);
        }
        for other in 1..=others {
            if moment % 2000 == 200 * (other % 10) {
                pass += 1;
                let lane = call(&mut gate, (pass, MysisId(other)), &works(), moment);
                let is_first = lane == Some(P());
                served[usize::try_from(other - 1).unwrap()] += u32::from(is_first);
            }
        }
        news += gate.take_news().len();
    }
    (served, news)
}

#[test]
fn what_one_conversation_gets_costs_no_other_one_an_answer_a_fallback_or_a_pause() {
    for others in [1, 2, 5, 9] {
        let undisturbed = course(others, None);
        for poison in [
            fails(),
            last_try(),
            out_of_service(),
            asked_to_wait(false),
            asked_to_wait(true),
        ] {
            let disturbed = course(others, Some(&poison));
            assert_eq!(disturbed, undisturbed, "{others} others, {poison:?}");
            assert_eq!(disturbed.1, 0);
        }
    }
}

#[test]
fn an_outage_is_found_by_as_many_failures_as_before() {
    for myses in [2, 3, 10] {
        let mut gate = gate_with(None);
        for mysis in 0..myses {
            call(
                &mut gate,
                (mysis, MysisId(mysis.cast_signed())),
                &works(),
                0,
            );
        }
        let mut failures = 0;
        for pass in 100.. {
            let mysis = MysisId((pass % myses).cast_signed());
            call(&mut gate, (pass, mysis), &fails(), 1000);
            failures += 1;
            if gate.outages().count() > 0 {
                break;
            }
        }
        assert_eq!(failures, 5, "{myses} Myses");
    }
}

#[test]
fn one_alone_decides_for_itself_and_two_who_are_refused_are_enough_at_the_end_of_a_round() {
    let mut gate = gate_with(None);
    call(&mut gate, (1, MysisId(1)), &last_try(), 0);
    assert_eq!(gate.outages().count(), 1, "no other one uses it");
    let mut gate = gate_with(None);
    call(&mut gate, (1, MysisId(1)), &works(), 0);
    call(&mut gate, (2, MysisId(2)), &last_try(), 1000);
    assert_eq!(
        gate.outages().count(),
        0,
        "the other one has not asked since"
    );
    call(&mut gate, (3, MysisId(1)), &fails(), 2000);
    call(&mut gate, (4, MysisId(2)), &last_try(), 2500);
    assert_eq!(gate.outages().count(), 1);
    // One who asked long ago says nothing for the server any more.
    let mut gate = gate_with(None);
    call(&mut gate, (1, MysisId(1)), &works(), 0);
    call(&mut gate, (2, MysisId(2)), &last_try(), 30_000);
    assert_eq!(gate.outages().count(), 1);
}

#[test]
fn a_trial_is_made_by_the_one_who_failed_the_longest_ago_also_before_an_urgent_one() {
    let mut gate = gate_with(None);
    let mut pass = 0;
    for mysis in [1, 2, 3, 1, 2] {
        pass += 1;
        call(
            &mut gate,
            (pass, MysisId(mysis)),
            &fails(),
            i64::try_from(pass).unwrap(),
        );
    }
    assert_eq!(gate.outages().count(), 1);
    let mut tried = Vec::new();
    for mysis in [2, 1, 3, 4] {
        let request = of(MysisId(mysis), vec![P()], mysis == 2);
        gate.queue_request(PermitId(10 + mysis.cast_unsigned()), request, Moment(100));
    }
    for trial in 1..=4 {
        let now = trial * 5000;
        let [(pass, _)] = ways(&mut gate, now)[..] else {
            panic!("one trial at a time");
        };
        tried.push(pass - 10);
        gate.release_permit(&P(), PermitId(pass), &fails(), Moment(now));
    }
    assert_eq!(tried, [4, 3, 1, 2]);
}

#[test]
fn what_the_others_get_is_known_without_a_request() {
    let mut gate = gate_with(None);
    let shared =
        |gate: &AdmissionGate, mysis: i64, now| gate.others_get(&P(), MysisId(mysis), Moment(now));
    call(&mut gate, (1, MysisId(1)), &fails(), 0);
    assert_eq!(shared(&gate, 1, 0), OthersGet::Nobody);
    call(&mut gate, (2, MysisId(2)), &works(), 1000);
    assert_eq!(shared(&gate, 1, 1000), OthersGet::Served);
    call(&mut gate, (3, MysisId(3)), &fails(), 2000);
    assert_eq!(shared(&gate, 3, 2000), OthersGet::Refused, "one of them is");
    assert_eq!(shared(&gate, 1, 2000), OthersGet::Both);
    call(&mut gate, (4, MysisId(1)), &works(), 3000);
    call(&mut gate, (5, MysisId(3)), &works(), 3000);
    call(&mut gate, (6, MysisId(1)), &fails(), 4000);
    assert_eq!(shared(&gate, 1, 4000), OthersGet::Unknown);
}

fn shared_away(now: i64) -> (Vec<crate::sharing::OutageReport>, Vec<SharedOutage>) {
    let reports = vec![crate::sharing::OutageReport {
        provider: "p".into(),
        seen: 0,
        change: None,
    }];
    let shared = SharedOutage {
        provider: "p".into(),
        version: 1 + now,
        text: "HTTP 500".into(),
        ends_by: None,
        since: Duration::from_secs(1),
        next_try: Duration::from_secs(3),
    };
    (reports, vec![shared])
}

#[test]
fn an_outage_that_another_process_tells_of_is_doubted_by_one_that_is_served() {
    for is_true in [false, true] {
        let mut gate = gate_with(None);
        call(&mut gate, (1, MysisId(1)), &works(), 0);
        gate.outage_reports(Moment(1000));
        let (reports, shared) = shared_away(0);
        gate.on_outages_shared(&reports, &shared, Moment(1000));
        assert_eq!(gate.outages().count(), 0, "its own call decides");
        let says = |gate: &mut AdmissionGate| {
            let reports = gate.outage_reports(Moment(1500));
            let of_first = reports.into_iter().find(|report| &*report.provider == "p");
            of_first.unwrap().change
        };
        assert_eq!(says(&mut gate), None, "and until then it says nothing");
        let outcome = if is_true { fails() } else { works() };
        call(&mut gate, (2, MysisId(1)), &outcome, 2000);
        assert_eq!(gate.outages().count(), usize::from(is_true));
        let expected = (!is_true).then_some(OutageChange::Over);
        assert_eq!(says(&mut gate), expected);
    }
}

#[test]
fn a_conversation_whose_failure_another_process_denies_opens_nothing_again() {
    let mut gate = gate_with(None);
    call(&mut gate, (1, MysisId(1)), &last_try(), 0);
    assert_eq!(gate.outages().count(), 1);
    gate.outage_reports(Moment(500));
    let reports: Vec<_> = gate.outage_reports(Moment(500));
    gate.on_outages_shared(&reports, &shared_away(0).1, Moment(600));
    // The other process is served, and says so.
    let reports: Vec<_> = gate.outage_reports(Moment(1500));
    gate.on_outages_shared(&reports, &[], Moment(1600));
    assert_eq!(gate.outages().count(), 0);
    for pass in 2..20 {
        let now = 1000 * i64::try_from(pass).unwrap();
        call(&mut gate, (pass, MysisId(1)), &last_try(), now);
        assert_eq!(gate.outages().count(), 0, "{now}");
    }
}
