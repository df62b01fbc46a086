//! The request on the wire: OpenAI's chat format, written without a detour.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use actors::domain::model::{ChatCall, ChatMessage, ModelRequest};
use actors::domain::tool::Toolset;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Manners;

#[derive(Serialize)]
pub(super) struct ChatRequest<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
}

impl<'a> ChatRequest<'a> {
    pub(super) fn new(
        request: &'a ModelRequest,
        manners: Manners,
        tools: Option<&'a RawValue>,
    ) -> ChatRequest<'a> {
        ChatRequest {
            model: &request.model,
            messages: match manners {
                Manners::OpenAi => request.messages.iter().map(Message::new).collect(),
                Manners::OneSystemMessage => with_one_system_message(&request.messages),
            },
            temperature: request.temperature,
            max_tokens: request.max_tokens,
            tools,
        }
    }
}

impl ChatRequest<'_> {
    /// How many messages it holds in the provider's format.
    pub(super) fn messages(&self) -> usize {
        self.messages.len()
    }
}

impl<'a> Message<'a> {
    fn new(message: &'a ChatMessage) -> Message<'a> {
        match message {
            ChatMessage::System(text) => Message::text("system", text),
            ChatMessage::User(text) => Message::text("user", text),
            ChatMessage::Assistant { text, calls } => Message {
                content: (!text.is_empty()).then_some(Cow::Borrowed(text)),
                tool_calls: calls.iter().map(ToolCall::new).collect(),
                ..Message::text("assistant", text)
            },
            ChatMessage::Tool { call_id, text } => Message {
                tool_call_id: Some(call_id),
                ..Message::text("tool", text)
            },
        }
    }

    fn text(role: &'static str, text: &'a str) -> Message<'a> {
        Message {
            role,
            content: Some(Cow::Borrowed(text)),
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }
}

impl<'a> ToolCall<'a> {
    fn new(call: &'a ChatCall) -> ToolCall<'a> {
        ToolCall {
            id: &call.id,
            r#type: "function",
            function: Function {
                name: &call.name,
                arguments: &call.arguments,
            },
        }
    }
}

/// The messages with all system messages joined into the first.
fn with_one_system_message(messages: &[ChatMessage]) -> Vec<Message<'_>> {
    let system: Vec<&str> = messages
        .iter()
        .filter_map(|message| match message {
            ChatMessage::System(text) => Some(&**text),
            ChatMessage::User(_) | ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => None,
        })
        .collect();
    let others = messages
        .iter()
        .filter(|message| !matches!(message, ChatMessage::System(_)))
        .map(Message::new);
    let first = (!system.is_empty()).then(|| Message {
        content: Some(Cow::Owned(system.join("\n\n"))),
        ..Message::text("system", "")
    });
    first.into_iter().chain(others).collect()
}

/// Tools as JSON, written once for all Myses that share a set.
#[derive(Default)]
pub(super) struct ToolsCache(Mutex<Vec<(Weak<Toolset>, Arc<RawValue>)>>);

impl ToolsCache {
    /// The tools as the request's `tools`; `None` where there are none.
    pub(super) fn of(&self, tools: &Arc<Toolset>) -> Option<Arc<RawValue>> {
        if tools.tools().is_empty() {
            return None;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(set, _)| set.strong_count() > 0);
        let same = |set: &Weak<Toolset>| std::ptr::eq(set.as_ptr(), Arc::as_ptr(tools));
        if let Some((_, json)) = known.iter().find(|(set, _)| same(set)) {
            return Some(json.clone());
        }
        let json: Arc<RawValue> = written(tools)?.into();
        known.push((Arc::downgrade(tools), json.clone()));
        Some(json)
    }
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: ToolFunction<'a>,
}

#[derive(Serialize)]
struct ToolFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
}

/// A tool whose schema is no JSON is left out: the rest must go on.
fn written(tools: &Toolset) -> Option<Box<RawValue>> {
    let tools: Vec<Tool<'_>> = tools
        .tools()
        .iter()
        .filter_map(|tool| {
            let parameters: &RawValue = serde_json::from_str(&tool.schema)
                .inspect_err(|error| {
                    tracing::warn!(tool = %tool.name, %error, "schema is no JSON");
                })
                .ok()?;
            Some(Tool {
                r#type: "function",
                function: ToolFunction {
                    name: &tool.name,
                    description: &tool.description,
                    parameters,
                },
            })
        })
        .collect();
    serde_json::value::to_raw_value(&tools).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::compose::wire_bytes;

    fn messages() -> Vec<ChatMessage> {
        vec![
            ChatMessage::System("be \"good\"\n".into()),
            ChatMessage::System("note".into()),
            ChatMessage::User("é🚀\u{1}".into()),
            ChatMessage::Assistant {
                text: "".into(),
                calls: vec![
                    ChatCall {
                        id: "a".into(),
                        name: "mine".into(),
                        arguments: "{\"x\":1}".into(),
                    },
                    ChatCall {
                        id: "b".into(),
                        name: "dock".into(),
                        arguments: "{}".into(),
                    },
                ],
            },
            ChatMessage::Tool {
                call_id: "a".into(),
                text: "ore".into(),
            },
            ChatMessage::Tool {
                call_id: "b".into(),
                text: "docked".into(),
            },
            ChatMessage::Assistant {
                text: "done".into(),
                calls: vec![],
            },
        ]
    }

    #[test]
    fn the_size_that_composition_counts_is_the_size_on_the_wire() {
        let messages = messages();
        let written: Vec<Message<'_>> = messages.iter().map(Message::new).collect();
        let json = serde_json::to_string(&written).unwrap();
        assert_eq!(wire_bytes(&messages), json.len(), "{json}");
    }

    #[test]
    fn system_messages_are_joined_where_a_server_wants_one() {
        let messages = messages();
        let joined = with_one_system_message(&messages);
        let json = serde_json::to_value(&joined).unwrap();
        assert_eq!(json[0]["content"], "be \"good\"\n\n\nnote");
        assert_eq!(json[1]["role"], "user");
        assert_eq!(joined.len(), messages.len() - 1);
    }
}
