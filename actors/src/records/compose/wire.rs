//! Makes ids, names and arguments acceptable to providers, and computes the size of messages.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::bounds;
use crate::ids::{CallKey, Seq};
use crate::message::CallRecord;
use crate::model::{ChatCall, ChatMessage};

use zoea_text::json_size::escaped_len;

/// The longest id that is sent, in bytes inside JSON. Routers pack signatures into ids and want
/// them back letter for letter.
const MAX_ID_BYTES: usize = bounds::MAX_ID_BYTES;

/// The ids of calls. An id stays unchanged unless it is empty, repeated within the message, too
/// long, or has characters that no provider would accept.
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

pub(super) fn own_id(key: CallKey) -> Arc<str> {
    our_id(key.seq, usize::from(key.position)).into()
}

/// An id of our own that the strictest server accepts: nine letters and digits, unless there are
/// millions.
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

/// Arguments as providers accept them: a JSON object, else an empty one (docs/design/requests.md).
pub(super) fn object_arguments(text: &Arc<str>) -> Arc<str> {
    if is_object(text) {
        text.clone()
    } else {
        "{}".into()
    }
}

pub(super) fn is_object(text: &str) -> bool {
    text == "{}"
        || (text.trim_start().starts_with('{')
            && matches!(serde_json::from_str::<Value>(text), Ok(Value::Object(_))))
}

/// The size of messages in bytes as compact JSON in OpenAI's form, with brackets and commas.
pub fn wire_bytes(messages: &[ChatMessage]) -> usize {
    let commas = messages.len().saturating_sub(1);
    2 + commas + messages.iter().map(message_bytes).sum::<usize>()
}

const SYSTEM_FRAME_BYTES: usize = r#"{"role":"system","content":""}"#.len();
pub(super) const USER_FRAME_BYTES: usize = r#"{"role":"user","content":""}"#.len();
pub(super) const ASSISTANT_FRAME_BYTES: usize = r#"{"role":"assistant","content":}"#.len();
pub(super) const CALLS_FRAME_BYTES: usize = r#","tool_calls":[]"#.len();
pub(super) const CALL_FRAME_BYTES: usize =
    r#"{"id":"","type":"function","function":{"name":"","arguments":""}}"#.len();
pub(super) const TOOL_FRAME_BYTES: usize =
    r#"{"role":"tool","content":"","tool_call_id":""}"#.len();

/// The size of a message in bytes as compact JSON in OpenAI's form.
pub fn message_bytes(message: &ChatMessage) -> usize {
    match message {
        ChatMessage::System(text) => SYSTEM_FRAME_BYTES + escaped_len(text),
        ChatMessage::User(text) => USER_FRAME_BYTES + escaped_len(text),
        ChatMessage::Assistant { text, calls, echo } => {
            let echo = echo.as_ref().map_or(0, |echo| echo.bytes());
            assistant_bytes(text, calls) + echo
        }
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

/// The size of an assistant message's content: that of `null` if it is empty.
pub(super) fn content_bytes(size: usize) -> usize {
    if size == 0 { "null".len() } else { size + 2 }
}

fn call_bytes(call: &ChatCall) -> usize {
    CALL_FRAME_BYTES
        + escaped_len(&call.id)
        + escaped_len(&call.name)
        + escaped_len(&call.arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::CallStatus;

    fn call(id: &str) -> CallRecord {
        CallRecord {
            id: id.into(),
            name: "mine".into(),
            arguments: "{}".into(),
            status: CallStatus::Done,
            read_only: false,
            routine: None,
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
        assert_eq!(&*object_arguments(&"[1]".into()), "{}");
        assert_eq!(&*object_arguments(&"{\"a\":".into()), "{}");
        assert_eq!(&*object_arguments(&" {\"a\":1}".into()), " {\"a\":1}");
    }
}
