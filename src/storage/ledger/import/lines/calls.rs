//! Replies, calls and results in an export.

use std::sync::Arc;

use actors::domain::bounds;
use actors::domain::ids::Seq;
use actors::domain::message::{CallRecord, CallStatus, RowBody, Utterance};
use serde_json::Value;

use crate::metadata;

use super::members::{call_key, required_text};

/// The most calls of one row. No version ever stored as many.
const MAX_CALLS: usize = 10_000;

pub(super) fn has_calls(line: &Value) -> bool {
    line["tool_calls"]
        .as_array()
        .is_some_and(|calls| !calls.is_empty())
}

pub(super) fn parse_calls(line: &Value) -> Result<Vec<CallRecord>, String> {
    let calls = line["tool_calls"].as_array();
    let count = calls.map_or(0, Vec::len);
    if count > MAX_CALLS {
        return Err(format!(
            "`tool_calls` holds {count}; allowed: up to {MAX_CALLS}"
        ));
    }
    calls
        .into_iter()
        .flatten()
        .map(|call| {
            let status = required_text(call, "status")?;
            Ok(CallRecord {
                id: required_text(call, "id")?.into(),
                name: required_text(call, "name")?.into(),
                arguments: required_text(call, "arguments")?.into(),
                status: CallStatus::parse(status)
                    .ok_or_else(|| format!("`{status}` is not a status of a call"))?,
                read_only: call["read_only"].as_bool().unwrap_or(false),
                routine: call["routine"].as_str().map(Into::into),
            })
        })
        .collect()
}

pub(super) fn parse_result(line: &Value, text: Arc<str>) -> Result<RowBody, String> {
    let meta = metadata::of_result(&line["metadata"], &text);
    Ok(RowBody::Result {
        call: call_key(&line["answers"], 1)?,
        meta: meta.ok_or("a result has no status")?,
        text,
    })
}

pub(super) fn parse_utterance(line: &Value, text: Arc<str>) -> Utterance {
    Utterance {
        text,
        reasoning: line["reasoning"].as_str().map(Into::into),
        // A reply without this member was given after the model had seen all earlier rows.
        seen_up_to: Seq(line["horizon"]
            .as_i64()
            .or(line["seq"].as_i64())
            .unwrap_or(0)
            .clamp(0, bounds::MAX_PLACE)),
        meta: metadata::of_reply(&line["metadata"]).into(),
    }
}
