//! The limits for a day, and the cap on a day where the operator sets none.

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

/// The cap on a day of the swarm if the operator sets none (decision 61). The dollars cap calls
/// with a known price, the tokens cap calls without one. A half that is `None` caps nothing.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct DefaultCap {
    /// Millionths of a US dollar.
    pub cost_micros: Option<u64>,
    /// Tokens in and out of calls whose price is not known.
    pub unpriced_tokens: Option<u64>,
}

impl DefaultCap {
    pub const WHOLE: DefaultCap = DefaultCap {
        cost_micros: Some(5_000_000),
        unpriced_tokens: Some(20_000_000),
    };

    /// The spent percentage of each half, the dollars first.
    pub(super) fn shares(&self, spent: &BudgetUse, unpriced_tokens: u64) -> [Option<u64>; 2] {
        [
            percent_of(spent.cost_micros, self.cost_micros),
            percent_of(unpriced_tokens, self.unpriced_tokens),
        ]
    }

    /// The cap in words; `None` if it caps nothing.
    pub fn describe(&self) -> Option<String> {
        let dollars = self.cost_micros.map(format_dollars);
        let tokens = self.unpriced_tokens.map(format_unpriced_tokens);
        let parts: Vec<String> = dollars.into_iter().chain(tokens).collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }
}

fn format_unpriced_tokens(tokens: u64) -> String {
    format!(
        "{} million tokens of models whose price is unknown",
        tokens / 1_000_000
    )
}

fn percent_of(spent: u64, limit: Option<u64>) -> Option<u64> {
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
