//! Providers: asking any OpenAI-compatible chat endpoint, once, through async-openai.
//!
//! Knows the wire format and nothing else: what to ask, when to ask again and what an answer means
//! is decided inside. Answers are read leniently, since no two servers agree.

mod answer;
mod failure;
mod request;

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::ports::Models;
use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::middleware::HttpRequestFactory;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use request::{ChatRequest, ToolsCache};

/// Where a provider is and how it is spoken to.
#[derive(Clone)]
pub struct Endpoint {
    /// The URL that `/chat/completions` is appended to.
    pub url: String,
    /// The key, if the provider wants one.
    pub api_key: Option<String>,
    /// What the server is particular about.
    pub manners: Manners,
}

/// What a server is particular about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manners {
    /// Takes any valid conversation.
    OpenAi,
    /// Wants one system message at the start, as the chat templates of local models do.
    OneSystemMessage,
}

/// All providers of the configuration.
pub struct Providers {
    clients: BTreeMap<Arc<str>, (Client<OpenAIConfig>, Manners)>,
    tools: Arc<ToolsCache>,
}

/// The messages and tools of a request as they would go over the wire, the tools by name alone:
/// for whoever wants to judge a request without sending it.
#[must_use]
pub fn body(request: &ModelRequest) -> Value {
    let mut body =
        serde_json::to_value(ChatRequest::new(request, Manners::OpenAi, None)).unwrap_or_default();
    let tools = request.tools.tools().iter();
    let tools: Vec<Value> = tools
        .map(|tool| serde_json::json!({"type": "function", "function": {"name": *tool.name}}))
        .collect();
    if !tools.is_empty() {
        body["tools"] = Value::Array(tools);
    }
    body
}

impl Providers {
    /// Speaks to these endpoints through one HTTP client.
    #[must_use]
    pub fn new(
        http: &reqwest::Client,
        endpoints: impl IntoIterator<Item = (Arc<str>, Endpoint)>,
    ) -> Providers {
        Providers {
            clients: endpoints
                .into_iter()
                .map(|(name, endpoint)| (name, (client(http, &endpoint), endpoint.manners)))
                .collect(),
            tools: Arc::default(),
        }
    }
}

impl Models for Providers {
    fn ask(&self, request: ModelRequest) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let Some((client, manners)) = self.clients.get(&request.provider).cloned() else {
            let text = format!("the configuration has no provider `{}`", request.provider);
            return async move { Err(ModelFault::Permanent { text }) }.boxed();
        };
        let tools = self.tools.clone();
        async move {
            let tools = tools.of(&request.tools);
            let body = ChatRequest::new(&request, manners, tools.as_deref());
            tracing::debug!(
                provider = %request.provider,
                messages = body.messages(),
                tools = request.tools.tools().len(),
                stage = "converted",
                "request"
            );
            let answer: Result<Value, _> = client.chat().create_byot(&body).await;
            answer.map_err(failure::fault).and_then(answer::read)
        }
        .boxed()
    }

    fn written(&self, request: &ModelRequest) -> Option<String> {
        let (_, manners) = self.clients.get(&request.provider)?;
        let tools = self.tools.of(&request.tools);
        serde_json::to_string(&ChatRequest::new(request, *manners, tools.as_deref())).ok()
    }
}

/// The body of a request as it goes to a provider; for whoever checks what is sent.
///
/// # Errors
/// It cannot be written as JSON, which no request of ours is known to do.
pub fn body_of(request: &ModelRequest, manners: Manners) -> serde_json::Result<String> {
    let tools = ToolsCache::default().of(&request.tools);
    serde_json::to_string(&ChatRequest::new(request, manners, tools.as_deref()))
}

/// A client that never retries by itself: retries are decided inside, where they can be seen.
fn client(http: &reqwest::Client, endpoint: &Endpoint) -> Client<OpenAIConfig> {
    let config = OpenAIConfig::new()
        .with_api_base(endpoint.url.trim_end_matches('/'))
        .with_api_key(endpoint.api_key.clone().unwrap_or_default());
    let http_for_service = http.clone();
    let service = tower::service_fn(move |factory: HttpRequestFactory| {
        let http = http_for_service.clone();
        async move { failure::send(&http, factory).await }
    });
    Client::build(http.clone(), config).with_http_service(service)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::model::ChatMessage;
    use actors::domain::tool::{ToolSpec, Toolset};
    use axum::routing::post;
    use tokio::sync::mpsc;

    fn request(tools: Toolset) -> ModelRequest {
        ModelRequest {
            provider: "local".into(),
            model: "qwen3".into(),
            temperature: Some(0.7),
            max_tokens: None,
            messages: [
                ChatMessage::System("be \"good\"\n".into()),
                ChatMessage::System("note".into()),
                ChatMessage::User("é🚀\u{1}".into()),
            ]
            .into(),
            tools: Arc::new(tools),
        }
    }

    fn tools() -> Toolset {
        Toolset::new([ToolSpec {
            name: "mine".into(),
            description: "Mines.".into(),
            schema: "{\"type\":\"object\"}".into(),
            read_only_hint: None,
        }])
    }

    #[tokio::test]
    async fn what_is_written_for_the_operator_is_what_was_sent_letter_for_letter() {
        let (tell, mut heard) = mpsc::unbounded_channel();
        let answer = move |body: String| async move {
            tell.send(body).expect("the test listens");
            r#"{"choices":[{"message":{"role":"assistant","content":"yes"}}]}"#
        };
        let app = axum::Router::new().route("/v1/chat/completions", post(answer));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let server = tokio::spawn(async move { axum::serve(listener, app).await });
        for manners in [Manners::OpenAi, Manners::OneSystemMessage] {
            let endpoint = Endpoint {
                url: url.clone(),
                api_key: Some("secret-key".to_string()),
                manners,
            };
            let providers = Providers::new(
                &crate::http::client().unwrap(),
                [("local".into(), endpoint)],
            );
            for request in [request(tools()), request(Toolset::default())] {
                let written = providers.written(&request).expect("the provider is known");
                providers.ask(request).await.unwrap();
                assert_eq!(heard.recv().await.as_ref(), Some(&written));
                assert!(!written.contains("secret-key"));
            }
        }
        server.abort();
    }
}
