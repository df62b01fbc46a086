//! What happened, on the axis of time: orders, errors, servers that were away, freezes.

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::samples::Minute;

use crate::dashboard::facts::Facts;
use crate::dashboard::log::message::{LogKind, LogMessage};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::toolkit::plot::Mark;

const ORDER_SIGN: &str = "▾";
const ERROR_SIGN: &str = "✖";
const OUTAGE_SIGN: &str = "━";
const FROZEN_SIGN: &str = "░";

#[must_use]
pub(crate) fn legend(marks: &[Mark]) -> StyledLine {
    let mut legend = StyledLine::default();
    for (sign, word, tone) in [
        (ORDER_SIGN, "your orders", Tone::You),
        (ERROR_SIGN, "errors", Tone::Fault),
        (OUTAGE_SIGN, "server away", Tone::Warning),
        (FROZEN_SIGN, "frozen", Tone::Dim),
    ] {
        if marks.iter().any(|mark| mark.sign == sign) {
            legend.push(format!("  {sign} {word}"), tone);
        }
    }
    legend
}

/// What happened in the time of a graph: later ones hide earlier ones.
#[must_use]
pub(crate) fn marks(facts: &Facts, mysis: Option<MysisId>, bounds: (f64, f64)) -> Vec<Mark> {
    let is_seen = |mark: &Mark| mark.minutes.1 >= bounds.0 && mark.minutes.0 <= bounds.1;
    let mut marks = spans(facts, bounds.1);
    marks.retain(is_seen);
    let at = |minute: f64, sign, tone| Mark {
        minutes: (minute, minute),
        sign,
        tone,
    };
    let errors = errors(facts, mysis, bounds);
    marks.extend(errors.map(|minute| at(minute, ERROR_SIGN, Tone::Fault)));
    let orders = orders(facts, bounds);
    marks.extend(orders.map(|minute| at(minute, ORDER_SIGN, Tone::You)));
    marks
}

/// The times in which a server was away, or the swarm frozen, as far as the log reaches back.
fn spans(facts: &Facts, until: f64) -> Vec<Mark> {
    let mut spans = Vec::new();
    let (mut away, mut frozen): (Option<f64>, Option<f64>) = (None, None);
    let span = |from: f64, to: f64, sign, tone| Mark {
        minutes: (from, to),
        sign,
        tone,
    };
    let outage = |from, to| span(from, to, OUTAGE_SIGN, Tone::Warning);
    let freeze = |from, to| span(from, to, FROZEN_SIGN, Tone::Dim);
    for message in facts.log.messages() {
        let minute = Minute::of(message.at).0 as f64;
        match &*message.code {
            "circuit_open" | "game_away" | "out_of_service" => away = away.or(Some(minute)),
            "circuit_closed" | "game_back" => {
                spans.extend(away.take().map(|from| outage(from, minute)));
            }
            "freeze" => frozen = frozen.or(Some(minute)),
            "thaw" => spans.extend(frozen.take().map(|from| freeze(from, minute))),
            "closing" | "up" => {
                spans.extend(away.take().map(|from| outage(from, minute)));
            }
            _ => {}
        }
    }
    // One that goes on is told by the present state.
    let is_away = facts.outages.away().next().is_some();
    spans.extend(away.filter(|_| is_away).map(|from| outage(from, until)));
    if let Some(since) = facts.frozen_since {
        spans.push(freeze(Minute::of(since).0 as f64, until));
    }
    spans
}

/// The minutes in which the operator gave orders: those of this session by their receipts, earlier ones as they are
/// stored.
fn orders(facts: &Facts, bounds: (f64, f64)) -> impl Iterator<Item = f64> {
    let stored = facts.log.messages().iter();
    let stored = stored.filter(|message| {
        // A refused order changed nothing.
        message.kind == LogKind::Order && message.tone != Tone::Warning
    });
    let receipts = facts.orders.receipts().iter();
    let given = receipts.filter(|receipt| receipt.done + receipt.awaited > 0);
    let times = given.map(|receipt| facts.wall_time(receipt.at));
    minutes_within(bounds, stored.map(|message| message.at).chain(times))
}

/// The minutes in which errors were told: of this Mysis, or of all.
fn errors(facts: &Facts, mysis: Option<MysisId>, bounds: (f64, f64)) -> impl Iterator<Item = f64> {
    let name = mysis.map(|mysis| facts.name_of(mysis));
    let is_told = move |message: &&std::sync::Arc<LogMessage>| {
        message.is_error() && name.as_ref().is_none_or(|name| message.who == *name)
    };
    let shown = facts.log.messages().iter().filter(is_told);
    minutes_within(bounds, shown.map(|message| message.at))
}

fn minutes_within(
    (first, last): (f64, f64),
    times: impl Iterator<Item = Timestamp>,
) -> impl Iterator<Item = f64> {
    let minutes = times.map(|at| Minute::of(at).0 as f64);
    minutes.filter(move |minute| (first..=last).contains(minute))
}
