//! Calls and results in an export.

use std::sync::Arc;

use actors::domain::game::GameRef;
use actors::domain::message::{CallRecord, CallStatus, ResultMeta, RowBody};
use serde_json::Value;

use super::members::{call_key, count_or_zero, required_text, text_or_empty};

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
                    .ok_or_else(|| format!("`{status}` is no status of a call"))?,
                read_only: call["read_only"].as_bool().unwrap_or(false),
                routine: call["routine"].as_str().map(Into::into),
            })
        })
        .collect()
}

pub(super) fn parse_result(line: &Value, text: Arc<str>) -> Result<RowBody, String> {
    let (meta, answers) = (&line["metadata"], &line["answers"]);
    let status =
        CallStatus::parse(text_or_empty(meta, "status")).filter(|status| !status.is_open());
    Ok(RowBody::Result {
        call: call_key(answers, 1)?,
        meta: ResultMeta {
            call_id: text_or_empty(meta, "call_id").into(),
            tool: text_or_empty(meta, "tool").into(),
            status: status.ok_or("a result has no status")?,
            ms: count_or_zero(meta, "ms"),
            tick: meta["tick"].as_i64(),
            bytes: meta["bytes"].as_u64().unwrap_or(text.len() as u64),
            game: GameRef::of_key(meta["game"].as_str()),
        },
        text,
    })
}
