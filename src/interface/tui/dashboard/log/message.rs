//! A message of the log: an event or an order of the swarm, or what the program tells this operator alone.

use std::sync::Arc;

use actors::domain::event_record::{
    EventId, EventRecord, EventRecordKind, MESSAGE_CODE, OFFER_CODE, OrderSource,
};
use actors::domain::ids::{MysisId, Seq, Timestamp};
use actors::domain::message::{Row, RowBody, Severity};
use actors::domain::state::LifeState;

use crate::dashboard::text::tone::Tone;
use zoea_text::clean::one_line;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMessage {
    /// The record's id; below 1 if the message is stored nowhere.
    pub id: EventId,
    pub at: Timestamp,
    pub tone: Tone,
    /// `None` for what the program tells this operator alone, which is stored nowhere.
    pub kind: Option<EventRecordKind>,
    /// The name of the Mysis that it is about; empty for the swarm.
    pub who: Arc<str>,
    pub mysis: Option<MysisId>,
    /// A short stable word for what it is.
    pub code: Arc<str>,
    pub text: Box<str>,
    pub source: Option<OrderSource>,
    /// The row of the conversation that it became or that tells it.
    pub row: Option<Seq>,
    pub answered: Option<Seq>,
}

impl LogMessage {
    /// A message that only this operator gets. Its text is cleaned and joined into one line.
    pub fn own(at: Timestamp, tone: Tone, code: &str, text: &str) -> LogMessage {
        LogMessage {
            id: EventId(0),
            at,
            tone,
            kind: None,
            who: Arc::default(),
            mysis: None,
            code: code.into(),
            text: one_line(text).into(),
            source: None,
            row: None,
            answered: None,
        }
    }

    /// The message of a record. Its text is cleaned and joined into one line.
    pub fn of(record: &EventRecord) -> LogMessage {
        let name = record.mysis.as_ref().map(|who| one_line(&who.name));
        LogMessage {
            id: record.id,
            tone: tone_of_record(record),
            kind: Some(record.kind),
            who: name.unwrap_or_default().into(),
            mysis: record.mysis.as_ref().map(|who| who.id),
            source: record.source,
            row: record.row,
            answered: record.answered,
            ..LogMessage::own(record.at, Tone::Text, &record.code, &record.text)
        }
    }

    /// Whether the message is a notice: it only answers the operator's input.
    pub fn is_notice(&self) -> bool {
        matches!(&*self.code, "said" | "screen") && self.kind.is_none()
    }

    pub fn is_error(&self) -> bool {
        matches!(self.tone, Tone::Fault | Tone::Errored)
    }

    /// Whether it is an error or a warning.
    pub fn is_trouble(&self) -> bool {
        self.is_error() || self.tone == Tone::Warning
    }

    /// The words that the screen shows for its kind.
    pub fn kind_text(&self) -> &'static str {
        match self.kind {
            None => "notice of this terminal",
            Some(EventRecordKind::State) => "change of state",
            Some(
                kind @ (EventRecordKind::Notice | EventRecordKind::Need | EventRecordKind::Order),
            ) => kind.as_str(),
        }
    }

    /// Whether another message tells the same, apart from when, of whom, and what came of it.
    pub fn is_alike(&self, other: &LogMessage) -> bool {
        self.kind == other.kind
            && self.source == other.source
            && self.code == other.code
            && (self.text == other.text || *self.code == *OFFER_CODE)
    }

    /// Whether a row that a Mysis stored is the answer to this message.
    pub fn is_answered_by(&self, mysis: MysisId, row: &Row) -> bool {
        let RowBody::Reply(words) = &row.body else {
            return false;
        };
        let is_message = self.kind == Some(EventRecordKind::Order) && *self.code == *MESSAGE_CODE;
        let is_open = is_message && self.mysis == Some(mysis) && self.answered.is_none();
        let is_seen = |message: Seq| row.seq > message && words.seen_up_to >= message;
        is_open && self.row.is_some_and(is_seen) && !words.text.trim().is_empty()
    }

    /// What came of an order; empty if there is nothing to tell.
    pub fn receipt(&self) -> &'static str {
        let is_stored = self.kind == Some(EventRecordKind::Order) && self.row.is_some();
        match (is_stored, self.answered) {
            (true, Some(_)) => "stored · answered",
            (true, None) => "stored",
            (false, _) => "",
        }
    }

    /// Who gave an order, in brackets; empty for other messages.
    pub fn source_text(&self) -> String {
        let text = |source: OrderSource| format!("({})", source.describe(&self.code));
        self.source.map(text).unwrap_or_default()
    }
}

fn tone_of_record(record: &EventRecord) -> Tone {
    let state = LifeState::parse(&record.code);
    match (record.kind, state, record.severity) {
        (EventRecordKind::State, Some(LifeState::Running), _) => Tone::Running,
        (EventRecordKind::State, Some(LifeState::Idle), _) => Tone::Idle,
        (EventRecordKind::State, Some(LifeState::Stopped), _) => Tone::Stopped,
        (_, _, Severity::Error) => Tone::Errored,
        (_, _, Severity::Warn) => Tone::Warning,
        (EventRecordKind::Order, _, Severity::Info) => Tone::You,
        (_, _, Severity::Info) => Tone::Text,
    }
}
