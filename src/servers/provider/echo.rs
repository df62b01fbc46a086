//! Echoes: what servers want back with a message of their model, collected as it arrives.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::bounds::MAX_ECHO_BYTES;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use zoea_http::raw_json::{for_each_element, is_object, pick};
use zoea_text::redact::Redactor;

/// The members of messages and calls that servers want back. The last one is a list, of which a
/// stream sends pieces.
const ECHO_KEYS: [&str; 3] = [
    "extra_content",
    "provider_specific_fields",
    "reasoning_details",
];

/// Members by their names, as JSON, for a request.
pub(super) type EchoMembers = BTreeMap<String, Box<RawValue>>;

#[derive(Debug, Default)]
pub(super) struct ReceivedEcho {
    members: BTreeMap<&'static str, String>,
    details: Vec<Map<String, Value>>,
    bytes: usize,
}

impl ReceivedEcho {
    /// Takes what a message or a call holds, or a piece of it. Of what is too long nothing is kept,
    /// because a part would be refused.
    pub(super) fn add(&mut self, json: &str) {
        let [extra, fields, details] = pick(json, ECHO_KEYS);
        for (key, member) in ECHO_KEYS.into_iter().zip([extra, fields]) {
            let Some(member) = member.filter(|member| says_something(member)) else {
                continue;
            };
            self.bytes += member.len();
            if self.bytes <= MAX_ECHO_BYTES {
                self.members.insert(key, member.to_string());
            }
        }
        for_each_element(details.unwrap_or("[]"), |detail| {
            self.bytes += detail.len();
            let is_kept = self.bytes <= MAX_ECHO_BYTES;
            if is_kept && let Ok(detail) = serde_json::from_str(detail) {
                self.add_detail(detail);
            }
            is_kept
        });
    }

    /// Joins a piece with the one before it, if both belong to one text.
    fn add_detail(&mut self, detail: Map<String, Value>) {
        let same = |one: &Map<String, Value>, key: &str| one.get(key) == detail.get(key);
        let is_text = |key: &str| matches!(detail.get(key), Some(Value::String(_)));
        let joins = detail
            .get("type")
            .is_some_and(|of| of != "reasoning.encrypted");
        let before = self.details.last_mut();
        let Some(before) = before.filter(|one| joins && same(one, "type") && same(one, "index"))
        else {
            return self.details.push(detail);
        };
        let texts = ["text", "summary"].map(is_text);
        for (key, value) in detail {
            let is_piece = (key == "text" && texts[0]) || (key == "summary" && texts[1]);
            match (before.get_mut(&key), value) {
                (Some(Value::String(text)), Value::String(piece)) if is_piece => *text += &piece,
                (Some(_), Value::Null) => {}
                (_, value) => {
                    before.insert(key, value);
                }
            }
        }
    }

    /// The members as the text of a JSON object without secrets; empty if there are none.
    pub(super) fn into_text(self, secrets: &Redactor) -> Arc<str> {
        if self.bytes > MAX_ECHO_BYTES {
            return "".into();
        }
        let members = self.members.iter();
        let mut members: Vec<String> = members
            .map(|(key, value)| format!("\"{key}\":{value}"))
            .collect();
        if !self.details.is_empty() {
            let details = self.details.into_iter().map(Value::Object).collect();
            members.push(format!("\"{}\":{}", ECHO_KEYS[2], Value::Array(details)));
        }
        if members.is_empty() {
            return "".into();
        }
        let text = format!("{{{}}}", members.join(","));
        secrets.clean_own(text).into()
    }
}

/// Whether a member is an object with anything in it. LiteLLM's proxy adds `{"refusal": null}` to messages
/// and passes it on when it comes back, which strict servers behind it refuse.
fn says_something(member: &str) -> bool {
    fn is_blank(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::Bool(_) | Value::Number(_) => false,
            Value::String(text) => text.is_empty(),
            Value::Array(values) => values.iter().all(is_blank),
            Value::Object(members) => members.values().all(is_blank),
        }
    }
    if !is_object(member) {
        return false;
    }
    // No values are built of what is too long to be kept.
    member.len() > MAX_ECHO_BYTES
        || serde_json::from_str::<Value>(member).is_ok_and(|value| !is_blank(&value))
}

/// The members of a text; none if it is not the text of a JSON object.
pub(super) fn members_of(text: &str) -> EchoMembers {
    match text.is_empty() {
        true => EchoMembers::new(),
        false => serde_json::from_str(text).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_not_sent_back_and_all_else_is_as_it_came() {
        let kept = |json: &str| {
            let mut echo = ReceivedEcho::default();
            echo.add(json);
            echo.into_text(&Redactor::default()).to_string()
        };
        for nothing in [
            r#"{"provider_specific_fields": {"refusal": null}}"#,
            r#"{"provider_specific_fields": {"refusal": null, "annotations": [], "audio": {"id": ""}}}"#,
            r#"{"provider_specific_fields": {}, "extra_content": null}"#,
            r#"{"provider_specific_fields": null, "extra_content": "words"}"#,
        ] {
            assert_eq!(kept(nothing), "", "{nothing}");
        }
        let signed = r#"{"refusal": null, "thought_signatures": ["EjQK"]}"#;
        assert_eq!(
            kept(&format!(r#"{{"provider_specific_fields":{signed}}}"#)),
            format!(r#"{{"provider_specific_fields":{signed}}}"#)
        );
        // What is too long counts without being read: as a tree this would say nothing.
        let long = format!("{{\"a\":[{}null]}}", "null,".repeat(MAX_ECHO_BYTES / 5));
        assert_eq!(
            kept(&format!(
                r#"{{"extra_content":{long},"provider_specific_fields":{signed}}}"#
            )),
            ""
        );
    }
}
