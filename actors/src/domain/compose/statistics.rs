//! Statistics: what a request is made of, for the trace (DESIGN 5).

use crate::domain::model::ChatMessage;

use super::wire::{message_bytes, wire_bytes};

/// What a request's messages amount to. Bytes are those of compact JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How many messages.
    pub messages: usize,
    /// Bytes of all messages.
    pub bytes: usize,
    /// Tokens, at four bytes each; a rough word for logs, nothing decides by it.
    pub tokens: usize,
    /// Bytes of system messages.
    pub system: usize,
    /// Bytes of user messages.
    pub user: usize,
    /// Bytes of assistant messages.
    pub assistant: usize,
    /// Bytes of tool messages.
    pub tool: usize,
}

/// Counts a request's messages.
#[must_use]
pub fn statistics(messages: &[ChatMessage]) -> Statistics {
    let bytes = wire_bytes(messages);
    let mut statistics = Statistics {
        messages: messages.len(),
        bytes,
        tokens: bytes / 4,
        ..Statistics::default()
    };
    for message in messages {
        let bytes = message_bytes(message);
        match message {
            ChatMessage::System(_) => statistics.system += bytes,
            ChatMessage::User(_) => statistics.user += bytes,
            ChatMessage::Assistant { .. } => statistics.assistant += bytes,
            ChatMessage::Tool { .. } => statistics.tool += bytes,
        }
    }
    statistics
}
