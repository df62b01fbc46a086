//! `[budget]`: what may be spent; a spent budget pauses Myses.

use super::rule::{Number, WholeNumber};
use super::section::Section;

/// What may be spent; none of it is limited by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BudgetSettings {
    /// Tokens in and out of one Mysis a day (UTC), above zero.
    pub tokens_per_mysis_per_day: Option<u64>,
    /// Tokens in and out of the whole swarm a day (UTC), above zero.
    pub tokens_per_day: Option<u64>,
    /// US dollars of one Mysis a day (UTC), above zero.
    pub usd_per_mysis_per_day: Option<f64>,
    /// US dollars of the whole swarm a day (UTC), above zero.
    pub usd_per_day: Option<f64>,
}

impl BudgetSettings {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            tokens_per_mysis_per_day: section
                .read("tokens_per_mysis_per_day", &WholeNumber::at_least(1)),
            tokens_per_day: section.read("tokens_per_day", &WholeNumber::at_least(1)),
            usd_per_mysis_per_day: section.read("usd_per_mysis_per_day", &Number::above(0.0)),
            usd_per_day: section.read("usd_per_day", &Number::above(0.0)),
        }
    }
}
