//! The books: the cost of model calls by day (UTC), as the providers reported it.
//!
//! The rows with charges are the source. Sums are only made of them, so that books and rows agree
//! after any crash.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::bounds;
use super::ids::{MysisId, Timestamp};
use super::message::Row;
use super::model::Charge;

const DAY_LENGTH: Duration = Duration::from_secs(86_400);
const DAY_MS: i64 = 86_400_000;

/// A day in UTC, counted from 1970-01-01.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize,
)]
pub struct Day(pub i64);

impl Day {
    pub fn of(at: Timestamp) -> Day {
        Day(at.0.div_euclid(DAY_MS))
    }

    #[must_use]
    pub fn start_time(self) -> Timestamp {
        Timestamp(self.0.saturating_mul(DAY_MS))
    }

    #[must_use]
    pub fn end_time(self) -> Timestamp {
        self.start_time().plus(DAY_LENGTH)
    }
}

impl fmt::Display for Day {
    /// Formats the day as `2026-11-22`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let begins = self.start_time().to_string();
        f.write_str(begins.split('T').next().unwrap_or_default())
    }
}

/// The summed cost of several model calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetUse {
    /// The number of calls that reported their tokens.
    pub calls: u64,
    /// Tokens of requests.
    pub input: u64,
    /// Tokens of answers.
    pub output: u64,
    /// The part of `input` that came from the providers' caches.
    pub cached: u64,
    /// Cost in millionths of a US dollar.
    pub cost_micros: u64,
}

impl BudgetUse {
    pub fn add_charge(&mut self, bill: &Charge) {
        let usage = bounds::usage_of_a_call(bill.usage);
        self.add(&BudgetUse {
            calls: 1,
            input: usage.input,
            output: usage.output,
            cached: usage.cached,
            cost_micros: bounds::cost_of_a_call(bill.cost_micros.unwrap_or(0)),
        });
    }

    pub fn add(&mut self, other: &BudgetUse) {
        self.calls = bounds::bounded_sum(self.calls, other.calls);
        self.input = bounds::bounded_sum(self.input, other.input);
        self.output = bounds::bounded_sum(self.output, other.output);
        self.cached = bounds::bounded_sum(self.cached, other.cached);
        self.cost_micros = bounds::bounded_sum(self.cost_micros, other.cost_micros);
    }

    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl Row {
    /// The charge of the model call behind this row, if the provider reported its usage.
    pub fn charge(&self) -> Option<Charge> {
        let Some(said) = self.utterance() else {
            return self.host()?.bill.clone();
        };
        Some(Charge {
            provider: said.meta.provider.clone(),
            usage: said.meta.usage?,
            cost_micros: said.meta.cost_micros,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostEntry {
    pub day: Day,
    /// The Mysis that called. It may be deleted by now.
    pub mysis: MysisId,
    pub provider: Arc<str>,
    pub spent: BudgetUse,
}

/// How many calls routines made in a model's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedCalls {
    pub day: Day,
    /// The Mysis whose routines made them. It may be deleted by now.
    pub mysis: MysisId,
    pub calls: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TokenUsage;

    #[test]
    fn a_day_begins_and_ends_at_midnight_in_utc() {
        let day = Day::of(Timestamp(1_773_254_527_042));
        assert_eq!(day.to_string(), "2026-03-11");
        assert_eq!(day.start_time().to_string(), "2026-03-11T00:00:00.000Z");
        assert_eq!(day.end_time().to_string(), "2026-03-12T00:00:00.000Z");
        assert_eq!(Day::of(Timestamp(day.end_time().0 - 1)), day);
        assert_eq!(Day::of(Timestamp(-1)).to_string(), "1969-12-31");
    }

    #[test]
    fn bills_add_up_also_without_a_price() {
        let mut spent = BudgetUse::default();
        let usage = TokenUsage {
            input: 10,
            output: 3,
            cached: 4,
        };
        for cost_micros in [Some(7), None] {
            let provider = "p".into();
            spent.add_charge(&Charge {
                provider,
                usage,
                cost_micros,
            });
        }
        let expected = BudgetUse {
            calls: 2,
            input: 20,
            output: 6,
            cached: 8,
            cost_micros: 7,
        };
        assert_eq!((spent, spent.tokens()), (expected, 26));
    }
}
