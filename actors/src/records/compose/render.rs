//! Renders parts as messages and computes their size.

use std::sync::Arc;

use crate::model::{ChatCall, ChatMessage, Echo};
use zoea_text::json_size::escaped_len;

use super::part::{RequestPart, SpokenPart};
use super::shape;
use super::wire::{
    ASSISTANT_FRAME_BYTES, CALL_FRAME_BYTES, CALLS_FRAME_BYTES, TOOL_FRAME_BYTES, USER_FRAME_BYTES,
    content_bytes,
};

const NO_RESULT_TEXT: &str = "no result was recorded for this call";

pub(super) fn render_part(part: &RequestPart) -> Vec<ChatMessage> {
    match part {
        RequestPart::Order(order) => vec![ChatMessage::User(order.text.text().clone())],
        RequestPart::Spoken(said) => render_spoken(said),
    }
}

fn render_spoken(said: &SpokenPart) -> Vec<ChatMessage> {
    let calls = said
        .pairs
        .iter()
        .map(|pair| ChatCall {
            id: pair.id.clone(),
            name: pair.name.clone(),
            arguments: pair.arguments.text().clone(),
        })
        .collect();
    let echo_of_calls = || said.pairs.iter().map(|pair| pair.echo.clone());
    let echo = said.echo.as_ref().map(|echo| {
        Arc::new(Echo {
            calls: echo_of_calls().collect(),
            ..Echo::clone(echo)
        })
    });
    let mut messages = vec![ChatMessage::Assistant {
        text: said.text.text().clone(),
        calls,
        echo,
    }];
    messages.extend(said.pairs.iter().map(|pair| ChatMessage::Tool {
        call_id: pair.id.clone(),
        text: match &pair.result {
            Some(result) => result.text.text().clone(),
            None => NO_RESULT_TEXT.into(),
        },
    }));
    messages
}

/// The size of a part in bytes, with the comma before each of its messages and what the request's
/// shape may add before it. It is an upper bound, because merged neighbours take less.
pub(super) fn part_bytes(part: &RequestPart) -> usize {
    match part {
        RequestPart::Order(order) => {
            USER_FRAME_BYTES + order.text.size() + 1 + shape::bridge_bytes()
        }
        RequestPart::Spoken(said) => spoken_bytes(said),
    }
}

fn spoken_bytes(said: &SpokenPart) -> usize {
    let mut bytes = ASSISTANT_FRAME_BYTES + content_bytes(said.text.size()) + 1;
    bytes += said.echo.as_ref().map_or(0, |echo| echo.message.len());
    if !said.pairs.is_empty() {
        bytes += CALLS_FRAME_BYTES + said.pairs.len() - 1;
    }
    for pair in &said.pairs {
        let id = escaped_len(&pair.id);
        bytes += CALL_FRAME_BYTES + id + escaped_len(&pair.name) + pair.arguments.size();
        bytes += pair.echo.len();
        let result = pair.result.as_ref();
        bytes += TOOL_FRAME_BYTES
            + id
            + result.map_or(NO_RESULT_TEXT.len(), |result| result.text.size())
            + 1;
    }
    bytes
}
