//! Messages: the rows of a conversation, by kind (DESIGN 4).
//!
//! A row is written once and shared from then on: by the window that requests are composed from,
//! by the store and by whoever shows it.

mod kind;
mod texts;

use std::sync::Arc;

use super::ids::{CallKey, MissionId, Seq, Timestamp, TurnNumber};
use super::model::{Charge, TokenUsage};

pub use kind::RowKind;

/// One row of one Mysis' conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its place.
    pub seq: Seq,
    /// When it was made.
    pub at: Timestamp,
    /// The turn it belongs to; a prompt between two turns belongs to the coming one.
    pub turn: TurnNumber,
    /// What it says.
    pub body: RowBody,
}

/// What a row says, by kind.
#[derive(Clone, Debug, PartialEq)]
pub enum RowBody {
    /// The operator's direct message.
    Prompt {
        /// What the operator wrote.
        text: Arc<str>,
    },
    /// The delivery of a mission; the text itself is stored once for the swarm.
    Mission {
        /// Which mission.
        id: MissionId,
        /// Its text.
        text: Arc<str>,
    },
    /// An imported message of another Mysis to the swarm.
    Peer {
        /// The name of the Mysis that said it.
        sender: Arc<str>,
        /// What it said.
        text: Arc<str>,
    },
    /// The operator's persistent context.
    Note {
        /// What to keep in mind.
        text: Arc<str>,
    },
    /// The model's words without a call.
    Reply(Utterance),
    /// The model's words with at least one tool call.
    Call {
        /// The words.
        utterance: Utterance,
        /// The calls, in the model's order; never empty.
        calls: Vec<CallRecord>,
    },
    /// What a tool answered.
    Result {
        /// The call it answers.
        call: CallKey,
        /// The answer.
        text: Arc<str>,
        /// About the answer.
        meta: ResultMeta,
    },
    /// What the runtime tells the operator; never sent to the model.
    Host {
        /// The notice.
        text: Arc<str>,
        /// About the notice.
        meta: HostMeta,
    },
    /// A trace for exports; never sent to the model, not shown.
    Audit {
        /// What happened.
        text: Arc<str>,
    },
    /// A row of a kind that this version does not know: shown, never sent.
    Unknown {
        /// The kind as stored.
        kind: Arc<str>,
        /// Its content as stored.
        text: Arc<str>,
    },
}

/// What the model said, and what it had seen when it said it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Utterance {
    /// Its words; empty where it only called tools, or answered with nothing.
    pub text: Arc<str>,
    /// Its reasoning; stored and searchable, never sent back.
    pub reasoning: Option<Arc<str>>,
    /// The newest row that the request held. A message that arrived while the model was thinking
    /// has a later place: it is not answered by this utterance and stands behind it in requests.
    pub seen_up_to: Seq,
    /// About the model call.
    pub meta: ReplyMeta,
}

impl Utterance {
    /// The newest row that the model had seen when it said this; 0 where it had seen none, as with
    /// a mission that stood before its first turn. `own` is the utterance's own place.
    #[must_use]
    pub fn newest_seen(&self, own: Seq) -> Seq {
        self.seen_up_to.min(own)
    }
}

/// About the model call behind an utterance.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReplyMeta {
    /// What the provider reported, if anything.
    pub usage: Option<TokenUsage>,
    /// How long the call took, in milliseconds.
    pub ms: u64,
    /// The model that answered.
    pub model: Arc<str>,
    /// The provider that was asked.
    pub provider: Arc<str>,
    /// Why the model stopped, in the provider's words.
    pub finish_reason: Option<Arc<str>>,
    /// What the call cost in millionths of a US dollar; absent where the provider has no price.
    pub cost_micros: Option<u64>,
}

/// One tool call of an utterance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    /// The provider's id, letter for letter; may be empty or repeated.
    pub id: Arc<str>,
    /// The tool's name as the model wrote it, but for leaked tokens around a name that is one.
    pub name: Arc<str>,
    /// The arguments as the model wrote them; may be no JSON at all.
    pub arguments: Arc<str>,
    /// How far it got.
    pub status: CallStatus,
    /// Whether the tool only reads, so that asking again after a crash does no harm.
    pub read_only: bool,
}

/// How far a call got (DESIGN 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallStatus {
    /// Stored, not sent.
    Recorded,
    /// Marked as sent; it may have been executed.
    Sent,
    /// A result is stored.
    Done,
    /// A result is stored that says it failed.
    Failed,
    /// It was sent and nobody knows what came of it.
    Unknown,
    /// It was never sent and never will be.
    NotExecuted,
}

impl CallStatus {
    const ALL: [CallStatus; 6] = [
        CallStatus::Recorded,
        CallStatus::Sent,
        CallStatus::Done,
        CallStatus::Failed,
        CallStatus::Unknown,
        CallStatus::NotExecuted,
    ];

    /// The word of CONTRACT.md.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CallStatus::Recorded => "recorded",
            CallStatus::Sent => "sent",
            CallStatus::Done => "done",
            CallStatus::Failed => "failed",
            CallStatus::Unknown => "unknown",
            CallStatus::NotExecuted => "not_executed",
        }
    }

    /// Reads the word back; `None` for a word that is none of ours.
    #[must_use]
    pub fn parse(text: &str) -> Option<CallStatus> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
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

/// About a tool's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultMeta {
    /// The call's id as the model gave it.
    pub call_id: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// How the call ended; never open.
    pub status: CallStatus,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The game tick the answer names, if it names one.
    pub tick: Option<i64>,
    /// The answer's size in bytes, before anything was cut from it.
    pub bytes: u64,
}

impl ResultMeta {
    /// Whether the answer is a failure.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.status != CallStatus::Done
    }
}

/// How much a host notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A change of state, as intended.
    Info,
    /// Something went wrong and the runtime deals with it.
    Warn,
    /// A human must act.
    Error,
}

impl Severity {
    /// The word used in JSON and on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warn => "warn",
            Severity::Error => "error",
        }
    }

    /// Reads the word back; anything else is taken as `info`.
    #[must_use]
    pub fn parse(text: &str) -> Severity {
        match text {
            "error" => Severity::Error,
            "warn" => Severity::Warn,
            _ => Severity::Info,
        }
    }
}

/// About a host notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostMeta {
    /// How much it matters.
    pub severity: Severity,
    /// A short stable word for what happened, such as `retry` or `idle`.
    pub code: Arc<str>,
    /// Which attempt this was, where something is tried several times.
    pub attempt: Option<u32>,
    /// What a model call cost that left no other row behind.
    pub bill: Option<Charge>,
}

impl Row {
    /// Its kind; `None` for a kind that this version does not know.
    #[must_use]
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

    /// Its kind as a word, also where this version does not know it.
    #[must_use]
    pub fn kind_word(&self) -> &str {
        if let RowBody::Unknown { kind, .. } = &self.body {
            return kind;
        }
        self.kind().map_or("", RowKind::as_str)
    }

    /// Whether the row may be sent to the model; an empty reply has nothing to send.
    #[must_use]
    pub fn is_sendable(&self) -> bool {
        if let RowBody::Reply(utterance) = &self.body {
            return !utterance.text.trim().is_empty();
        }
        self.kind().is_some_and(RowKind::is_sendable)
    }

    /// What it says, as text.
    #[must_use]
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

    /// The model's words behind a reply or a call.
    #[must_use]
    pub fn utterance(&self) -> Option<&Utterance> {
        let (RowBody::Reply(utterance) | RowBody::Call { utterance, .. }) = &self.body else {
            return None;
        };
        Some(utterance)
    }

    /// The calls of a call row; none for every other.
    #[must_use]
    pub fn calls(&self) -> &[CallRecord] {
        let RowBody::Call { calls, .. } = &self.body else {
            return &[];
        };
        calls
    }

    /// Who said it, where that is neither the operator nor the Mysis itself.
    #[must_use]
    pub fn sender(&self) -> Option<&str> {
        let RowBody::Peer { sender, .. } = &self.body else {
            return None;
        };
        Some(sender)
    }

    /// About a host notice.
    #[must_use]
    pub fn host(&self) -> Option<&HostMeta> {
        let RowBody::Host { meta, .. } = &self.body else {
            return None;
        };
        Some(meta)
    }

    /// What a result row answers, and how.
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
    }
}
