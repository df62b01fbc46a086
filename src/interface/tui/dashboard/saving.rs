//! What the runtime saves by making calls in the model's place, and the loop of a Mysis that it could repeat.

use actors::domain::budget::BudgetStatus;
use actors::domain::event::MysisStatus;
use actors::domain::routine::CircleOffer;
use actors::domain::state::LifeState;

use super::text::figures;

/// What calls of the model cost that are not made: dollars where the price of a Mysis is known, else tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Saving {
    pub(super) calls: u64,
    micros: u64,
    tokens: u64,
}

impl Saving {
    pub(super) fn add(self, other: Saving) -> Saving {
        Saving {
            calls: self.calls.saturating_add(other.calls),
            micros: self.micros.saturating_add(other.micros),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    /// In words, as `120 model calls, about $1.20`.
    pub(super) fn text(self) -> String {
        let calls = figures::counted(self.calls, "model call");
        let tokens = format!("{} tokens", figures::amount(self.tokens));
        match (self.micros, self.tokens) {
            (0, 0) => calls,
            (0, _) => format!("{calls}, about {tokens}"),
            (micros, 0) => format!("{calls}, about {}", figures::money(micros)),
            (micros, _) => format!("{calls}, about {} and {tokens}", figures::money(micros)),
        }
    }
}

pub fn loop_of(status: &MysisStatus) -> Option<&CircleOffer> {
    let can_start = status.state == LifeState::Running && status.routine.is_none();
    status.circle.as_deref().filter(|_| can_start)
}

/// What so many calls of a Mysis cost: the tokens of a call as the swarm had them today, at its own price.
pub(super) fn saving(spending: &BudgetStatus, status: &MysisStatus, calls: u64) -> Saving {
    let part = |whole: u64, count: u64, of: u64| {
        let product = u128::from(whole) * u128::from(count);
        u64::try_from(product / u128::from(of.max(1))).unwrap_or(u64::MAX)
    };
    let today = spending.swarm;
    let tokens = part(today.tokens(), calls, today.calls);
    let totals = status.totals;
    let micros = part(totals.cost_micros, tokens, totals.tokens());
    Saving {
        calls,
        micros,
        tokens: if micros == 0 { tokens } else { 0 },
    }
}
