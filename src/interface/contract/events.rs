//! Events in JSON, live and stored, and live ones as lines for people.

use std::borrow::Cow;

use actors::domain::event::{EventKind, RosterChange, SwarmEvent, TurnEvent};
use actors::domain::event_record::{EventRecord, describe_change};
use actors::domain::message::Row;
use serde::{Deserialize, Serialize};

use crate::rows::UsageJson;

/// An event in `run --headless --json`.
#[derive(Debug, Serialize)]
pub struct EventJson<'a> {
    at: String,
    #[serde(flatten)]
    kind: EventKindJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mysis: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mysis_id: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum EventKindJson<'a> {
    MysisCreated,
    MysisDeleted,
    MysisTakenOver,
    MysisMovedAway,
    StateChanged {
        from: &'static str,
        to: &'static str,
        reason: Option<&'a str>,
    },
    TurnStarted,
    ModelReplied {
        usage: Option<UsageJson>,
        ms: u64,
    },
    ToolCalled {
        tool: &'a str,
        call_id: &'a str,
    },
    ToolReturned {
        tool: &'a str,
        call_id: &'a str,
        is_error: bool,
        ms: Option<u64>,
    },
    Message {
        seq: i64,
        kind: &'a str,
    },
    Host {
        seq: Option<i64>,
        severity: &'static str,
        code: &'a str,
        text: &'a str,
    },
    Mission {
        text: Option<&'a str>,
    },
    Shutdown,
}

impl<'a> EventJson<'a> {
    /// The JSON of an event; `None` if the contract has no such event.
    pub fn of(event: &'a SwarmEvent) -> Option<Self> {
        let who = event.mysis.as_ref();
        Some(EventJson {
            at: event.at.to_string(),
            kind: EventKindJson::of(&event.what)?,
            mysis: who.map(|who| &*who.name),
            mysis_id: who.map(|who| who.id.to_string()),
        })
    }
}

impl<'a> EventKindJson<'a> {
    fn of(kind: &'a EventKind) -> Option<Self> {
        Some(match kind {
            EventKind::Roster(change) => match change {
                RosterChange::Created => EventKindJson::MysisCreated,
                RosterChange::Deleted => EventKindJson::MysisDeleted,
                RosterChange::TakenOver => EventKindJson::MysisTakenOver,
                RosterChange::MovedAway => EventKindJson::MysisMovedAway,
            },
            EventKind::StateChanged { from, to, reason } => EventKindJson::StateChanged {
                from: from.as_str(),
                to: to.as_str(),
                reason: reason.as_deref(),
            },
            EventKind::Turn(event) => EventKindJson::of_turn(event)?,
            EventKind::Stored(row) => EventKindJson::of_row(row),
            EventKind::Mission(text) => EventKindJson::Mission {
                text: text.as_deref(),
            },
            EventKind::Notice {
                severity,
                code,
                text,
            } => EventKindJson::Host {
                seq: None,
                severity: severity.as_str(),
                code,
                text,
            },
            EventKind::Shutdown => EventKindJson::Shutdown,
            EventKind::StatusChanged(_) | EventKind::Condition(_) | EventKind::Learned(_) => {
                return None;
            }
        })
    }

    fn of_turn(event: &'a TurnEvent) -> Option<Self> {
        Some(match event {
            TurnEvent::Started { .. } => EventKindJson::TurnStarted,
            TurnEvent::Ended { .. } => return None,
            TurnEvent::ModelReplied { usage, ms } => EventKindJson::ModelReplied {
                usage: usage.as_ref().map(UsageJson::from),
                ms: *ms,
            },
            TurnEvent::ToolCalled { tool, call_id } => EventKindJson::ToolCalled { tool, call_id },
            TurnEvent::ToolReturned {
                tool,
                call_id,
                is_error,
                ms,
            } => EventKindJson::ToolReturned {
                tool,
                call_id,
                is_error: *is_error,
                ms: *ms,
            },
        })
    }

    /// The event of a stored row. A host notice has an event of its own.
    fn of_row(row: &'a Row) -> Self {
        match row.host() {
            None => EventKindJson::Message {
                seq: row.seq.0,
                kind: row.kind_word(),
            },
            Some(meta) => EventKindJson::Host {
                seq: Some(row.seq.0),
                severity: meta.severity.as_str(),
                code: &meta.code,
                text: row.text(),
            },
        }
    }
}

/// The event as one line for people; none for events that people need not see.
pub fn event_line(event: &SwarmEvent) -> Option<String> {
    let what = match &event.what {
        EventKind::Roster(change) => match change {
            RosterChange::Created => "created",
            RosterChange::Deleted => "deleted",
            RosterChange::TakenOver => "taken over",
            RosterChange::MovedAway => "moved to another process",
        }
        .to_string(),
        EventKind::StateChanged { from, to, reason } => {
            describe_change(*from, *to, reason.as_deref())
        }
        EventKind::Turn(event) => turn_line(event)?,
        EventKind::Stored(row) => {
            let line: String = row.text().lines().next()?.chars().take(120).collect();
            format!("[{}] {line}", row.kind_word())
        }
        EventKind::Mission(Some(text)) => format!("mission: {text}"),
        EventKind::Mission(None) => "no mission".to_string(),
        EventKind::Notice { severity, text, .. } => format!("{}: {text}", severity.as_str()),
        EventKind::Shutdown => "closing".to_string(),
        EventKind::StatusChanged(_) | EventKind::Condition(_) | EventKind::Learned(_) => {
            return None;
        }
    };
    let who = event.mysis.as_ref().map_or("-", |who| &who.name);
    Some(format!("{} {who}: {what}", event.at))
}

fn turn_line(event: &TurnEvent) -> Option<String> {
    Some(match event {
        TurnEvent::Started { .. } => "turn".to_string(),
        TurnEvent::Ended { .. } => return None,
        TurnEvent::ModelReplied { usage, ms } => match usage {
            Some(usage) => format!(
                "model replied: {} tokens in, {} out, {ms} ms",
                usage.input, usage.output
            ),
            None => format!("model replied: {ms} ms"),
        },
        TurnEvent::ToolCalled { tool, .. } => format!("→ {tool}"),
        TurnEvent::ToolReturned {
            tool, is_error, ms, ..
        } => {
            let sign = if *is_error { '✗' } else { '✓' };
            match ms {
                Some(ms) => format!("{sign} {tool}, {ms} ms"),
                None => format!("{sign} {tool}"),
            }
        }
    })
}

/// An event in `zoea events --json`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct EventRecordJson<'a> {
    pub number: i64,
    pub at: String,
    pub kind: Cow<'a, str>,
    pub mysis: Option<Cow<'a, str>>,
    /// How bad it is.
    pub severity: Cow<'a, str>,
    /// A stable word for it.
    pub code: Cow<'a, str>,
    pub text: Cow<'a, str>,
    pub source: Option<Cow<'a, str>>,
    pub seq: Option<i64>,
    pub answered: Option<i64>,
}

impl<'a> EventRecordJson<'a> {
    pub fn new(number: i64, record: &'a EventRecord) -> Self {
        EventRecordJson {
            number,
            at: record.at.to_string(),
            kind: record.kind.as_str().into(),
            mysis: record.mysis.as_ref().map(|who| who.name.as_ref().into()),
            severity: record.severity.as_str().into(),
            code: record.code.as_ref().into(),
            text: record.text.as_ref().into(),
            source: record.source.map(|source| source.as_str().into()),
            seq: record.row.map(|row| row.0),
            answered: record.answered.map(|row| row.0),
        }
    }
}
