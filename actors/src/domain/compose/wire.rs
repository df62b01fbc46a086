//! What the wire allows: ids, names and arguments made fit, and the size of messages on it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::domain::ids::Seq;
use crate::domain::message::Call;
use crate::domain::model::{ChatCall, ChatMessage};

use super::part::{LoopPart, Part};

/// What stands for a result that does not exist.
const NO_RESULT: &str = "no result was recorded for this call";
/// What stands for an empty text, which strict providers refuse.
const EMPTY: &str = "(empty)";

/// The calls' ids, kept letter for letter unless empty or repeated within the message.
pub(super) fn unique_ids(seq: Seq, calls: &[Call]) -> Vec<Arc<str>> {
    let given: BTreeSet<&str> = calls.iter().map(|call| &*call.id).collect();
    let mut taken = BTreeSet::new();
    calls
        .iter()
        .enumerate()
        .map(|(position, call)| {
            if !call.id.is_empty() && taken.insert(call.id.to_string()) {
                return call.id.clone();
            }
            let mut id = format!("call_{seq}_{position}");
            while given.contains(id.as_str()) || !taken.insert(id.clone()) {
                id.push('x');
            }
            id.into()
        })
        .collect()
}

/// A tool's name as providers take it: 1 to 64 letters, digits, `_` or `-`.
pub(super) fn tool_name(name: &Arc<str>) -> Arc<str> {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if (1..=64).contains(&name.len()) && name.chars().all(is_fit) {
        return name.clone();
    }
    let fit: String = name
        .chars()
        .take(64)
        .map(|c| if is_fit(c) { c } else { '_' })
        .collect();
    if fit.is_empty() {
        return "unnamed_tool".into();
    }
    fit.into()
}

/// Arguments as providers take them: a JSON object, else an empty one (DESIGN 5.8).
pub(super) fn arguments(text: &Arc<str>) -> Arc<str> {
    if is_object(text) {
        text.clone()
    } else {
        "{}".into()
    }
}

/// Whether a text is a JSON object.
pub(super) fn is_object(text: &str) -> bool {
    text == "{}"
        || (text.trim_start().starts_with('{')
            && matches!(serde_json::from_str::<Value>(text), Ok(Value::Object(_))))
}

/// A part as messages.
pub(super) fn render(part: &Part) -> Vec<ChatMessage> {
    match part {
        Part::Order(order) => vec![ChatMessage::User(filled(order.text.text()))],
        Part::Reply(text) => vec![ChatMessage::Assistant {
            text: filled(text.text()),
            calls: Vec::new(),
        }],
        Part::Loop(found) => render_loop(found),
    }
}

fn render_loop(found: &LoopPart) -> Vec<ChatMessage> {
    let calls = found
        .pairs
        .iter()
        .map(|pair| ChatCall {
            id: pair.id.clone(),
            name: pair.name.clone(),
            arguments: pair.arguments.clone(),
        })
        .collect();
    let mut messages = vec![ChatMessage::Assistant {
        text: found.text.text().clone(),
        calls,
    }];
    messages.extend(found.pairs.iter().map(|pair| ChatMessage::Tool {
        call_id: pair.id.clone(),
        text: match &pair.result {
            Some(result) => filled(result.text.text()),
            None => NO_RESULT.into(),
        },
    }));
    messages
}

fn filled(text: &Arc<str>) -> Arc<str> {
    if text.trim().is_empty() {
        EMPTY.into()
    } else {
        text.clone()
    }
}

/// The size of messages as compact JSON in OpenAI's form, brackets and commas included.
#[must_use]
pub fn wire_bytes(messages: &[ChatMessage]) -> usize {
    let commas = messages.len().saturating_sub(1);
    2 + commas + messages.iter().map(message_bytes).sum::<usize>()
}

/// The size of one message as compact JSON in OpenAI's form.
pub(super) fn message_bytes(message: &ChatMessage) -> usize {
    match message {
        ChatMessage::System(text) => r#"{"role":"system","content":""}"#.len() + escaped_len(text),
        ChatMessage::User(text) => r#"{"role":"user","content":""}"#.len() + escaped_len(text),
        ChatMessage::Assistant { text, calls } => assistant_bytes(text, calls),
        ChatMessage::Tool { call_id, text } => {
            r#"{"role":"tool","content":"","tool_call_id":""}"#.len()
                + escaped_len(call_id)
                + escaped_len(text)
        }
    }
}

fn assistant_bytes(text: &str, calls: &[ChatCall]) -> usize {
    let content = if text.is_empty() {
        "null".len()
    } else {
        2 + escaped_len(text)
    };
    let mut bytes = r#"{"role":"assistant","content":}"#.len() + content;
    if !calls.is_empty() {
        bytes += r#","tool_calls":[]"#.len() + calls.len() - 1;
        bytes += calls.iter().map(call_bytes).sum::<usize>();
    }
    bytes
}

fn call_bytes(call: &ChatCall) -> usize {
    r#"{"id":"","type":"function","function":{"name":"","arguments":""}}"#.len()
        + escaped_len(&call.id)
        + escaped_len(&call.name)
        + escaped_len(&call.arguments)
}

/// The size of a text inside a JSON string.
#[must_use]
pub fn escaped_len(text: &str) -> usize {
    let extra: usize = text
        .bytes()
        .map(|byte| usize::from(EXTRA[usize::from(byte)]))
        .sum();
    text.len() + extra
}

/// How many bytes more than one a byte takes inside a JSON string.
const EXTRA: [u8; 256] = {
    let mut extra = [0; 256];
    let mut byte = 0;
    while byte < 32 {
        extra[byte] = match byte {
            8 | 9 | 10 | 12 | 13 => 1,
            _ => 5,
        };
        byte += 1;
    }
    extra[b'"' as usize] = 1;
    extra[b'\\' as usize] = 1;
    extra
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::message::CallStatus;

    fn call(id: &str) -> Call {
        Call {
            id: id.into(),
            name: "mine".into(),
            arguments: "{}".into(),
            status: CallStatus::Done,
            read_only: false,
        }
    }

    #[test]
    fn empty_and_repeated_ids_get_one_of_ours_and_others_stay() {
        let ids = unique_ids(
            Seq(7),
            &[call("a:b|c"), call(""), call("a:b|c"), call("call_7_1")],
        );
        let ids: Vec<&str> = ids.iter().map(|id| &**id).collect();
        assert_eq!(ids, ["a:b|c", "call_7_1x", "call_7_2", "call_7_1"]);
    }

    #[test]
    fn names_and_arguments_are_made_fit_for_the_wire() {
        assert_eq!(&*tool_name(&"game<|x|>y".into()), "game__x__y");
        assert_eq!(&*tool_name(&"".into()), "unnamed_tool");
        assert_eq!(tool_name(&"é".repeat(90).into()).len(), 64);
        assert_eq!(&*arguments(&"[1]".into()), "{}");
        assert_eq!(&*arguments(&"{\"a\":".into()), "{}");
        assert_eq!(&*arguments(&" {\"a\":1}".into()), " {\"a\":1}");
    }

    #[test]
    fn the_size_inside_json_is_what_json_says() {
        for text in ["", "plain", "\"\\/\n\t\u{1}\u{7f}é🚀", "\u{0}\u{8}\u{c}\r"] {
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(escaped_len(text), json.len() - 2, "{text:?}");
        }
    }
}
