//! How answers end oddly: for a reason that only the server knows, without an end, or with an error that
//! is none.

use actors::domain::bounds::MAX_REFUSAL_BYTES;
use actors::domain::model::{ModelAnswer, RequestedCall};
use serde_json::Value;
use zoea_http::raw_json::{as_text, member};

/// Words for an end at which a model is done, or may go on.
const USUAL_ENDS: [&str; 9] = [
    "stop",
    "length",
    "tool_calls",
    "function_call",
    "end_turn",
    "eos",
    "max_tokens",
    "stop_sequence",
    "tool_use",
];

/// Whether an answer ended as answers do. What any other end means, nobody knows: filters of contents
/// and calls that the server could not read have names without end.
pub(crate) fn is_usual_end(reason: &str) -> bool {
    let mut usual = USUAL_ENDS.iter();
    usual.any(|usual| reason.eq_ignore_ascii_case(usual))
}

/// Whether the server itself says that it broke the answer off, whatever came before.
pub(super) fn is_broken_end(reason: &str) -> bool {
    let reason = reason.to_ascii_lowercase();
    let broken = ["error", "abort", "cancel", "timeout"];
    broken.iter().any(|word| reason.contains(word))
}

/// What the model is told of an answer in which nothing new came any more.
pub(super) fn runaway_text(bytes: u64) -> String {
    format!(
        "Error: endless_answer: your answer repeated itself without an end. It was cut after {bytes} \
         bytes, and nothing that it asked for was made. Say less, and call a tool of the list."
    )
}

/// The same answer whose model is told within the turn what is wrong with it: its calls are not made.
pub(super) fn rejected_in_turn(mut answer: ModelAnswer, why: String) -> ModelAnswer {
    if answer.calls.is_empty() {
        answer.calls.push(RequestedCall::default());
    }
    answer.refusal = Some(why);
    answer
}

/// Whether the member `error` of an answer says that something failed. Some servers send an empty one
/// with every piece. One without a message is none beside an answer, unless it has a code of its own.
pub(super) fn is_error(error: &str, has_answer: bool) -> bool {
    // No values are built of what is too long to be nothing.
    if error.len() > MAX_REFUSAL_BYTES {
        return true;
    }
    let Ok(error) = serde_json::from_str::<Value>(error) else {
        return true;
    };
    match &error {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) => true,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !is_nothing(text),
        Value::Array(errors) => !errors.is_empty() && errors.iter().any(says_something),
        Value::Object(members) => match members.get("message") {
            Some(Value::String(message)) if has_answer => !is_nothing(message),
            Some(_) | None => says_something(&error),
        },
    }
}

/// Whether a text stands for none.
pub(super) fn is_nothing(text: &str) -> bool {
    let text = text.trim();
    ["", "null", "none"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word))
}

/// The HTTP status that an error states, in a member or, as gateways that have promised 200 by then do, before its
/// words.
pub(super) fn stated_status(error: &str) -> Option<u16> {
    let status = |text: &str| {
        let code = text.trim().trim_matches('"').parse().ok();
        code.filter(|code: &u16| (400..600).contains(code))
    };
    let members = ["code", "status", "status_code"];
    let mut stated = members.into_iter().filter_map(|key| member(error, key));
    stated.find_map(status).or_else(|| {
        let message = member(error, "message").and_then(as_text)?;
        status(message.split_once(':')?.0)
    })
}

/// Whether anything in a value says that something failed.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) => true,
        Value::Number(number) => !matches!(number.as_u64(), Some(0 | 200)),
        Value::String(text) => !is_nothing(text),
        Value::Array(values) => values.iter().any(says_something),
        Value::Object(members) => members.values().any(says_something),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_error_is_none() {
        for none in [
            "{}",
            "\"\"",
            "false",
            "[]",
            "0",
            "null",
            "\" \"",
            "[{}]",
            r#"{"message":null}"#,
            r#"{"message":"","code":null}"#,
            r#"{"code":0,"message":"","type":""}"#,
            r#"{"code":200}"#,
        ] {
            assert!(!is_error(none, true), "{none}");
            assert!(!is_error(none, false), "{none}");
        }
        let blank = r#"{"message":"","type":"none","code":500}"#;
        assert!(!is_error(blank, true) && is_error(blank, false));
        for real in [
            r#"{"message":"overloaded"}"#,
            "\"overloaded\"",
            "true",
            r#"{"code":502}"#,
            r#"[{"message":"overloaded"}]"#,
            r#"{"message":{"text":"overloaded"}}"#,
        ] {
            assert!(is_error(real, true), "{real}");
        }
    }
}
