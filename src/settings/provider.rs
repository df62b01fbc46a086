//! `[providers.NAME]`: an OpenAI-compatible chat endpoint with its model, pace and price.

use std::time::Duration;

use actors::domain::bounds;
use url::Url;

use super::rule::{
    BooleanRule, Keyword, NonEmptyText, Number, ProviderName, Time, VariableName, WebUrl,
    WholeNumber,
};
use super::secret::Secret;
use super::section::Section;

/// A chat endpoint with its model, pace and price.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderSettings {
    /// An http or https URL without a slash at its end; `/chat/completions` is appended to it.
    pub endpoint: String,
    /// Which dialect it speaks; guessed from the endpoint where the file does not say.
    pub kind: ProviderKind,
    /// The model's name, as the endpoint knows it.
    pub model: String,
    /// 0 to 2; 0 is sent as well.
    pub temperature: f64,
    /// Where the key comes from.
    pub key_source: KeySource,
    /// The key that was found there; none if none is named, or none was found (a warning says so).
    pub api_key: Option<Secret>,
    /// Whether answers are asked for in pieces.
    pub stream: bool,
    /// How long one request may take, above zero; of an answer that comes in pieces, how long the
    /// next one may be waited for, and a sixth of the whole.
    pub timeout: Duration,
    /// Requests in flight for the whole swarm, 1 to 1000000.
    pub max_concurrency: u32,
    /// Requests a minute, paced evenly, 1 to 1000000; none: unlimited.
    pub requests_per_minute: Option<u32>,
    /// Tokens a minute, in and out, above zero; none: unlimited.
    pub tokens_per_minute: Option<u64>,
    /// Failures in a row after which it is away, 1 to 1000.
    pub circuit_failures: u32,
    /// The time between two tries while it is away, above zero.
    pub circuit_wait: Duration,
    /// The waits before each further try after 429, 5xx and network faults.
    pub retry: Vec<Duration>,
    /// Another provider to use while this one is down; always one of `providers`.
    pub fallback: Option<String>,
    /// What it costs; none: no cost is shown.
    pub price: Option<PriceSettings>,
    /// The model's context size in tokens, where it is known.
    pub context_tokens: Option<u64>,
}

/// The dialect of an endpoint. Both take the one shape that every request has, so that nothing depends
/// on it; it is told to whoever reads the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderKind {
    /// Chat completions as OpenAI has them.
    OpenAi,
    /// The same from an Ollama server.
    Ollama,
}

/// Where a provider's key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// It needs none.
    None,
    /// The variable of the environment with this name.
    Variable(String),
    /// The entry with this name in `credentials.json`.
    Credentials(String),
}

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceSettings {
    /// Tokens sent, 0 or more.
    pub input: f64,
    /// Tokens received, 0 or more.
    pub output: f64,
    /// Tokens sent that came from the provider's cache, 0 or more; none: as `input`.
    pub cached: Option<f64>,
}

/// The name of the provider that exists where the configuration names none.
pub(super) const DEFAULT_NAME: &str = "local";

impl Default for ProviderSettings {
    fn default() -> Self {
        Self {
            endpoint: "http://127.0.0.1:11434/v1".to_owned(),
            kind: ProviderKind::Ollama,
            model: "qwen3:8b".to_owned(),
            temperature: 0.7,
            key_source: KeySource::None,
            api_key: None,
            stream: true,
            timeout: Duration::from_secs(5 * 60),
            max_concurrency: 4,
            requests_per_minute: None,
            tokens_per_minute: None,
            circuit_failures: 5,
            circuit_wait: Duration::from_secs(4),
            retry: [5, 10, 15].map(Duration::from_secs).to_vec(),
            fallback: None,
            price: None,
            context_tokens: None,
        }
    }
}

impl ProviderSettings {
    /// `providers` are the names of all, among them `name`, which is this one's.
    pub(super) fn read(section: &mut Section<'_, '_>, name: &str, providers: &[String]) -> Self {
        const KINDS: Keyword<ProviderKind> = Keyword(&[
            ("openai", ProviderKind::OpenAi),
            ("ollama", ProviderKind::Ollama),
        ]);
        let default = Self::default();
        let known = providers
            .iter()
            .map(String::as_str)
            .filter(|other| *other != name)
            .collect();
        let others = ProviderName {
            known,
            noun: "other provider",
        };
        let (endpoint, model) = read_endpoint_and_model(section, name, &default);
        Self {
            kind: section
                .read("kind", &KINDS)
                .unwrap_or_else(|| guess_kind(&endpoint)),
            endpoint,
            model,
            temperature: section
                .read("temperature", &Number::between(0.0, 2.0))
                .unwrap_or(default.temperature),
            key_source: read_key_source(section),
            api_key: None,
            stream: section
                .read("stream", &BooleanRule)
                .unwrap_or(default.stream),
            timeout: section
                .read("timeout", &Time::AboveZero)
                .unwrap_or(default.timeout),
            max_concurrency: section
                .read("max_concurrency", &WholeNumber::between(1, 1_000_000))
                .unwrap_or(default.max_concurrency),
            requests_per_minute: section
                .read("requests_per_minute", &WholeNumber::between(1, 1_000_000)),
            tokens_per_minute: section.read("tokens_per_minute", &WholeNumber::at_least(1)),
            circuit_failures: section
                .read("circuit_failures", &WholeNumber::between(1, 1000))
                .unwrap_or(default.circuit_failures),
            circuit_wait: section
                .read("circuit_wait", &Time::AboveZero)
                .unwrap_or(default.circuit_wait),
            retry: section
                .read("retry", &super::RETRY_RULE)
                .unwrap_or(default.retry),
            fallback: section.read("fallback", &others),
            price: section.table("price", PriceSettings::read).flatten(),
            context_tokens: section.read("context_tokens", &WholeNumber::at_least(1)),
        }
    }
}

impl PriceSettings {
    fn read(section: &mut Section<'_, '_>) -> Option<Self> {
        const RULE: Number = Number::between(0.0, bounds::MAX_PRICE);
        let input = section.require("input", &RULE);
        let output = section.require("output", &RULE);
        Some(Self {
            input: input?,
            output: output?,
            cached: section.read("cached", &RULE),
        })
    }
}

/// Only the provider called `local` has defaults for these: guessing them for another would send its
/// requests where nobody expects them.
fn read_endpoint_and_model(
    section: &mut Section<'_, '_>,
    name: &str,
    default: &ProviderSettings,
) -> (String, String) {
    const ENDPOINT: (&str, WebUrl) = ("endpoint", WebUrl::Endpoint);
    const MODEL: (&str, NonEmptyText) = ("model", NonEmptyText);
    if name == DEFAULT_NAME {
        let endpoint = section.read(ENDPOINT.0, &ENDPOINT.1);
        let model = section.read(MODEL.0, &MODEL.1);
        let or_default = |value: Option<String>, default: &str| value.unwrap_or(default.to_owned());
        (
            or_default(endpoint, &default.endpoint),
            or_default(model, &default.model),
        )
    } else {
        let endpoint = section.require(ENDPOINT.0, &ENDPOINT.1);
        let model = section.require(MODEL.0, &MODEL.1);
        (endpoint.unwrap_or_default(), model.unwrap_or_default())
    }
}

fn read_key_source(section: &mut Section<'_, '_>) -> KeySource {
    let variable = section.read("api_key_env", &VariableName);
    let entry = section.read("api_key_name", &NonEmptyText);
    match (variable, entry) {
        (None, None) => KeySource::None,
        (Some(variable), None) => KeySource::Variable(variable),
        (None, Some(entry)) => KeySource::Credentials(entry),
        (Some(variable), Some(_)) => {
            section.reject("api_key_name", "given beside api_key_env", "one of the two");
            KeySource::Variable(variable)
        }
    }
}

fn guess_kind(endpoint: &str) -> ProviderKind {
    let Ok(url) = Url::parse(endpoint) else {
        return ProviderKind::OpenAi;
    };
    let is_named_so = url.host_str().is_some_and(|host| host.contains("ollama"));
    if is_named_so || url.port() == Some(11434) {
        ProviderKind::Ollama
    } else {
        ProviderKind::OpenAi
    }
}
