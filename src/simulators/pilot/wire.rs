//! The OpenAI wire format: a completion as JSON, and as the events of a stream.

mod events;

pub(super) use events::stream_events;

use serde_json::{Value, json};

use super::answer::{PilotAnswer, PilotFinish, PilotToolCall};

/// The token counts of one exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct WireUsage {
    pub(super) prompt: u64,
    pub(super) completion: u64,
    /// The part of `prompt` that came from the cache.
    pub(super) cached: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CompletionStamp<'a> {
    pub(super) id: u64,
    /// Seconds since 1970.
    pub(super) created: u64,
    pub(super) model: &'a str,
}

pub(super) fn completion_json(
    answer: &PilotAnswer,
    stamp: CompletionStamp<'_>,
    usage: WireUsage,
) -> Value {
    let mut message = json!({
        "role": "assistant",
        "content": answer.content,
        "reasoning_content": answer.reasoning,
        "refusal": null,
    });
    if !answer.calls.is_empty() {
        message["tool_calls"] = answer.calls.iter().map(call_json).collect();
    }
    json!({
        "id": format!("chatcmpl-{:016x}", stamp.id),
        "object": "chat.completion",
        "created": stamp.created,
        "model": stamp.model,
        "system_fingerprint": "pilot",
        "choices": [{
            "index": 0,
            "message": message,
            "logprobs": null,
            "finish_reason": finish_reason(answer),
        }],
        "usage": {
            "prompt_tokens": usage.prompt,
            "completion_tokens": usage.completion,
            "total_tokens": usage.prompt + usage.completion,
            "prompt_tokens_details": {"cached_tokens": usage.cached},
        },
    })
}

fn call_json(call: &PilotToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    })
}

/// The reason for the end: the limit if it was reached, else whether there are calls.
fn finish_reason(answer: &PilotAnswer) -> &'static str {
    match answer.finish {
        PilotFinish::Length => PilotFinish::Length.as_str(),
        PilotFinish::Stop | PilotFinish::ToolCalls if answer.calls.is_empty() => {
            PilotFinish::Stop.as_str()
        }
        PilotFinish::Stop | PilotFinish::ToolCalls => PilotFinish::ToolCalls.as_str(),
    }
}

/// The token counts in a completion, where they are valid.
pub(super) fn reported_usage(completion: &Value) -> Option<WireUsage> {
    let usage = &completion["usage"];
    Some(WireUsage {
        prompt: usage["prompt_tokens"].as_u64()?,
        completion: usage["completion_tokens"].as_u64()?,
        cached: usage["prompt_tokens_details"]["cached_tokens"]
            .as_u64()
            .unwrap_or(0),
    })
}
