//! What a budget counts, and when it holds a Mysis back.

use super::*;
use crate::model::TokenUsage;

const NOON: Timestamp = Timestamp(20_000 * 86_400_000 + 43_200_000);
const A: MysisId = MysisId(1);
const B: MysisId = MysisId(2);

fn bill(tokens: u64, cost_micros: u64) -> Charge {
    Charge {
        provider: "p".into(),
        usage: TokenUsage {
            input: tokens,
            ..TokenUsage::default()
        },
        cost_micros: Some(cost_micros),
    }
}

fn budget(mysis: Option<u64>, swarm_micros: Option<u64>) -> BudgetTracker {
    let mut tracker = BudgetTracker::default();
    tracker.set_rules(BudgetRules {
        mysis: BudgetLimits {
            tokens: mysis,
            cost_micros: None,
        },
        swarm: BudgetLimits {
            tokens: None,
            cost_micros: swarm_micros,
        },
        default_cap: DefaultCap::default(),
        raised: None,
    });
    tracker
}

fn default_budget() -> BudgetTracker {
    let mut tracker = BudgetTracker::default();
    tracker.set_rules(BudgetRules {
        default_cap: DefaultCap::WHOLE,
        ..BudgetRules::default()
    });
    tracker
}

fn unpriced(tokens: u64) -> Charge {
    Charge {
        cost_micros: None,
        ..bill(tokens, 0)
    }
}

fn is_more(allowance: &BudgetAllowance) -> bool {
    matches!(allowance, BudgetAllowance::More(_))
}

#[test]
fn at_eighty_percent_a_mysis_is_told_once_and_at_a_hundred_it_gets_no_more() {
    let mut tracker = budget(Some(1000), None);
    tracker.add_charge(A, &bill(799, 0), NOON);
    assert_eq!(tracker.allowance(A, NOON), BudgetAllowance::More(None));
    tracker.add_charge(A, &bill(1, 0), NOON);
    let event = tracker.allowance(A, NOON);
    assert!(
        matches!(&event, BudgetAllowance::More(Some(text)) if text.contains("80 %")),
        "{event:?}"
    );
    assert_eq!(tracker.allowance(A, NOON), BudgetAllowance::More(None));
    tracker.add_charge(A, &bill(200, 0), NOON);
    let until = Day::of(NOON).end_time();
    let why = "budget spent, resumes 00:00 UTC".into();
    assert_eq!(
        tracker.allowance(A, NOON),
        BudgetAllowance::NoMore { why, until }
    );
    assert_eq!(tracker.allowance(B, NOON), BudgetAllowance::More(None));
    assert_eq!(tracker.allowance(A, until), BudgetAllowance::More(None));
    assert_eq!(tracker.status().swarm, BudgetUse::default());
}

#[test]
fn the_swarms_budget_stops_everybody_and_each_thing_is_told_once_a_day() {
    let mut tracker = budget(None, Some(1000));
    let mut event = Vec::new();
    for _ in 0..12 {
        tracker.add_charge(A, &bill(5, 100), NOON);
        event.extend(tracker.due_event(NOON));
    }
    let until = Day::of(NOON).end_time();
    assert_eq!(event, [BudgetEvent::Low(80), BudgetEvent::Spent(until)]);
    assert!(!is_more(&tracker.allowance(B, NOON)));
    assert_eq!(tracker.status().percent, Some(120));
    assert_eq!(tracker.status().percent_at(until), Some(0));
    tracker.add_charge(A, &bill(5, 900), until);
    assert_eq!(tracker.due_event(until), Some(BudgetEvent::Low(90)));
    assert!(is_more(&tracker.allowance(B, until)));
}

#[test]
fn a_clock_that_is_set_back_a_little_over_midnight_begins_no_day_twice() {
    let midnight = Day::of(NOON).end_time();
    let minutes = |minutes: i64| Timestamp(midnight.0 + minutes * 60_000);
    let mut tracker = budget(Some(1000), None);
    tracker.add_charge(A, &bill(1000, 0), minutes(-30));
    assert!(!is_more(&tracker.allowance(A, minutes(-1))));
    tracker.add_charge(A, &bill(1000, 0), minutes(1));
    for at in [1, -1, -59, 0, 2, 23 * 60] {
        let held = tracker.allowance(A, minutes(at));
        let until = Day::of(midnight).end_time();
        assert!(
            matches!(held, BudgetAllowance::NoMore { until: at, .. } if at == until),
            "{at}: {held:?}"
        );
    }
    assert!(is_more(&tracker.allowance(A, minutes(24 * 60))));
    // The same holds for a gate that starts after the clock was set back.
    let mut after = BudgetTracker::default();
    after.set_rules(tracker.rules);
    let mut spent = BudgetUse::default();
    spent.add_charge(&bill(1000, 0));
    let entry = CostEntry {
        day: Day::of(midnight),
        mysis: A,
        provider: "p".into(),
        spent,
    };
    after.restore_spending(&[entry], |_| false, minutes(-5));
    assert!(!is_more(&after.allowance(A, minutes(-5))));
    assert!(!is_more(&after.allowance(A, minutes(5))));
}

#[test]
fn a_clock_that_was_wrong_by_years_holds_nobody_beyond_the_next_midnight() {
    let years = |count: i64| NOON.0 + count * 365 * 86_400_000;
    for wrong in [years(20), NOON.0 + 2 * 86_400_000, NOON.0 + 14 * 3_600_000] {
        let wrong = Timestamp(wrong);
        let mut tracker = budget(Some(1000), None);
        tracker.add_charge(A, &bill(10, 0), NOON);
        assert!(is_more(&tracker.allowance(A, wrong)));
        tracker.add_charge(A, &bill(1000, 0), wrong);
        let until = Day::of(wrong).end_time();
        let why = "budget spent, resumes 00:00 UTC".into();
        assert_eq!(
            tracker.allowance(A, wrong),
            BudgetAllowance::NoMore { why, until }
        );
        let until = Day::of(NOON).end_time();
        let why = "budget spent, resumes 00:00 UTC".into();
        assert_eq!(
            tracker.allowance(A, NOON),
            BudgetAllowance::NoMore { why, until }
        );
        assert!(is_more(&tracker.allowance(A, until)));
    }
}

#[test]
fn a_clock_that_goes_forward_a_day_and_back_does_not_give_the_day_twice() {
    let wrong = Timestamp(NOON.0 + 86_400_000);
    let mut tracker = budget(Some(1000), Some(5000));
    tracker.add_charge(A, &bill(600, 0), NOON);
    tracker.add_charge(A, &bill(300, 0), wrong);
    assert!(is_more(&tracker.allowance(A, wrong)));
    assert!(is_more(&tracker.allowance(A, NOON)), "900 are spent");
    tracker.add_charge(A, &bill(100, 0), NOON);
    assert!(!is_more(&tracker.allowance(A, NOON)));
    assert_eq!(tracker.status().swarm.tokens(), 1000);
}

#[test]
fn more_budget_lifts_the_pause_at_once() {
    let mut tracker = budget(Some(100), None);
    tracker.add_charge(A, &bill(100, 0), NOON);
    assert!(!is_more(&tracker.allowance(A, NOON)));
    tracker.set_rules(BudgetRules::default());
    assert_eq!(tracker.allowance(A, NOON), BudgetAllowance::More(None));
    assert_eq!(tracker.status().percent, None);
}

#[test]
fn what_the_books_say_of_today_counts_and_is_not_told_again() {
    let mut tracker = budget(Some(1000), None);
    let entry = |day: Day, mysis, tokens| {
        let mut spent = BudgetUse::default();
        spent.add_charge(&bill(tokens, 3));
        CostEntry {
            day,
            mysis,
            provider: "p".into(),
            spent,
        }
    };
    let (today, before) = (Day::of(NOON), Day(Day::of(NOON).0 - 1));
    let books = [
        entry(before, A, 5000),
        entry(today, A, 850),
        entry(today, B, 100),
    ];
    tracker.add_charge(B, &bill(10, 0), NOON);
    tracker.restore_spending(&books, |_| false, NOON);
    assert_eq!(tracker.allowance(A, NOON), BudgetAllowance::More(None));
    assert_eq!(tracker.status().swarm.input, 950);
    assert_eq!(tracker.status().percent, Some(85));
    tracker.add_charge(A, &bill(150, 0), NOON);
    assert!(!is_more(&tracker.allowance(A, NOON)));
}

#[test]
fn of_what_was_paid_and_what_the_books_say_the_larger_sum_counts() {
    for (paid, booked, counts) in [(10, 9, 5), (10, 10, 5), (10, 11, 7)] {
        let mut tracker = budget(None, Some(1000));
        tracker.add_charge(A, &bill(paid, 5), NOON);
        let mut spent = BudgetUse::default();
        spent.add_charge(&bill(booked, 7));
        let entry = CostEntry {
            day: Day::of(NOON),
            mysis: A,
            provider: "p".into(),
            spent,
        };
        tracker.restore_spending(&[entry], |_| false, NOON);
        let swarm = tracker.status().swarm;
        assert_eq!((swarm.input, swarm.cost_micros), (paid.max(booked), counts));
    }
}

#[test]
fn what_the_books_say_of_the_swarm_was_told_before() {
    for (booked, paid, event) in [
        (79, 0, None),
        (79, 1, Some(BudgetEvent::Low(80))),
        (80, 1, None),
        (99, 1, Some(BudgetEvent::Spent(Day::of(NOON).end_time()))),
        (100, 1, None),
    ] {
        let mut tracker = budget(None, Some(100));
        let mut spent = BudgetUse::default();
        spent.add_charge(&bill(1, booked));
        let entry = CostEntry {
            day: Day::of(NOON),
            mysis: A,
            provider: "p".into(),
            spent,
        };
        tracker.restore_spending(&[entry], |_| false, NOON);
        assert_eq!(tracker.due_event(NOON), None, "{booked} micros");
        tracker.add_charge(B, &bill(1, paid), NOON);
        assert_eq!(tracker.due_event(NOON), event, "{booked} and {paid} micros");
    }
}

#[test]
fn where_nobody_said_five_dollars_hold_for_what_has_a_price() {
    let mut tracker = default_budget();
    tracker.add_charge(A, &bill(900_000_000, 3_999_999), NOON);
    assert_eq!(tracker.due_event(NOON), None);
    assert_eq!(tracker.status().percent, Some(79));
    tracker.add_charge(A, &bill(1, 1_000_001), NOON);
    let until = Day::of(NOON).end_time();
    let reached = DefaultCap {
        unpriced_tokens: None,
        ..DefaultCap::WHOLE
    };
    let event = tracker.due_event(NOON);
    assert_eq!(event, Some(BudgetEvent::DefaultSpent(until, reached)));
    assert_eq!(reached.describe().unwrap(), "5 US dollars");
    assert!(!is_more(&tracker.allowance(B, NOON)) && !tracker.may_spend(B, NOON));
    assert!(is_more(&tracker.allowance(B, until)));
}

#[test]
fn where_nobody_said_twenty_million_tokens_hold_for_what_has_no_price() {
    let mut tracker = default_budget();
    tracker.add_charge(A, &unpriced(19_999_999), NOON);
    tracker.add_charge(A, &bill(50_000_000, 0), NOON);
    assert!(is_more(&tracker.allowance(A, NOON)));
    assert_eq!(tracker.status().unpriced_tokens, 19_999_999);
    tracker.add_charge(A, &unpriced(1), NOON);
    let event = tracker.due_event(NOON);
    assert!(
        matches!(event, Some(BudgetEvent::DefaultSpent(_, cap)) if cap.cost_micros.is_none()),
        "{event:?}"
    );
    assert!(!tracker.may_spend(A, NOON));
}

#[test]
fn after_a_restart_what_cost_nothing_had_no_price_unless_its_provider_is_free() {
    for (is_free, counts) in [(false, 25_000_000), (true, 0)] {
        let mut tracker = default_budget();
        let mut spent = BudgetUse::default();
        spent.add_charge(&unpriced(25_000_000));
        let entry = CostEntry {
            day: Day::of(NOON),
            mysis: A,
            provider: "p".into(),
            spent,
        };
        tracker.restore_spending(&[entry], |_| is_free, NOON);
        assert_eq!(tracker.status().unpriced_tokens, counts);
        assert_eq!(tracker.may_spend(B, NOON), is_free);
        assert_eq!(tracker.due_event(NOON), None);
    }
}

#[test]
fn a_mysis_with_limits_of_its_own_has_these_in_place_of_those_for_each() {
    let mut tracker = BudgetTracker::default();
    tracker.set_rules(BudgetRules {
        mysis: BudgetLimits {
            tokens: Some(100),
            cost_micros: None,
        },
        ..BudgetRules::default()
    });
    let (now, rich, plain) = (Timestamp(0), MysisId(1), MysisId(2));
    let limits = BudgetLimits {
        tokens: Some(1_000),
        cost_micros: None,
    };
    assert!(tracker.set_limits(rich, limits) && !tracker.set_limits(rich, limits));
    for mysis in [rich, plain] {
        tracker.add_charge(mysis, &bill(150, 0), now);
    }
    assert!(tracker.may_spend(rich, now) && !tracker.may_spend(plain, now));
    assert!(tracker.set_limits(rich, BudgetLimits::default()));
    assert!(
        !tracker.may_spend(rich, now),
        "what holds for each holds again"
    );
}
