//! `[budget]`: what may be spent. A Mysis whose budget is spent pauses.

use actors::domain::budget::{BudgetLimits, BudgetRules};

use super::rule::{Rule, number_above_zero, whole_number_from};
use super::section::Section;
use super::table::{ReadSection, read_keys};

impl ReadSection for BudgetRules {
    fn read_section(section: &mut Section<'_, '_>, _: &[String]) -> Self {
        read_keys! { section;
            /// Of each Mysis: tokens in and out, US dollars (as the providers' prices have it).
            optional tokens_per_mysis_per_day = 2_000_000, whole_number_from(1..);
            optional usd_per_mysis_per_day = 1.0, dollars();
            /// Of the whole swarm.
            optional tokens_per_day = 20_000_000, whole_number_from(1..);
            optional usd_per_day = 5.0, dollars();
        }
        Self {
            mysis: BudgetLimits {
                tokens: tokens_per_mysis_per_day,
                cost_micros: usd_per_mysis_per_day,
            },
            swarm: BudgetLimits {
                tokens: tokens_per_day,
                cost_micros: usd_per_day,
            },
        }
    }
}

/// A rule for US dollars, read as millionths of a dollar.
fn dollars() -> Rule<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a budget is above zero, and far below 2^63 millionths of a dollar"
    )]
    number_above_zero().map(|dollars| (dollars * 1e6).round() as u64)
}
