//! Recognises from a refusal's text what the server refuses, so that the request can be repeated in
//! another form. Servers have nothing in common except that they answer in English.

use std::sync::Arc;

use actors::domain::model::ContextLimit;
use actors::domain::tool::Toolset;

/// Texts of servers, or of their models' templates, that refuse a system message. Those with the
/// last texts do not distinguish it from other messages that are out of order.
const SYSTEM_MESSAGE_WORDS: [&str; 11] = [
    "system role not supported",
    "system role is not supported",
    "developer instruction is not enabled",
    "only user and assistant roles are supported",
    "system message must be at the begin",
    "system message must be the first",
    "system message should be the first",
    "exactly one system message",
    "only one system message",
    "system role must be first",
    "conversation roles must alternate",
];
/// A text of servers that do accept a system message, whatever else they say.
const KNOWS_SYSTEM: &str = "optional system message";

/// Texts of servers and templates that refuse the order of messages. If the roles must alternate, the
/// system message may be at fault, too.
const ORDER_WORDS: [&str; 8] = [
    "after role 'tool'",
    "after role \"tool\"",
    "invalid_request_message_order",
    "roles must alternate",
    "roles should alternate",
    "function response turn",
    "tool messages must be followed by",
    "tool message must be followed by",
];

const CALL_ID_WORDS: [&str; 4] = ["tool call id", "tool_call_id", "tool_use.id", "].id'"];
const ID_RULE_WORDS: [&str; 5] = [
    "length of 9",
    "alphanumeric",
    "string too long",
    "maximum length",
    "match pattern",
];

/// Texts of model templates that accept one call in a message.
const SINGLE_CALL_WORDS: [&str; 2] = ["single tool-calls at once", "single tool call at once"];

/// Texts of servers that accept either text or calls in a message.
const BARE_CALL_WORDS: [&str; 1] = ["either content or tool_calls, but not both"];

/// Texts of servers that require the model's reasoning.
const REASONING_WORDS: [&str; 3] = [
    "in the thinking mode must be passed back",
    "missing `reasoning_content` field",
    "reasoning_content is missing",
];

/// Texts of servers whose model wrote a call that they do not accept.
const REFUSED_CALL_WORDS: [&str; 2] = ["tool call validation failed", "failed to call a function"];

/// Texts of servers that were started without support for tools, and the remedy.
const START_WORDS: [(&str, &str); 3] = [
    ("requires --jinja", "start llama.cpp's server with --jinja"),
    (
        "enable-auto-tool-choice",
        "start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model",
    ),
    (
        "tool-call-parser",
        "start the server with the --tool-call-parser of the model",
    ),
];

/// The text of LiteLLM's proxy without a database for a key that is not its own.
const NO_KEY_DATABASE: &str = "no connected db";

/// The text of OpenAI, with status 400, where a model that thinks had no room left for an answer.
const SPENT_ANSWER: &str = "model output limit was reached";

/// Texts of servers that do not stream, or not for this model, or not with tools.
const STREAMING_WORDS: [&str; 14] = [
    "stream_options",
    "include_usage",
    "'stream'",
    "`stream`",
    "\"stream\"",
    "parameter: stream",
    "tools with stream",
    "stream with tools",
    "to stream this model",
    "stream is not supported",
    "streaming is not",
    "streaming not supported",
    "not support stream",
    "stream mode is not",
];

/// Words without which a refusal is not about tools.
const TOOL_WORDS: [&str; 5] = ["schema", "function", "input_schema", "tools[", "tools."];

/// Words for calls in messages, and those that mean definitions all the same.
const MESSAGE_WORDS: [&str; 4] = ["tool_calls", "tool_call_id", "messages.", "messages["];
const DEFINITION_WORDS: [&str; 4] = ["schema", "declaration", "tools[", "tools."];

/// Characters that may enclose a name in a sentence.
const QUOTES: [char; 4] = ['\'', '"', '`', '\\'];

pub(super) fn holds(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// The tokens of a request that is larger than what the account may use in a minute, and that limit:
/// `… on tokens per minute (TPM): Limit 12000, Requested 14137, …`. Such a request never passes,
/// however long one waits.
pub(super) fn beyond_a_minute(text: &str) -> Option<ContextLimit> {
    let text = text.to_lowercase();
    let (_, rest) = text.split_once("request too large")?;
    let number = |name: &str| -> Option<u64> {
        let (_, rest) = rest.split_once(name)?;
        let end = rest.find(|sign: char| !sign.is_ascii_digit())?;
        rest[..end].parse().ok()
    };
    let (context, prompt) = (number("limit ")?, number("requested ")?);
    (0 < context && context < prompt).then_some(ContextLimit { prompt, context })
}

/// Whether the model's own call was refused.
pub(super) fn is_about_a_call(text: &str) -> bool {
    holds(text, &REFUSED_CALL_WORDS)
}

/// What helps where the server was started without support for tools.
pub(super) fn missing_start_option(text: &str) -> Option<&'static str> {
    let found = START_WORDS.iter().find(|(words, _)| holds(text, &[words]));
    found.map(|(_, remedy)| *remedy)
}

/// Whether the key is missing or refused, although the server says nothing of keys.
pub(super) fn is_about_key(text: &str) -> bool {
    holds(text, &[NO_KEY_DATABASE])
}

/// Whether the field for the longest answer was refused, and the newer one is wanted.
pub(super) fn is_about_answer_limit(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("'max_tokens'") && text.contains("max_completion_tokens")
}

/// Whether tools are refused unless the model is told not to reason.
pub(super) fn is_about_effort(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("reasoning_effort") && text.contains("'none'")
}

pub(super) fn is_about_system_messages(text: &str) -> bool {
    holds(text, &SYSTEM_MESSAGE_WORDS) && !holds(text, &[KNOWS_SYSTEM])
}

pub(super) fn is_about_order(text: &str) -> bool {
    holds(text, &ORDER_WORDS)
}

pub(super) fn is_about_call_ids(text: &str) -> bool {
    holds(text, &CALL_ID_WORDS) && holds(text, &ID_RULE_WORDS)
}

pub(super) fn is_about_several_calls(text: &str) -> bool {
    holds(text, &SINGLE_CALL_WORDS)
}

pub(super) fn is_about_words_beside_calls(text: &str) -> bool {
    holds(text, &BARE_CALL_WORDS)
}

/// Whether the request was refused because the model's reasoning is missing.
pub(super) fn is_about_reasoning(text: &str) -> bool {
    holds(text, &REASONING_WORDS)
}

/// Whether the request was refused because the signature of a thought is missing.
pub(super) fn is_about_signatures(text: &str) -> bool {
    holds(text, &["thought_signature"]) && holds(text, &["missing"])
}

/// Whether the temperature may be what is refused. Servers have many words for it, and a request can do
/// without one.
pub(super) fn is_about_temperature(text: &str) -> bool {
    holds(text, &["temperature"])
}

/// Whether the request was served, but the longest answer was over before the model wrote anything.
pub(super) fn is_about_spent_answer(text: &str) -> bool {
    holds(text, &[SPENT_ANSWER])
}

pub(super) fn is_about_streaming(text: &str) -> bool {
    holds(text, &STREAMING_WORDS)
}

/// Whether a text is about tools, as far as its words tell.
pub(super) fn is_about_tools(text: &str) -> bool {
    holds(text, &TOOL_WORDS)
}

/// The tools whose definitions were refused, identified by name or by their index in the request.
pub(super) fn refused_tools(text: &str, sent: &[&str]) -> Vec<Arc<str>> {
    let is_about_messages = holds(text, &MESSAGE_WORDS) && !holds(text, &DEFINITION_WORDS);
    if !is_about_tools(text) || is_about_messages {
        return Vec::new();
    }
    let named = sent.iter().filter(|name| is_named(text, name));
    let mut refused: Vec<Arc<str>> = named.map(|name| Arc::from(*name)).collect();
    if refused.is_empty() {
        let places = places(text).into_iter();
        refused = places
            .filter_map(|place| sent.get(place).map(|name| Arc::from(*name)))
            .collect();
    }
    refused.sort();
    refused.dedup();
    refused
}

pub(super) fn names(tools: &Toolset) -> Vec<&str> {
    tools.tools().iter().map(|tool| &*tool.name).collect()
}

/// Whether a text contains a tool's name in quotes. Without quotes it may be an ordinary word.
fn is_named(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let is_quote = |sign: Option<char>| sign.is_some_and(|sign| QUOTES.contains(&sign));
        is_quote(before) && is_quote(after)
    })
}

/// The indexes of tools in a text: `tools[3].function`, `tools.3.custom`, and
/// `tools[0].function_declarations[3]`, in which the second number counts.
fn places(text: &str) -> Vec<usize> {
    let inner = numbers_after(text, "function_declarations[");
    if !inner.is_empty() {
        return inner;
    }
    let mut places = numbers_after(text, "tools[");
    places.extend(numbers_after(text, "tools."));
    places
}

fn numbers_after(text: &str, mark: &str) -> Vec<usize> {
    let after = text
        .match_indices(mark)
        .map(|(at, _)| &text[at + mark.len()..]);
    let digits = |rest: &str| -> String { rest.chars().take_while(char::is_ascii_digit).collect() };
    after.filter_map(|rest| digits(rest).parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: [&str; 4] = ["mine", "get_map", "scan", "sell"];

    /// The tools at which a text points, and the text.
    const REFUSED_TOOLS: &str = r#"
get_map | Invalid schema for function 'get_map': array schema missing items.
scan | Unable to submit request because `scan` functionDeclaration `parameters.x` schema specified other fields alongside any_of.
sell | tools.3.custom.input_schema: JSON schema is invalid.
get_map | Invalid 'tools[1].function.name': string does not match
none | tools[99].function.parameters: bad schema
none | the function to mine this schema is missing
none | 'mine' is not a model
none | messages[3].tool_calls[0].function.name: 'mine' is refused
"#;

    #[test]
    fn a_refused_tool_is_found_by_its_name_or_its_place() {
        for line in REFUSED_TOOLS.trim().lines() {
            let (refused, text) = line.split_once(" | ").unwrap();
            let refused = refused.replace("none", "");
            assert_eq!(refused_tools(text, &SENT).join(" "), refused, "{text}");
        }
        let text = "Invalid value at 'request.tools[0].function_declarations[2].parameters'\n\
                    Invalid value at 'request.tools[0].function_declarations[3].parameters'";
        assert_eq!(refused_tools(text, &SENT).join(" "), "scan sell");
    }

    #[test]
    fn ordinary_refusals_are_about_none_of_it() {
        for text in [
            "no such model",
            "invalid key",
            "rate limit",
            "HTTP 400: bad request",
        ] {
            assert!(!is_about_order(text) && !is_about_system_messages(text));
            assert!(!is_about_call_ids(text) && !is_about_several_calls(text));
            assert!(!is_about_temperature(text) && refused_tools(text, &SENT).is_empty());
        }
    }
    /// Original texts of templates and interfaces.
    #[test]
    fn what_is_said_of_messages_is_understood() {
        let about = |text: &str| {
            [
                is_about_system_messages(text),
                is_about_call_ids(text),
                is_about_several_calls(text),
                is_about_words_beside_calls(text),
                is_about_reasoning(text),
            ]
        };
        for text in [
            "System role not supported",
            "Conversation roles must alternate user/assistant/user/assistant/...",
            "Only user and assistant roles are supported!",
            "Developer instruction is not enabled for models/gemma-3-27b-it",
            "Jinja Exception: System message must be at the beginning.",
        ] {
            assert_eq!(about(text), [true, false, false, false, false], "{text}");
        }
        for text in [
            "Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.",
            "Tool call IDs should be alphanumeric strings with length >= 9! (1)",
            "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with \
             maximum length 40, but got a string with length 45 instead.",
        ] {
            assert_eq!(about(text), [false, true, false, false, false], "{text}");
        }
        let single = "This model only supports single tool-calls at once!";
        assert_eq!(about(single), [false, false, true, false, false]);
        let both = "Assistant message must have either content or tool_calls, but not both.";
        assert_eq!(about(both), [false, false, false, true, false]);
        for text in [
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            "Missing `reasoning_content` field in the assistant message at message index 2.",
        ] {
            assert_eq!(about(text), [false, false, false, false, true], "{text}");
        }
        // These servers accept a system message and refuse something else.
        for text in [
            "After the optional system message, conversation roles must alternate user and \
             assistant roles except for tool calls and results",
            "Only user and assistant roles are supported, with the exception of an initial \
             optional system message!",
            "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern.",
        ] {
            assert_eq!(about(text), [false, false, false, false, false], "{text}");
        }
    }
}
