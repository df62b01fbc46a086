//! Replies of the model and their cost in an export.

use std::sync::Arc;

use actors::domain::bounds;
use actors::domain::ids::Seq;
use actors::domain::message::{ReplyMeta, Utterance};
use actors::domain::model::{Charge, TokenUsage};
use serde_json::Value;

use super::members::{count_or_zero, text_or_empty};

pub(super) fn parse_utterance(line: &Value, text: Arc<str>) -> Utterance {
    let meta = &line["metadata"];
    Utterance {
        text,
        reasoning: line["reasoning"].as_str().map(Into::into),
        // A reply without this member was given after the model had seen all earlier rows.
        seen_up_to: Seq(line["horizon"]
            .as_i64()
            .or(line["seq"].as_i64())
            .unwrap_or(0)
            .clamp(0, bounds::MAX_PLACE)),
        meta: ReplyMeta {
            usage: usage_of(meta),
            ms: count_or_zero(meta, "ms"),
            model: text_or_empty(meta, "model").into(),
            provider: text_or_empty(meta, "provider").into(),
            finish_reason: meta["finish_reason"].as_str().map(Into::into),
            cost_micros: cost_of(meta),
            echo: None,
            is_from_text: meta["from_text"] == true,
        },
    }
}

fn usage_of(meta: &Value) -> Option<TokenUsage> {
    let usage = &meta["usage"];
    usage.is_object().then(|| {
        bounds::usage_of_a_call(TokenUsage {
            input: count_or_zero(usage, "input"),
            output: count_or_zero(usage, "output"),
            cached: count_or_zero(usage, "cached"),
        })
    })
}

fn cost_of(meta: &Value) -> Option<u64> {
    meta["cost_micros"].as_u64().map(bounds::cost_of_a_call)
}

/// The cost of a model call that a host notice carries.
pub(super) fn parse_bill(meta: &Value) -> Option<Charge> {
    usage_of(meta).map(|usage| Charge {
        provider: text_or_empty(meta, "provider").into(),
        usage,
        cost_micros: cost_of(meta),
    })
}
