//! The span of a model call.

use actors::domain::ids::Seq;
use actors::domain::message::{CallRecord, Utterance};
use actors::domain::model::{ModelAnswer, TokenUsage};

use crate::telemetry::observation::{ModelCallEnd, ModelCallReport};

use super::contents;
use super::otlp::SpanKind;
use super::span::{SpanPlace, TraceSpan};

/// The attribute that a chat gets with its row.
const ROW: &str = "zoea.row";

/// The span of a call that is over. The row of its answer completes it.
pub(super) fn chat_span(
    place: SpanPlace,
    parent: u64,
    call: &ModelCallReport<'_>,
    has_contents: bool,
) -> TraceSpan {
    let mut span = TraceSpan::new(place, SpanKind::Client, call.began);
    span.parent = Some(parent);
    span.end = call.ended;
    span.name = format!("chat {}", call.request.model);
    span.set("gen_ai.operation.name", "chat");
    if let Some(turn) = call.turn {
        span.set("gen_ai.conversation.id", turn.mysis.to_string());
    }
    set_request(&mut span, call);
    match call.end {
        ModelCallEnd::Answered(answer) => set_answer(&mut span, call, answer),
        ModelCallEnd::Failed(fault) => {
            if let Some(usage) = fault.usage() {
                set_usage(&mut span, usage);
            }
            // What passes by itself has many causes, and the status tells them apart.
            let outcome = call.end.outcome();
            let status = http_status(fault.text()).filter(|_| outcome == "transient");
            span.fail(
                status.as_deref().unwrap_or(outcome),
                contents::clip_message(fault.text()),
            );
        }
        ModelCallEnd::TimedOut => {
            span.fail(call.end.outcome(), "the answer took too long");
        }
        ModelCallEnd::Aborted => {
            span.fail(call.end.outcome(), "the call was cancelled");
        }
    }
    if has_contents {
        let messages = contents::input_contents(&call.request.messages);
        span.set("gen_ai.system_instructions", messages.instructions);
        span.set("gen_ai.input.messages", messages.messages);
        if messages.left_out > 0 {
            span.set("zoea.input.messages_left_out", messages.left_out as u64);
        }
        if messages.calls_left_out > 0 {
            let left_out = messages.calls_left_out as u64;
            span.set("zoea.input.calls_left_out", left_out);
        }
    }
    span
}

/// The status of HTTP with which a server refused a call, as the conventions have it.
fn http_status(text: &str) -> Option<String> {
    let digits = text.split("HTTP ").nth(1)?.get(..3)?;
    let is_status = digits.bytes().all(|letter| letter.is_ascii_digit());
    is_status.then(|| digits.to_string())
}

fn set_request(span: &mut TraceSpan, call: &ModelCallReport<'_>) {
    let request = call.request;
    span.set("gen_ai.request.model", &*request.model);
    let temperature = request.temperature.map(f64::from);
    span.set_known("gen_ai.request.temperature", temperature);
    let limit = request.max_tokens.map(u64::from);
    span.set_known("gen_ai.request.max_tokens", limit);
    span.set("zoea.provider", &*request.provider);
    match call.server {
        Some(server) => {
            span.set("gen_ai.provider.name", &*server.provider_name);
            span.set("server.address", &*server.address);
            span.set("server.port", u64::from(server.port));
        }
        None => span.set("gen_ai.provider.name", &*request.provider),
    }
    if let Some(wait) = call.first_chunk {
        span.set("gen_ai.request.stream", true);
        span.set("gen_ai.response.time_to_first_chunk", wait.as_secs_f64());
    }
}

fn set_answer(span: &mut TraceSpan, call: &ModelCallReport<'_>, answer: &ModelAnswer) {
    let facts = &answer.facts;
    if facts.is_streamed {
        span.set("gen_ai.request.stream", true);
    }
    span.set_known("gen_ai.response.id", facts.id.as_deref());
    let model = answer.model.as_deref();
    span.set(
        "gen_ai.response.model",
        model.unwrap_or(&call.request.model),
    );
    let reason = answer.finish_reason.clone();
    span.set_list("gen_ai.response.finish_reasons", reason);
    if let Some(usage) = answer.usage {
        set_usage(span, usage);
        span.set("gen_ai.usage.cache_read.input_tokens", usage.cached);
    }
    let (reasoning, written) = (facts.reasoning_tokens, facts.cache_write_tokens);
    span.set_known("gen_ai.usage.reasoning.output_tokens", reasoning);
    span.set_known("gen_ai.usage.cache_write.input_tokens", written);
    // The name that older readers know.
    span.set_known("gen_ai.usage.cache_creation.input_tokens", written);
}

fn set_usage(span: &mut TraceSpan, usage: TokenUsage) {
    span.set("gen_ai.usage.input_tokens", usage.input);
    span.set("gen_ai.usage.output_tokens", usage.output);
}

/// Completes the newest answered call among these spans with the row that holds its answer. Returns
/// the bytes of what was said.
pub(super) fn complete_chat(
    spans: &mut [TraceSpan],
    seq: Seq,
    said: &Utterance,
    calls: &[CallRecord],
    has_contents: bool,
) -> usize {
    let waits = |span: &&mut TraceSpan| span.has("gen_ai.response.model") && !span.has(ROW);
    let Some(span) = spans.iter_mut().rev().find(waits) else {
        return 0;
    };
    span.set(ROW, seq.0);
    #[expect(clippy::cast_precision_loss, reason = "no call costs so much")]
    let cost = said.meta.cost_micros.map(|micros| micros as f64 / 1e6);
    span.set_known("zoea.cost_usd", cost);
    if !has_contents {
        return 0;
    }
    let (messages, left_out) = contents::output_messages(said, calls);
    let bytes = messages.len();
    span.set("gen_ai.output.messages", messages);
    if left_out > 0 {
        span.set("zoea.output.calls_left_out", left_out as u64);
    }
    bytes
}
