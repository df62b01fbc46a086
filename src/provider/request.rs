//! The request in OpenAI's chat format, serialized directly.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use actors::domain::model::ModelRequest;
use actors::domain::tool::{ToolSpec, Toolset};
use async_openai::types::chat::ChatCompletionStreamOptions;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::message::{WireMessage, write_messages};
use super::quirks::Style;

#[derive(Serialize)]
pub(super) struct WireChatRequest<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<ChatCompletionStreamOptions>,
    /// What the configuration adds.
    #[serde(flatten)]
    extra: Arc<Map<String, Value>>,
}

impl<'a> WireChatRequest<'a> {
    pub(super) fn new(
        request: &'a ModelRequest,
        style: &Style,
        tools: Option<&'a RawValue>,
    ) -> WireChatRequest<'a> {
        let is_limited_anew = style.manners.wants_completion_limit;
        let is_ours = |key: &str| !style.extra.contains_key(key);
        WireChatRequest {
            model: &request.model,
            messages: write_messages(
                &request.messages,
                style.manners,
                (&request.provider, &request.model),
            ),
            temperature: request
                .temperature
                .filter(|_| style.has_temperature && is_ours("temperature")),
            max_tokens: request
                .max_tokens
                .filter(|_| !is_limited_anew && is_ours("max_tokens")),
            max_completion_tokens: request
                .max_tokens
                .filter(|_| is_limited_anew && is_ours("max_completion_tokens")),
            reasoning_effort: Some("none")
                .filter(|_| style.manners.wants_no_effort && is_ours("reasoning_effort")),
            tools,
            stream: style.is_streamed.then_some(true),
            // Without this option a stream does not contain the usage.
            stream_options: style.is_streamed.then_some(ChatCompletionStreamOptions {
                include_usage: Some(true),
                include_obfuscation: None,
            }),
            extra: style.extra.clone(),
        }
    }
}

/// The contents of a request in the provider's format, for the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RequestSizes {
    pub(super) messages: usize,
    /// The serialized bytes of messages, by role.
    pub(super) system: usize,
    pub(super) user: usize,
    pub(super) assistant: usize,
    pub(super) tool: usize,
}

impl RequestSizes {
    pub(super) fn bytes(&self) -> usize {
        self.system + self.user + self.assistant + self.tool
    }
}

impl WireChatRequest<'_> {
    /// Measures the request.
    pub(super) fn measure(&self) -> RequestSizes {
        let mut converted = RequestSizes {
            messages: self.messages.len(),
            ..RequestSizes::default()
        };
        for message in &self.messages {
            // A message that cannot be serialized is not sent either.
            let bytes = serde_json::to_vec(message).map_or(0, |written| written.len());
            *match message.role {
                "system" => &mut converted.system,
                "assistant" => &mut converted.assistant,
                "tool" => &mut converted.tool,
                _ => &mut converted.user,
            } += bytes;
        }
        converted
    }
}

/// Serialized tools, cached once for all Myses with the same set.
#[derive(Default)]
pub(super) struct ToolsCache(Mutex<Vec<CachedTools>>);

/// A set of tools without some of them, as JSON.
struct CachedTools {
    set: Weak<Toolset>,
    left_out: usize,
    json: Arc<RawValue>,
}

impl ToolsCache {
    /// The `tools` of a request without those that are left out; `None` if none remain. The list of
    /// those only grows, so its length identifies it.
    pub(super) fn of(&self, tools: &Arc<Toolset>, left_out: &[String]) -> Option<Arc<RawValue>> {
        if tools.tools().is_empty() {
            return None;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|known| known.set.strong_count() > 0 && known.left_out == left_out.len());
        let same = |set: &Weak<Toolset>| std::ptr::eq(set.as_ptr(), Arc::as_ptr(tools));
        if let Some(known) = known.iter().find(|known| same(&known.set)) {
            return Some(known.json.clone());
        }
        let json: Arc<RawValue> = write_tools(tools, left_out)?.into();
        known.push(CachedTools {
            set: Arc::downgrade(tools),
            left_out: left_out.len(),
            json: json.clone(),
        });
        Some(json)
    }
}

#[derive(Serialize)]
struct WireTool<'a> {
    r#type: &'static str,
    function: WireToolFunction<'a>,
}

#[derive(Serialize)]
struct WireToolFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
}

/// Serializes tools. One whose schema is not JSON is left out, so that the others can be used.
fn write_tools(tools: &Toolset, left_out: &[String]) -> Option<Box<RawValue>> {
    let is_in = |name: &str| !left_out.iter().any(|out| out == name);
    let schemas: Vec<(&ToolSpec, Box<RawValue>)> = tools
        .tools()
        .iter()
        .filter(|tool| is_in(&tool.name))
        .filter_map(|tool| Some((tool, portable_schema(&tool.schema)?)))
        .collect();
    let tools: Vec<WireTool<'_>> = schemas
        .iter()
        .map(|(tool, parameters)| WireTool {
            r#type: "function",
            function: WireToolFunction {
                name: &tool.name,
                description: &tool.description,
                parameters,
            },
        })
        .collect();
    if tools.is_empty() {
        return None;
    }
    serde_json::value::to_raw_value(&tools).ok()
}

/// A tool's schema in a form that every server accepts. Some refuse `$schema`, others a schema
/// without a type. All else stays unchanged.
fn portable_schema(text: &str) -> Option<Box<RawValue>> {
    let schema: Map<String, Value> = serde_json::from_str(text).ok()?;
    let is_plain =
        !schema.contains_key("$schema") && schema.get("type").is_some_and(Value::is_string);
    if is_plain {
        return RawValue::from_string(text.to_string()).ok();
    }
    let mut mended = schema;
    mended.remove("$schema");
    if !mended.get("type").is_some_and(Value::is_string) {
        mended.insert("type".to_string(), Value::from("object"));
    }
    serde_json::value::to_raw_value(&mended).ok()
}
