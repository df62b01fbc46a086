//! Formats that exports write and imports read: the member that names a line's kind, and the text
//! form of tool calls. Calls are `[TOOL_CALLS]id:name:args|id:name:args`, a result is `id:content`.
//!
//! The text form has no escapes, so parsing it is not trivial. Arguments are JSON, and the next
//! call begins after their end. Ids may contain colons.

use actors::domain::message::{CallRecord, CallStatus};
use serde_json::value::RawValue;

/// The member that names the kind of a line.
pub(crate) const RECORD_KEY: &str = "record";

pub(crate) const CALLS_PREFIX: &str = "[TOOL_CALLS]";

pub(crate) fn calls_text(calls: &[CallRecord]) -> String {
    let calls: Vec<String> = calls
        .iter()
        .map(|call| format!("{}:{}:{}", call.id, call.name, call.arguments))
        .collect();
    format!("{CALLS_PREFIX}{}", calls.join("|"))
}

/// Parses calls. Returns `None` if the text contains none.
pub(crate) fn parse_calls(text: &str) -> Option<Vec<CallRecord>> {
    let mut rest = text.strip_prefix(CALLS_PREFIX)?;
    let mut calls = Vec::new();
    loop {
        let (call, after) = first_call(rest)?;
        calls.push(call);
        match after {
            None => return Some(calls),
            Some(after) => rest = after,
        }
    }
}

/// The first call of a text, and the text after the bar that follows it.
fn first_call(text: &str) -> Option<(CallRecord, Option<&str>)> {
    call_heads(text)
        .find_map(|head| {
            let length = json_length(head.rest)?;
            Some((head.call(length), head.after(length)?))
        })
        .or_else(|| {
            // Arguments that are not JSON end where another call begins, or at the end of the text.
            let head = call_heads(text).next()?;
            let length = next_call(head.rest).unwrap_or(head.rest.len());
            Some((head.call(length), head.after(length)?))
        })
}

/// A possible split of a call's head into id and name.
struct CallHead<'a> {
    id: &'a str,
    name: &'a str,
    rest: &'a str,
}

impl<'a> CallHead<'a> {
    fn call(&self, length: usize) -> CallRecord {
        CallRecord {
            id: self.id.into(),
            name: self.name.into(),
            arguments: self.rest[..length].into(),
            status: CallStatus::Unknown,
            read_only: false,
            routine: None,
        }
    }

    /// The text after the arguments: `Some(None)` at the end, or the next call after a bar.
    fn after(&self, length: usize) -> Option<Option<&'a str>> {
        let after = &self.rest[length..];
        if after.is_empty() {
            return Some(None);
        }
        after.strip_prefix('|').map(Some)
    }
}

/// All ways to split `id:name:` at the beginning of a text, shortest id first.
fn call_heads(text: &str) -> impl Iterator<Item = CallHead<'_>> {
    text.match_indices(':').filter_map(move |(end, _)| {
        let (name, rest) = text[end + 1..].split_once(':')?;
        let id = &text[..end];
        (is_id(id) && is_name(name)).then_some(CallHead { id, name, rest })
    })
}

/// An id may contain colons, but no character that separates or begins arguments.
fn is_id(text: &str) -> bool {
    !text.contains(['|', '"', '{', '}']) && !text.contains(char::is_whitespace)
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
}

/// The length in bytes of the JSON object at the beginning of a text. An empty text counts as an
/// object.
fn json_length(text: &str) -> Option<usize> {
    if text.is_empty() || text.starts_with('|') {
        return Some(0);
    }
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    values.next()?.ok()?;
    let length = values.byte_offset();
    let end = text[length..]
        .find(|c: char| !c.is_ascii_whitespace())
        .map_or(text.len(), |spaces| length + spaces);
    Some(end)
}

/// The position of the bar before another call.
fn next_call(text: &str) -> Option<usize> {
    text.match_indices('|')
        .map(|(place, _)| place)
        .find(|place| call_heads(&text[place + 1..]).any(|head| json_length(head.rest).is_some()))
}

/// The index of the call that a result answers, and the result's content. The longest matching id
/// wins, because ids may contain colons.
pub(crate) fn match_result<'a>(text: &'a str, ids: &[&str]) -> Option<(usize, &'a str)> {
    let fits = |id: &str| text.strip_prefix(id)?.strip_prefix(':');
    (0..ids.len())
        .filter_map(|place| Some((place, fits(ids[place])?)))
        // Of equal ids the first one wins. `max_by_key` would return the last.
        .rev()
        .max_by_key(|(place, _)| ids[*place].len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn call(id: &str, name: &str, arguments: &str) -> CallRecord {
        CallRecord {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            status: CallStatus::Unknown,
            read_only: false,
            routine: None,
        }
    }

    #[test]
    fn pipes_and_colons_are_recovered() {
        let calls = vec![
            call("call_1", "mine", r#"{"note":"a|b:c:{}|x:y:{\"z\":1}"}"#),
            call("functions.dock:0", "dock", "{}"),
            call("", "get_map", r#"{ "deep": {"er": [1, "|"]} }"#),
        ];
        assert_eq!(parse_calls(&calls_text(&calls)), Some(calls));
    }

    #[test]
    fn arguments_that_are_no_json_are_kept_as_they_are() {
        let read_back = parse_calls("[TOOL_CALLS]a:mine:{\"x\": 1|b:dock:{}").unwrap();
        assert_eq!(read_back[0], call("a", "mine", "{\"x\": 1"));
        assert_eq!(read_back[1], call("b", "dock", "{}"));
        assert_eq!(parse_calls("[TOOL_CALLS]a:mine:not json").unwrap().len(), 1);
        assert_eq!(
            parse_calls("[TOOL_CALLS]a:mine:").unwrap()[0],
            call("a", "mine", "")
        );
        for none in [
            "[TOOL_CALLS]",
            "[TOOL_CALLS]nothing",
            "hello",
            "[TOOL_CALLS]a:b c:{}",
        ] {
            assert_eq!(parse_calls(none), None, "{none}");
        }
    }

    #[test]
    fn a_result_answers_the_longest_id_and_of_equal_ones_the_first() {
        assert_eq!(match_result("a:b:ore", &["a", "a:b"]), Some((1, "ore")));
        assert_eq!(match_result("a:ore", &["a", "a"]), Some((0, "ore")));
        assert_eq!(match_result("a:ore", &["b"]), None);
        assert_eq!(match_result(":ore", &[""]), Some((0, "ore")));
    }

    fn any_call() -> impl Strategy<Value = CallRecord> {
        let text = r#"[a-z|:"\\{}]{0,12}"#;
        (
            "[a-zA-Z0-9_.-]{0,6}(:[a-z0-9]{1,4})?",
            "[a-z_]{1,10}",
            proptest::collection::btree_map(text, text, 0..4),
        )
            .prop_map(|(id, name, arguments)| {
                call(&id, &name, &serde_json::to_string(&arguments).unwrap())
            })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(calls in proptest::collection::vec(any_call(), 1..5)) {
            prop_assert_eq!(parse_calls(&calls_text(&calls)), Some(calls));
        }

        #[test]
        fn no_text_breaks_the_reader(text in r#"(\[TOOL_CALLS\])?[a-z|:"{}\\]{0,60}"#) {
            if let Some(calls) = parse_calls(&text) {
                prop_assert_eq!(calls_text(&calls), text);
            }
        }
    }
}
