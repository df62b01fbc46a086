//! What several processes on one database spent together, as its books say.

use std::sync::Arc;

use super::BudgetTracker;
use crate::books::{BudgetUse, Day};
use crate::ids::Timestamp;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpentTogether {
    pub day: Day,
    pub providers: Vec<ProviderSpending>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSpending {
    pub provider: Arc<str>,
    pub spent: BudgetUse,
    /// The tokens of calls without a cost.
    pub costless_tokens: u64,
}

impl BudgetTracker {
    /// Takes notice of what all processes spent. A recent charge of this one may not be in the books
    /// yet, so what is known here is never made less.
    pub fn raise_to(
        &mut self,
        all: &SpentTogether,
        is_free: impl Fn(&str) -> bool,
        now: Timestamp,
    ) {
        self.enter_day(now);
        if all.day != self.today.day {
            return;
        }
        let (mut spent, mut unpriced) = (BudgetUse::default(), 0_u64);
        for of in &all.providers {
            spent.add(&of.spent);
            if !is_free(&of.provider) {
                unpriced = unpriced.saturating_add(of.costless_tokens);
            }
        }
        let known = &mut self.today.swarm;
        *known = BudgetUse {
            calls: known.calls.max(spent.calls),
            input: known.input.max(spent.input),
            output: known.output.max(spent.output),
            cached: known.cached.max(spent.cached),
            cost_micros: known.cost_micros.max(spent.cost_micros),
        };
        self.today.unpriced_tokens = self.today.unpriced_tokens.max(unpriced);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{BudgetLimits, BudgetRules, DefaultCap};
    use crate::ids::MysisId;

    fn spent(input: u64) -> BudgetUse {
        BudgetUse {
            calls: 1,
            input,
            ..BudgetUse::default()
        }
    }

    fn together(day: Day, spending: [(&str, u64); 2]) -> SpentTogether {
        let providers = spending.map(|(provider, input)| ProviderSpending {
            provider: provider.into(),
            spent: spent(input),
            costless_tokens: input,
        });
        SpentTogether {
            day,
            providers: providers.into(),
        }
    }

    #[test]
    fn what_others_spend_counts_for_the_swarm_and_not_for_a_mysis_here() {
        let mut budgets = BudgetTracker::default();
        let limits = |tokens| BudgetLimits {
            tokens: Some(tokens),
            cost_micros: None,
        };
        budgets.set_rules(BudgetRules {
            raised: None,
            mysis: limits(500),
            swarm: limits(1000),
            default_cap: DefaultCap::default(),
        });
        let now = Timestamp(1_773_254_527_042);
        let today = Day::of(now);
        budgets.raise_to(&together(today, [("a", 500), ("b", 499)]), |_| false, now);
        assert!(budgets.may_spend(MysisId(7), now));
        assert_eq!(budgets.status().percent, Some(99));
        budgets.raise_to(&together(today, [("a", 500), ("b", 100)]), |_| false, now);
        assert_eq!(budgets.status().percent, Some(99), "never less");
        let yesterday = Day(today.0 - 1);
        budgets.raise_to(
            &together(yesterday, [("a", 500), ("b", 600)]),
            |_| false,
            now,
        );
        assert!(budgets.may_spend(MysisId(7), now));
        budgets.raise_to(&together(today, [("a", 500), ("b", 500)]), |_| false, now);
        assert!(!budgets.may_spend(MysisId(7), now));
    }

    #[test]
    fn tokens_without_a_price_count_unless_their_provider_is_free() {
        let mut budgets = BudgetTracker::default();
        let now = Timestamp(1_773_254_527_042);
        let all = together(Day::of(now), [("a", 500), ("b", 400)]);
        budgets.raise_to(&all, |provider| provider == "a", now);
        assert_eq!(budgets.status().unpriced_tokens, 400);
        assert_eq!(budgets.status().swarm.tokens(), 900);
    }
}
