//! What happened, on the axis of time: orders, errors, servers that were away, freezes.

use actors::domain::event_record::EventRecordKind;
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::outages::ServerLabel;
use actors::domain::samples::Minute;
use zoea_text::clean::one_line;

use crate::dashboard::facts::Facts;
use crate::dashboard::log::message::LogMessage;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::toolkit::plot::Mark;

const ORDER_SIGN: &str = "▾";
const ERROR_SIGN: &str = "✖";
const OUTAGE_SIGN: &str = "━";
const FROZEN_SIGN: &str = "░";

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
pub(crate) fn marks(facts: &Facts, mysis: Option<MysisId>, bounds: (f64, f64)) -> Vec<Mark> {
    let is_seen = |mark: &Mark| mark.minutes.1 >= bounds.0 && mark.minutes.0 <= bounds.1;
    let mut marks = spans(facts, bounds.1);
    marks.retain(is_seen);
    let at = |minute, sign, tone| mark((minute, minute), sign, tone);
    let errors = errors(facts, mysis, bounds);
    marks.extend(errors.map(|minute| at(minute, ERROR_SIGN, Tone::Fault)));
    let orders = orders(facts, bounds);
    marks.extend(orders.map(|minute| at(minute, ORDER_SIGN, Tone::You)));
    marks
}

fn mark(minutes: (f64, f64), sign: &'static str, tone: Tone) -> Mark {
    Mark {
        minutes,
        sign,
        tone,
    }
}

/// The times in which a server was away, or the swarm frozen, as far as the log reaches back.
fn spans(facts: &Facts, until: f64) -> Vec<Mark> {
    let mut spans = Vec::new();
    // The servers that are away, each since its minute.
    let mut away: Vec<(&str, f64)> = Vec::new();
    let mut frozen: Option<f64> = None;
    let outage = |from, to| mark((from, to), OUTAGE_SIGN, Tone::Warning);
    let freeze = |from, to| mark((from, to), FROZEN_SIGN, Tone::Dim);
    for message in facts.log.messages() {
        let minute = Minute::of(message.at).0 as f64;
        match &*message.code {
            "circuit_open" | "game_away" | "out_of_service" => {
                let server = server_of(&message.text);
                if away.iter().all(|(known, _)| *known != server) {
                    away.push((server, minute));
                }
            }
            "circuit_closed" | "game_back" => {
                let server = server_of(&message.text);
                let place = away.iter().position(|(known, _)| *known == server);
                let ended = place.map(|place| away.remove(place));
                spans.extend(ended.map(|(_, from)| outage(from, minute)));
            }
            "freeze" => frozen = frozen.or(Some(minute)),
            "thaw" => spans.extend(frozen.take().map(|from| freeze(from, minute))),
            "closing" | "up" => {
                spans.extend(away.drain(..).map(|(_, from)| outage(from, minute)));
            }
            _ => {}
        }
    }
    // One that goes on is told by the present state.
    let present = facts.outages.away();
    let present = present.map(|it| one_line(&ServerLabel(&it.lane).to_string()));
    let present: Vec<String> = present.collect();
    away.retain(|(server, _)| present.iter().any(|label| label == server));
    spans.extend(away.into_iter().map(|(_, from)| outage(from, until)));
    if let Some(since) = facts.frozen_since {
        spans.push(freeze(Minute::of(since).0 as f64, until));
    }
    spans
}

/// The server that a notice of the gate is about: its text begins with it.
fn server_of(text: &str) -> &str {
    let ends = [" is down", " serves no requests", " works again"];
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// The minutes in which the operator gave orders: those of this session by their receipts, earlier ones as they are
/// stored.
fn orders(facts: &Facts, bounds: (f64, f64)) -> impl Iterator<Item = f64> {
    let stored = facts.log.messages().iter();
    let stored = stored.filter(|message| {
        // A refused order changed nothing.
        message.kind == Some(EventRecordKind::Order) && message.tone != Tone::Warning
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use actors::domain::event_record::{EventId, EventRecord, EventRecordKind};
    use actors::domain::ids::Lane;
    use actors::domain::message::Severity;
    use actors::domain::outages::{OutageStage, ServerOutage, ServerOutages};

    use super::*;

    fn told(notices: &[(i64, &str, &str)]) -> Facts {
        let record = |(minute, code, text): &(i64, &str, &str)| EventRecord {
            id: EventId(*minute),
            at: Minute(*minute).start_time(),
            kind: EventRecordKind::Notice,
            mysis: None,
            severity: Severity::Warn,
            code: (*code).into(),
            text: (*text).into(),
            source: None,
            row: None,
            answered: None,
        };
        let records: Vec<EventRecord> = notices.iter().map(record).collect();
        let mut facts = Facts::default();
        facts.take_newest(&records);
        facts
    }

    fn minutes(facts: &Facts) -> Vec<(f64, f64)> {
        let marks = marks(facts, None, (0.0, 1_000.0)).into_iter();
        let away = marks.filter(|mark| mark.sign == OUTAGE_SIGN);
        away.map(|mark| mark.minutes).collect()
    }

    #[test]
    fn a_server_is_away_until_it_works_again_itself() {
        let mut notices = vec![
            (60, "circuit_open", "provider a is down: HTTP 503"),
            (70, "game_away", "the tool server is down: HTTP 502"),
            (71, "out_of_service", "provider a serves no requests"),
            (72, "game_back", "the tool server works again"),
            (300, "circuit_closed", "provider a works again"),
        ];
        assert_eq!(minutes(&told(&notices)), [(70.0, 72.0), (60.0, 300.0)]);
        notices[4] = (300, "closing", "zoea closes");
        assert_eq!(minutes(&told(&notices)), [(70.0, 72.0), (60.0, 300.0)]);
    }

    #[test]
    fn only_who_is_away_now_is_away_to_the_end() {
        let mut facts = told(&[
            (60, "circuit_open", "provider a is down: HTTP 503"),
            (70, "circuit_open", "provider b is down: HTTP 503"),
        ]);
        assert!(minutes(&facts).is_empty());
        let away = ServerOutage {
            lane: Lane::Provider("b".into()),
            text: "HTTP 503".into(),
            since: Minute(70).start_time(),
            next_try: Minute(71).start_time(),
            needs_operator: false,
            stage: OutageStage::Away,
        };
        facts.outages = Arc::new(ServerOutages(vec![away]));
        assert_eq!(minutes(&facts), [(70.0, 1_000.0)]);
    }
}
