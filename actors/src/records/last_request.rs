//! The request that a Mysis last sent to its model, for the operator.
//!
//! What is kept are the parts of the request, most of which the conversation and other Myses share.
//! The adapter that sent it serializes it again with the same function. It is not composed again.

use std::sync::Arc;

use super::compose::wire_bytes;
use super::ids::Timestamp;
use super::model::{ChatMessage, ModelRequest};

/// The last request, as it is kept.
#[derive(Clone, Debug)]
pub struct LastRequest {
    /// When it was sent.
    pub at: Timestamp,
    /// The request.
    pub request: ModelRequest,
}

/// The last request, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentRequest {
    /// When it was sent.
    pub at: Timestamp,
    /// The provider's name in the configuration.
    pub provider: Arc<str>,
    /// The exact body.
    pub body: Arc<str>,
    /// The size of each part.
    pub parts: RequestByteCounts,
}

/// The bytes of each part of a request. Their sum is the whole request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestByteCounts {
    /// The system prompt and the operator's notes.
    pub system: usize,
    /// The operator's messages, missions and nudges.
    pub orders: usize,
    /// The model's own messages and calls.
    pub words: usize,
    /// The results of tools.
    pub results: usize,
    /// The tools and the few bytes of parameters.
    pub tools: usize,
}

impl SentRequest {
    /// A request with its serialized body.
    #[must_use]
    pub fn of(sent: &LastRequest, body: String) -> SentRequest {
        SentRequest {
            at: sent.at,
            provider: sent.request.provider.clone(),
            parts: RequestByteCounts::of(&sent.request.messages, body.len()),
            body: body.into(),
        }
    }
}

impl RequestByteCounts {
    fn of(messages: &[ChatMessage], all: usize) -> RequestByteCounts {
        let mut parts = RequestByteCounts::default();
        for message in messages {
            let part = match message {
                ChatMessage::System(_) => &mut parts.system,
                ChatMessage::User(_) => &mut parts.orders,
                ChatMessage::Assistant { .. } => &mut parts.words,
                ChatMessage::Tool { .. } => &mut parts.results,
            };
            *part += wire_bytes(std::slice::from_ref(message));
        }
        let counted = parts.system + parts.orders + parts.words + parts.results;
        parts.tools = all.saturating_sub(counted);
        parts
    }

    /// Each part with its name.
    #[must_use]
    pub fn named_sizes(&self) -> [(&'static str, usize); 5] {
        [
            ("system", self.system),
            ("your orders", self.orders),
            ("its text", self.words),
            ("tool results", self.results),
            ("tools", self.tools),
        ]
    }

    /// The sum of all parts.
    #[must_use]
    pub fn total_bytes(&self) -> usize {
        self.named_sizes().iter().map(|(_, bytes)| bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole() {
        let messages = [
            ChatMessage::System("be good".into()),
            ChatMessage::User("mine".into()),
            ChatMessage::Assistant {
                text: "yes".into(),
                calls: Vec::new(),
                echo: None,
            },
            ChatMessage::Tool {
                call_id: "a".into(),
                text: "ore".into(),
            },
        ];
        let parts = RequestByteCounts::of(&messages, 5_000);
        assert_eq!(parts.total_bytes(), 5_000);
        assert!(parts.system > 7 && parts.orders > 4 && parts.words > 3 && parts.results > 3);
    }
}
