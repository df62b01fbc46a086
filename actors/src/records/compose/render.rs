//! Renders parts as messages and computes their size.

use std::sync::Arc;

use crate::model::{ChatCall, ChatMessage, Echo};
use zoea_text::json_size::escaped_len;

use super::part::{LoopPart, RequestPart};
use super::shape;
use super::wire::{
    ASSISTANT_FRAME_BYTES, CALL_FRAME_BYTES, CALLS_FRAME_BYTES, TOOL_FRAME_BYTES, USER_FRAME_BYTES,
    content_bytes,
};

const NO_RESULT_TEXT: &str = "no result was recorded for this call";

pub(super) fn render_part(part: &RequestPart) -> Vec<ChatMessage> {
    match part {
        RequestPart::Order(order) => vec![ChatMessage::User(order.text.text().clone())],
        RequestPart::Reply(reply) => vec![ChatMessage::Assistant {
            text: reply.text.text().clone(),
            calls: Vec::new(),
            echo: reply.echo.clone(),
        }],
        RequestPart::Loop(found) => render_loop(found),
    }
}

fn render_loop(found: &LoopPart) -> Vec<ChatMessage> {
    let calls = found
        .pairs
        .iter()
        .map(|pair| ChatCall {
            id: pair.id.clone(),
            name: pair.name.clone(),
            arguments: pair.arguments.text().clone(),
        })
        .collect();
    let echo_of_calls = || found.pairs.iter().map(|pair| pair.echo.clone());
    let echo = found.echo.as_ref().map(|echo| {
        Arc::new(Echo {
            calls: echo_of_calls().collect(),
            ..Echo::clone(echo)
        })
    });
    let mut messages = vec![ChatMessage::Assistant {
        text: found.text.text().clone(),
        calls,
        echo,
    }];
    messages.extend(found.pairs.iter().map(|pair| ChatMessage::Tool {
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
        RequestPart::Reply(reply) => {
            let echo = reply.echo.as_ref().map_or(0, |echo| echo.bytes());
            ASSISTANT_FRAME_BYTES + content_bytes(reply.text.size()) + 1 + echo
        }
        RequestPart::Loop(found) => loop_bytes(found),
    }
}

fn loop_bytes(found: &LoopPart) -> usize {
    let mut bytes = ASSISTANT_FRAME_BYTES + content_bytes(found.text.size()) + 1;
    bytes += CALLS_FRAME_BYTES + found.pairs.len().saturating_sub(1);
    bytes += found.echo.as_ref().map_or(0, |echo| echo.message.len());
    for pair in &found.pairs {
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
