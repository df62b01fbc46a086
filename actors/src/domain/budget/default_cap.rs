//! The cap on a day where the operator sets no limit.

use serde::{Deserialize, Serialize};

use super::limits::{format_dollars, percent_of};
use crate::books::BudgetUse;

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
