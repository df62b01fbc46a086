//! Budgets: what may be spent in a day (CONTRACT.md `[budget]`), and what it comes to that it is.
//!
//! Who is out of budget is not let in until the day is over or the operator allows more. What was
//! spent already is spent: the calls in flight at that moment are the overshoot, and no more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::books::{BudgetUse, CostEntry, Day};
use super::ids::{MysisId, Timestamp};
use super::model::Charge;

/// The share of a budget, in percent, at which the operator is told.
const LOW_BUDGET_PERCENT: u64 = 80;

/// What may be spent in a day; absent: any amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetLimits {
    /// Tokens in and out.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub cost_micros: Option<u64>,
}

impl BudgetLimits {
    /// How much of them is spent, in percent, rounded down; `None` without a limit.
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

/// What the operator allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetRules {
    /// For each Mysis.
    pub mysis: BudgetLimits,
    /// For all of them together.
    pub swarm: BudgetLimits,
}

/// How the budget of the day stands, for those who watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetStatus {
    /// The day.
    pub day: Day,
    /// What the swarm spent on it.
    pub swarm: BudgetUse,
    /// How much of the budget that is, in percent: of the swarm's where there is one, else of the
    /// Mysis that has spent most of its own. `None` without a budget.
    pub percent: Option<u64>,
}

impl BudgetStatus {
    /// How much of the budget is spent at a moment: nothing once the day is over.
    #[must_use]
    pub fn percent_at(&self, now: Timestamp) -> Option<u64> {
        let is_over = now >= self.day.end_time();
        self.percent
            .map(|percent| if is_over { 0 } else { percent })
    }
}

/// What the operator is told about the swarm's budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetEvent {
    /// So much of it is spent, in percent.
    Low(u64),
    /// It is spent until then.
    Spent(Timestamp),
}

/// Whether a Mysis may spend more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BudgetAllowance {
    /// It may. Once a day, what it should be told.
    More(Option<Arc<str>>),
    /// Not before then, and why.
    NoMore {
        /// Why.
        why: Arc<str>,
        /// Until when.
        until: Timestamp,
    },
}

/// A wall clock that is set back by more than this was wrong before; by less, it was put right.
const MAX_CLOCK_STEP_BACK_MS: u64 = 3_600_000;

/// What was spent in the day, against what may be.
#[derive(Debug, Default)]
pub struct BudgetTracker {
    rules: BudgetRules,
    day: Day,
    swarm: BudgetUse,
    myses: BTreeMap<MysisId, BudgetUse>,
    /// Who was told that its budget runs low; nobody stands for the swarm.
    told_low: BTreeSet<Option<MysisId>>,
    is_told_spent: bool,
}

impl BudgetTracker {
    /// Sets what may be spent; where that changes, those concerned are told anew.
    pub fn set_rules(&mut self, rules: BudgetRules) {
        if self.rules != rules {
            self.rules = rules;
            self.told_low.clear();
            self.is_told_spent = false;
        }
    }

    /// Takes up what the books say of the day. What is low or spent by then has been told before.
    pub fn restore_spending(&mut self, books: &[CostEntry], now: Timestamp) {
        let newest = books.iter().map(|entry| entry.day.start_time()).max();
        let seen = newest.filter(|begins| begins.since(now) <= MAX_CLOCK_STEP_BACK_MS);
        self.enter_day(seen.map_or(now, |begins| begins.max(now)));
        let mut myses: BTreeMap<MysisId, BudgetUse> = BTreeMap::new();
        for entry in books.iter().filter(|entry| entry.day == self.day) {
            myses.entry(entry.mysis).or_default().add(&entry.spent);
        }
        // What was paid meanwhile may stand in the books or not: the larger sum is the safe one.
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
        let is_low = |limits: &BudgetLimits, spent: &BudgetUse| {
            limits.percent_spent(spent) >= Some(LOW_BUDGET_PERCENT)
        };
        let low = self.myses.iter();
        let low = low.filter(|(_, spent)| is_low(&self.rules.mysis, spent));
        self.told_low.extend(low.map(|(mysis, _)| Some(*mysis)));
        if is_low(&self.rules.swarm, &self.swarm) {
            self.told_low.insert(None);
        }
        self.is_told_spent |= self.rules.swarm.percent_spent(&self.swarm) >= Some(100);
    }

    /// A model call of a Mysis cost this.
    pub fn add_charge(&mut self, mysis: MysisId, bill: &Charge, now: Timestamp) {
        self.enter_day(now);
        self.swarm.add_charge(bill);
        self.myses.entry(mysis).or_default().add_charge(bill);
    }

    /// Whether there is any limit.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.rules != BudgetRules::default()
    }

    /// Whether a Mysis may make one more call, without telling it anything.
    #[must_use]
    pub fn may_spend(&mut self, mysis: MysisId, now: Timestamp) -> bool {
        self.enter_day(now);
        let own = self.myses.get(&mysis).copied().unwrap_or_default();
        let is_left = |limits: &BudgetLimits, spent| limits.percent_spent(spent) < Some(100);
        is_left(&self.rules.swarm, &self.swarm) && is_left(&self.rules.mysis, &own)
    }

    /// Whether a Mysis may make one more call, and what to tell it.
    pub fn allowance(&mut self, mysis: MysisId, now: Timestamp) -> BudgetAllowance {
        self.enter_day(now);
        let until = self.day.end_time();
        let own = self.myses.get(&mysis).copied().unwrap_or_default();
        let own = self.rules.mysis.percent_spent(&own);
        let no_more = |whose: &str| BudgetAllowance::NoMore {
            why: format!("{whose} spent, resumes {}", format_utc_time(until)).into(),
            until,
        };
        if self.rules.swarm.percent_spent(&self.swarm) >= Some(100) {
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

    /// What there is to tell about the swarm's budget; each thing once a day.
    pub fn due_event(&mut self, now: Timestamp) -> Option<BudgetEvent> {
        self.enter_day(now);
        let percent = self.rules.swarm.percent_spent(&self.swarm)?;
        if percent >= 100 {
            self.told_low.insert(None);
            let is_new = !std::mem::replace(&mut self.is_told_spent, true);
            return is_new.then(|| BudgetEvent::Spent(self.day.end_time()));
        }
        let is_new = percent >= LOW_BUDGET_PERCENT && self.told_low.insert(None);
        is_new.then_some(BudgetEvent::Low(percent))
    }

    /// How it stands.
    #[must_use]
    pub fn status(&self) -> BudgetStatus {
        let of_swarm = self.rules.swarm.percent_spent(&self.swarm);
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
            percent: of_swarm.or_else(fullest),
        }
    }

    /// A new day begins with nothing spent. A wall clock that is set back a little across midnight
    /// does not begin the new day twice: the newest day that was seen counts. One that is set back
    /// further was wrong before; its day is given up, and what was spent in it counts for today, so
    /// that nobody is held beyond the midnight that comes next.
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
        });
        purse
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
        // Nor does a gate that begins after the clock was set back.
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
        after.restore_spending(&[entry], minutes(-5));
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
        purse.restore_spending(&books, NOON);
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
            purse.restore_spending(&[entry], NOON);
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
            purse.restore_spending(&[entry], NOON);
            assert_eq!(purse.due_event(NOON), None, "{booked} micros");
            purse.add_charge(B, &bill(1, paid), NOON);
            assert_eq!(purse.due_event(NOON), told, "{booked} and {paid} micros");
        }
    }
}
