//! What was said, in the JSON form that the conventions for generative AI have for it.
//!
//! Collectors refuse what is too long, so every text is cut, and of many messages the newest stay.

use actors::domain::message::{CallRecord, Utterance};
use actors::domain::model::{ChatCall, ChatMessage};
use actors::domain::tool::Toolset;
use serde_json::{Value, json};

/// The most bytes of one text.
const MAX_TEXT_BYTES: usize = 16 << 10;
/// The most bytes of a status message.
const MAX_MESSAGE_BYTES: usize = 500;
/// The most bytes of all texts in one attribute.
const MAX_ATTRIBUTE_BYTES: usize = 128 << 10;

pub(super) struct InputContents {
    /// The system messages (`gen_ai.system_instructions`).
    pub(super) instructions: String,
    /// The others (`gen_ai.input.messages`).
    pub(super) messages: String,
    pub(super) left_out: usize,
    pub(super) calls_left_out: usize,
}

pub(super) fn input_contents(messages: &[ChatMessage]) -> InputContents {
    let (mut instructions, mut kept, mut bytes) = (Vec::new(), Vec::new(), 0);
    let (mut left_out, mut calls_left_out) = (0, 0);
    for message in messages.iter().rev() {
        let mut without = 0;
        let shown = match message {
            ChatMessage::System(text) => {
                instructions.push(text_part(text));
                continue;
            }
            ChatMessage::User(text) => message_json("user", vec![text_part(text)]),
            ChatMessage::Assistant { text, calls, .. } => {
                let said = (!text.is_empty()).then(|| text_part(text));
                let mut parts: Vec<Value> = said.into_iter().collect();
                without = add_calls(&mut parts, calls.iter().map(call_part));
                message_json("assistant", parts)
            }
            ChatMessage::Tool { call_id, text } => {
                let part = json!({
                    "type": "tool_call_response", "id": **call_id, "response": clip_text(text),
                });
                message_json("tool", vec![part])
            }
        };
        let shown = shown.to_string();
        bytes += shown.len();
        if bytes > MAX_ATTRIBUTE_BYTES && !kept.is_empty() {
            left_out += 1;
        } else {
            calls_left_out += without;
            kept.push(shown);
        }
    }
    instructions.reverse();
    kept.reverse();
    InputContents {
        instructions: Value::Array(instructions).to_string(),
        messages: format!("[{}]", kept.join(",")),
        left_out,
        calls_left_out,
    }
}

/// A message of the model (`gen_ai.output.messages`), and the number of its calls that are left
/// out.
pub(super) fn output_messages(said: &Utterance, calls: &[CallRecord]) -> (String, usize) {
    let mut parts = Vec::new();
    if let Some(thought) = &said.reasoning {
        parts.push(json!({"type": "reasoning", "content": clip_text(thought)}));
    }
    if !said.text.is_empty() || calls.is_empty() {
        parts.push(text_part(&said.text));
    }
    let made = calls.iter().map(|call| {
        call_part(&ChatCall {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        })
    });
    let left_out = add_calls(&mut parts, made);
    let mut message = message_json("assistant", parts);
    // The form requires a reason, and not every server gives one.
    let usual = if calls.is_empty() {
        "stop"
    } else {
        "tool_call"
    };
    message["finish_reason"] = json!(said.meta.finish_reason.as_deref().unwrap_or(usual));
    (json!([message]).to_string(), left_out)
}

/// Adds the calls of a message that fit beside its other parts. Returns the number of the others.
fn add_calls(parts: &mut Vec<Value>, calls: impl Iterator<Item = Value>) -> usize {
    let said: usize = parts.iter().map(|part| part.to_string().len()).sum();
    let mut room = MAX_ATTRIBUTE_BYTES.saturating_sub(said);
    let mut left_out = 0;
    for call in calls {
        match room.checked_sub(call.to_string().len() + 1) {
            Some(rest) => {
                room = rest;
                parts.push(call);
            }
            None => left_out += 1,
        }
    }
    left_out
}

/// The tools that a model is offered (`gen_ai.tool.definitions`), and the number of those that are
/// left out.
pub(super) fn tool_definitions(tools: &Toolset) -> (String, usize) {
    let (mut shown, mut bytes) = (Vec::new(), 0);
    for tool in tools.tools() {
        let schema: Value = serde_json::from_str(&tool.schema).unwrap_or(Value::Null);
        let definition = json!({
            "type": "function",
            "name": *tool.name,
            "description": clip_text(&tool.description),
            "parameters": schema,
        });
        let definition = definition.to_string();
        bytes += definition.len();
        if bytes > MAX_ATTRIBUTE_BYTES {
            break;
        }
        shown.push(definition);
    }
    let left_out = tools.tools().len() - shown.len();
    (format!("[{}]", shown.join(",")), left_out)
}

/// A text cut to a length that collectors accept.
pub(super) fn clip_text(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

/// A text short enough for a status.
pub(super) fn clip_message(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_MESSAGE_BYTES)]
}

fn message_json(role: &str, parts: Vec<Value>) -> Value {
    json!({"role": role, "parts": parts})
}

fn text_part(text: &str) -> Value {
    json!({"type": "text", "content": clip_text(text)})
}

/// A call. Arguments that are no JSON, or too long, are given as text.
fn call_part(call: &ChatCall) -> Value {
    let clipped = clip_text(&call.arguments);
    let arguments = match clipped.len() == call.arguments.len() {
        true => serde_json::from_str(clipped).unwrap_or_else(|_| json!(clipped)),
        false => json!(clipped),
    };
    json!({"type": "tool_call", "id": *call.id, "name": *call.name, "arguments": arguments})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> ChatMessage {
        ChatMessage::User(text.into())
    }

    #[test]
    fn a_request_is_told_in_the_parts_of_the_conventions() {
        let call = ChatCall {
            id: "c1".into(),
            name: "mine".into(),
            arguments: r#"{"depth":3}"#.into(),
        };
        let assistant = ChatMessage::Assistant {
            text: "".into(),
            calls: vec![call],
            echo: None,
        };
        let result = ChatMessage::Tool {
            call_id: "c1".into(),
            text: "ore".into(),
        };
        let system = ChatMessage::System("You play.".into());
        let contents = input_contents(&[system, user("go"), assistant, result]);
        assert_eq!(
            contents.instructions,
            r#"[{"content":"You play.","type":"text"}]"#
        );
        let messages: Value = serde_json::from_str(&contents.messages).unwrap();
        assert_eq!(
            messages,
            json!([
                {"role": "user", "parts": [{"type": "text", "content": "go"}]},
                {"role": "assistant", "parts": [
                    {"type": "tool_call", "id": "c1", "name": "mine", "arguments": {"depth": 3}},
                ]},
                {"role": "tool", "parts": [
                    {"type": "tool_call_response", "id": "c1", "response": "ore"},
                ]},
            ])
        );
        assert_eq!(contents.left_out, 0);
    }

    #[test]
    fn calls_that_do_not_fit_are_counted() {
        let calls: Vec<ChatCall> = (0..64)
            .map(|number| ChatCall {
                id: format!("c{number}").into(),
                name: "say".into(),
                arguments: json!({"text": "x".repeat(10_000)}).to_string().into(),
            })
            .collect();
        let assistant = ChatMessage::Assistant {
            text: "I talk a lot.".into(),
            calls,
            echo: None,
        };
        let contents = input_contents(&[assistant]);
        let size = contents.messages.len();
        assert!(size <= MAX_ATTRIBUTE_BYTES + 64, "{size}");
        let kept: Value = serde_json::from_str(&contents.messages).unwrap();
        let parts = kept[0]["parts"].as_array().unwrap().len();
        assert_eq!(
            (contents.left_out, parts - 1 + contents.calls_left_out),
            (0, 64)
        );
        assert!(parts > 10, "{parts}");
    }

    #[test]
    fn of_what_is_too_long_the_newest_stays() {
        let long = "é".repeat(20_000);
        let messages: Vec<ChatMessage> = (0..40).map(|at| user(&format!("{at} {long}"))).collect();
        let contents = input_contents(&messages);
        assert!(
            contents.messages.len() <= MAX_ATTRIBUTE_BYTES + 64,
            "{}",
            contents.messages.len()
        );
        let kept: Vec<Value> = serde_json::from_str(&contents.messages).unwrap();
        assert_eq!(kept.len() + contents.left_out, 40);
        assert!(kept.len() > 5, "{}", kept.len());
        let last = kept.last().unwrap()["parts"][0]["content"]
            .as_str()
            .unwrap();
        assert!(last.starts_with("39 ") && last.len() <= MAX_TEXT_BYTES);
    }
}
