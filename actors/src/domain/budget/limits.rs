//! The limits for a day.

use serde::{Deserialize, Serialize};

use crate::books::BudgetUse;

/// The limits for a day; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct BudgetLimits {
    pub tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub cost_micros: Option<u64>,
}

impl BudgetLimits {
    /// These limits, and the others where there is none.
    #[must_use]
    pub fn or(self, others: BudgetLimits) -> BudgetLimits {
        BudgetLimits {
            tokens: self.tokens.or(others.tokens),
            cost_micros: self.cost_micros.or(others.cost_micros),
        }
    }

    /// The spent percentage of the limits, rounded down; `None` without a limit.
    pub fn percent_spent(&self, spent: &BudgetUse) -> Option<u64> {
        let tokens = percent_of(spent.tokens(), self.tokens);
        tokens.max(percent_of(spent.cost_micros, self.cost_micros))
    }
}

pub(super) fn percent_of(spent: u64, limit: Option<u64>) -> Option<u64> {
    let share = u128::from(spent) * 100 / u128::from(limit?.max(1));
    Some(u64::try_from(share).unwrap_or(u64::MAX))
}

/// A spent percentage in words. Beyond ten times the budget its digits say nothing.
pub fn percent_text(percent: u64) -> String {
    match percent {
        0..=999 => format!("{percent} %"),
        _ => "over 999 %".to_string(),
    }
}

pub(super) fn format_dollars(micros: u64) -> String {
    let cents = micros / 10_000;
    match cents % 100 {
        0 => format!("{} US dollars", cents / 100),
        rest => format!("{}.{rest:02} US dollars", cents / 100),
    }
}
