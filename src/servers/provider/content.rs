//! Reads the members of an answer in the different forms that servers use.

use serde_json::Value;

use zoea_http::raw_json::{as_text, for_each_element, member};

const MAX_PARTS_READ: usize = 4096;
/// Longer arguments are not compacted.
const MAX_COMPACTED_BYTES: usize = 64 << 10;

pub(super) fn text_of(content: &str) -> String {
    if let Some(text) = as_text(content) {
        return text;
    }
    join_parts(content, |part| {
        as_text(part).or_else(|| member(part, "text").and_then(as_text))
    })
}

fn join_parts(parts: &str, text_of: impl Fn(&str) -> Option<String>) -> String {
    let (mut joined, mut count) = (String::new(), 0);
    for_each_element(parts, |part| {
        joined += &text_of(part).unwrap_or_default();
        count += 1;
        count < MAX_PARTS_READ
    });
    joined
}

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
