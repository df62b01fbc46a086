//! Budgets: what may be spent in a day (CONTRACT.md `[budget]`), and what happens when it is spent.
//!
//! A Mysis without budget is not admitted until the day ends or the operator allows more. The calls
//! that are in flight when the budget is spent are the only overshoot.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::books::{BudgetUse, CostEntry, Day};
use super::ids::{MysisId, Timestamp};
use super::model::Charge;

/// The percentage of a budget at which the operator is warned.
const LOW_BUDGET_PERCENT: u64 = 80;

/// The limits for a day; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetLimits {
    /// Tokens of requests and answers.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub cost_micros: Option<u64>,
}

impl BudgetLimits {
    /// The spent percentage of the limits, rounded down; `None` without a limit.
    #[must_use]
    pub fn percent_spent(&self, spent: &BudgetUse) -> Option<u64> {
        let share = |spent: u64, limit: Option<u64>| {
            limit.map(|limit| {
                let share = u128::from(spent) * 100 / u128::from(limit.max(1));
                u64::try_from(share).unwrap_or(u64::MAX)
            })
        };
        let tokens = share(spent.tokens(), self.tokens);
        tokens.max(share(spent.cost_micros, self.cost_micros))
    }
}

/// The operator's budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetRules {
    /// The limits for each Mysis.
    pub mysis: BudgetLimits,
    /// The limits for the whole swarm.
    pub swarm: BudgetLimits,
    /// The cap on the whole swarm if the operator sets no limit for it.
    pub default_cap: DefaultCap,
}

/// The cap on a day of the swarm if the operator sets none (decision 166). The dollars cap calls
/// with a known price, the tokens cap calls without one. A half that is `None` caps nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DefaultCap {
    /// Millionths of a US dollar.
    pub cost_micros: Option<u64>,
    /// Tokens in and out of calls whose price is not known.
    pub unpriced_tokens: Option<u64>,
}

impl DefaultCap {
    /// Both halves with their default values.
    pub const WHOLE: DefaultCap = DefaultCap {
        cost_micros: Some(5_000_000),
        unpriced_tokens: Some(20_000_000),
    };

    /// The spent percentage of each half, the dollars first.
    fn shares(&self, spent: &BudgetUse, unpriced_tokens: u64) -> [Option<u64>; 2] {
        let dollars = BudgetLimits {
            tokens: None,
            cost_micros: self.cost_micros,
        };
        let tokens = self.unpriced_tokens.map(|limit| {
            let share = u128::from(unpriced_tokens) * 100 / u128::from(limit.max(1));
            u64::try_from(share).unwrap_or(u64::MAX)
        });
        [dollars.percent_spent(spent), tokens]
    }

    /// The cap in words; `None` if it caps nothing.
    #[must_use]
    pub fn describe(&self) -> Option<String> {
        let dollars = self.cost_micros.map(format_dollars);
        let tokens = self.unpriced_tokens.map(format_unpriced_tokens);
        let parts: Vec<String> = dollars.into_iter().chain(tokens).collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }
}

fn format_dollars(micros: u64) -> String {
    let cents = micros / 10_000;
    match cents % 100 {
        0 => format!("{} US dollars", cents / 100),
        rest => format!("{}.{rest:02} US dollars", cents / 100),
    }
}

fn format_unpriced_tokens(tokens: u64) -> String {
    format!(
        "{} million tokens of models whose price is unknown",
        tokens / 1_000_000
    )
}

/// The state of the day's budget, for watchers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetStatus {
    /// The day.
    pub day: Day,
    /// What the swarm has spent on this day.
    pub swarm: BudgetUse,
    /// The swarm's tokens in calls without a known price.
    pub unpriced_tokens: u64,
    /// The spent percentage: of the swarm's budget if there is one, else of the Mysis that has
    /// spent most of its own. `None` without a budget.
    pub percent: Option<u64>,
}

impl BudgetStatus {
    /// The spent percentage at a time. It is zero once the day is over.
    #[must_use]
    pub fn percent_at(&self, now: Timestamp) -> Option<u64> {
        let is_over = now >= self.day.end_time();
        self.percent
            .map(|percent| if is_over { 0 } else { percent })
    }
}

/// An event of the swarm's budget for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetEvent {
    /// This percentage of it is spent.
    Low(u64),
    /// It is spent until this time.
    Spent(Timestamp),
    /// The default cap is spent until this time.
    DefaultSpent(Timestamp, DefaultCap),
}

/// Whether a Mysis may spend more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BudgetAllowance {
    /// It may. The text, which comes at most once a day, is for the Mysis.
    More(Option<Arc<str>>),
    /// It may not.
    NoMore {
        /// The reason.
        why: Arc<str>,
        /// When it may again.
        until: Timestamp,
    },
}

/// If the wall clock is set back by more than this, it was wrong before. If by less, it is being
/// corrected.
const MAX_CLOCK_STEP_BACK_MS: u64 = 3_600_000;

/// Compares the day's cost with the budgets.
#[derive(Debug, Default)]
pub struct BudgetTracker {
    rules: BudgetRules,
    day: Day,
    swarm: BudgetUse,
    /// The swarm's tokens in calls without a known price.
    unpriced_tokens: u64,
    myses: BTreeMap<MysisId, BudgetUse>,
    /// The Myses that were told that their budget runs low; `None` stands for the swarm.
    told_low: BTreeSet<Option<MysisId>>,
    is_told_spent: bool,
}

impl BudgetTracker {
    /// Sets the budgets. If they changed, warnings are given again.
    pub fn set_rules(&mut self, rules: BudgetRules) {
        if self.rules != rules {
            self.rules = rules;
            self.told_low.clear();
            self.is_told_spent = false;
        }
    }

    /// Restores the day's cost from the books. Warnings that are due by then were given before.
    /// Tokens with a cost of 0 had no known price, unless their provider is free of charge.
    pub fn restore_spending(
        &mut self,
        books: &[CostEntry],
        is_free: impl Fn(&str) -> bool,
        now: Timestamp,
    ) {
        let newest = books.iter().map(|entry| entry.day.start_time()).max();
        let seen = newest.filter(|begins| begins.since(now) <= MAX_CLOCK_STEP_BACK_MS);
        self.enter_day(seen.map_or(now, |begins| begins.max(now)));
        let mut myses: BTreeMap<MysisId, BudgetUse> = BTreeMap::new();
        for entry in books.iter().filter(|entry| entry.day == self.day) {
            myses.entry(entry.mysis).or_default().add(&entry.spent);
        }
        // A recent charge may or may not be in the books. The larger sum is the safe one.
        for (mysis, spent) in myses {
            let known = self.myses.entry(mysis).or_default();
            if known.tokens() < spent.tokens() {
                *known = spent;
            }
        }
        self.swarm = BudgetUse::default();
        for spent in self.myses.values() {
            self.swarm.add(spent);
        }
        let today = books.iter().filter(|entry| entry.day == self.day);
        let unpriced = today
            .filter(|entry| entry.spent.cost_micros == 0 && !is_free(&entry.provider))
            .fold(0_u64, |sum, entry| sum.saturating_add(entry.spent.tokens()));
        self.unpriced_tokens = self.unpriced_tokens.max(unpriced);
        let is_low = |limits: &BudgetLimits, spent: &BudgetUse| {
            limits.percent_spent(spent) >= Some(LOW_BUDGET_PERCENT)
        };
        let low = self.myses.iter();
        let low = low.filter(|(_, spent)| is_low(&self.rules.mysis, spent));
        self.told_low.extend(low.map(|(mysis, _)| Some(*mysis)));
        let of_swarm = self.swarm_percent();
        if of_swarm >= Some(LOW_BUDGET_PERCENT) {
            self.told_low.insert(None);
        }
        self.is_told_spent |= of_swarm >= Some(100);
    }

    /// The spent percentage of the swarm's limit or default cap, whichever is higher.
    fn swarm_percent(&self) -> Option<u64> {
        let own = self.rules.swarm.percent_spent(&self.swarm);
        let cap = self.rules.default_cap;
        let [dollars, tokens] = cap.shares(&self.swarm, self.unpriced_tokens);
        own.max(dollars).max(tokens)
    }

    /// Adds the charge of a Mysis' model call.
    pub fn add_charge(&mut self, mysis: MysisId, bill: &Charge, now: Timestamp) {
        self.enter_day(now);
        self.swarm.add_charge(bill);
        if bill.cost_micros.is_none() {
            let mut unpriced = BudgetUse::default();
            unpriced.add_charge(bill);
            self.unpriced_tokens = self.unpriced_tokens.saturating_add(unpriced.tokens());
        }
        self.myses.entry(mysis).or_default().add_charge(bill);
    }

    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.rules != BudgetRules::default()
    }

    /// Whether a Mysis may make another call. Gives no warning.
    #[must_use]
    pub fn may_spend(&mut self, mysis: MysisId, now: Timestamp) -> bool {
        self.enter_day(now);
        let own = self.myses.get(&mysis).copied().unwrap_or_default();
        self.swarm_percent() < Some(100) && self.rules.mysis.percent_spent(&own) < Some(100)
    }

    /// Whether a Mysis may make another call, and the warning for it.
    pub fn allowance(&mut self, mysis: MysisId, now: Timestamp) -> BudgetAllowance {
        self.enter_day(now);
        let until = self.day.end_time();
        let own = self.myses.get(&mysis).copied().unwrap_or_default();
        let own = self.rules.mysis.percent_spent(&own);
        let no_more = |whose: &str| BudgetAllowance::NoMore {
            why: format!("{whose} spent, resumes {}", format_utc_time(until)).into(),
            until,
        };
        if self.swarm_percent() >= Some(100) {
            return no_more("the swarm's budget");
        }
        if own >= Some(100) {
            return no_more("budget");
        }
        let low = own.filter(|percent| *percent >= LOW_BUDGET_PERCENT);
        BudgetAllowance::More(
            low.filter(|_| self.told_low.insert(Some(mysis)))
                .map(|percent| {
                    format!(
                        "{percent} % of today's budget is spent; at 100 % it pauses until {}",
                        format_utc_time(until)
                    )
                    .into()
                }),
        )
    }

    /// The next event of the swarm's budget. Each kind comes once a day.
    pub fn due_event(&mut self, now: Timestamp) -> Option<BudgetEvent> {
        self.enter_day(now);
        let percent = self.swarm_percent()?;
        if percent >= 100 {
            self.told_low.insert(None);
            let is_new = !std::mem::replace(&mut self.is_told_spent, true);
            return is_new.then(|| self.spent_event());
        }
        let is_new = percent >= LOW_BUDGET_PERCENT && self.told_low.insert(None);
        is_new.then_some(BudgetEvent::Low(percent))
    }

    /// The event for a spent budget: the operator's limit, or the reached half of the default cap.
    fn spent_event(&self) -> BudgetEvent {
        let until = self.day.end_time();
        let cap = self.rules.default_cap;
        let [dollars, tokens] = cap.shares(&self.swarm, self.unpriced_tokens);
        let reached = DefaultCap {
            cost_micros: cap.cost_micros.filter(|_| dollars >= Some(100)),
            unpriced_tokens: cap.unpriced_tokens.filter(|_| tokens >= Some(100)),
        };
        if reached == DefaultCap::default() {
            return BudgetEvent::Spent(until);
        }
        BudgetEvent::DefaultSpent(until, reached)
    }

    /// The state of the budget.
    #[must_use]
    pub fn status(&self) -> BudgetStatus {
        let of_swarm = self.swarm_percent();
        let fullest = || {
            let shares = self.myses.values();
            let none = self.rules.mysis.percent_spent(&BudgetUse::default());
            shares
                .filter_map(|spent| self.rules.mysis.percent_spent(spent))
                .max()
                .or(none)
        };
        BudgetStatus {
            day: self.day,
            swarm: self.swarm,
            unpriced_tokens: self.unpriced_tokens,
            percent: of_swarm.or_else(fullest),
        }
    }

    /// Enters a new day with nothing spent. If the wall clock is set back a little across midnight,
    /// the newest day that was seen still counts, so no day begins twice. If it is set back
    /// further, it was wrong before. Then its day is dropped, and what was spent in it counts for
    /// today, so that no Mysis waits beyond the next midnight.
    fn enter_day(&mut self, now: Timestamp) {
        let today = Day::of(now);
        if today < self.day && self.day.start_time().since(now) > MAX_CLOCK_STEP_BACK_MS {
            self.day = today;
        }
        if today > self.day {
            *self = BudgetTracker {
                rules: self.rules,
                day: today,
                ..BudgetTracker::default()
            };
        }
    }
}

/// The time of day, as `00:00 UTC`.
#[must_use]
pub fn format_utc_time(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{} UTC", text.get(11..16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
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
        let mut purse = BudgetTracker::default();
        purse.set_rules(BudgetRules {
            mysis: BudgetLimits {
                tokens: mysis,
                cost_micros: None,
            },
            swarm: BudgetLimits {
                tokens: None,
                cost_micros: swarm_micros,
            },
            default_cap: DefaultCap::default(),
        });
        purse
    }

    fn default_budget() -> BudgetTracker {
        let mut purse = BudgetTracker::default();
        purse.set_rules(BudgetRules {
            default_cap: DefaultCap::WHOLE,
            ..BudgetRules::default()
        });
        purse
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
        let mut purse = budget(Some(1000), None);
        purse.add_charge(A, &bill(799, 0), NOON);
        assert_eq!(purse.allowance(A, NOON), BudgetAllowance::More(None));
        purse.add_charge(A, &bill(1, 0), NOON);
        let told = purse.allowance(A, NOON);
        assert!(
            matches!(&told, BudgetAllowance::More(Some(text)) if text.contains("80 %")),
            "{told:?}"
        );
        assert_eq!(purse.allowance(A, NOON), BudgetAllowance::More(None));
        purse.add_charge(A, &bill(200, 0), NOON);
        let until = Day::of(NOON).end_time();
        let why = "budget spent, resumes 00:00 UTC".into();
        assert_eq!(
            purse.allowance(A, NOON),
            BudgetAllowance::NoMore { why, until }
        );
        assert_eq!(purse.allowance(B, NOON), BudgetAllowance::More(None));
        assert_eq!(purse.allowance(A, until), BudgetAllowance::More(None));
        assert_eq!(purse.status().swarm, BudgetUse::default());
    }

    #[test]
    fn the_swarms_budget_stops_everybody_and_each_thing_is_told_once_a_day() {
        let mut purse = budget(None, Some(1000));
        let mut told = Vec::new();
        for _ in 0..12 {
            purse.add_charge(A, &bill(5, 100), NOON);
            told.extend(purse.due_event(NOON));
        }
        let until = Day::of(NOON).end_time();
        assert_eq!(told, [BudgetEvent::Low(80), BudgetEvent::Spent(until)]);
        assert!(!is_more(&purse.allowance(B, NOON)));
        assert_eq!(purse.status().percent, Some(120));
        assert_eq!(purse.status().percent_at(until), Some(0));
        purse.add_charge(A, &bill(5, 900), until);
        assert_eq!(purse.due_event(until), Some(BudgetEvent::Low(90)));
        assert!(is_more(&purse.allowance(B, until)));
    }

    #[test]
    fn a_clock_that_is_set_back_a_little_over_midnight_begins_no_day_twice() {
        let midnight = Day::of(NOON).end_time();
        let minutes = |minutes: i64| Timestamp(midnight.0 + minutes * 60_000);
        let mut purse = budget(Some(1000), None);
        purse.add_charge(A, &bill(1000, 0), minutes(-30));
        assert!(!is_more(&purse.allowance(A, minutes(-1))));
        purse.add_charge(A, &bill(1000, 0), minutes(1));
        for at in [1, -1, -59, 0, 2, 23 * 60] {
            let held = purse.allowance(A, minutes(at));
            let until = Day::of(midnight).end_time();
            assert!(
                matches!(held, BudgetAllowance::NoMore { until: at, .. } if at == until),
                "{at}: {held:?}"
            );
        }
        assert!(is_more(&purse.allowance(A, minutes(24 * 60))));
        // The same holds for a gate that starts after the clock was set back.
        let mut after = BudgetTracker::default();
        after.set_rules(purse.rules);
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
            let mut purse = budget(Some(1000), None);
            purse.add_charge(A, &bill(10, 0), NOON);
            assert!(is_more(&purse.allowance(A, wrong)));
            purse.add_charge(A, &bill(1000, 0), wrong);
            let until = Day::of(wrong).end_time();
            let why = "budget spent, resumes 00:00 UTC".into();
            assert_eq!(
                purse.allowance(A, wrong),
                BudgetAllowance::NoMore { why, until }
            );
            let until = Day::of(NOON).end_time();
            let why = "budget spent, resumes 00:00 UTC".into();
            assert_eq!(
                purse.allowance(A, NOON),
                BudgetAllowance::NoMore { why, until }
            );
            assert!(is_more(&purse.allowance(A, until)));
        }
    }

    #[test]
    fn more_budget_lifts_the_pause_at_once() {
        let mut purse = budget(Some(100), None);
        purse.add_charge(A, &bill(100, 0), NOON);
        assert!(!is_more(&purse.allowance(A, NOON)));
        purse.set_rules(BudgetRules::default());
        assert_eq!(purse.allowance(A, NOON), BudgetAllowance::More(None));
        assert_eq!(purse.status().percent, None);
    }

    #[test]
    fn what_the_books_say_of_today_counts_and_is_not_told_again() {
        let mut purse = budget(Some(1000), None);
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
        purse.add_charge(B, &bill(10, 0), NOON);
        purse.restore_spending(&books, |_| false, NOON);
        assert_eq!(purse.allowance(A, NOON), BudgetAllowance::More(None));
        assert_eq!(purse.status().swarm.input, 950);
        assert_eq!(purse.status().percent, Some(85));
        purse.add_charge(A, &bill(150, 0), NOON);
        assert!(!is_more(&purse.allowance(A, NOON)));
    }

    #[test]
    fn of_what_was_paid_and_what_the_books_say_the_larger_sum_counts() {
        for (paid, booked, counts) in [(10, 9, 5), (10, 10, 5), (10, 11, 7)] {
            let mut purse = budget(None, Some(1000));
            purse.add_charge(A, &bill(paid, 5), NOON);
            let mut spent = BudgetUse::default();
            spent.add_charge(&bill(booked, 7));
            let entry = CostEntry {
                day: Day::of(NOON),
                mysis: A,
                provider: "p".into(),
                spent,
            };
            purse.restore_spending(&[entry], |_| false, NOON);
            let swarm = purse.status().swarm;
            assert_eq!((swarm.input, swarm.cost_micros), (paid.max(booked), counts));
        }
    }

    #[test]
    fn what_the_books_say_of_the_swarm_was_told_before() {
        for (booked, paid, told) in [
            (79, 0, None),
            (79, 1, Some(BudgetEvent::Low(80))),
            (80, 1, None),
            (99, 1, Some(BudgetEvent::Spent(Day::of(NOON).end_time()))),
            (100, 1, None),
        ] {
            let mut purse = budget(None, Some(100));
            let mut spent = BudgetUse::default();
            spent.add_charge(&bill(1, booked));
            let entry = CostEntry {
                day: Day::of(NOON),
                mysis: A,
                provider: "p".into(),
                spent,
            };
            purse.restore_spending(&[entry], |_| false, NOON);
            assert_eq!(purse.due_event(NOON), None, "{booked} micros");
            purse.add_charge(B, &bill(1, paid), NOON);
            assert_eq!(purse.due_event(NOON), told, "{booked} and {paid} micros");
        }
    }

    #[test]
    fn where_nobody_said_five_dollars_hold_for_what_has_a_price() {
        let mut purse = default_budget();
        purse.add_charge(A, &bill(900_000_000, 3_999_999), NOON);
        assert_eq!(purse.due_event(NOON), None);
        assert_eq!(purse.status().percent, Some(79));
        purse.add_charge(A, &bill(1, 1_000_001), NOON);
        let until = Day::of(NOON).end_time();
        let reached = DefaultCap {
            unpriced_tokens: None,
            ..DefaultCap::WHOLE
        };
        let told = purse.due_event(NOON);
        assert_eq!(told, Some(BudgetEvent::DefaultSpent(until, reached)));
        assert_eq!(reached.describe().unwrap(), "5 US dollars");
        assert!(!is_more(&purse.allowance(B, NOON)) && !purse.may_spend(B, NOON));
        assert!(is_more(&purse.allowance(B, until)));
    }

    #[test]
    fn where_nobody_said_twenty_million_tokens_hold_for_what_has_no_price() {
        let mut purse = default_budget();
        purse.add_charge(A, &unpriced(19_999_999), NOON);
        purse.add_charge(A, &bill(50_000_000, 0), NOON);
        assert!(is_more(&purse.allowance(A, NOON)));
        assert_eq!(purse.status().unpriced_tokens, 19_999_999);
        purse.add_charge(A, &unpriced(1), NOON);
        let told = purse.due_event(NOON);
        assert!(
            matches!(told, Some(BudgetEvent::DefaultSpent(_, cap)) if cap.cost_micros.is_none()),
            "{told:?}"
        );
        assert!(!purse.may_spend(A, NOON));
    }

    #[test]
    fn after_a_restart_what_cost_nothing_had_no_price_unless_its_provider_is_free() {
        for (is_free, counts) in [(false, 25_000_000), (true, 0)] {
            let mut purse = default_budget();
            let mut spent = BudgetUse::default();
            spent.add_charge(&unpriced(25_000_000));
            let entry = CostEntry {
                day: Day::of(NOON),
                mysis: A,
                provider: "p".into(),
                spent,
            };
            purse.restore_spending(&[entry], |_| is_free, NOON);
            assert_eq!(purse.status().unpriced_tokens, counts);
            assert_eq!(purse.may_spend(B, NOON), is_free);
            assert_eq!(purse.due_event(NOON), None);
        }
    }
}
