//! Tests of the gate, one situation each.

mod frozen;
mod game;
mod owners;
mod shared_outages;
mod sharing;
mod trouble;

use super::*;
use crate::books::{BudgetUse, Day};
use crate::budget::BudgetLimits;
use crate::gate::circuit::CircuitRules;
use crate::model::TokenUsage;

const P: fn() -> Lane = || Lane::Provider("p".into());
const Q: fn() -> Lane = || Lane::Provider("q".into());

fn request(routes: Vec<Lane>, is_urgent: bool) -> AdmissionRequest {
    AdmissionRequest {
        routes,
        asker: None,
        payer: None,
        limits: BudgetLimits::default(),
        is_urgent,
        tokens: 100,
        waits_out: true,
    }
}

fn gate(rules: LaneRules) -> AdmissionGate {
    gate_of([(Lane::Logins, rules)])
}

fn gate_of<const N: usize>(lanes: [(Lane, LaneRules); N]) -> AdmissionGate {
    let mut gate = AdmissionGate::default();
    gate.set_rules(GateRules {
        lanes: lanes.into(),
        ..GateRules::default()
    });
    gate
}

fn queue(gate: &mut AdmissionGate, passes: std::ops::Range<u64>) {
    for pass in passes {
        queue_at(gate, pass, vec![Lane::Logins], 0);
    }
}

fn queue_at(gate: &mut AdmissionGate, pass: u64, routes: Vec<Lane>, now: i64) {
    gate.queue_request(PermitId(pass), request(routes, false), Moment(now));
}

fn even(at: Moment) -> Now {
    Now::from_timestamp(Timestamp(at.0))
}

fn admit(gate: &mut AdmissionGate, now: Moment) -> Vec<PermitId> {
    let decided = gate.decide_requests(even(now), |_| true).into_iter();
    decided.map(|(pass, _)| pass).collect()
}

/// The requests that are admitted, and their lanes.
fn ways(gate: &mut AdmissionGate, now: i64) -> Vec<(u64, Lane)> {
    let decided = gate
        .decide_requests(even(Moment(now)), |_| true)
        .into_iter();
    let way = |(pass, verdict): (PermitId, GateVerdict)| match verdict {
        GateVerdict::Admitted { lane, .. } => (pass.0, lane),
        GateVerdict::Denied { why, .. } | GateVerdict::Away { why } => panic!("{why}"),
    };
    decided.map(way).collect()
}

fn leave(gate: &mut AdmissionGate, pass: u64) {
    let outcome = CallOutcome::Dropped;
    gate.release_permit(&Lane::Logins, PermitId(pass), &outcome, Moment(0));
}

fn fails() -> CallOutcome {
    CallOutcome::Fails {
        text: "HTTP 503".into(),
        is_unreachable: false,
        ends_round: false,
        is_refusal: false,
    }
}

#[test]
fn no_more_than_allowed_are_in_flight_and_urgent_ones_go_first() {
    let mut gate = gate(LaneRules {
        max_in_flight: Some(2),
        burst: 2,
        ..LaneRules::default()
    });
    queue(&mut gate, 0..3);
    let urgent = request(vec![Lane::Logins], true);
    gate.queue_request(PermitId(9), urgent, Moment(5));
    assert_eq!(admit(&mut gate, Moment(5)), [PermitId(9), PermitId(0)]);
    assert_eq!(gate.wakes_at(), None);
    leave(&mut gate, 9);
    assert_eq!(admit(&mut gate, Moment(6)), [PermitId(1)]);
}

#[test]
fn after_a_burst_the_pace_is_even() {
    let mut gate = gate(LaneRules {
        per_minute: Some(60),
        burst: 3,
        ..LaneRules::default()
    });
    queue(&mut gate, 0..10);
    let start = Moment(1_000_000);
    assert_eq!(admit(&mut gate, start).len(), 3);
    assert_eq!(gate.wakes_at(), Some(Moment(1_001_000)));
    assert_eq!(admit(&mut gate, Moment(1_000_999)).len(), 0);
    assert_eq!(admit(&mut gate, Moment(1_001_000)).len(), 1);
    assert_eq!(admit(&mut gate, Moment(1_003_500)).len(), 2);
}

#[test]
fn a_fast_pace_is_kept_though_moments_are_whole_milliseconds() {
    for per_minute in [7, 3_500, 9_000, 70_000] {
        let mut gate = gate(LaneRules {
            per_minute: Some(per_minute),
            burst: 1,
            ..LaneRules::default()
        });
        queue(&mut gate, 0..u64::from(per_minute) + 10);
        let begun = (0..60_000).map(|now| admit(&mut gate, Moment(now)).len());
        let begun = begun.sum::<usize>() as u64;
        let most = u64::from(per_minute);
        assert!(begun <= most, "{begun} of {per_minute}");
        assert!(
            begun >= most.min(60_000) * 9 / 10,
            "{begun} of {per_minute}"
        );
    }
}

#[test]
fn nobody_comes_in_while_a_lane_is_held() {
    let mut gate = gate(LaneRules {
        burst: 1,
        ..LaneRules::default()
    });
    queue(&mut gate, 0..2);
    gate.hold_lane(Lane::Logins, "HTTP 429".into(), Moment(500), Moment(0));
    assert_eq!(admit(&mut gate, Moment(499)), []);
    assert_eq!(gate.wakes_at(), Some(Moment(500)));
    let holds = |gate: &AdmissionGate, now| -> Vec<(i64, i64)> {
        let holds = gate.holds(Moment(now));
        holds
            .map(|(_, hold)| (hold.since.0, hold.until.0))
            .collect()
    };
    assert_eq!(holds(&gate, 499), [(0, 500)]);
    // Another pause right after it is the same one.
    gate.hold_lane(Lane::Logins, "HTTP 429".into(), Moment(900), Moment(501));
    assert_eq!(holds(&gate, 501), [(0, 900)]);
    assert_eq!(holds(&gate, 900), [], "it is over");
    assert_eq!(admit(&mut gate, Moment(900)).len(), 2);
    gate.hold_lane(Lane::Logins, "HTTP 429".into(), Moment(2000), Moment(1000));
    assert_eq!(holds(&gate, 1001), [], "nobody waits for it");
}

/// The decisions of a gate with all of its rules within five minutes of monotonic time. The wall
/// clock is shifted at 10 s.
fn course(shift: i64) -> Vec<(i64, PermitId)> {
    let rules = LaneRules {
        max_in_flight: Some(3),
        per_minute: Some(30),
        burst: 2,
        tokens_per_minute: Some(1000),
        circuit: Some(CircuitRules {
            failures: 2,
            wait: Duration::from_secs(4),
        }),
        ..LaneRules::default()
    };
    let mut gate = gate_of([(P(), rules)]);
    let mut course = Vec::new();
    for pass in 0..60 {
        queue_at(&mut gate, pass, vec![P()], 0);
    }
    for moment in (0..300_000).step_by(500) {
        let moved = if moment < 10_000 { 0 } else { shift };
        let now = Now {
            wall: Timestamp(1_773_254_527_042 + moment + moved),
            moment: Moment(moment),
        };
        if moment == 40_000 {
            let until = now.moment.plus(Duration::from_secs(30));
            gate.hold_lane(P(), "HTTP 429".into(), until, now.moment);
        }
        for (pass, _) in gate.decide_requests(now, |_| true) {
            course.push((moment, pass));
            let outcome = match (20_000..30_000).contains(&moment) {
                true => fails(),
                false => CallOutcome::Works {
                    tokens: Some(90),
                    is_bare: false,
                },
            };
            gate.release_permit(&P(), pass, &outcome, now.moment);
        }
    }
    course
}

#[test]
fn a_wall_clock_that_is_set_changes_nothing_of_who_comes_in_when() {
    let course_of = course(0);
    assert!(course_of.len() > 30, "{course_of:?}");
    for shift in [-60_000, -3_600_000, 3_600_000, 20 * 365 * 86_400_000] {
        assert_eq!(course(shift), course_of, "shifted by {shift} ms");
    }
}

#[test]
fn who_gives_up_waiting_is_forgotten() {
    let mut gate = gate(LaneRules {
        max_in_flight: Some(1),
        burst: 1,
        ..LaneRules::default()
    });
    queue(&mut gate, 0..3);
    assert_eq!(admit(&mut gate, Moment(1)), [PermitId(0)]);
    gate.keep_requests(|pass| pass != PermitId(1));
    leave(&mut gate, 0);
    assert_eq!(admit(&mut gate, Moment(1)), [PermitId(2)]);
    assert_eq!(gate.waiting_count(&Lane::Logins), 0);
}

#[test]
fn who_waits_no_longer_is_passed_over_and_takes_nobodys_turn() {
    let mut gate = gate(LaneRules {
        per_minute: Some(60),
        burst: 1,
        ..LaneRules::default()
    });
    queue(&mut gate, 0..4);
    let waits = |pass: PermitId| pass.0 > 1;
    let mut come_in = |at| {
        let decided = gate.decide_requests(even(Moment(at)), waits).into_iter();
        decided.map(|(pass, _)| pass.0).collect::<Vec<_>>()
    };
    assert_eq!(come_in(1), [2]);
    assert_eq!(come_in(900), [0; 0]);
    assert_eq!(come_in(1001), [3]);
    assert_eq!(gate.waiting_count(&Lane::Logins), 0);
}

#[test]
fn many_who_come_back_again_and_again_are_served_equally_often() {
    let mut gate = gate(LaneRules {
        max_in_flight: Some(3),
        burst: 3,
        ..LaneRules::default()
    });
    let mut served = [0_u32; 20];
    queue(&mut gate, 0..20);
    for _ in 0..400 {
        for pass in admit(&mut gate, Moment(1)) {
            served[usize::try_from(pass.0).unwrap()] += 1;
            leave(&mut gate, pass.0);
            queue(&mut gate, pass.0..pass.0 + 1);
        }
    }
    assert_eq!(served, [60; 20]);
}

#[test]
fn tokens_of_a_minute_are_limited_by_estimate_and_then_by_report() {
    let mut gate = gate_of([(
        P(),
        LaneRules {
            tokens_per_minute: Some(250),
            ..LaneRules::default()
        },
    )]);
    for pass in 0..4 {
        queue_at(&mut gate, pass, vec![P()], 1000);
    }
    assert_eq!(admit(&mut gate, Moment(1000)), [PermitId(0), PermitId(1)]);
    assert_eq!(gate.wakes_at(), Some(Moment(61_000)));
    let outcome = CallOutcome::Works {
        tokens: Some(20),
        is_bare: false,
    };
    gate.release_permit(&P(), PermitId(0), &outcome, Moment(1500));
    assert_eq!(admit(&mut gate, Moment(1500)), [PermitId(2)]);
    assert_eq!(admit(&mut gate, Moment(60_999)), []);
    assert_eq!(admit(&mut gate, Moment(61_000)), [PermitId(3)]);
}

/// A gate with two providers. The second is the fallback of the first.
fn with_fallback() -> AdmissionGate {
    let rules = |fallback: Option<&str>| LaneRules {
        circuit: Some(CircuitRules {
            failures: 2,
            wait: Duration::from_secs(30),
        }),
        fallback: fallback.map(Into::into),
        ..LaneRules::default()
    };
    gate_of([(P(), rules(Some("q"))), (Q(), rules(None))])
}

#[test]
fn while_a_circuit_is_open_the_fallback_is_used_and_one_trial_leads_back() {
    let mut gate = with_fallback();
    let both = || vec![P(), Q()];
    for pass in 0..2 {
        queue_at(&mut gate, pass, both(), 0);
    }
    assert_eq!(ways(&mut gate, 0), [(0, P()), (1, P())]);
    for pass in 0..2 {
        gate.release_permit(&P(), PermitId(pass), &fails(), Moment(0));
    }
    let opened = GateEvent::CircuitOpened {
        lane: P(),
        text: "HTTP 503".into(),
        every: Duration::from_secs(30),
        fallback: Some("q".into()),
    };
    assert_eq!(gate.take_news(), [opened]);
    queue_at(&mut gate, 2, both(), 10);
    queue_at(&mut gate, 3, vec![P()], 10);
    assert_eq!(ways(&mut gate, 10), [(2, Q())]);
    assert_eq!(gate.wakes_at(), Some(Moment(30_000)));
    gate.keep_requests(|pass| pass != PermitId(3));
    for pass in 4..6 {
        queue_at(&mut gate, pass, both(), 30_000);
    }
    assert_eq!(ways(&mut gate, 30_000), [(4, P()), (5, Q())], "one trial");
    let works = CallOutcome::Works {
        tokens: None,
        is_bare: false,
    };
    gate.release_permit(&P(), PermitId(4), &works, Moment(31_000));
    let closed = GateEvent::CircuitClosed { lane: P() };
    assert_eq!(gate.take_news(), [closed]);
    assert_eq!(gate.outages().count(), 0);
    queue_at(&mut gate, 6, both(), 31_000);
    assert_eq!(ways(&mut gate, 31_000), [(6, P())]);
}

#[test]
fn a_thousand_who_wait_are_tried_for_by_one_and_come_back_as_fast_as_allowed() {
    let rules = LaneRules {
        max_in_flight: Some(8),
        circuit: Some(CircuitRules::default()),
        ..LaneRules::default()
    };
    let mut gate = gate_of([(P(), rules)]);
    for pass in 0..1000 {
        queue_at(&mut gate, pass, vec![P()], 0);
    }
    for (pass, _) in ways(&mut gate, 0) {
        gate.release_permit(&P(), PermitId(pass), &fails(), Moment(0));
        queue_at(&mut gate, pass, vec![P()], 0);
    }
    // Ten hours of failures.
    let (mut tried, mut tries) = (Vec::new(), 0);
    for second in 0..36_000 {
        let now = second * 1000;
        for pass in tried.drain(..) {
            gate.release_permit(&P(), PermitId(pass), &fails(), Moment(now));
            queue_at(&mut gate, pass, vec![P()], now);
        }
        tried.extend(ways(&mut gate, now).into_iter().map(|(pass, _)| pass));
        tries += tried.len();
        assert!(tried.len() <= 1, "one at a time");
        let next = gate.wakes_at().expect("somebody waits");
        assert!(next <= Moment(now + 5000), "its return is seen in time");
    }
    assert!(
        (7_000..=9_000).contains(&tries),
        "{tries} tries in ten hours"
    );
    // The server is back.
    let works = CallOutcome::Works {
        tokens: None,
        is_bare: false,
    };
    let (mut served, mut now) = (tried.len(), 36_000_000);
    for pass in tried {
        gate.release_permit(&P(), PermitId(pass), &works, Moment(now));
    }
    while served < 1000 {
        let ways = ways(&mut gate, now);
        assert!(ways.len() <= 8, "{ways:?}");
        for (pass, _) in ways {
            gate.release_permit(&P(), PermitId(pass), &works, Moment(now));
            served += 1;
        }
        now += 10;
        assert!(now < 36_010_000, "{served} served after 10 s");
    }
}

#[test]
fn a_sign_of_life_lets_the_others_in_before_the_trial_is_over() {
    let mut gate = with_fallback();
    gate.rules.lanes.get_mut(&P()).unwrap().fallback = None;
    for pass in 0..2 {
        queue_at(&mut gate, pass, vec![P()], 0);
    }
    for (pass, _) in ways(&mut gate, 0) {
        gate.release_permit(&P(), PermitId(pass), &fails(), Moment(0));
    }
    for pass in 2..5 {
        queue_at(&mut gate, pass, vec![P()], 0);
    }
    assert_eq!(ways(&mut gate, 30_000), [(2, P())], "the trial");
    gate.on_sign_of_life(&P(), PermitId(9));
    assert_eq!(ways(&mut gate, 30_001), [], "nobody of that name is in");
    gate.on_sign_of_life(&P(), PermitId(2));
    assert_eq!(ways(&mut gate, 30_002), [(3, P()), (4, P())]);
}

#[test]
fn who_does_not_wait_for_what_is_away_is_sent_on() {
    let mut gate = with_fallback();
    let hurried = || AdmissionRequest {
        waits_out: false,
        ..request(vec![Q()], false)
    };
    gate.queue_request(PermitId(0), hurried(), Moment(0));
    assert_eq!(ways(&mut gate, 0), [(0, Q())]);
    for pass in 1..3 {
        queue_at(&mut gate, pass, vec![Q()], 0);
        assert_eq!(ways(&mut gate, 0), [(pass, Q())]);
        gate.release_permit(&Q(), PermitId(pass), &fails(), Moment(0));
    }
    queue_at(&mut gate, 3, vec![Q()], 1);
    gate.queue_request(PermitId(4), hurried(), Moment(1));
    let away = GateVerdict::Away {
        why: "HTTP 503".into(),
    };
    assert_eq!(
        gate.decide_requests(even(Moment(1)), |_| true),
        [(PermitId(4), away)]
    );
    assert_eq!(gate.waiting_count(&Q()), 1);
}

#[test]
fn who_waits_when_a_circuit_opens_goes_where_somebody_passes() {
    let mut gate = with_fallback();
    gate.rules.lanes.get_mut(&P()).unwrap().max_in_flight = Some(2);
    for pass in 0..4 {
        queue_at(&mut gate, pass, vec![P(), Q()], 0);
    }
    assert_eq!(ways(&mut gate, 0), [(0, P()), (1, P())]);
    gate.release_permit(&P(), PermitId(0), &fails(), Moment(0));
    assert_eq!(ways(&mut gate, 0), [(2, P())], "one failure is none");
    gate.release_permit(&P(), PermitId(1), &fails(), Moment(0));
    assert_eq!(ways(&mut gate, 0), [(3, Q())]);
}

#[test]
fn who_is_out_of_budget_is_turned_away_and_others_are_not() {
    let mut gate = gate_of([]);
    gate.set_rules(GateRules {
        budget: BudgetRules {
            mysis: crate::budget::BudgetLimits {
                tokens: Some(100),
                cost_micros: None,
            },
            ..BudgetRules::default()
        },
        ..GateRules::default()
    });
    let now = even(Moment(1_773_254_527_042));
    let bill = Charge {
        provider: "p".into(),
        usage: crate::model::TokenUsage {
            input: 90,
            output: 20,
            cached: 0,
        },
        cost_micros: None,
    };
    gate.add_charge(MysisId(1), &bill, now);
    for mysis in [1, 2] {
        let request = AdmissionRequest {
            payer: Some(MysisId(mysis)),
            limits: BudgetLimits::default(),
            ..request(vec![P()], false)
        };
        gate.queue_request(PermitId(u64::try_from(mysis).unwrap()), request, now.moment);
    }
    let held = GateVerdict::Denied {
        why: "budget spent, resumes 00:00 UTC".into(),
        until: Timestamp(1_773_273_600_000),
    };
    let let_in = GateVerdict::Admitted {
        lane: P(),
        notice: None,
        is_trial: false,
        spent_percent: Some(0),
    };
    let decided = gate.decide_requests(now, |_| true);
    assert_eq!(decided, [(PermitId(1), held), (PermitId(2), let_in)]);
}

#[test]
fn where_a_trial_is_due_one_in_a_hurry_may_make_it() {
    let mut gate = with_fallback();
    for pass in 0..2 {
        queue_at(&mut gate, pass, vec![P()], 0);
        admit(&mut gate, Moment(0));
        gate.release_permit(&P(), PermitId(pass), &fails(), Moment(0));
    }
    let hurried = |gate: &mut AdmissionGate, pass: u64, now: i64| {
        let request = AdmissionRequest {
            waits_out: false,
            ..request(vec![P()], false)
        };
        gate.queue_request(PermitId(pass), request, Moment(now));
        let decided = gate.decide_requests(even(Moment(now)), |_| true);
        let is_in = |verdict: &GateVerdict| matches!(verdict, GateVerdict::Admitted { .. });
        decided.first().map(|(of, verdict)| (of.0, is_in(verdict)))
    };
    assert_eq!(hurried(&mut gate, 7, 29_999), Some((7, false)));
    assert_eq!(hurried(&mut gate, 8, 30_000), Some((8, true)));
    assert_eq!(
        hurried(&mut gate, 9, 30_000),
        Some((9, false)),
        "one is enough"
    );
}

#[test]
fn what_the_books_say_of_the_day_holds_for_who_wants_in() {
    let mut gate = AdmissionGate::default();
    let limits = BudgetLimits {
        tokens: Some(100),
        cost_micros: None,
    };
    let budget = BudgetRules {
        mysis: limits,
        ..BudgetRules::default()
    };
    gate.set_rules(GateRules {
        budget,
        ..GateRules::default()
    });
    let (mysis, now) = (MysisId(1), Timestamp(1_773_254_527_042));
    let mut spent = BudgetUse::default();
    spent.add_charge(&Charge {
        provider: "p".into(),
        usage: TokenUsage {
            input: 100,
            output: 0,
            cached: 0,
        },
        cost_micros: None,
    });
    let entry = CostEntry {
        day: Day::of(now),
        mysis,
        provider: "p".into(),
        spent,
    };
    gate.restore_spending(&[entry], now);
    let payer = Some(mysis);
    let request = AdmissionRequest {
        payer,
        limits: BudgetLimits::default(),
        ..request(vec![P()], false)
    };
    gate.queue_request(PermitId(1), request, Moment(0));
    let decided = gate.decide_requests(
        Now {
            wall: now,
            moment: Moment(0),
        },
        |_| true,
    );
    assert!(
        matches!(&decided[..], [(PermitId(1), GateVerdict::Denied { .. })]),
        "{decided:?}"
    );
}

#[test]
fn what_waits_for_a_provider_that_a_reload_takes_away_keeps_its_limits() {
    let narrow = LaneRules {
        max_in_flight: Some(1),
        ..LaneRules::default()
    };
    let mut gate = gate_of([(P(), narrow.clone()), (Q(), narrow)]);
    for pass in 0..4 {
        queue_at(&mut gate, pass, vec![P()], 0);
    }
    assert_eq!(ways(&mut gate, 0), [(0, P())]);
    gate.set_rules(GateRules::default());
    assert_eq!(ways(&mut gate, 0), [], "the first one is still in flight");
    gate.release_permit(&P(), PermitId(0), &CallOutcome::Dropped, Moment(0));
    assert_eq!(ways(&mut gate, 0), [(1, P())]);
    // Once nothing is left of it, it is forgotten.
    assert!(gate.rules.lanes.contains_key(&P()) && !gate.rules.lanes.contains_key(&Q()));
}
