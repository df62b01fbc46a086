//! Reads the members of an answer in the different forms that servers use.

use actors::domain::model::{AnswerFacts, TokenUsage};
use serde_json::Value;

use zoea_http::raw_json::{as_text, for_each_element, member, member_at};

/// The most parts of a text that are read.
const MAX_PARTS_READ: usize = 4096;
/// Longer arguments are not compacted.
const MAX_COMPACTED_BYTES: usize = 64 << 10;

/// The text of a string, or of the text parts of a list.
pub(super) fn text_of(content: &str) -> String {
    if let Some(text) = as_text(content) {
        return text;
    }
    join_parts(content, |part| {
        as_text(part).or_else(|| member(part, "text").and_then(as_text))
    })
}

/// The joined texts of a list's parts, up to a limit.
fn join_parts(parts: &str, text_of: impl Fn(&str) -> Option<String>) -> String {
    let (mut joined, mut count) = (String::new(), 0);
    for_each_element(parts, |part| {
        joined += &text_of(part).unwrap_or_default();
        count += 1;
        count < MAX_PARTS_READ
    });
    joined
}

/// The reasoning among the parts of a content.
pub(super) fn thoughts_of(content: &str) -> String {
    join_parts(content, |part| member(part, "thinking").map(text_of))
}

/// Arguments as text. Some servers send the object itself.
pub(super) fn arguments_text(arguments: &str) -> String {
    if let Some(text) = as_text(arguments) {
        return text;
    }
    if arguments.len() > MAX_COMPACTED_BYTES {
        return arguments.to_string();
    }
    let compact = serde_json::from_str::<Value>(arguments).map(|value| value.to_string());
    compact.unwrap_or_else(|_| arguments.to_string())
}

/// The usage of a call, if the server reports it.
pub(super) fn parse_usage(usage: &str) -> Option<TokenUsage> {
    let count = |path: &[&str]| member_at(usage, path).and_then(parse_tokens);
    let input = count(&["prompt_tokens"]).or_else(|| count(&["input_tokens"]));
    let output = count(&["completion_tokens"]).or_else(|| count(&["output_tokens"]));
    if input.is_none() && output.is_none() {
        return None;
    }
    // Where the total exceeds the two, the difference is thoughts, which are paid as an answer.
    let total = count(&["total_tokens"]);
    let beyond_input = total.and_then(|total| total.checked_sub(input?));
    let output = output.max(beyond_input.filter(|_| output.is_some()));
    Some(TokenUsage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: [
            &["prompt_tokens_details", "cached_tokens"][..],
            &["prompt_cache_hit_tokens"],
            &["cache_read_input_tokens"],
            &["cached_tokens"],
            &["num_cached_tokens"],
        ]
        .into_iter()
        .find_map(count)
        .unwrap_or(0),
    })
}

/// Notes the parts of a usage that only observers want, where the server reports them.
pub(super) fn note_usage_details(usage: &str, facts: &mut AnswerFacts) {
    let count = |path: &[&str]| member_at(usage, path).and_then(parse_tokens);
    let reasoning = count(&["completion_tokens_details", "reasoning_tokens"])
        .or_else(|| count(&["output_tokens_details", "reasoning_tokens"]));
    let written = count(&["prompt_tokens_details", "cache_write_tokens"])
        .or_else(|| count(&["cache_creation_input_tokens"]));
    facts.reasoning_tokens = reasoning.or(facts.reasoning_tokens);
    facts.cache_write_tokens = written.or(facts.cache_write_tokens);
}

/// The cost of a call in millionths of a US dollar, if the usage states it: as a number, as one of the
/// parts of a cost, or as an estimate. Where the caller's own account at the server behind pays, that
/// is a part of its own.
pub(super) fn parse_cost(usage: &str) -> Option<u64> {
    let dollars = |path: &[&str]| member_at(usage, path).and_then(parse_dollars);
    let own = dollars(&["cost"])
        .or_else(|| dollars(&["cost", "total_cost"]))
        .or_else(|| dollars(&["estimated_cost"]));
    let is_paid_behind = member(usage, "is_byok") == Some("true");
    let behind = dollars(&["cost_details", "upstream_inference_cost"]);
    match behind.filter(|_| is_paid_behind) {
        Some(behind) => Some(own.unwrap_or(0).saturating_add(behind)),
        None => own,
    }
}

/// Dollars as millionths, rounded.
pub(super) fn parse_dollars(json: &str) -> Option<u64> {
    let written = as_text(json);
    let dollars: f64 = written.as_deref().unwrap_or(json).trim().parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and what is too large becomes the largest"
    )]
    (dollars >= 0.0).then(|| (dollars * 1e6).round() as u64)
}

/// A number of tokens, which may be written as a string or with a decimal point. A negative one is
/// invalid, and one that is too large becomes the maximum.
fn parse_tokens(json: &str) -> Option<u64> {
    let written = as_text(json);
    let written = written.as_deref().unwrap_or(json).trim();
    if let Ok(count) = written.parse() {
        return Some(count);
    }
    let count: f64 = written.parse().ok().filter(|count: &f64| !count.is_nan())?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and what is too large becomes the largest"
    )]
    (count.trunc().total_cmp(&count).is_eq() && count >= 0.0).then_some(count as u64)
}
