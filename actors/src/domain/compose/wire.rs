//! What the wire allows: ids, names and arguments made fit, and the size of messages on it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::domain::ids::Seq;
use crate::domain::message::CallRecord;
use crate::domain::model::{ChatCall, ChatMessage};

use crate::domain::json_size::escaped_len;

use super::part::{LoopPart, RequestPart};
use super::shape;

/// What stands for a result that does not exist.
const NO_RESULT_TEXT: &str = "no result was recorded for this call";
/// The longest id that is sent, in bytes inside JSON; no provider makes ids as long as this.
const MAX_ID_BYTES: usize = 256;

/// The calls' ids, kept letter for letter unless empty, repeated within the message, or of a length
/// or with letters that no provider would take back.
pub(super) fn unique_ids(seq: Seq, calls: &[CallRecord]) -> Vec<Arc<str>> {
    let given: BTreeSet<&str> = calls.iter().map(|call| &*call.id).collect();
    let mut taken = BTreeSet::new();
    calls
        .iter()
        .enumerate()
        .map(|(position, call)| {
            let is_fit = !call.id.is_empty()
                && escaped_len(&call.id) <= MAX_ID_BYTES
                && !call.id.chars().any(char::is_control);
            if is_fit && taken.insert(call.id.to_string()) {
                return call.id.clone();
            }
            let mut number = position;
            let mut id = our_id(seq, number);
            while given.contains(id.as_str()) || !taken.insert(id.clone()) {
                number += calls.len();
                id = our_id(seq, number);
            }
            id.into()
        })
        .collect()
}

/// An id as the strictest server takes it: nine letters and digits, unless there are millions.
fn our_id(seq: Seq, number: usize) -> String {
    let mut digits = Vec::new();
    let mut rest = number;
    while rest > 0 || digits.len() < 5 {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[rest % 36]);
        rest /= 36;
    }
    let number: String = digits
        .iter()
        .rev()
        .map(|digit| char::from(*digit))
        .collect();
    format!("c{:03}{number}", seq.0.rem_euclid(1000))
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
pub(super) fn object_arguments(text: &Arc<str>) -> Arc<str> {
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
pub(super) fn render_part(part: &RequestPart) -> Vec<ChatMessage> {
    match part {
        RequestPart::Order(order) => vec![ChatMessage::User(order.text.text().clone())],
        RequestPart::Reply(text) => vec![ChatMessage::Assistant {
            text: text.text().clone(),
            calls: Vec::new(),
        }],
        RequestPart::Loop(found) => render_loop(found),
    }
}

fn render_loop(found: &LoopPart) -> Vec<ChatMessage> {
    let calls = found
        .pairs
        .iter()
        .map(|pair| ChatCall {
            id: pair.id.clone(),
            name: pair.name.clone(),
            arguments: pair.arguments.text().clone(),
        })
        .collect();
    let mut messages = vec![ChatMessage::Assistant {
        text: found.text.text().clone(),
        calls,
    }];
    messages.extend(found.pairs.iter().map(|pair| ChatMessage::Tool {
        call_id: pair.id.clone(),
        text: match &pair.result {
            Some(result) => result.text.text().clone(),
            None => NO_RESULT_TEXT.into(),
        },
    }));
    messages
}

/// A part's bytes once it is rendered, with the comma before each of its messages and what the shape
/// may add before it: at most, since neighbours that are merged take less.
pub(super) fn part_bytes(part: &RequestPart) -> usize {
    match part {
        RequestPart::Order(order) => {
            USER_FRAME_BYTES + order.text.size() + 1 + shape::bridge_bytes()
        }
        RequestPart::Reply(text) => ASSISTANT_FRAME_BYTES + content_bytes(text.size()) + 1,
        RequestPart::Loop(found) => loop_bytes(found),
    }
}

fn loop_bytes(found: &LoopPart) -> usize {
    let mut bytes = ASSISTANT_FRAME_BYTES + content_bytes(found.text.size()) + 1;
    bytes += CALLS_FRAME_BYTES + found.pairs.len().saturating_sub(1);
    for pair in &found.pairs {
        let id = escaped_len(&pair.id);
        bytes += CALL_FRAME_BYTES + id + escaped_len(&pair.name) + pair.arguments.size();
        let result = pair.result.as_ref();
        bytes += TOOL_FRAME_BYTES
            + id
            + result.map_or(NO_RESULT_TEXT.len(), |result| result.text.size())
            + 1;
    }
    bytes
}

/// The size of messages as compact JSON in OpenAI's form, brackets and commas included.
#[must_use]
pub fn wire_bytes(messages: &[ChatMessage]) -> usize {
    let commas = messages.len().saturating_sub(1);
    2 + commas + messages.iter().map(message_bytes).sum::<usize>()
}

const SYSTEM_FRAME_BYTES: usize = r#"{"role":"system","content":""}"#.len();
const USER_FRAME_BYTES: usize = r#"{"role":"user","content":""}"#.len();
const ASSISTANT_FRAME_BYTES: usize = r#"{"role":"assistant","content":}"#.len();
const CALLS_FRAME_BYTES: usize = r#","tool_calls":[]"#.len();
const CALL_FRAME_BYTES: usize =
    r#"{"id":"","type":"function","function":{"name":"","arguments":""}}"#.len();
const TOOL_FRAME_BYTES: usize = r#"{"role":"tool","content":"","tool_call_id":""}"#.len();

/// The size of one message as compact JSON in OpenAI's form.
pub(super) fn message_bytes(message: &ChatMessage) -> usize {
    match message {
        ChatMessage::System(text) => SYSTEM_FRAME_BYTES + escaped_len(text),
        ChatMessage::User(text) => USER_FRAME_BYTES + escaped_len(text),
        ChatMessage::Assistant { text, calls } => assistant_bytes(text, calls),
        ChatMessage::Tool { call_id, text } => {
            TOOL_FRAME_BYTES + escaped_len(call_id) + escaped_len(text)
        }
    }
}

fn assistant_bytes(text: &str, calls: &[ChatCall]) -> usize {
    let mut bytes = ASSISTANT_FRAME_BYTES + content_bytes(escaped_len(text));
    if !calls.is_empty() {
        bytes += CALLS_FRAME_BYTES + calls.len() - 1;
        bytes += calls.iter().map(call_bytes).sum::<usize>();
    }
    bytes
}

/// An assistant's words: `null` where there are none.
fn content_bytes(size: usize) -> usize {
    if size == 0 { "null".len() } else { size + 2 }
}

fn call_bytes(call: &ChatCall) -> usize {
    CALL_FRAME_BYTES
        + escaped_len(&call.id)
        + escaped_len(&call.name)
        + escaped_len(&call.arguments)
}

/// A text without control characters other than line ends and tabs: some servers refuse them, and
/// no model can read them. The row keeps them. Places in the text stay where they are.
pub(super) fn printable_text(text: Arc<str>) -> Arc<str> {
    let is_odd = |byte: u8| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t');
    // Without a way out halfway: the text is read many bytes at a time.
    if !text.bytes().fold(false, |any, byte| any | is_odd(byte)) {
        return text;
    }
    let is_odd_letter = |c: char| u8::try_from(c).is_ok_and(is_odd);
    text.replace(is_odd_letter, "?").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::message::CallStatus;

    fn call(id: &str) -> CallRecord {
        CallRecord {
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
            &[call("a:b|c"), call(""), call("a:b|c"), call("c00700001")],
        );
        let ids: Vec<&str> = ids.iter().map(|id| &**id).collect();
        assert_eq!(ids, ["a:b|c", "c00700005", "c00700002", "c00700001"]);
    }

    #[test]
    fn an_id_of_ours_has_five_letters_unless_there_are_millions() {
        let ids = [0, 35, 36, 60_466_175, 60_466_176].map(|number| our_id(Seq(7), number));
        let numbers = ids.each_ref().map(|id| &id["c007".len()..]);
        assert_eq!(numbers, ["00000", "0000z", "00010", "zzzzz", "100000"]);
    }

    #[test]
    fn names_and_arguments_are_made_fit_for_the_wire() {
        assert_eq!(&*tool_name(&"game<|x|>y".into()), "game__x__y");
        assert_eq!(&*tool_name(&"".into()), "unnamed_tool");
        assert_eq!(tool_name(&"é".repeat(90).into()).len(), 64);
        assert_eq!(&*object_arguments(&"[1]".into()), "{}");
        assert_eq!(&*object_arguments(&"{\"a\":".into()), "{}");
        assert_eq!(&*object_arguments(&" {\"a\":1}".into()), " {\"a\":1}");
    }
}
