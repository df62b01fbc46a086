//! What model calls cost, and what a dollar brings. A price that is not known is never a 0.

use std::collections::BTreeMap;

use actors::domain::books::{BudgetUse, CostEntry};
use actors::domain::samples::Flow;
use serde::{Deserialize, Serialize};

use super::NOT_REPORTED;
use super::figures::{dollars, group_thousands};
use zoea_text::figures::group_digits;

/// What stands for a cost or a rate that is not known.
pub(super) const UNKNOWN: &str = "unknown";

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// The part of the request tokens that the provider had cached.
    pub tokens_cached: u64,
    /// The cost in millionths of a US dollar, without calls that have no known price.
    pub cost_micros: u64,
    /// Whether some tokens had no known price.
    #[serde(default)]
    pub is_partly_unknown: bool,
}

pub(super) fn sums<K: Ord>(
    entries: &[CostEntry],
    key: impl Fn(&CostEntry) -> K,
    is_free: impl Fn(&str) -> bool,
) -> BTreeMap<K, Cost> {
    let mut sums = BTreeMap::<K, Cost>::new();
    for entry in entries {
        let cost = Cost::of_entry(entry, is_free(&entry.provider));
        sums.entry(key(entry)).or_default().add(&cost);
    }
    sums
}

impl Cost {
    /// The cost of a line of the books. Tokens with a cost of 0 had no known price, unless the
    /// provider is free of charge.
    pub(super) fn of_entry(entry: &CostEntry, is_free: bool) -> Cost {
        let BudgetUse {
            calls,
            input,
            output,
            cached,
            cost_micros,
        } = entry.spent;
        let is_unpriced = cost_micros == 0 && entry.spent.tokens() > 0;
        Cost {
            calls,
            tokens_in: input,
            tokens_out: output,
            tokens_cached: cached,
            cost_micros,
            is_partly_unknown: is_unpriced && !is_free,
        }
    }

    pub(super) fn of_samples(flow: &Flow) -> Cost {
        Cost {
            calls: flow.model_calls,
            tokens_in: flow.tokens_in,
            tokens_out: flow.tokens_out,
            tokens_cached: flow.tokens_cached,
            cost_micros: flow.cost_micros,
            is_partly_unknown: flow.tokens_unpriced > 0,
        }
    }

    pub(super) fn add(&mut self, other: &Cost) {
        self.calls = self.calls.saturating_add(other.calls);
        self.tokens_in = self.tokens_in.saturating_add(other.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(other.tokens_out);
        self.tokens_cached = self.tokens_cached.saturating_add(other.tokens_cached);
        self.cost_micros = self.cost_micros.saturating_add(other.cost_micros);
        self.is_partly_unknown |= other.is_partly_unknown;
    }

    pub(super) fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    pub(super) fn dollars(&self) -> String {
        let known = dollars(self.cost_micros);
        match (self.cost_micros, self.is_partly_unknown) {
            (0, true) => UNKNOWN.to_string(),
            (_, true) => format!("{known} and {UNKNOWN}"),
            (_, false) => known,
        }
    }

    /// What so many calls come to at the mean of these, in words: in dollars where their price is known, else in tokens.
    pub(super) fn worth_of(&self, calls: u64) -> String {
        let part = |whole: u64| {
            let all = u128::from(whole) * u128::from(calls) / u128::from(self.calls.max(1));
            u64::try_from(all).unwrap_or(u64::MAX)
        };
        match (self.calls, self.cost_micros, self.is_partly_unknown) {
            (0, _, _) => String::new(),
            (_, 1.., false) => format!(" (about {})", dollars(part(self.cost_micros))),
            (_, _, _) => format!(" (about {} tokens)", group_digits(part(self.tokens()))),
        }
    }

    /// The credits that a dollar brought, in words: also that it is not known, or that it was free.
    pub(super) fn credits_per_dollar(&self, earned: Option<i64>) -> String {
        let Some(earned) = earned else {
            return NOT_REPORTED.to_string();
        };
        match (self.is_partly_unknown, self.cost_micros, self.tokens()) {
            (true, _, _) => UNKNOWN.to_string(),
            (false, 0, 0) => "–".to_string(),
            (false, 0, _) => "free".to_string(),
            (false, micros, _) => {
                let each = i128::from(earned) * 1_000_000 / i128::from(micros);
                let bounds = (i128::from(i64::MIN), i128::from(i64::MAX));
                let each = i64::try_from(each.clamp(bounds.0, bounds.1));
                group_thousands(each.unwrap_or_default())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dollar_brings_credits_only_where_its_price_is_known() {
        let cost = |cost_micros, is_partly_unknown| Cost {
            tokens_in: 9,
            cost_micros,
            is_partly_unknown,
            ..Cost::default()
        };
        for (cost, earned, text) in [
            (cost(500_000, false), Some(1000), "2,000"),
            (cost(500_000, false), Some(-1000), "−2,000"),
            (cost(500_000, true), Some(1000), "unknown"),
            (cost(0, true), Some(1000), "unknown"),
            (cost(0, false), Some(1000), "free"),
            (cost(500_000, false), None, "not reported"),
            (Cost::default(), Some(0), "–"),
            (cost(1, false), Some(i64::MAX), "9,223,372,036,854,775,807"),
        ] {
            assert_eq!(cost.credits_per_dollar(earned), text);
        }
        let calls = |cost| Cost { calls: 3, ..cost };
        assert_eq!(calls(cost(600_000, false)).worth_of(12), " (about $2.4000)");
        assert_eq!(
            calls(cost(600_000, true)).worth_of(12),
            " (about 36 tokens)"
        );
        assert_eq!(cost(600_000, false).worth_of(12), "");
        assert_eq!(cost(0, true).dollars(), "unknown");
        assert_eq!(cost(10_000, true).dollars(), "$0.0100 and unknown");
        assert_eq!(Cost::default().dollars(), "$0.0000");
    }
}
