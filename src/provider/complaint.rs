//! Complaints: what a server's refusal is about, where its words tell, so that the request can be
//! written otherwise and asked again. Servers agree on nothing but that they answer in English.

use actors::domain::tool::Toolset;

/// Words of servers that were asked more than their model can take.
const TOO_LONG: [&str; 13] = [
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

/// Words of servers, or of their models' templates, that want one system message at the start.
const SYSTEM: [&str; 8] = [
    "system message must be at the begin",
    "system message must be the first",
    "system message should be the first",
    "exactly one system message",
    "only one system message",
    "multiple system messages",
    "system role must be first",
    "conversation roles must alternate",
];

/// Words of models that have one temperature only.
const TEMPERATURE: [&str; 5] = [
    "'temperature' does not support",
    "unsupported parameter: 'temperature'",
    "temperature is not supported",
    "temperature` is not supported",
    "temperature is deprecated",
];

/// Words of servers that do not answer in pieces, or not for this model, or not with tools.
const STREAMING: [&str; 14] = [
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
const TOOLS: [&str; 5] = ["schema", "function", "input_schema", "tools[", "tools."];

/// Signs that stand before and after a name in a sentence.
const QUOTES: [char; 4] = ['\'', '"', '`', '\\'];

fn holds(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// Whether the request was longer than the model can take.
pub(super) fn is_too_long(text: &str) -> bool {
    holds(text, &TOO_LONG)
}

/// Whether there were too many system messages, or in the wrong places.
pub(super) fn is_about_system_messages(text: &str) -> bool {
    holds(text, &SYSTEM)
}

/// Whether the temperature was refused.
pub(super) fn is_about_temperature(text: &str) -> bool {
    holds(text, &TEMPERATURE)
}

/// Whether it was refused to answer in pieces.
pub(super) fn is_about_streaming(text: &str) -> bool {
    holds(text, &STREAMING)
}

/// The tools whose definition was refused, by name or by place among those that were sent.
pub(super) fn refused_tools(text: &str, sent: &[&str]) -> Vec<String> {
    if !holds(text, &TOOLS) {
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
            assert!(!is_about_temperature(text) && refused_tools(text, &SENT).is_empty());
        }
    }
}
