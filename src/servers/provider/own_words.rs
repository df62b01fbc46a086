//! The words of a refusal that are its server's own. Many servers quote the request that they refuse, and
//! what stands in a request says nothing of what is wrong with it.

use serde_json::Value;

const QUOTE_MARKS: [&str; 4] = ["input_value=", "input_value:", "\"input\":", "'input':"];

/// A text without what it quotes: objects, lists of values, and values that were given. Places such as
/// `tools[3]` stay.
pub(super) fn own_words(text: &str) -> String {
    without_brackets(&without_given_values(text))
}

/// Removes what stands between a mark and the end of its item or line.
fn without_given_values(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let found = QUOTE_MARKS.iter().filter_map(|mark| rest.find(mark));
        let Some(at) = found.min() else {
            kept.push_str(rest);
            return kept;
        };
        kept.push_str(&rest[..at]);
        let ends = [", input_type", "\n"].iter();
        let end = ends.filter_map(|end| rest[at..].find(end)).min();
        let Some(end) = end else {
            return kept;
        };
        rest = &rest[at + end..];
    }
}

/// Removes objects, and lists that hold more than a place. One that does not end is quoted up to the
/// end of the text, since long quotes are cut.
fn without_brackets(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '[']) {
        kept.push_str(&rest[..at]);
        let inside = &rest[at..];
        let end = end_of_bracket(inside);
        let quoted = &inside[..end.unwrap_or(inside.len())];
        match message_behind(quoted) {
            Some(message) => kept.push_str(&message),
            None if is_data(quoted) => {}
            None => kept.push_str(quoted),
        }
        rest = &inside[quoted.len()..];
    }
    kept.push_str(rest);
    kept
}

/// The message of the server behind, whose error a router passes on as it came.
fn message_behind(quoted: &str) -> Option<String> {
    let value: Value = serde_json::from_str(quoted).ok()?;
    let value = value.get(0).unwrap_or(&value);
    let is_error = value.get("error").is_some() || value.get("code").is_some();
    let paths = ["/error/message", "/error", "/message"];
    let found = paths
        .into_iter()
        .find_map(|path| value.pointer(path)?.as_str());
    found.filter(|_| is_error).map(without_given_values)
}

/// Whether a text in brackets is data, and neither a place nor the code of a template.
fn is_data(quoted: &str) -> bool {
    let holds = |marks: &[&str]| marks.iter().any(|mark| quoted.contains(mark));
    holds(&["\":", "':", "\" :", "' :"]) || (quoted.starts_with('[') && holds(&["\"", "'"]))
}

/// Where the bracket that opens a text is closed.
fn end_of_bracket(text: &str) -> Option<usize> {
    let (mut depth, mut is_in_string, mut is_escaped) = (0_usize, false, false);
    for (at, sign) in text.char_indices() {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_in_string = !is_in_string,
            _ if is_in_string => {}
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_refusal_quotes_is_not_among_its_own_words() {
        for quoting in [
            "1 validation error for ChatCompletionRequest\nmessages.3.tool_calls.0.function.arguments\n  \
             Input should be a valid dictionary [type=dict_type, input_value={'name': 'mine', \
             'arguments': '{}'}, input_type=str]",
            "Internal error for {\"model\":\"m\",\"stream\":true,\"tools\":[{\"function\":{\"name\":\"mine\"}}]}",
            "Internal error for {\"stream\":true,\"messages\":[{\"content\":\"call 'mine' }",
            "invalid body: [{'role': 'user', 'content': \"stream is not supported 'mine'\"}]",
            "type=string_type, input_value='mine', input_type=str",
        ] {
            let own = own_words(quoting);
            assert!(!own.contains("mine") && !own.contains("stream"), "{own}");
        }
        let behind = r#"litellm.BadRequestError: OpenAIException - {"error":{"message":"Invalid schema for function 'mine'"}}"#;
        assert!(own_words(behind).ends_with("Invalid schema for function 'mine'"));
        for own in [
            "Invalid schema for function 'get_map': In context=('properties', 'x'), array schema missing items.",
            "Invalid 'tools[1].function.name': string does not match",
            "tools.3.custom.input_schema: JSON schema is invalid. [type=x, code=7]",
            "Template: {%- if x %}{{- raise_exception('System message must be at the beginning.') }}",
            "Invalid value at 'request.tools[0].function_declarations[2].parameters'",
        ] {
            assert_eq!(own_words(own), own);
        }
    }
}
