//! Messages: the rows of a conversation, by kind (docs/design/requests.md).
//!
//! A row is written once. From then on it is shared by the window that requests are composed from,
//! by the store and by screens.

mod kind;
mod sending;
mod texts;
mod words;

use std::sync::Arc;

use strum::{EnumCount, IntoStaticStr, VariantArray};

use super::game::GameRef;
use super::ids::{CallKey, MissionId, Seq, Timestamp, TurnNumber};
use super::model::{Charge, Echo, TokenUsage};
use super::tool::command_of_call;

pub use kind::RowKind;
pub use sending::{BRIDGE_TEXT, repeats_bridge};
pub use words::own_words;

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub seq: Seq,
    pub at: Timestamp,
    /// The turn that it belongs to. A prompt between two turns belongs to the next one.
    pub turn: TurnNumber,
    pub body: RowBody,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RowBody {
    Prompt {
        text: Arc<str>,
    },
    /// The delivery of a mission. The text itself is stored once for the swarm.
    Mission {
        id: MissionId,
        text: Arc<str>,
    },
    /// An imported message of another Mysis to the swarm.
    Peer {
        sender: Arc<str>,
        text: Arc<str>,
    },
    Note {
        text: Arc<str>,
    },
    /// A reply of the model without calls.
    Reply(Utterance),
    /// A message of the model with at least one tool call.
    Call {
        utterance: Utterance,
        /// The calls, in the model's order; never empty.
        calls: Vec<CallRecord>,
    },
    Result {
        call: CallKey,
        text: Arc<str>,
        meta: ResultMeta,
    },
    /// A notice of the runtime to the operator. It is never sent to the model.
    Host {
        text: Arc<str>,
        meta: HostMeta,
    },
    /// A trace for exports. It is neither sent to the model nor shown.
    Audit {
        text: Arc<str>,
    },
    /// A row of a kind that this version does not know. It is shown and never sent.
    Unknown {
        kind: Arc<str>,
        text: Arc<str>,
    },
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Utterance {
    /// The text; empty if the model only called tools or answered with nothing.
    pub text: Arc<str>,
    /// The reasoning. It is stored and searchable. What goes back of it is in the echo.
    pub reasoning: Option<Arc<str>>,
    /// The newest row in the request. A message that arrived while the model was thinking has a
    /// higher number. It is not answered by this one and follows it in requests.
    pub seen_up_to: Seq,
    pub meta: Arc<ReplyMeta>,
}

impl Utterance {
    /// The newest row that the model had seen. It is 0 if it had seen none, for example when a
    /// mission was in force before its first turn. `own` is the row of this message.
    pub fn newest_seen(&self, own: Seq) -> Seq {
        self.seen_up_to.min(own)
    }
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReplyMeta {
    pub usage: Option<TokenUsage>,
    /// The duration of the call in milliseconds; `None` if it was not measured.
    pub ms: Option<u64>,
    pub model: Arc<str>,
    pub provider: Arc<str>,
    /// Why the model stopped, in the provider's word.
    pub finish_reason: Option<Arc<str>>,
    /// The cost in millionths of a US dollar; `None` if the provider has no price.
    pub cost_micros: Option<u64>,
    /// What the provider wants back with the message.
    pub echo: Option<Arc<Echo>>,
    /// Whether the calls were read from the text, which is stored as the model wrote it.
    pub is_from_text: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    /// The provider's id, unchanged. It may be empty or repeated.
    pub id: Arc<str>,
    /// The tool's name as the model wrote it, without leaked tokens around a known name.
    pub name: Arc<str>,
    /// The arguments as the model wrote them. They may not be JSON.
    pub arguments: Arc<str>,
    pub status: CallStatus,
    /// Whether the tool only reads, so that calling it again after a crash is harmless.
    pub read_only: bool,
    /// The routine that made it, if the model did not.
    pub routine: Option<Arc<str>>,
}

impl CallRecord {
    /// The command that the call means. It is the tool's name, except for tools with actions.
    pub fn command(&self) -> Arc<str> {
        command_of_call(&self.name, &self.arguments)
    }
}

/// The status of a call (docs/design/storage.md).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum CallStatus {
    /// Stored, not sent.
    Recorded,
    /// Marked as sent; it may have been executed.
    Sent,
    /// A good result is stored.
    Done,
    /// A result is stored that is a failure.
    Failed,
    /// It was sent, and its result is unknown.
    Unknown,
    /// It was not sent and never will be.
    NotExecuted,
}

crate::read_by_word!(pub CallStatus);

impl CallStatus {
    /// The word of CONTRACT.md.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether the call changed something, or may have.
    #[must_use]
    pub fn may_have_acted(self) -> bool {
        matches!(self, CallStatus::Done | CallStatus::Unknown)
    }

    /// Whether a result is still to come.
    #[must_use]
    pub fn is_open(self) -> bool {
        match self {
            CallStatus::Recorded | CallStatus::Sent => true,
            CallStatus::Done
            | CallStatus::Failed
            | CallStatus::Unknown
            | CallStatus::NotExecuted => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultMeta {
    pub call_id: Arc<str>,
    pub tool: Arc<str>,
    /// How the call ended. It is never an open status.
    pub status: CallStatus,
    /// The duration of the call in milliseconds; `None` if it was not measured.
    pub ms: Option<u64>,
    pub tick: Option<i64>,
    /// The size of the result in bytes, before anything was cut.
    pub bytes: u64,
    /// The game whose tool it is. The result is read as that game's, wherever it is read.
    pub game: GameRef,
    /// How many bytes of the text are the result's own; `None`: all. Behind them a note tells what was
    /// cut. Only memory holds such rows.
    pub kept: Option<u32>,
}

impl ResultMeta {
    /// The result's own words in the text of its row.
    pub fn own_part<'a>(&self, text: &'a str) -> &'a str {
        let kept = self.kept.and_then(|kept| text.get(..kept as usize));
        kept.unwrap_or(text)
    }

    pub fn is_error(&self) -> bool {
        self.status != CallStatus::Done
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// A change of state, as intended.
    Info,
    /// Something failed, and the runtime handles it.
    Warn,
    /// A human must act.
    Error,
}

impl Severity {
    /// The word in JSON and on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Parses the word. Any other word counts as `info`.
    pub fn parse(text: &str) -> Severity {
        match text {
            "error" => Severity::Error,
            "warn" => Severity::Warn,
            _ => Severity::Info,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostMeta {
    pub severity: Severity,
    /// A short stable word for what happened, such as `retry` or `idle`.
    pub code: Arc<str>,
    /// The number of the attempt, if something is tried several times.
    pub attempt: Option<u32>,
    /// The cost of a model call that has no other row.
    pub bill: Option<Charge>,
}

impl Row {
    /// Its kind; `None` for a kind that this version does not know.
    pub fn kind(&self) -> Option<RowKind> {
        match &self.body {
            RowBody::Prompt { .. } => Some(RowKind::Prompt),
            RowBody::Mission { .. } => Some(RowKind::Mission),
            RowBody::Peer { .. } => Some(RowKind::Peer),
            RowBody::Note { .. } => Some(RowKind::Note),
            RowBody::Reply(_) => Some(RowKind::Reply),
            RowBody::Call { .. } => Some(RowKind::Call),
            RowBody::Result { .. } => Some(RowKind::Result),
            RowBody::Host { .. } => Some(RowKind::Host),
            RowBody::Audit { .. } => Some(RowKind::Audit),
            RowBody::Unknown { .. } => None,
        }
    }

    /// The kind as a word, even if this version does not know it.
    pub fn kind_word(&self) -> &str {
        if let RowBody::Unknown { kind, .. } = &self.body {
            return kind;
        }
        self.kind().map_or("", RowKind::as_str)
    }

    pub fn text(&self) -> &Arc<str> {
        match &self.body {
            RowBody::Prompt { text }
            | RowBody::Mission { text, .. }
            | RowBody::Peer { text, .. }
            | RowBody::Note { text }
            | RowBody::Result { text, .. }
            | RowBody::Host { text, .. }
            | RowBody::Audit { text }
            | RowBody::Unknown { text, .. } => text,
            RowBody::Reply(utterance) | RowBody::Call { utterance, .. } => &utterance.text,
        }
    }

    pub fn utterance(&self) -> Option<&Utterance> {
        let (RowBody::Reply(utterance) | RowBody::Call { utterance, .. }) = &self.body else {
            return None;
        };
        Some(utterance)
    }

    pub(super) fn utterance_mut(&mut self) -> Option<&mut Utterance> {
        let (RowBody::Reply(utterance) | RowBody::Call { utterance, .. }) = &mut self.body else {
            return None;
        };
        Some(utterance)
    }

    /// The calls of a call row; empty for other kinds.
    pub fn calls(&self) -> &[CallRecord] {
        let RowBody::Call { calls, .. } = &self.body else {
            return &[];
        };
        calls
    }

    /// The calls with their keys.
    pub fn keyed_calls(&self) -> impl Iterator<Item = (CallKey, &CallRecord)> {
        let seq = self.seq;
        let keys = (0_u16..).map(move |position| CallKey { seq, position });
        keys.zip(self.calls())
    }

    /// The sender, if it is neither the operator nor the Mysis itself.
    pub fn sender(&self) -> Option<&str> {
        let RowBody::Peer { sender, .. } = &self.body else {
            return None;
        };
        Some(sender)
    }

    pub fn host(&self) -> Option<&HostMeta> {
        let RowBody::Host { meta, .. } = &self.body else {
            return None;
        };
        Some(meta)
    }

    /// A result with another text, of which so many bytes at the beginning are its own if a note follows.
    pub(super) fn with_result(&self, text: Arc<str>, kept: Option<u32>) -> Arc<Row> {
        let mut row = self.clone();
        if let RowBody::Result {
            text: old, meta, ..
        } = &mut row.body
        {
            *old = text;
            meta.kept = kept;
        }
        Arc::new(row)
    }

    /// A result with at most so many bytes, all its own. Any other row stays as it is.
    #[must_use]
    pub(super) fn with_beginning(self: &Arc<Self>, bytes: usize) -> Arc<Row> {
        let Some((_, text, meta)) = self.result().filter(|(_, text, _)| text.len() > bytes) else {
            return self.clone();
        };
        let own = meta.own_part(text);
        self.with_result(own[..own.floor_char_boundary(bytes)].into(), None)
    }

    #[must_use]
    pub fn result(&self) -> Option<(CallKey, &Arc<str>, &ResultMeta)> {
        let RowBody::Result { call, text, meta } = &self.body else {
            return None;
        };
        Some((*call, text, meta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_kind_and_an_empty_reply_are_never_sent() {
        let row = |body| Row {
            seq: Seq(1),
            at: Timestamp(0),
            turn: TurnNumber(1),
            body,
        };
        assert!(
            !row(RowBody::Unknown {
                kind: "hologram".into(),
                text: "hello".into()
            })
            .is_sendable()
        );
        assert!(!row(RowBody::Reply(Utterance::default())).is_sendable());
        let echo = Utterance {
            text: BRIDGE_TEXT.into(),
            ..Utterance::default()
        };
        assert!(!row(RowBody::Reply(echo)).is_sendable());
    }
}
