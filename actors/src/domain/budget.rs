//! Budgets: what may be spent in a day (CONTRACT.md `[budget]`), and what happens when it is spent.
//!
//! A Mysis without budget is not admitted until the day ends or the operator allows more. The calls
//! that are in flight when the budget is spent are the only overshoot.

mod limits;
mod raising;
mod together;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::books::{BudgetUse, CostEntry, Day};
use super::ids::{MysisId, Timestamp};
use super::model::Charge;

pub use limits::{BudgetLimits, DefaultCap, percent_text};
pub use together::{ProviderSpending, SpentTogether};

const LOW_BUDGET_PERCENT: u64 = 80;

/// How the reason of a pause begins: where the swarm's budget is spent, and where that of one Mysis is.
pub(super) const SWARM_PAUSE: &str = "the swarm's budget spent";
pub(super) const OWN_PAUSE: &str = "budget spent";
/// Stands before the time when it goes on.
pub(super) const RESUMES: &str = ", resumes ";

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct BudgetRules {
    pub mysis: BudgetLimits,
    pub swarm: BudgetLimits,
    /// The cap on the whole swarm if the operator sets no limit for it.
    pub default_cap: DefaultCap,
    /// What the operator allowed the swarm for one day, in place of its limits or the default cap.
    pub raised: Option<(Day, BudgetLimits)>,
}

impl BudgetRules {
    /// Whether the swarm as a whole is limited, by the operator or by the default cap. Then the spent percentage is the
    /// swarm's, else that of the Mysis that has spent most of its own.
    pub fn has_swarm_limit(&self) -> bool {
        self.swarm != BudgetLimits::default() || self.default_cap != DefaultCap::default()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetStatus {
    pub day: Day,
    pub swarm: BudgetUse,
    /// The swarm's tokens in calls without a known price.
    pub unpriced_tokens: u64,
    /// The spent percentage: of the swarm's budget if there is one, else of the Mysis that has
    /// spent most of its own. `None` without a budget.
    pub percent: Option<u64>,
}

impl BudgetStatus {
    /// The spent percentage at a time. It is zero once the day is over.
    pub fn percent_at(&self, now: Timestamp) -> Option<u64> {
        let is_over = now >= self.day.end_time();
        self.percent
            .map(|percent| if is_over { 0 } else { percent })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetEvent {
    /// This percentage of it is spent.
    Low(u64),
    /// It is spent until this time.
    Spent(Timestamp),
    /// The default cap is spent until this time.
    DefaultSpent(Timestamp, DefaultCap),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BudgetAllowance {
    /// It may. The text, which comes at most once a day, is for the Mysis.
    More(Option<Arc<str>>),
    NoMore {
        why: Arc<str>,
        until: Timestamp,
    },
}

#[derive(Debug, Default)]
pub struct BudgetTracker {
    rules: BudgetRules,
    today: DaySpending,
    /// The limits of those that have limits of their own, as far as they asked.
    own_limits: BTreeMap<MysisId, BudgetLimits>,
    /// The spent percentage of the Mysis that has spent most of its own budget.
    fullest: Option<u64>,
    /// The Myses that were told that their budget runs low; `None` stands for the swarm.
    reported_low: BTreeSet<Option<MysisId>>,
    is_spent_reported: bool,
    /// What was spent on the day before this one, for the case that the clock was wrong.
    left_day: Option<Box<DaySpending>>,
}

/// If the wall clock is set back by more than this, it was wrong before. If by less, it is being
/// corrected.
const MAX_CLOCK_STEP_BACK_MS: u64 = 3_600_000;

#[derive(Debug, Default)]
struct DaySpending {
    day: Day,
    swarm: BudgetUse,
    /// The swarm's tokens in calls without a known price.
    unpriced_tokens: u64,
    myses: BTreeMap<MysisId, BudgetUse>,
}

impl BudgetTracker {
    /// Sets the budgets. If they changed, warnings are given again.
    pub fn set_rules(&mut self, rules: BudgetRules) {
        if self.rules != rules {
            self.rules = rules;
            self.reported_low.clear();
            self.is_spent_reported = false;
            self.find_fullest();
        }
    }

    /// Sets what holds for a Mysis in place of the limits for each, as its role has it. Returns whether
    /// that changed.
    pub fn set_limits(&mut self, mysis: MysisId, limits: BudgetLimits) -> bool {
        let before = if limits == BudgetLimits::default() {
            self.own_limits.remove(&mysis)
        } else {
            self.own_limits.insert(mysis, limits)
        };
        let is_new = before.unwrap_or_default() != limits;
        if is_new {
            self.reported_low.remove(&Some(mysis));
            self.find_fullest();
        }
        is_new
    }

    /// The limits of one Mysis: its own, else those for each.
    fn limits_of(&self, mysis: MysisId) -> BudgetLimits {
        let own = self.own_limits.get(&mysis).copied().unwrap_or_default();
        own.or(self.rules.mysis)
    }

    fn percent_of(&self, mysis: MysisId) -> Option<u64> {
        let spent = self.today.myses.get(&mysis).copied().unwrap_or_default();
        self.limits_of(mysis).percent_spent(&spent)
    }

    /// The spent percentage of a Mysis' budget or the swarm's, whichever is higher.
    pub fn percent_spent(&self, mysis: MysisId) -> Option<u64> {
        self.percent_of(mysis).max(self.swarm_percent())
    }

    fn find_fullest(&mut self) {
        let limits = &self.rules.mysis;
        let shares = self.today.myses.keys().map(|mysis| self.percent_of(*mysis));
        let fullest = shares.flatten().max();
        // Without any, nothing is spent, if there is a limit.
        self.fullest = fullest.or_else(|| limits.percent_spent(&BudgetUse::default()));
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
        for entry in books.iter().filter(|entry| entry.day == self.today.day) {
            myses.entry(entry.mysis).or_default().add(&entry.spent);
        }
        // A recent charge may or may not be in the books. The larger sum is the safe one.
        for (mysis, spent) in myses {
            let known = self.today.myses.entry(mysis).or_default();
            if known.tokens() < spent.tokens() {
                *known = spent;
            }
        }
        self.today.swarm = BudgetUse::default();
        for spent in self.today.myses.values() {
            self.today.swarm.add(spent);
        }
        let today = books.iter().filter(|entry| entry.day == self.today.day);
        let unpriced = today
            .filter(|entry| entry.spent.cost_micros == 0 && !is_free(&entry.provider))
            .fold(0_u64, |sum, entry| sum.saturating_add(entry.spent.tokens()));
        self.today.unpriced_tokens = self.today.unpriced_tokens.max(unpriced);
        self.find_fullest();
        let myses = self.today.myses.keys().copied();
        let low = myses.filter(|mysis| self.percent_of(*mysis) >= Some(LOW_BUDGET_PERCENT));
        let low: Vec<MysisId> = low.collect();
        self.reported_low.extend(low.into_iter().map(Some));
        let of_swarm = self.swarm_percent();
        if of_swarm >= Some(LOW_BUDGET_PERCENT) {
            self.reported_low.insert(None);
        }
        self.is_spent_reported |= of_swarm >= Some(100);
    }

    /// The spent percentage of the swarm's limit or default cap, whichever is higher.
    fn swarm_percent(&self) -> Option<u64> {
        let rules = self.rules.on(self.today.day);
        let own = rules.swarm.percent_spent(&self.today.swarm);
        let cap = rules.default_cap;
        let [dollars, tokens] = cap.shares(&self.today.swarm, self.today.unpriced_tokens);
        own.max(dollars).max(tokens)
    }

    pub fn add_charge(&mut self, mysis: MysisId, bill: &Charge, now: Timestamp) {
        self.enter_day(now);
        self.today.swarm.add_charge(bill);
        if bill.cost_micros.is_none() {
            let mut unpriced = BudgetUse::default();
            unpriced.add_charge(bill);
            self.today.unpriced_tokens =
                self.today.unpriced_tokens.saturating_add(unpriced.tokens());
        }
        let own = self.today.myses.entry(mysis).or_default();
        own.add_charge(bill);
        self.fullest = self.fullest.max(self.percent_of(mysis));
    }

    pub fn is_limited(&self) -> bool {
        self.rules != BudgetRules::default() || !self.own_limits.is_empty()
    }

    /// Whether a Mysis may make another call. Gives no warning.
    #[must_use]
    pub fn may_spend(&mut self, mysis: MysisId, now: Timestamp) -> bool {
        self.enter_day(now);
        self.swarm_percent() < Some(100) && self.percent_of(mysis) < Some(100)
    }

    /// Whether a Mysis may make another call, and the warning for it.
    pub fn allowance(&mut self, mysis: MysisId, now: Timestamp) -> BudgetAllowance {
        self.enter_day(now);
        let until = self.today.day.end_time();
        let own = self.percent_of(mysis);
        let no_more = |what: &str| BudgetAllowance::NoMore {
            why: format!("{what}{RESUMES}{}", format_utc_time(until)).into(),
            until,
        };
        if self.swarm_percent() >= Some(100) {
            return no_more(SWARM_PAUSE);
        }
        if own >= Some(100) {
            return no_more(OWN_PAUSE);
        }
        let low = own.filter(|percent| *percent >= LOW_BUDGET_PERCENT);
        BudgetAllowance::More(low.filter(|_| self.reported_low.insert(Some(mysis))).map(
            |percent| {
                format!(
                    "{percent} % of today's budget is spent; at 100 % it pauses until {}",
                    format_utc_time(until)
                )
                .into()
            },
        ))
    }

    /// The next event of the swarm's budget. Each kind comes once a day.
    pub fn due_event(&mut self, now: Timestamp) -> Option<BudgetEvent> {
        self.enter_day(now);
        let percent = self.swarm_percent()?;
        if percent >= 100 {
            self.reported_low.insert(None);
            let is_new = !std::mem::replace(&mut self.is_spent_reported, true);
            return is_new.then(|| self.spent_event());
        }
        let is_new = percent >= LOW_BUDGET_PERCENT && self.reported_low.insert(None);
        is_new.then_some(BudgetEvent::Low(percent))
    }

    /// The event for a spent budget: the operator's limit, or the reached half of the default cap.
    fn spent_event(&self) -> BudgetEvent {
        let until = self.today.day.end_time();
        let cap = self.rules.on(self.today.day).default_cap;
        let [dollars, tokens] = cap.shares(&self.today.swarm, self.today.unpriced_tokens);
        let reached = DefaultCap {
            cost_micros: cap.cost_micros.filter(|_| dollars >= Some(100)),
            unpriced_tokens: cap.unpriced_tokens.filter(|_| tokens >= Some(100)),
        };
        if reached == DefaultCap::default() {
            return BudgetEvent::Spent(until);
        }
        BudgetEvent::DefaultSpent(until, reached)
    }

    pub fn status(&self) -> BudgetStatus {
        BudgetStatus {
            day: self.today.day,
            swarm: self.today.swarm,
            unpriced_tokens: self.today.unpriced_tokens,
            percent: self.swarm_percent().or(self.fullest),
        }
    }

    /// Enters a new day with nothing spent. If the wall clock is set back a little across midnight,
    /// the newest day that was seen still counts, so no day begins twice. If it is set back
    /// further, it was wrong before. Then its day is dropped, and what was spent in it counts for
    /// today, with what was spent today before it. So no Mysis waits beyond the next midnight, and a
    /// day is not spent twice.
    fn enter_day(&mut self, now: Timestamp) {
        let today = Day::of(now);
        if today < self.today.day && self.today.day.start_time().since(now) > MAX_CLOCK_STEP_BACK_MS
        {
            self.today.day = today;
            self.take_up(today);
        }
        if today > self.today.day {
            *self = BudgetTracker {
                rules: self.rules,
                own_limits: std::mem::take(&mut self.own_limits),
                left_day: Some(Box::new(std::mem::take(&mut self.today))),
                today: DaySpending {
                    day: today,
                    ..DaySpending::default()
                },
                ..BudgetTracker::default()
            };
            self.find_fullest();
        }
    }

    /// Adds what was spent today before the clock went wrong.
    fn take_up(&mut self, today: Day) {
        let Some(left) = self.left_day.take_if(|left| left.day == today) else {
            return;
        };
        self.today.swarm.add(&left.swarm);
        self.today.unpriced_tokens = self
            .today
            .unpriced_tokens
            .saturating_add(left.unpriced_tokens);
        for (mysis, spent) in left.myses {
            self.today.myses.entry(mysis).or_default().add(&spent);
        }
        self.find_fullest();
    }
}

/// The time of day, as `00:00 UTC`.
pub fn format_utc_time(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{} UTC", text.get(11..16).unwrap_or_default())
}

#[cfg(test)]
mod tests;
