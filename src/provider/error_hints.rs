//! Complaints: what a server's refusal is about, where its words tell, so that the request can be
//! written otherwise and asked again. Servers agree on nothing but that they answer in English.

use actors::domain::tool::Toolset;

/// Words of servers that were asked more than their model can take.
const TOO_LONG_WORDS: [&str; 13] = [
    "context_length_exceeded",
    "maximum context length",
    "exceed_context_size_error",
    "available context size",
    "context size has been exceeded",
    "context length of only",
    "exceeds the context window",
    "exceed the context window",
    "context window exceeds",
    "prompt is too long",
    "input is too long",
    "reduce the length of the messages",
    "exceeds the maximum number of tokens",
];

/// Words of servers, or of their models' templates, that take no system message where it stands. Those
/// of which the last are do not tell it from other messages that are out of turn.
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
/// Words of those that do, whatever else they say.
const KNOWS_SYSTEM: &str = "optional system message";

/// What servers call the id of a call.
const CALL_ID_WORDS: [&str; 4] = ["tool call id", "tool_call_id", "tool_use.id", "].id'"];
/// What they demand of it.
const ID_RULE_WORDS: [&str; 5] = [
    "length of 9",
    "alphanumeric",
    "string too long",
    "maximum length",
    "match pattern",
];

/// Words of models' templates that know one call in a message.
const SINGLE_CALL_WORDS: [&str; 2] = ["single tool-calls at once", "single tool call at once"];

/// Words of servers that take words or calls in a message.
const BARE_CALL_WORDS: [&str; 1] = ["either content or tool_calls, but not both"];

/// Words of servers that want to see what the model thought.
const REASONING_WORDS: [&str; 2] = [
    "in the thinking mode must be passed back",
    "missing `reasoning_content` field",
];

/// Words of models that have one temperature only.
const TEMPERATURE_WORDS: [&str; 5] = [
    "'temperature' does not support",
    "unsupported parameter: 'temperature'",
    "temperature is not supported",
    "temperature` is not supported",
    "temperature is deprecated",
];

/// Words of servers that do not answer in pieces, or not for this model, or not with tools.
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

/// Signs that stand before and after a name in a sentence.
const QUOTES: [char; 4] = ['\'', '"', '`', '\\'];

fn holds(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// Whether the request was longer than the model can take.
pub(super) fn is_too_long(text: &str) -> bool {
    holds(text, &TOO_LONG_WORDS)
}

/// Whether the system message was refused.
pub(super) fn is_about_system_messages(text: &str) -> bool {
    holds(text, &SYSTEM_MESSAGE_WORDS) && !holds(text, &[KNOWS_SYSTEM])
}

/// Whether the form of the ids of calls was refused.
pub(super) fn is_about_call_ids(text: &str) -> bool {
    holds(text, &CALL_ID_WORDS) && holds(text, &ID_RULE_WORDS)
}

/// Whether several calls in one message were refused.
pub(super) fn is_about_several_calls(text: &str) -> bool {
    holds(text, &SINGLE_CALL_WORDS)
}

/// Whether words beside calls were refused.
pub(super) fn is_about_words_beside_calls(text: &str) -> bool {
    holds(text, &BARE_CALL_WORDS)
}

/// Whether it was refused that the model's reasoning is missing.
pub(super) fn is_about_reasoning(text: &str) -> bool {
    holds(text, &REASONING_WORDS)
}

/// Whether the temperature was refused.
pub(super) fn is_about_temperature(text: &str) -> bool {
    holds(text, &TEMPERATURE_WORDS)
}

/// Whether it was refused to answer in pieces.
pub(super) fn is_about_streaming(text: &str) -> bool {
    holds(text, &STREAMING_WORDS)
}

/// The tools whose definition was refused, by name or by place among those that were sent.
pub(super) fn refused_tools(text: &str, sent: &[&str]) -> Vec<String> {
    if !holds(text, &TOOL_WORDS) {
        return Vec::new();
    }
    let mut refused: Vec<String> = sent
        .iter()
        .filter(|name| is_named(text, name))
        .map(ToString::to_string)
        .collect();
    if refused.is_empty() {
        let places = places(text).into_iter();
        refused = places
            .filter_map(|place| sent.get(place).map(ToString::to_string))
            .collect();
    }
    refused.sort();
    refused.dedup();
    refused
}

/// The names of a set of tools, but for those that are left out.
pub(super) fn names<'a>(tools: &'a Toolset, left_out: &[String]) -> Vec<&'a str> {
    let tools = tools.tools().iter().map(|tool| &*tool.name);
    tools
        .filter(|name| !left_out.iter().any(|out| out == name))
        .collect()
}

/// A tool's name counts only in quotes: many are ordinary words.
fn is_named(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let is_quote = |sign: Option<char>| sign.is_some_and(|sign| QUOTES.contains(&sign));
        is_quote(before) && is_quote(after)
    })
}

/// The places of tools that a text names: `tools[3].function`, `tools.3.custom`, and
/// `tools[0].function_declarations[3]`, where the second number is meant.
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

    #[test]
    fn a_refused_tool_is_found_by_its_name_or_its_place() {
        for (text, refused) in [
            (
                "Invalid schema for function 'get_map': array schema missing items.",
                vec!["get_map"],
            ),
            (
                "Unable to submit request because `scan` functionDeclaration `parameters.x` schema \
                 specified other fields alongside any_of.",
                vec!["scan"],
            ),
            (
                "tools.3.custom.input_schema: JSON schema is invalid.",
                vec!["sell"],
            ),
            (
                "Invalid value at 'request.tools[0].function_declarations[2].parameters'\n\
                 Invalid value at 'request.tools[0].function_declarations[3].parameters'",
                vec!["scan", "sell"],
            ),
            (
                "Invalid 'tools[1].function.name': string does not match",
                vec!["get_map"],
            ),
            ("tools[99].function.parameters: bad schema", vec![]),
            ("the function to mine this schema is missing", vec![]),
            ("'mine' is not a model", vec![]),
        ] {
            assert_eq!(refused_tools(text, &SENT), refused, "{text}");
        }
    }

    #[test]
    fn ordinary_refusals_are_about_none_of_it() {
        for text in [
            "no such model",
            "invalid key",
            "rate limit",
            "HTTP 400: bad request",
        ] {
            assert!(!is_too_long(text) && !is_about_system_messages(text));
            assert!(!is_about_call_ids(text) && !is_about_several_calls(text));
            assert!(!is_about_temperature(text) && refused_tools(text, &SENT).is_empty());
        }
    }
    /// What templates raise and interfaces answer, letter for letter.
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
        // These know a system message: it is not what they refuse.
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
