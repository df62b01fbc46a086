//! Changes all texts of a row that came from outside, for all kinds in one place.

use std::sync::Arc;

use super::{CallRecord, ReplyMeta, ResultMeta, RowBody, Utterance};

impl RowBody {
    /// The row with each text from outside changed, including ids and names.
    #[must_use]
    pub fn with_texts(self, change: impl Fn(Arc<str>) -> Arc<str>) -> RowBody {
        match self {
            RowBody::Prompt { text } => RowBody::Prompt { text: change(text) },
            RowBody::Mission { id, text } => RowBody::Mission {
                id,
                text: change(text),
            },
            RowBody::Peer { sender, text } => RowBody::Peer {
                sender: change(sender),
                text: change(text),
            },
            RowBody::Note { text } => RowBody::Note { text: change(text) },
            RowBody::Reply(utterance) => RowBody::Reply(utterance.with_texts(&change)),
            RowBody::Call { utterance, calls } => {
                let calls = calls.into_iter().map(|call| CallRecord {
                    id: change(call.id),
                    name: change(call.name),
                    arguments: change(call.arguments),
                    routine: call.routine.map(&change),
                    ..call
                });
                RowBody::Call {
                    calls: calls.collect(),
                    utterance: utterance.with_texts(&change),
                }
            }
            RowBody::Result { call, text, meta } => RowBody::Result {
                call,
                text: change(text),
                meta: ResultMeta {
                    call_id: change(meta.call_id),
                    tool: change(meta.tool),
                    ..meta
                },
            },
            RowBody::Host { text, meta } => RowBody::Host {
                text: change(text),
                meta,
            },
            RowBody::Audit { text } => RowBody::Audit { text: change(text) },
            RowBody::Unknown { kind, text } => RowBody::Unknown {
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
                model: change(self.meta.model.clone()),
                finish_reason: self.meta.finish_reason.clone().map(change),
                echo: self
                    .meta
                    .echo
                    .as_ref()
                    .map(|echo| Arc::new(echo.with_texts(change))),
                ..ReplyMeta::clone(&self.meta)
            }
            .into(),
            seen_up_to: self.seen_up_to,
        }
    }
}
