//! The request in OpenAI's chat format, serialized directly.

use std::sync::Arc;

use actors::domain::model::ModelRequest;
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
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<ChatCompletionStreamOptions>,
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
        let is_of_tools = |key: &str| style.misread > 0 && tools.is_some() && is_ours(key);
        WireChatRequest {
            model: &request.model,
            messages: write_messages(
                &request.messages,
                style,
                (&request.provider, &request.model),
            ),
            temperature: style
                .temperature(request.temperature)
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
            tool_choice: is_of_tools("tool_choice").then_some("required"),
            parallel_tool_calls: is_of_tools("parallel_tool_calls").then_some(false),
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

impl WireChatRequest<'_> {
    /// How many messages there are, and their bytes. One that cannot be serialized is not sent either.
    pub(super) fn measure(&self) -> (usize, usize) {
        let written = self
            .messages
            .iter()
            .filter_map(|one| serde_json::to_vec(one).ok());
        (self.messages.len(), written.map(|one| one.len()).sum())
    }
}
