//! Providers: sends requests to OpenAI-compatible chat endpoints through async-openai.
//!
//! This package knows the wire format only. The actors decide what to ask, when to ask again, and
//! what an answer means. Answers are parsed leniently, because no two servers agree.

mod account;
mod answer;
mod belief;
mod bounded_text;
mod content;
mod cut_streams;
mod echo;
mod error_hints;
mod exchange;
mod failure;
mod key;
mod manners;
mod message;
mod misreading;
mod novelty;
mod own_words;
mod portable;
mod probe;
mod quirks;
mod refusal;
mod request;
mod stream;
mod thoughts;
mod too_long;
mod tools;
mod understanding;
mod usage;
mod waits;
mod weather;

use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::ports::{AnswerMeter, Models};
use actors::secrets::Secrets;
use async_openai::Client;
use async_openai::config::Config;
use async_openai::middleware::HttpRequestFactory;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use zoea_grammar::incident::{Incident, IncidentKeeper, IncidentKind};
use zoea_http::kept::RawAnswer;
use zoea_text::redact::Redactor;

use answer::ReceivedAnswer;
use belief::UsagePlausibility;
pub use belief::answer_bytes;
pub use failure::NOT_JSON;
use key::ProviderAccess;
use probe::ResponseProbe;
pub use quirks::LearntStyle;
use quirks::{ServerQuirks, Style};
use request::WireChatRequest;
use tools::ToolsCache;
use understanding::{BegunWith, Came};

#[derive(Clone, Default)]
pub struct ProviderEndpoint {
    /// The URL that `/chat/completions` is appended to.
    pub url: String,
    /// The key, if the provider requires one.
    pub api_key: Option<String>,
    /// Whether answers are streamed, until the provider turns out not to support it well.
    pub is_streamed: bool,
    /// Members that are added to the body of each request. They outrank ours.
    pub extra: Arc<Map<String, Value>>,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Whether the model's reasoning is sent back with its messages; `None`: where its server or its
    /// maker wants it.
    pub reasoning_back: Option<bool>,
    /// Whether requests say up to where they are worth caching.
    pub marks_cache: bool,
}

/// The special requirements of a server, beyond the common shape of requests. They are kept under
/// shorter names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireProfile {
    /// It accepts no system messages. The first user message begins with the system prompt.
    #[serde(rename = "no_system_role")]
    pub has_no_system_role: bool,
    /// It only accepts call ids of nine letters and digits; ours are digits.
    #[serde(rename = "short_ids")]
    pub wants_short_ids: bool,
    /// It accepts only one call in a message.
    #[serde(rename = "single_calls")]
    pub wants_single_calls: bool,
    /// It accepts no text together with calls, so the text is left out.
    #[serde(rename = "bare_calls")]
    pub wants_bare_calls: bool,
    /// It requires the reasoning in every assistant message. A blank one suffices where it is not
    /// known.
    #[serde(rename = "reasoning_field")]
    pub wants_reasoning: bool,
    /// It takes the longest answer as `max_completion_tokens`.
    #[serde(rename = "completion_limit", default)]
    pub wants_completion_limit: bool,
    /// It takes tools only with the reasoning effort `none`.
    #[serde(rename = "no_effort", default)]
    pub wants_no_effort: bool,
    /// It wants signatures of thoughts with calls, or the mark for calls that have none.
    #[serde(rename = "signatures", default)]
    pub wants_signatures: bool,
    /// It wants a message of the model between a result and a user's message.
    #[serde(rename = "bridges", default)]
    pub wants_bridges: bool,
}

/// All configured providers. They can be replaced while requests are in progress.
pub struct Providers {
    http: reqwest::Client,
    secrets: Secrets,
    incidents: Option<Arc<dyn IncidentKeeper>>,
    known: RwLock<BTreeMap<Arc<str>, Arc<KnownProvider>>>,
}

struct KnownProvider {
    access: Result<ProviderAccess, String>,
    learnt: ServerQuirks,
    belief: UsagePlausibility,
}

/// The body of a request without its tools, for code that judges requests without sending them.
pub fn body_without_tools(request: &ModelRequest) -> Value {
    let style = Style::of(WireProfile::default());
    serde_json::to_value(WireChatRequest::new(request, &style, None)).unwrap_or_default()
}

impl Providers {
    /// Talks to these endpoints through one HTTP client.
    pub fn new(
        http: &reqwest::Client,
        endpoints: impl IntoIterator<Item = (Arc<str>, ProviderEndpoint)>,
    ) -> Providers {
        let providers = Providers {
            http: http.clone(),
            secrets: Secrets::default(),
            incidents: None,
            known: RwLock::default(),
        };
        providers.replace(endpoints);
        providers
    }

    /// Removes these secrets from every answer before it is cut or parsed.
    #[must_use]
    pub fn with_secrets(self, secrets: Secrets) -> Providers {
        Providers { secrets, ..self }
    }

    #[must_use]
    pub fn with_incidents(self, keeper: Arc<dyn IncidentKeeper>) -> Providers {
        Providers {
            incidents: Some(keeper),
            ..self
        }
    }

    /// Replaces all endpoints. Requests in progress continue. What was learnt about the old
    /// endpoints is dropped.
    pub fn replace(&self, endpoints: impl IntoIterator<Item = (Arc<str>, ProviderEndpoint)>) {
        let known = endpoints.into_iter().map(|(name, endpoint)| {
            let known = KnownProvider {
                access: ProviderAccess::from_endpoint(&endpoint),
                learnt: ServerQuirks::new(&endpoint),
                belief: UsagePlausibility::default(),
            };
            (name, Arc::new(known))
        });
        *self.known.write() = known.collect();
    }

    /// What was learnt about a provider's model so far; `None` if the provider is not configured.
    pub fn learnt(&self, name: &str, model: &str) -> Option<LearntStyle> {
        Some(self.get(name)?.learnt.of_model(model).learnt())
    }

    /// Starts with what an earlier run learnt about a provider's model, so that it need not be learnt
    /// from refusals again.
    pub fn teach(&self, name: &str, model: &str, learnt: LearntStyle) {
        if let Some(known) = self.get(name) {
            known.learnt.of_model(model).teach(learnt);
        }
    }

    /// What was learnt about a provider's model so far, in words; empty if it wants nothing special.
    pub fn learnt_in_words(&self, name: &str, model: &str) -> Vec<String> {
        let known = self.get(name);
        known.map_or_else(Vec::new, |known| known.learnt.of_model(model).in_words())
    }

    /// What would come of a request if its server answered so. It is learnt from, as from any answer;
    /// nothing is sent.
    pub fn read(
        &self,
        request: &ModelRequest,
        asker: Option<MysisId>,
        (status, body): (u16, &str),
    ) -> Result<ModelAnswer, ModelFault> {
        let known = self.get(&request.provider);
        let known = known.ok_or_else(|| ModelFault::Permanent {
            text: format!("the configuration has no provider `{}`", request.provider),
        })?;
        let begun = BegunWith::of(known.learnt.of_model(&request.model), asker);
        let sent = self.request_body(request).unwrap_or_default();
        let (answer, form) = exchange::read_whole(status, body);
        let came = Came {
            answer,
            form,
            sent_bytes: sent.len() as u64,
            stated_cost: None,
        };
        known.understand(&begun, (request, 0), came, &self.secrets.redactor())
    }

    /// A provider and how to get to it, or why that is not possible.
    fn reach(&self, name: &str) -> Result<(Arc<KnownProvider>, ProviderAccess), String> {
        let known = self.get(name);
        let known = known.ok_or_else(|| format!("the configuration has no provider `{name}`"))?;
        let access = known.access.clone();
        let access = access.map_err(|why| format!("provider `{name}`: {why}"))?;
        Ok((known, access))
    }

    fn get(&self, name: &str) -> Option<Arc<KnownProvider>> {
        let known = self.known.read();
        known.get(name).cloned()
    }
}

impl Models for Providers {
    fn ask(
        &self,
        request: ModelRequest,
        meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let (known, access) = match self.reach(&request.provider) {
            Ok(found) => found,
            Err(text) => return async move { Err(ModelFault::Permanent { text }) }.boxed(),
        };
        let (http, secrets) = (self.http.clone(), self.secrets.clone());
        let incidents = self.incidents.clone();
        async move {
            let asker = meter.turn().map(|turn| turn.mysis);
            let begun = BegunWith::of(known.learnt.of_model(&request.model), asker);
            let tools = begun.quirks.tools.of(&request.tools);
            let body = WireChatRequest::new(&request, &begun.style, tools.as_deref());
            trace_request(&request, &body);
            let hearing = Arc::new(ResponseProbe::new(meter));
            let client = probed_client(access, http, hearing.clone());
            // The request is given away, so that nothing of it is kept once it is written.
            let came: Result<Box<RawValue>, _> = client.chat().create_byot(body).await;
            let observed = hearing.take();
            let came = Came {
                answer: came.map(|came| {
                    let joined = observed.joined;
                    joined.unwrap_or_else(|| ReceivedAnswer::from_body(came.get()))
                }),
                form: observed.form,
                sent_bytes: observed.sent_bytes,
                stated_cost: observed.stated_cost,
            };
            let secrets = secrets.redactor();
            let tools_bytes = tools.as_deref().map_or(0, |tools| tools.get().len() as u64);
            let answer = known.understand(&begun, (&request, tools_bytes), came, &secrets);
            if let (Err(fault), Some(raw), Some(keeper)) = (&answer, observed.raw, incidents) {
                let server = &request.provider;
                let body = WireChatRequest::new(&request, &begun.style, tools.as_deref());
                let incident = incident_of(server, &body, raw, fault, &secrets);
                keeper.keep(incident).await;
            }
            answer
        }
        .boxed()
    }

    fn request_body(&self, request: &ModelRequest) -> Option<String> {
        let known = self.get(&request.provider)?;
        let quirks = known.learnt.of_model(&request.model);
        let style = quirks.style();
        let tools = quirks.tools.of(&request.tools);
        serde_json::to_string(&WireChatRequest::new(request, &style, tools.as_deref())).ok()
    }

    fn server_url(&self, provider: &str) -> Option<String> {
        let known = self.get(provider)?;
        let access = known.access.as_ref().ok()?;
        Some(access.api_base().to_string())
    }
}

/// The incident of a request that was answered, and whose answer is a fault. Secrets are removed
/// before anything is cut.
fn incident_of(
    provider: &str,
    body: &WireChatRequest<'_>,
    raw: RawAnswer,
    fault: &ModelFault,
    secrets: &Redactor,
) -> Incident {
    let request = serde_json::to_string(body).unwrap_or_default();
    let clean = |text: &str| secrets.clean(text).into_owned();
    let received = raw.clean_body(clean);
    let answer = (raw.status, raw.headers, received.as_bytes());
    let kind = IncidentKind::Model;
    Incident::of_exchange(kind, provider, fault.text(), &request, answer, clean)
}

/// Logs the sizes of a request in the provider's format. The span contains the Mysis and the sizes
/// by kind.
fn trace_request(request: &ModelRequest, body: &WireChatRequest<'_>) {
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let (messages, bytes) = body.measure();
    tracing::debug!(
        provider = %request.provider,
        messages,
        bytes,
        tools = request.tools.tools().len(),
        stage = "converted",
        "request"
    );
}

/// The body of a request as it is sent to a provider, for code that checks it.
pub fn request_body(request: &ModelRequest, manners: WireProfile) -> serde_json::Result<String> {
    let tools = ToolsCache::default().of(&request.tools);
    let style = Style::of(manners);
    serde_json::to_string(&WireChatRequest::new(request, &style, tools.as_deref()))
}

/// A client for one request. It never retries, because the actors decide about retries and show
/// them.
fn probed_client(
    access: ProviderAccess,
    http: reqwest::Client,
    hearing: Arc<ResponseProbe>,
) -> Client<ProviderAccess> {
    let client = Client::build(http.clone(), access);
    let service = tower::service_fn(move |factory: HttpRequestFactory| {
        let (http, hearing) = (http.clone(), hearing.clone());
        async move { exchange::send_request(&http, factory, &hearing).await }
    });
    client.with_http_service(service)
}

#[cfg(test)]
mod tests;
