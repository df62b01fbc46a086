//! Texts: changing every text of a row that came from outside, in one place for all kinds.

use std::sync::Arc;

use super::{Body, Call, Utterance};

impl Body {
    /// The same with each text changed: what somebody said, thought, or asked a tool for. Names and
    /// ids stay letter for letter.
    #[must_use]
    pub fn with_texts(self, change: impl Fn(Arc<str>) -> Arc<str>) -> Body {
        match self {
            Body::Prompt { text } => Body::Prompt { text: change(text) },
            Body::Mission { id, text } => Body::Mission {
                id,
                text: change(text),
            },
            Body::Peer { sender, text } => Body::Peer {
                sender,
                text: change(text),
            },
            Body::Note { text } => Body::Note { text: change(text) },
            Body::Reply(utterance) => Body::Reply(utterance.with_texts(change)),
            Body::Call { utterance, calls } => {
                let calls = calls.into_iter().map(|call| Call {
                    arguments: change(call.arguments),
                    ..call
                });
                Body::Call {
                    calls: calls.collect(),
                    utterance: utterance.with_texts(change),
                }
            }
            Body::Result { call, text, meta } => Body::Result {
                call,
                text: change(text),
                meta,
            },
            Body::Host { text, meta } => Body::Host {
                text: change(text),
                meta,
            },
            Body::Audit { text } => Body::Audit { text: change(text) },
            Body::Unknown { kind, text } => Body::Unknown {
                kind,
                text: change(text),
            },
        }
    }
}

impl Utterance {
    fn with_texts(self, change: impl Fn(Arc<str>) -> Arc<str>) -> Utterance {
        Utterance {
            text: change(self.text),
            reasoning: self.reasoning.map(change),
            ..self
        }
    }
}
