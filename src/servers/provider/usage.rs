//! What a call used, read as its server means it.
//!
//! Servers count differently: some count what came from a cache beside the prompt and not in it, some
//! count thoughts in the total alone. In doubt more is counted, so that a budget holds.

use actors::domain::model::{AnswerFacts, TokenUsage};
use zoea_http::raw_json::{as_text, member, member_at};

/// The places of the tokens that came from a cache.
const CACHED_PLACES: [&[&str]; 6] = [
    &["prompt_tokens_details", "cached_tokens"],
    &["input_tokens_details", "cached_tokens"],
    &["prompt_cache_hit_tokens"],
    CACHE_READS,
    &["cached_tokens"],
    &["num_cached_tokens"],
];
const CACHE_READS: &[&str] = &["cache_read_input_tokens"];
const CACHE_WRITES: &[&str] = &["cache_creation_input_tokens"];
const REASONING_PLACES: [&[&str]; 2] = [
    &["completion_tokens_details", "reasoning_tokens"],
    &["output_tokens_details", "reasoning_tokens"],
];

/// The usage of a call, if the server reports it.
pub(super) fn parse_usage(usage: &str) -> Option<TokenUsage> {
    let count = |path: &[&str]| member_at(usage, path).and_then(parse_tokens);
    let most = |places: &[&[&str]]| places.iter().filter_map(|path| count(path)).max();
    let total = count(&["total_tokens"]);
    let output = count(&["completion_tokens"]).or_else(|| count(&["output_tokens"]));
    let input = count(&["prompt_tokens"]).or_else(|| count(&["input_tokens"]));
    if input.is_none() && output.is_none() {
        return None;
    }
    // A zero in one place says nothing of the others.
    let cached = most(&CACHED_PLACES).unwrap_or(0);
    let written = count(CACHE_WRITES).unwrap_or(0);
    let thoughts = most(&REASONING_PLACES).unwrap_or(0);
    let output = output.unwrap_or(0);
    // Thoughts that are more than the answer are not in it.
    let output = match thoughts > output {
        true => output.saturating_add(thoughts),
        false => output,
    };
    let input = input.unwrap_or_else(|| total.unwrap_or(0).saturating_sub(output));
    let beyond = total.map(|total| total.saturating_sub(input.saturating_add(output)));
    let beside = beside_prompt(usage, (input, thoughts), (cached, written), beyond);
    // What is left of the total is thoughts, which are paid as an answer.
    let left = beyond.map_or(0, |beyond| beyond.saturating_sub(beside));
    Some(TokenUsage {
        input: input.saturating_add(beside),
        output: output.saturating_add(left),
        cached,
    })
}

/// The tokens of a cache that are not counted as a part of the prompt: those that fill the gap between
/// the total and its parts, and those that cannot be a part.
fn beside_prompt(
    usage: &str,
    (input, thoughts): (u64, u64),
    (cached, written): (u64, u64),
    beyond: Option<u64>,
) -> u64 {
    let both = cached.saturating_add(written);
    let fills = |beyond: u64, tokens: u64| {
        tokens > 0 && (tokens == beyond || tokens.saturating_add(thoughts) == beyond)
    };
    // Anthropic's own names mean tokens beside the prompt.
    let is_anthropic = member(usage, "prompt_tokens").is_none()
        && [CACHE_READS, CACHE_WRITES]
            .iter()
            .any(|path| member_at(usage, path).is_some());
    match beyond {
        _ if cached > input => both,
        None if is_anthropic => both,
        None | Some(0) => 0,
        Some(beyond) if beyond == thoughts => 0,
        Some(beyond) => {
            let mut sums = [both, cached, written].into_iter();
            sums.find(|tokens| fills(beyond, *tokens)).unwrap_or(0)
        }
    }
}

/// What two parts of an answer say of its usage, together: some say each figure in another part, and
/// some end with zeros.
pub(super) fn larger_usage(
    one: Option<TokenUsage>,
    other: Option<TokenUsage>,
) -> Option<TokenUsage> {
    let (Some(one), Some(other)) = (one, other) else {
        return one.or(other);
    };
    Some(TokenUsage {
        input: one.input.max(other.input),
        output: one.output.max(other.output),
        cached: one.cached.max(other.cached),
    })
}

/// Notes the parts of a usage that only observers want, where the server reports them.
pub(super) fn note_usage_details(usage: &str, facts: &mut AnswerFacts) {
    let count = |path: &[&str]| member_at(usage, path).and_then(parse_tokens);
    let reasoning = REASONING_PLACES.into_iter().find_map(count);
    let written =
        count(&["prompt_tokens_details", "cache_write_tokens"]).or_else(|| count(CACHE_WRITES));
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Input, output and cached tokens.
    fn read(usage: &Value) -> Option<(u64, u64, u64)> {
        let usage = parse_usage(&usage.to_string())?;
        Some((usage.input, usage.output, usage.cached))
    }

    /// Input, output and cached tokens, and the usage that tells them.
    const USAGES: &str = r#"
# A zero in one place hides no figure in another.
900 30 768 | {"prompt_tokens": 900, "completion_tokens": 30, "total_tokens": 930, "prompt_tokens_details": {"cached_tokens": 0}, "prompt_cache_hit_tokens": 768}
# What came from the cache fills the gap to the total.
8012 30 8000 | {"prompt_tokens": 12, "completion_tokens": 30, "total_tokens": 8042, "cache_read_input_tokens": 8000, "prompt_tokens_details": {"cached_tokens": 0}}
17000 30 8000 | {"prompt_tokens": 9000, "completion_tokens": 30, "total_tokens": 17030, "cache_read_input_tokens": 8000}
9012 30 8000 | {"prompt_tokens": 12, "completion_tokens": 30, "total_tokens": 9042, "cache_read_input_tokens": 8000, "cache_creation_input_tokens": 1000}
1012 30 0 | {"prompt_tokens": 12, "completion_tokens": 30, "total_tokens": 1042, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 1000}
# Beside it thoughts.
8012 230 8000 | {"prompt_tokens": 12, "completion_tokens": 30, "total_tokens": 8242, "cache_read_input_tokens": 8000, "completion_tokens_details": {"reasoning_tokens": 200}}
# A prompt that is smaller than its cached part does not hold it.
8012 30 8000 | {"prompt_tokens": 12, "completion_tokens": 30, "total_tokens": 42, "cached_tokens": 8000}
# Anthropic's own form.
17500 30 8000 | {"input_tokens": 9000, "output_tokens": 30, "cache_read_input_tokens": 8000, "cache_creation_input_tokens": 500}
# LiteLLM's: both are in the prompt.
9000 30 8000 | {"prompt_tokens": 9000, "completion_tokens": 30, "total_tokens": 9030, "cache_read_input_tokens": 8000, "cache_creation_input_tokens": 500, "prompt_tokens_details": {"cached_tokens": 8000}}
# Gemini's thoughts are in the total alone, xAI's beside the answer.
812 231 0 | {"prompt_tokens": 812, "completion_tokens": 31, "total_tokens": 1043}
9000 231 8000 | {"prompt_tokens": 9000, "completion_tokens": 31, "total_tokens": 9231, "prompt_tokens_details": {"cached_tokens": 8000}, "completion_tokens_details": {"reasoning_tokens": 200}}
9000 231 0 | {"prompt_tokens": 9000, "completion_tokens": 31, "completion_tokens_details": {"reasoning_tokens": 200}}
900 30 512 | {"input_tokens": 900, "output_tokens": 30, "input_tokens_details": {"cached_tokens": 512}}
900 30 0 | {"completion_tokens": 30, "total_tokens": 930}
"#;

    #[test]
    fn usage_is_read_as_its_server_means_it() {
        for line in USAGES.trim().lines().filter(|line| !line.starts_with('#')) {
            let (expected, usage) = line.split_once(" | ").unwrap();
            let usage = read(&serde_json::from_str(usage).unwrap());
            let usage = usage.map(|(input, output, cached)| format!("{input} {output} {cached}"));
            assert_eq!(usage.as_deref(), Some(expected), "{line}");
        }
        assert_eq!(read(&json!({"total_tokens": 7})), None);
    }
}
