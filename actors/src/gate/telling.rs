//! Telling: what the gate has to say, as the operator hears it.

use crate::domain::budget::{BudgetNews, hour};
use crate::domain::gate::{GateNews, Lane};
use crate::domain::message::Severity;
use crate::domain::weather::Whom;

/// News as the operator hears them.
pub(super) fn words(news: &GateNews) -> (Severity, &'static str, String) {
    match news {
        GateNews::CircuitOpened {
            lane,
            text,
            every,
            fallback,
        } => {
            let then = match fallback {
                Some(fallback) => format!("{fallback} takes over"),
                None => "its Myses wait".to_string(),
            };
            let whom = Whom(lane);
            let text = format!("{whom} is down ({text}); {then}; it is tried every {every:?}");
            (Severity::Warn, code(lane, true), text)
        }
        GateNews::CircuitClosed { lane } => {
            let text = format!("{} works again and is used again", Whom(lane));
            (Severity::Info, code(lane, false), text)
        }
        GateNews::Budget(BudgetNews::Low(percent)) => {
            let text = format!("{percent} % of the swarm's budget of today is spent");
            (Severity::Warn, "budget_low", text)
        }
        GateNews::Budget(BudgetNews::Spent(until)) => {
            let text = format!(
                "the swarm's budget of today is spent: all pause until {}, or until [budget] allows \
                 more",
                hour(*until)
            );
            (Severity::Warn, "budget_spent", text)
        }
    }
}

/// The word for a server that is away, or is back.
fn code(lane: &Lane, is_away: bool) -> &'static str {
    match (lane, is_away) {
        (Lane::Provider(_), true) => "circuit_open",
        (Lane::Provider(_), false) => "circuit_closed",
        (Lane::Game | Lane::Logins, true) => "game_away",
        (Lane::Game | Lane::Logins, false) => "game_back",
    }
}
