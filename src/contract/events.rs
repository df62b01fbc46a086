//! Events in JSON, live and stored.

use actors::domain::event::{EventKind, SwarmEvent};
use actors::domain::event_record::{EventRecord, OrderSource};
use actors::domain::message::{Row, Severity};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::rows::UsageJson;

/// An event in `run --headless --json`. Its members are sorted by name, as a value of it has them, so that
/// its text needs no value in between.
#[derive(Debug)]
pub struct EventJson<'a>(Vec<(&'static str, MemberJson<'a>)>);

/// A member of an event.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum MemberJson<'a> {
    Text(&'a str),
    Made(String),
    Number(i64),
    Count(u64),
    Flag(bool),
    Usage(UsageJson),
    Null(()),
}

impl<'a> EventJson<'a> {
    /// The JSON of an event; `None` if the contract has no such event.
    #[must_use]
    pub fn of(event: &'a SwarmEvent) -> Option<Self> {
        let (word, mut members) = members_of(&event.what)?;
        members.push(("at", MemberJson::Made(event.at.to_string())));
        members.push(("event", MemberJson::Text(word)));
        if let Some(who) = &event.mysis {
            members.push(("mysis", MemberJson::Text(&who.name)));
            members.push(("mysis_id", MemberJson::Made(who.id.to_string())));
        }
        members.sort_unstable_by_key(|(name, _)| *name);
        Some(EventJson(members))
    }

    /// The event on one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        serde_json::to_string(self)
            .unwrap_or_else(|error| Value::String(error.to_string()).to_string())
    }
}

impl Serialize for EventJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let EventJson(members) = self;
        serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
    }
}

/// The word for an event, and the members that only its kind has.
fn members_of(kind: &EventKind) -> Option<(&'static str, Vec<(&'static str, MemberJson<'_>)>)> {
    use MemberJson::{Count, Flag, Text, Usage};
    Some(match kind {
        EventKind::Created => ("mysis_created", vec![]),
        EventKind::Deleted => ("mysis_deleted", vec![]),
        EventKind::TakenOver => ("mysis_taken_over", vec![]),
        EventKind::MovedAway => ("mysis_moved_away", vec![]),
        EventKind::StateChanged { from, to, reason } => {
            let (from, to) = (Text(from.as_str()), Text(to.as_str()));
            let reason = text_or_null(reason.as_deref());
            (
                "state_changed",
                vec![("from", from), ("to", to), ("reason", reason)],
            )
        }
        EventKind::TurnStarted { .. } => ("turn_started", vec![]),
        EventKind::ModelReplied { usage, ms } => {
            let usage = usage.as_ref().map(UsageJson::from);
            let usage = usage.map_or(MemberJson::Null(()), Usage);
            ("model_replied", vec![("usage", usage), ("ms", Count(*ms))])
        }
        EventKind::ToolCalled { tool, call_id } => (
            "tool_called",
            vec![("tool", Text(tool)), ("call_id", Text(call_id))],
        ),
        EventKind::ToolReturned {
            tool,
            call_id,
            is_error,
            ms,
        } => {
            let call = [("tool", Text(tool)), ("call_id", Text(call_id))];
            let end = [("is_error", Flag(*is_error)), ("ms", Count(*ms))];
            ("tool_returned", call.into_iter().chain(end).collect())
        }
        EventKind::Stored(row) => members_of_row(row),
        EventKind::Mission(text) => ("mission", vec![("text", text_or_null(text.as_deref()))]),
        EventKind::Notice {
            severity,
            code,
            text,
        } => {
            let members = host_members(MemberJson::Null(()), *severity, code, text);
            ("host", members)
        }
        EventKind::Shutdown => ("shutdown", vec![]),
        EventKind::TurnEnded { .. }
        | EventKind::StatusChanged(_)
        | EventKind::BudgetChanged(_)
        | EventKind::OutagesChanged(_)
        | EventKind::SilenceChanged(_)
        | EventKind::FreezeChanged(_)
        | EventKind::Learned(_) => return None,
    })
}

/// The event of a stored row. A host notice has an event of its own.
fn members_of_row(row: &Row) -> (&'static str, Vec<(&'static str, MemberJson<'_>)>) {
    let seq = MemberJson::Number(row.seq.0);
    match row.host() {
        None => {
            let kind = MemberJson::Text(row.kind_word());
            ("message", vec![("seq", seq), ("kind", kind)])
        }
        Some(meta) => (
            "host",
            host_members(seq, meta.severity, &meta.code, row.text()),
        ),
    }
}

fn host_members<'a>(
    seq: MemberJson<'a>,
    severity: Severity,
    code: &'a str,
    text: &'a str,
) -> Vec<(&'static str, MemberJson<'a>)> {
    vec![
        ("seq", seq),
        ("severity", MemberJson::Text(severity.as_str())),
        ("code", MemberJson::Text(code)),
        ("text", MemberJson::Text(text)),
    ]
}

fn text_or_null(text: Option<&str>) -> MemberJson<'_> {
    text.map_or(MemberJson::Null(()), MemberJson::Text)
}

/// An event in `zoea events --json`.
#[derive(Debug, Serialize)]
pub struct EventRecordJson<'a> {
    at: String,
    kind: &'static str,
    mysis: Option<&'a str>,
    severity: &'static str,
    code: &'a str,
    text: &'a str,
    source: Option<&'static str>,
    seq: Option<i64>,
    answered: Option<i64>,
}

impl<'a> From<&'a EventRecord> for EventRecordJson<'a> {
    fn from(record: &'a EventRecord) -> Self {
        EventRecordJson {
            at: record.at.to_string(),
            kind: record.kind.as_str(),
            mysis: record.mysis.as_ref().map(|who| &*who.name),
            severity: record.severity.as_str(),
            code: &record.code,
            text: &record.text,
            source: record.source.map(OrderSource::as_str),
            seq: record.row.map(|row| row.0),
            answered: record.answered.map(|row| row.0),
        }
    }
}
