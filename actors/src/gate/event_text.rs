//! The texts of the gate's events for the operator.

use std::time::Duration;

use crate::domain::budget::{BudgetEvent, format_utc_time};
use crate::domain::event_record::{EventRecord, EventRecordKind};
use crate::domain::gate::GateEvent;
use crate::domain::ids::{Lane, Timestamp};
use crate::domain::message::Severity;
use crate::domain::model::ServiceReturn;
use crate::domain::outages::ServerLabel;
use zoea_text::trouble::Trouble;

pub(super) fn describe_event(news: &GateEvent) -> (Severity, &'static str, String) {
    match news {
        GateEvent::CircuitOpened {
            lane,
            text,
            every,
            fallback,
        } => {
            let text = down_text(lane, text, *every, fallback.as_deref());
            (Severity::Warn, outage_code(lane, true), text)
        }
        GateEvent::OutOfService {
            lane,
            text,
            wait,
            ends_by,
            fallback,
        } => {
            let severity = match ends_by {
                ServiceReturn::Operator => Severity::Error,
                ServiceReturn::Time => Severity::Warn,
            };
            let text = out_of_service_text(lane, text, *wait, fallback.as_deref());
            (severity, OUT_OF_SERVICE, text)
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
                "the swarm's budget of today is spent: all Myses pause until {}, or until [budget] allows \
                 more",
                format_utc_time(*until)
            );
            (Severity::Warn, "budget_spent", text)
        }
        GateEvent::Budget(BudgetEvent::DefaultSpent(until, cap)) => {
            let text = format!(
                "today's cap of {}, which holds because [budget] sets none, is spent: all Myses pause until \
                 {}, or until you set usd_per_day or tokens_per_day under [budget], to a number or to \
                 \"unlimited\", and reload",
                cap.describe().unwrap_or_default(),
                format_utc_time(*until)
            );
            (Severity::Warn, "budget_spent", text)
        }
        GateEvent::CachingStopped { provider, percent } => {
            let text = format!(
                "{provider} has stopped caching: no token of its last requests came from its cache, \
                 and up to {percent} % did before; they cost the full price now"
            );
            (Severity::Warn, "caching_stopped", text)
        }
    }
}

fn down_text(lane: &Lane, text: &str, every: Duration, fallback: Option<&str>) -> String {
    let every = format!("zoea tries it every {every:?}");
    away_text(lane, "is down", [&takeover_text(fallback), &every], text)
}

fn out_of_service_text(lane: &Lane, text: &str, wait: Duration, fallback: Option<&str>) -> String {
    let wait = describe_wait(wait);
    let again = format!("zoea tries it again in {wait}, or at once after `zoea mysis retry --all`");
    let then = [&*takeover_text(fallback), &again];
    away_text(lane, "serves no requests", then, text)
}

fn takeover_text(fallback: Option<&str>) -> String {
    match fallback {
        Some(fallback) => format!("{fallback} takes over"),
        None => "its Myses wait".to_string(),
    }
}

fn away_text(lane: &Lane, what: &str, then: [&str; 2], chain: &str) -> String {
    let trouble = Trouble {
        whom: &ServerLabel(lane).to_string(),
        what,
        then: &then,
        chain: Some(chain),
        ..Trouble::default()
    };
    trouble.to_string()
}

/// A wait in its two largest units, as `10h 17m`.
fn describe_wait(wait: Duration) -> String {
    let seconds = wait.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, minutes) => format!("{minutes}m {}s", seconds % 60),
        (hours, minutes) => format!("{hours}h {minutes}m"),
    }
}

/// Since when servers were away when the program ended, as the newest of these events says of each. The
/// newest event is the last one.
pub(crate) fn away_by_events<'a>(
    events: &[EventRecord],
    lanes: impl Iterator<Item = &'a Lane>,
) -> Vec<(Lane, Timestamp)> {
    let away = lanes.filter_map(|lane| {
        let begin = format!("{} ", ServerLabel(lane));
        let is_away = [outage_code(lane, true), OUT_OF_SERVICE];
        let is_about_it = |event: &&EventRecord| {
            event.mysis.is_none()
                && event.kind == EventRecordKind::Notice
                && (is_away.contains(&&*event.code) || *event.code == *outage_code(lane, false))
                && event.text.starts_with(&begin)
        };
        let newest = events.iter().rev().find(is_about_it)?;
        let since = (lane.clone(), newest.at);
        is_away.contains(&&*newest.code).then_some(since)
    });
    away.collect()
}

/// The code for a server that answers and serves nobody for a while.
const OUT_OF_SERVICE: &str = "out_of_service";

fn outage_code(lane: &Lane, is_away: bool) -> &'static str {
    match (lane, is_away) {
        (Lane::Provider(_), true) => "circuit_open",
        (Lane::Provider(_), false) => "circuit_closed",
        (Lane::Game | Lane::Logins, true) => "game_away",
        (Lane::Game | Lane::Logins, false) => "game_back",
    }
}
