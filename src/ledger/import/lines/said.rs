//! What the model said and what it cost, as an export has it.

use std::sync::Arc;

use actors::domain::books::Charge;
use actors::domain::bounds;
use actors::domain::ids::Seq;
use actors::domain::message::{ReplyMeta, Utterance};
use actors::domain::model::Usage;
use serde_json::Value;

use super::members::{count, word_of};

pub(super) fn utterance(line: &Value, text: Arc<str>) -> Utterance {
    let meta = &line["metadata"];
    Utterance {
        text,
        reasoning: line["reasoning"].as_str().map(Into::into),
        // One that does not tell had seen all before it.
        horizon: Seq(line["horizon"]
            .as_i64()
            .or(line["seq"].as_i64())
            .unwrap_or(0)
            .clamp(0, bounds::MAX_PLACE)),
        meta: ReplyMeta {
            usage: usage_of(meta),
            ms: count(meta, "ms"),
            model: word_of(meta, "model").into(),
            provider: word_of(meta, "provider").into(),
            finish_reason: meta["finish_reason"].as_str().map(Into::into),
            cost_micros: cost_of(meta),
        },
    }
}

fn usage_of(meta: &Value) -> Option<Usage> {
    let usage = &meta["usage"];
    usage.is_object().then(|| {
        bounds::usage_of_a_call(Usage {
            input: count(usage, "input"),
            output: count(usage, "output"),
            cached: count(usage, "cached"),
        })
    })
}

fn cost_of(meta: &Value) -> Option<u64> {
    meta["cost_micros"].as_u64().map(bounds::cost_of_a_call)
}

/// What a host notice says that a model call cost.
pub(super) fn bill(meta: &Value) -> Option<Charge> {
    usage_of(meta).map(|usage| Charge {
        provider: word_of(meta, "provider").into(),
        usage,
        cost_micros: cost_of(meta),
    })
}
