//! Texts: changing every text of a row that came from outside, in one place for all kinds.

use std::sync::Arc;

use super::{Body, Call, ReplyMeta, ResultMeta, Utterance};

impl Body {
    /// The same with each text changed that came from outside, ids and names included.
    #[must_use]
    pub fn with_texts(self, change: impl Fn(Arc<str>) -> Arc<str>) -> Body {
        match self {
            Body::Prompt { text } => Body::Prompt { text: change(text) },
            Body::Mission { id, text } => Body::Mission {
                id,
                text: change(text),
            },
            Body::Peer { sender, text } => Body::Peer {
                sender: change(sender),
                text: change(text),
            },
            Body::Note { text } => Body::Note { text: change(text) },
            Body::Reply(utterance) => Body::Reply(utterance.with_texts(&change)),
            Body::Call { utterance, calls } => {
                let calls = calls.into_iter().map(|call| Call {
                    id: change(call.id),
                    name: change(call.name),
                    arguments: change(call.arguments),
                    ..call
                });
                Body::Call {
                    calls: calls.collect(),
                    utterance: utterance.with_texts(&change),
                }
            }
            Body::Result { call, text, meta } => Body::Result {
                call,
                text: change(text),
                meta: ResultMeta {
                    call_id: change(meta.call_id),
                    tool: change(meta.tool),
                    ..meta
                },
            },
            Body::Host { text, meta } => Body::Host {
                text: change(text),
                meta,
            },
            Body::Audit { text } => Body::Audit { text: change(text) },
            Body::Unknown { kind, text } => Body::Unknown {
                kind: change(kind),
                text: change(text),
            },
        }
    }
}

impl Utterance {
    fn with_texts(self, change: &impl Fn(Arc<str>) -> Arc<str>) -> Utterance {
        Utterance {
            text: change(self.text),
            reasoning: self.reasoning.map(change),
            meta: ReplyMeta {
                model: change(self.meta.model),
                finish_reason: self.meta.finish_reason.map(change),
                ..self.meta
            },
            horizon: self.horizon,
        }
    }
}
