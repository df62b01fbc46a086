//! The span of a tool call.

use std::sync::Arc;

use actors::domain::ids::{CallKey, Timestamp};
use actors::domain::message::{CallStatus, ResultMeta, Row};
use actors::ports::WireFacts;

use super::contents::{self, clip_message};
use super::otlp::SpanKind;
use super::span::{SpanPlace, TraceSpan};

const CALL_METHOD: &str = "tools/call";

/// A tool call without a result so far.
pub(super) struct OpenToolCall {
    pub(super) place: SpanPlace,
    pub(super) arguments: Option<Arc<str>>,
    /// What the newest try of it showed.
    pub(super) wire: Option<CallWire>,
    pub(super) tries: u64,
}

pub(super) struct CallWire {
    pub(super) facts: WireFacts,
    pub(super) error_type: Option<&'static str>,
}

/// The span of a call that has a result, below the span of its turn. `text` is the result, if it may
/// be told.
pub(super) fn tool_span(
    root: &TraceSpan,
    call: Option<OpenToolCall>,
    (key, row, meta): (CallKey, &Row, &ResultMeta),
    text: Option<&Arc<str>>,
) -> TraceSpan {
    let (start, root) = (root.start, root.place);
    let place = call
        .as_ref()
        .map_or_else(|| root.sibling(), |call| call.place);
    let took = i64::try_from(meta.ms.unwrap_or(0)).unwrap_or(0);
    let began = Timestamp(row.at.0.saturating_sub(took)).max(start);
    let mut span = TraceSpan::new(place, SpanKind::Internal, began);
    span.parent = Some(root.id);
    span.end = row.at;
    span.name = format!("execute_tool {}", meta.tool);
    span.set("gen_ai.operation.name", "execute_tool");
    span.set("gen_ai.tool.name", &*meta.tool);
    span.set("gen_ai.tool.call.id", &*meta.call_id);
    span.set("gen_ai.tool.type", "function");
    span.set("zoea.row", row.seq.0);
    span.set("zoea.call", key.to_string());
    span.set("zoea.call.status", meta.status.as_str());
    span.set_known("zoea.tick", meta.tick);
    let error_type = match meta.status {
        CallStatus::Done => None,
        CallStatus::Failed => Some("tool_error"),
        status @ (CallStatus::Recorded
        | CallStatus::Sent
        | CallStatus::Unknown
        | CallStatus::NotExecuted) => Some(status.as_str()),
    };
    let wire = call.as_ref().and_then(|call| call.wire.as_ref());
    if let Some(kind) = error_type {
        let reported = wire.and_then(|wire| wire.error_type);
        let message = match (text, kind) {
            (Some(text), _) => clip_message(text),
            (None, "tool_error") => "the server calls the result an error",
            (None, "not_executed") => "the call was not sent",
            (None, _) => "the call has no answer",
        };
        span.fail(reported.unwrap_or(kind), message);
    }
    if let Some(wire) = wire {
        set_wire(&mut span, wire);
    }
    if let Some(call) = &call
        && call.tries > 1
    {
        span.set("zoea.call.tries", call.tries);
    }
    if let Some(text) = text {
        let arguments = call.and_then(|call| call.arguments);
        let arguments = arguments.as_deref().map(contents::clip_text);
        span.set_known("gen_ai.tool.call.arguments", arguments);
        span.set("gen_ai.tool.call.result", contents::clip_text(text));
    }
    span
}

fn set_wire(span: &mut TraceSpan, wire: &CallWire) {
    let facts = &wire.facts;
    span.work = SpanKind::Client;
    span.set("mcp.method.name", CALL_METHOD);
    let version = facts.protocol_version.as_deref().map(clip_message);
    span.set_known("mcp.protocol.version", version);
    span.set_known("network.transport", facts.transport);
    let code = facts.error_code.map(|code| code.to_string());
    span.set_known("rpc.response.status_code", code);
}
