//! How answers end oddly: with a call that the server could not read, without an end, or with an error
//! that is none.

use actors::domain::bounds::MAX_REFUSAL_BYTES;
use actors::domain::model::{ModelAnswer, RequestedCall};
use serde_json::Value;

/// Words for a call in a reason for which an answer ended, and words that say that it is a bad one.
const CALL_WORDS: [&str; 3] = ["functioncall", "toolcall", "tooluse"];
const BAD_WORDS: [&str; 9] = [
    "malformed",
    "invalid",
    "unexpected",
    "toomany",
    "failed",
    "error",
    "parse",
    "unknown",
    "bad",
];

/// Whether an answer ended because its model wrote a call that the server could not read:
/// `MALFORMED_FUNCTION_CALL` in any spelling, and the like.
pub(super) fn is_bad_call(reason: &str) -> bool {
    let letters = reason.chars().filter(char::is_ascii_alphanumeric);
    let letters: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    let holds = |words: &[&str]| words.iter().any(|word| letters.contains(word));
    holds(&CALL_WORDS) && holds(&BAD_WORDS)
}

/// What the model is told of a call that its server could not read.
pub(super) fn bad_call_text(reason: &str) -> String {
    format!(
        "Error: malformed_call: the model server could not read the call that you wrote ({reason}), \
         so none was made. Call again, with a tool of the list and arguments by its schema."
    )
}

/// What the model is told of an answer in which nothing new came any more.
pub(super) fn runaway_text(bytes: u64) -> String {
    format!(
        "Error: endless_answer: your answer repeated itself without an end. It was cut after {bytes} \
         bytes, and nothing that it asked for was made. Say less, and call a tool of the list."
    )
}

/// The same answer whose model is told within the turn what is wrong with it: its calls are not made.
pub(super) fn told_in_turn(mut answer: ModelAnswer, why: String) -> ModelAnswer {
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

fn is_nothing(text: &str) -> bool {
    let text = text.trim();
    ["", "null", "none"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word))
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
    fn a_reason_that_means_a_bad_call_is_known_in_any_spelling() {
        for reason in [
            "MALFORMED_FUNCTION_CALL",
            "function_call_filter: MALFORMED_FUNCTION_CALL",
            "malformedFunctionCall",
            "FinishReason.MALFORMED_FUNCTION_CALL",
            "Malformed Function Call",
            "UNEXPECTED_TOOL_CALL",
            "TOO_MANY_TOOL_CALLS",
            "tool_use_failed",
            "tool_call_parse_error",
            "invalid-tool-call",
        ] {
            assert!(is_bad_call(reason), "{reason}");
        }
        for reason in [
            "tool_calls",
            "function_call",
            "stop",
            "length",
            "content_filter",
            "tool_use",
            "error",
            "MAX_TOKENS",
            "",
        ] {
            assert!(!is_bad_call(reason), "{reason}");
        }
    }

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
