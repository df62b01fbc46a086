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
