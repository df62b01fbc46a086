//! Events in JSON, live and stored.

use std::borrow::Cow;

use actors::domain::event::{EventKind, SwarmEvent};
use actors::domain::event_record::EventRecord;
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
        ms: u64,
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
    #[must_use]
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
            EventKind::Created => EventKindJson::MysisCreated,
            EventKind::Deleted => EventKindJson::MysisDeleted,
            EventKind::TakenOver => EventKindJson::MysisTakenOver,
            EventKind::MovedAway => EventKindJson::MysisMovedAway,
            EventKind::StateChanged { from, to, reason } => EventKindJson::StateChanged {
                from: from.as_str(),
                to: to.as_str(),
                reason: reason.as_deref(),
            },
            EventKind::TurnStarted { .. } => EventKindJson::TurnStarted,
            EventKind::ModelReplied { usage, ms } => EventKindJson::ModelReplied {
                usage: usage.as_ref().map(UsageJson::from),
                ms: *ms,
            },
            EventKind::ToolCalled { tool, call_id } => EventKindJson::ToolCalled { tool, call_id },
            EventKind::ToolReturned {
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
            EventKind::TurnEnded { .. }
            | EventKind::StatusChanged(_)
            | EventKind::BudgetChanged(_)
            | EventKind::OutagesChanged(_)
            | EventKind::SilenceChanged(_)
            | EventKind::StandingChanged(_)
            | EventKind::FreezeChanged(_)
            | EventKind::Learned(_) => return None,
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

/// An event in `zoea events --json`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct EventRecordJson<'a> {
    pub number: i64,
    /// When it happened.
    pub at: String,
    pub kind: Cow<'a, str>,
    pub mysis: Option<Cow<'a, str>>,
    /// How bad it is.
    pub severity: Cow<'a, str>,
    /// A stable word for it.
    pub code: Cow<'a, str>,
    /// What happened.
    pub text: Cow<'a, str>,
    /// Who ordered it.
    pub source: Option<Cow<'a, str>>,
    pub seq: Option<i64>,
    pub answered: Option<i64>,
}

impl<'a> EventRecordJson<'a> {
    #[must_use]
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
