//! `[budget]`: what may be spent. A Mysis whose budget is spent pauses.

use zoea_domain::budget::{BudgetLimits, BudgetRules, DefaultCap};

use super::rule::{Rule, number_above_zero, whole_number_from};
use super::section::Section;
use super::table::{ReadSection, read_keys};

impl ReadSection for BudgetRules {
    fn read_section(section: &mut Section<'_, '_>, _: &[String]) -> Self {
        read_keys! { section;
            /// Of each Mysis: tokens in and out, US dollars (as the providers' prices have it).
            optional tokens_per_mysis_per_day = 2_000_000, whole_number_from(1..);
            optional usd_per_mysis_per_day = 1.0, dollars();
            /// Of the whole swarm: a number, or "unlimited".
            optional tokens_per_day = 20_000_000, or_unlimited(whole_number_from(1..));
            optional usd_per_day = 5.0, or_unlimited(dollars());
        }
        Self {
            mysis: BudgetLimits {
                tokens: tokens_per_mysis_per_day,
                cost_micros: usd_per_mysis_per_day,
            },
            swarm: BudgetLimits {
                tokens: tokens_per_day.and_then(DailyLimit::limit),
                cost_micros: usd_per_day.and_then(DailyLimit::limit),
            },
            default_cap: default_cap(usd_per_day, tokens_per_day),
            raised: None,
        }
    }
}

#[derive(Clone, Copy)]
enum DailyLimit {
    Unlimited,
    Of(u64),
}

impl DailyLimit {
    fn limit(self) -> Option<u64> {
        match self {
            DailyLimit::Unlimited => None,
            DailyLimit::Of(limit) => Some(limit),
        }
    }
}

fn or_unlimited(rule: Rule<u64>) -> Rule<DailyLimit> {
    let allowed = format!("{}, or \"unlimited\"", rule.allowed);
    Rule::new(allowed, move |value| match value.as_str() {
        Some("unlimited") => Ok(DailyLimit::Unlimited),
        Some(_) | None => rule.accept(value).map(DailyLimit::Of),
    })
}

/// The cap for what the operator did not limit. A limit in tokens counts all calls, so no default
/// is needed beside it. A limit in dollars cannot count calls without a known price.
fn default_cap(usd: Option<DailyLimit>, tokens: Option<DailyLimit>) -> DefaultCap {
    match (usd, tokens) {
        (None, None) => DefaultCap::WHOLE,
        (Some(DailyLimit::Of(_)), None) => DefaultCap {
            cost_micros: None,
            ..DefaultCap::WHOLE
        },
        (Some(DailyLimit::Unlimited), _) | (_, Some(_)) => DefaultCap::default(),
    }
}

/// A rule for US dollars, read as millionths of a dollar.
pub(super) fn dollars() -> Rule<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a budget is above zero, and far below 2^63 millionths of a dollar"
    )]
    number_above_zero().map(|dollars| (dollars * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_holds_unless_the_configuration_says_otherwise() {
        use DailyLimit::{Of, Unlimited};
        let (whole, none) = (DefaultCap::WHOLE, DefaultCap::default());
        let tokens = DefaultCap {
            cost_micros: None,
            ..whole
        };
        for (place, (usd, per_day, holds)) in [
            (None, None, whole),
            (Some(Of(50)), None, tokens),
            (None, Some(Of(1)), none),
            (Some(Of(50)), Some(Of(1)), none),
            (Some(Unlimited), None, none),
            (None, Some(Unlimited), none),
            (Some(Unlimited), Some(Of(1)), none),
            (Some(Of(1)), Some(Unlimited), none),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(default_cap(usd, per_day), holds, "case {place}");
        }
    }
}
