//! Model servers that are away, as several processes tell each other.

use super::*;
use crate::model::ServiceReturn;
use crate::sharing::{LimitKind, LimitPart, OutageChange, SharedOutage};

#[derive(Default)]
struct Rows {
    shared: Vec<SharedOutage>,
    versions: i64,
}

impl Rows {
    fn step(&mut self, gate: &mut AdmissionGate, now: i64) {
        let reports = gate.outage_reports(Moment(now));
        for report in &reports {
            let Some(change) = &report.change else {
                continue;
            };
            self.shared
                .retain(|shared| shared.provider != report.provider);
            if let OutageChange::Away(shared) = change {
                self.versions += 1;
                let version = self.versions;
                self.shared.push(SharedOutage {
                    version,
                    ..shared.clone()
                });
            }
        }
        gate.on_outages_shared(&reports, &self.shared, Moment(now));
    }
}

fn process() -> AdmissionGate {
    let rules = LaneRules {
        max_in_flight: Some(9),
        circuit: Some(CircuitRules {
            failures: 1,
            wait: Duration::from_secs(4),
        }),
        ..LaneRules::default()
    };
    let mut gate = gate_of([(P(), rules)]);
    gate.share_limits();
    gate
}

fn give(gate: &mut AdmissionGate, trial: u64, now: i64) {
    let part = |kind, part| LimitPart {
        lane: P(),
        kind,
        part,
        is_first: false,
    };
    let parts = [part(LimitKind::InFlight, 9), part(LimitKind::Trial, trial)];
    gate.set_parts(&parts, Moment(1_000_000), Moment(now));
}

fn end(gate: &mut AdmissionGate, pass: u64, outcome: &CallOutcome, now: i64) {
    gate.release_permit(&P(), PermitId(pass), outcome, Moment(now));
}

fn wants_to_try(gate: &mut AdmissionGate, now: i64) -> Option<u64> {
    let claims = gate.claims(Moment(now));
    let trial = claims
        .into_iter()
        .find(|claim| claim.kind == LimitKind::Trial);
    trial.map(|claim| claim.need.wanted)
}

#[test]
fn an_outage_that_one_process_found_is_known_to_the_other_and_one_of_them_tries() {
    let (mut one, mut other, mut rows) = (process(), process(), Rows::default());
    give(&mut one, 0, 0);
    give(&mut other, 0, 0);
    queue_at(&mut one, 1, vec![P()], 0);
    assert_eq!(ways(&mut one, 0).len(), 1);
    end(&mut one, 1, &fails(), 1000);
    rows.step(&mut one, 1000);
    assert_eq!(rows.shared.len(), 1);
    rows.step(&mut other, 2000);
    assert_eq!(other.outages().count(), 1);
    assert_eq!(other.take_news().len(), 1, "its operator is told");
    // Both know, and nobody has anything to say.
    let version = rows.versions;
    rows.step(&mut one, 3000);
    rows.step(&mut other, 3000);
    assert_eq!(rows.versions, version);

    // A trial call is due, and only who has the right to try makes it.
    assert_eq!(
        wants_to_try(&mut one, 3000),
        Some(1),
        "it was asked a moment ago"
    );
    assert_eq!(wants_to_try(&mut other, 3000), Some(0), "nobody asks");
    queue_at(&mut one, 2, vec![P()], 9000);
    queue_at(&mut other, 2, vec![P()], 9000);
    assert_eq!(wants_to_try(&mut other, 9000), Some(1));
    assert_eq!(
        (ways(&mut one, 9000), ways(&mut other, 9000)),
        (vec![], vec![])
    );
    give(&mut other, 1, 9000);
    assert_eq!(
        (ways(&mut one, 9000).len(), ways(&mut other, 9000).len()),
        (0, 1)
    );
    end(
        &mut other,
        2,
        &CallOutcome::Works {
            tokens: None,
            is_bare: false,
        },
        9500,
    );
    rows.step(&mut other, 10_000);
    assert_eq!(rows.shared, []);
    rows.step(&mut one, 10_000);
    assert_eq!(one.outages().count(), 0);
    assert_eq!(ways(&mut one, 10_000).len(), 1);
    assert_eq!(wants_to_try(&mut one, 10_000), None);
}

#[test]
fn a_server_that_cannot_be_reached_from_here_is_no_news_for_others() {
    let (mut one, mut rows) = (process(), Rows::default());
    give(&mut one, 0, 0);
    queue_at(&mut one, 1, vec![P()], 0);
    assert_eq!(ways(&mut one, 0).len(), 1);
    let gone = CallOutcome::Fails {
        text: "refused".into(),
        is_unreachable: true,
        ends_round: false,
        is_refusal: false,
    };
    end(&mut one, 1, &gone, 1000);
    assert_eq!(one.outages().count(), 1);
    rows.step(&mut one, 1000);
    assert_eq!(rows.shared, []);
    queue_at(&mut one, 2, vec![P()], 1000);
    assert_eq!(ways(&mut one, 5000).len(), 1, "it tries by itself");
    // Now the server itself says that it serves nobody.
    let out = CallOutcome::OutOfService {
        text: "HTTP 402".into(),
        wait: Duration::from_secs(900),
        ends_by: ServiceReturn::Operator,
        is_of_all: false,
    };
    end(&mut one, 2, &out, 6000);
    rows.step(&mut one, 6000);
    assert_eq!(rows.shared[0].next_try, Duration::from_secs(900));
    assert_eq!(rows.shared[0].ends_by, Some(ServiceReturn::Operator));
}

#[test]
fn who_cannot_reach_a_server_does_not_say_that_it_is_back() {
    let (mut one, mut other, mut rows) = (process(), process(), Rows::default());
    for gate in [&mut one, &mut other] {
        give(gate, 1, 0);
        queue_at(gate, 1, vec![P()], 0);
        assert_eq!(ways(gate, 0).len(), 1);
    }
    end(&mut one, 1, &fails(), 1000);
    rows.step(&mut one, 1000);
    rows.step(&mut other, 1000);
    let gone = CallOutcome::Fails {
        text: "refused".into(),
        is_unreachable: true,
        ends_round: false,
        is_refusal: false,
    };
    queue_at(&mut other, 2, vec![P()], 9000);
    assert_eq!(ways(&mut other, 9000).len(), 1);
    rows.step(&mut other, 9000);
    end(&mut other, 2, &gone, 9500);
    rows.step(&mut other, 10_000);
    rows.step(&mut one, 10_000);
    assert_eq!((rows.shared.len(), one.outages().count()), (1, 1));
}

#[test]
fn what_was_found_out_during_a_step_is_told_by_the_next_one() {
    let (mut one, mut rows) = (process(), Rows::default());
    give(&mut one, 0, 0);
    queue_at(&mut one, 1, vec![P()], 0);
    assert_eq!(ways(&mut one, 0).len(), 1);
    let reports = one.outage_reports(Moment(0));
    end(&mut one, 1, &fails(), 500);
    one.on_outages_shared(&reports, &[], Moment(1000));
    assert_eq!(one.outages().count(), 1, "it is not undone");
    rows.step(&mut one, 2000);
    assert_eq!(rows.shared.len(), 1);
}

/// A process that cannot reach the server, or whose account there has nothing left.
fn away(outcome: &CallOutcome) -> (AdmissionGate, Rows) {
    let (mut one, mut rows) = (process(), Rows::default());
    give(&mut one, 0, 0);
    queue_at(&mut one, 1, vec![P()], 0);
    assert_eq!(ways(&mut one, 0).len(), 1);
    end(&mut one, 1, outcome, 1000);
    rows.step(&mut one, 1000);
    (one, rows)
}

fn without_credit() -> CallOutcome {
    CallOutcome::OutOfService {
        text: "HTTP 402".into(),
        wait: Duration::from_secs(900),
        ends_by: ServiceReturn::Operator,
        is_of_all: false,
    }
}

fn says_nothing(gate: &mut AdmissionGate, now: i64) -> bool {
    let reports = gate.outage_reports(Moment(now));
    reports.iter().all(|report| report.change.is_none())
}

#[test]
fn a_change_of_the_budget_ends_no_outage_here_and_tells_others_of_no_end() {
    let (mut one, _) = away(&without_credit());
    let known = |gate: &AdmissionGate| {
        let outages = gate.outages().map(|(_, away)| away.clone());
        outages.collect::<Vec<_>>()
    };
    let before = known(&one);
    assert_eq!(before[0].ends_by, Some(ServiceReturn::Operator));
    let mysis = BudgetLimits {
        tokens: Some(100),
        cost_micros: None,
    };
    one.set_budget(BudgetRules {
        mysis,
        ..BudgetRules::default()
    });
    assert_eq!(known(&one), before);
    assert!(says_nothing(&mut one, 2000));
    assert!(one.budgets.is_limited());
}

#[test]
fn a_try_that_the_operator_asks_for_changes_nothing_that_is_known_of_a_server() {
    let gone = CallOutcome::Fails {
        text: "refused".into(),
        is_unreachable: true,
        ends_round: false,
        is_refusal: false,
    };
    let (mut one, _) = away(&gone);
    queue_at(&mut one, 2, vec![P()], 1000);
    assert_eq!(ways(&mut one, 1500), []);
    one.try_at_once(Moment(1500));
    assert!(says_nothing(&mut one, 1500), "it is its own trouble");
    assert_eq!(ways(&mut one, 1500).len(), 1, "a trial is due");
    let (mut one, _) = away(&without_credit());
    one.try_at_once(Moment(2000));
    let (_, away) = one.outages().next().unwrap();
    let expected = (Some(ServiceReturn::Operator), Moment(2000));
    assert_eq!((away.ends_by, away.next_try), expected);
}
