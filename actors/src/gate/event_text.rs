//! The texts of the gate's events for the operator.

use crate::domain::budget::{BudgetEvent, format_utc_time};
use crate::domain::gate::GateEvent;
use crate::domain::ids::Lane;
use crate::domain::message::Severity;
use crate::domain::outages::ServerLabel;

/// The severity, code and text of an event.
pub(super) fn describe_event(news: &GateEvent) -> (Severity, &'static str, String) {
    match news {
        GateEvent::CircuitOpened {
            lane,
            text,
            every,
            fallback,
        } => {
            let then = match fallback {
                Some(fallback) => format!("{fallback} takes over"),
                None => "its Myses wait".to_string(),
            };
            let whom = ServerLabel(lane);
            let text = format!("{whom} is down ({text}); {then}; it is tried every {every:?}");
            (Severity::Warn, outage_code(lane, true), text)
        }
        GateEvent::CircuitClosed { lane } => {
            let text = format!("{} works again and is used again", ServerLabel(lane));
            (Severity::Info, outage_code(lane, false), text)
        }
        GateEvent::Budget(BudgetEvent::Low(percent)) => {
            let text = format!("{percent} % of the swarm's budget of today is spent");
            (Severity::Warn, "budget_low", text)
        }
        GateEvent::Budget(BudgetEvent::Spent(until)) => {
            let text = format!(
                "the swarm's budget of today is spent: all pause until {}, or until [budget] allows \
                 more",
                format_utc_time(*until)
            );
            (Severity::Warn, "budget_spent", text)
        }
        GateEvent::Budget(BudgetEvent::DefaultSpent(until, cap)) => {
            let text = format!(
                "today's cap of {}, which holds because [budget] sets none, is spent: all pause until \
                 {}, or until you set usd_per_day or tokens_per_day under [budget], to a number or to \
                 \"unlimited\", and reload",
                cap.describe().unwrap_or_default(),
                format_utc_time(*until)
            );
            (Severity::Warn, "budget_spent", text)
        }
    }
}

/// The code for a server that is away or back.
fn outage_code(lane: &Lane, is_away: bool) -> &'static str {
    match (lane, is_away) {
        (Lane::Provider(_), true) => "circuit_open",
        (Lane::Provider(_), false) => "circuit_closed",
        (Lane::Game | Lane::Logins, true) => "game_away",
        (Lane::Game | Lane::Logins, false) => "game_back",
    }
}
