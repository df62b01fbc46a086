//! A frozen gate decides about nothing, whatever its rules say.

use super::*;

#[test]
fn while_it_is_frozen_all_wait_and_then_they_pass_in_their_order() {
    let mut gate = gate(LaneRules::default());
    gate.set_frozen(true);
    queue(&mut gate, 1..4);
    gate.queue_request(PermitId(9), request(vec![P()], true), Moment(0));
    for at in [0, 1_000, 1_000_000_000] {
        assert_eq!(admit(&mut gate, Moment(at)), []);
    }
    assert_eq!(gate.wakes_at(), None);
    assert_eq!(gate.waiting_count(&Lane::Logins), 3);
    gate.set_frozen(false);
    let admitted = admit(&mut gate, Moment(1_000_000_001));
    assert_eq!(admitted, [9, 1, 2, 3].map(PermitId));
}

#[test]
fn a_server_that_is_away_gets_no_trial_call_and_nobody_is_turned_away() {
    let mut gate = gate_of([(
        P(),
        LaneRules {
            circuit: Some(CircuitRules {
                failures: 1,
                wait: Duration::from_secs(4),
            }),
            ..LaneRules::default()
        },
    )]);
    queue_at(&mut gate, 1, vec![P()], 0);
    assert_eq!(admit(&mut gate, Moment(0)), [PermitId(1)]);
    let fails = CallOutcome::Fails {
        text: "503".into(),
        is_unreachable: false,
        ends_round: true,
        is_refusal: false,
    };
    gate.release_permit(&P(), PermitId(1), &fails, Moment(0));
    gate.set_frozen(true);
    let hurried = AdmissionRequest {
        waits_out: false,
        ..request(vec![P()], true)
    };
    gate.queue_request(PermitId(2), hurried, Moment(1));
    queue_at(&mut gate, 3, vec![P()], 1);
    for at in [1, 5_000, 500_000] {
        assert!(gate.decide_requests(even(Moment(at)), |_| true).is_empty());
    }
    gate.set_frozen(false);
    // The trial call that is due goes to the first of them.
    let trial = gate.decide_requests(even(Moment(500_000)), |_| true);
    assert!(
        matches!(
            trial[..],
            [(PermitId(2), GateVerdict::Admitted { is_trial: true, .. })]
        ),
        "{trial:?}"
    );
}

#[test]
fn a_budget_that_is_spent_refuses_nobody_meanwhile() {
    let mut gate = gate(LaneRules::default());
    gate.set_rules(GateRules {
        budget: BudgetRules {
            swarm: BudgetLimits {
                tokens: Some(1),
                ..BudgetLimits::default()
            },
            ..BudgetRules::default()
        },
        ..GateRules::default()
    });
    let bill = Charge {
        provider: "p".into(),
        usage: TokenUsage {
            input: 5,
            output: 5,
            cached: 0,
        },
        cost_micros: None,
    };
    gate.add_charge(MysisId(1), &bill, Now::default());
    let paying = AdmissionRequest {
        payer: Some(MysisId(1)),
        limits: BudgetLimits::default(),
        ..request(vec![P()], false)
    };
    gate.set_frozen(true);
    gate.queue_request(PermitId(1), paying, Moment(0));
    assert!(gate.decide_requests(even(Moment(1)), |_| true).is_empty());
    gate.set_frozen(false);
    let decided = gate.decide_requests(even(Moment(2)), |_| true);
    assert!(
        matches!(decided[..], [(PermitId(1), GateVerdict::Denied { .. })]),
        "{decided:?}"
    );
}
