//! `[providers.NAME]`: an OpenAI-compatible chat endpoint with its model, pace and price.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use url::Url;
use zoea_domain::bounds::MAX_PRICE;
use zoea_domain::gate::circuit::CircuitRules;
use zoea_domain::price::TokenPrice;
use zoea_domain::rules::{ProviderRules, ProviderTier};

use crate::prices::price_list;

use super::header::{HeaderSettings, read_headers};
use super::rule::{
    body_members, boolean, duration_above_zero, endpoint_url, non_empty_text, number, one_of,
    provider_name, retry_waits, variable_name, whole_number, whole_number_from,
};
use super::secret::Secret;
use super::section::Section;
use super::table::read_keys;

/// A chat endpoint with its model, pace and price.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderSettings {
    /// An http or https URL without a trailing slash. `/chat/completions` is appended to it.
    pub endpoint: String,
    /// Its dialect. If the file does not name one, it is guessed from the endpoint.
    pub kind: ProviderKind,
    pub key_source: KeySource,
    /// Its key; `None` if no key is configured or found. A missing key is reported as a warning.
    pub api_key: Option<Secret>,
    pub stream: bool,
    /// Members that are added to the body of each request.
    pub extra: Map<String, Value>,
    /// Further headers of every request.
    pub headers: Vec<HeaderSettings>,
    /// Whether the model's reasoning is sent back; `None`: where it is wanted.
    pub reasoning_back: Option<bool>,
    /// Whether requests say up to where they are worth caching.
    pub marks_cache: bool,
    pub rules: ProviderRules,
}

/// The dialect of an endpoint. Every request has one shape that both accept, so nothing depends on
/// the dialect. It is only shown to the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderKind {
    /// OpenAI's chat completions.
    OpenAi,
    /// The chat completions of an Ollama server.
    Ollama,
}

/// Where a provider's key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// It needs no key.
    None,
    Variable(String),
    /// The entry of this name in `credentials.json`.
    Credentials(String),
}

impl KeySource {
    pub(super) fn of(variable: Option<String>, entry: Option<String>) -> KeySource {
        match (variable, entry) {
            (Some(variable), _) => KeySource::Variable(variable),
            (None, Some(entry)) => KeySource::Credentials(entry),
            (None, None) => KeySource::None,
        }
    }
}

/// The name of the default provider, which exists if the configuration names none.
pub(super) const DEFAULT_NAME: &str = "local";

const DEFAULT_ENDPOINT: &str = "http://127.0.0.1:11434/v1";

impl Default for ProviderSettings {
    fn default() -> Self {
        Self {
            endpoint: DEFAULT_ENDPOINT.to_owned(),
            kind: ProviderKind::Ollama,
            key_source: KeySource::None,
            api_key: None,
            stream: true,
            extra: Map::new(),
            headers: Vec::new(),
            reasoning_back: None,
            marks_cache: false,
            rules: ProviderRules::default(),
        }
    }
}

impl ProviderSettings {
    /// Whether the price of the provider's model is known.
    pub fn has_price(&self) -> bool {
        let is_listed = || self.rules.price_list.find(&self.rules.model).is_some();
        self.rules.price.is_some() || is_listed()
    }

    /// `providers` contains the names of all providers, including `name` itself.
    pub(super) fn read(section: &mut Section<'_, '_>, name: &str, providers: &[String]) -> Self {
        // Only the default provider has a default endpoint and model. Guessing them for another one
        // would send its requests to an unexpected server.
        let is_other = name != DEFAULT_NAME;
        let kinds = [
            ("openai", ProviderKind::OpenAi),
            ("ollama", ProviderKind::Ollama),
        ];
        let mut others = providers.to_vec();
        others.retain(|other| other != name);
        read_keys! { section;
            /// "/chat/completions" is appended to it.
            required endpoint = "http://127.0.0.1:11434/v1" if is_other, endpoint_url();
            /// "openai" or "ollama". Left out: guessed from the endpoint.
            optional kind = "ollama", one_of(kinds);
            /// The model's name, as the provider knows it.
            required model = "qwen3:8b" if is_other, non_empty_text();
            /// 0 to 2; 0 is sent, too.
            default temperature = 0.7, number(0.0..=2.0);
            /// Whether answers are asked for in pieces, so that you see them grow. Where a server refuses, does it
            /// wrongly, or does not say then what it cost, it is asked for whole ones from then on.
            default stream = true, boolean();
            /// How long one request may take. Where the answer comes in pieces: the longest wait for the next one,
            /// so that a slow model may finish; the whole answer may take six times as long.
            default timeout = "5m", duration_above_zero();
            /// The most requests in flight, for the whole swarm.
            default max_concurrency = 4, whole_number(1..=1_000_000);
            /// The waits before trying again after 429, 5xx and network faults. A wait that the
            /// provider states outranks them; where it is longer than a minute, the provider is left alone until then.
            default retry = ["5s", "10s", "15s"], retry_waits();
            /// After so many failures in a row, or when one Mysis has no try left, it is away: one call tries it now
            /// and then, and the next one after so long. Meanwhile its fallback is used, if it has one; else its
            /// Myses wait, for as long as it takes.
            default circuit_failures = 5, whole_number(1..=1000);
            default circuit_wait = "4s", duration_above_zero();
            /// The context that it was started with, in tokens. Left out: not known.
            optional context_tokens = 32768, whole_number_from(1..);
            /// How much of a request's messages a mission's own earlier turns may take, 0 to 0.75. Oldest turns are
            /// left out first, several at once, so that the provider's cache keeps the others.
            default history_share = 0.25, number(0.0..=0.75);
            /// The variable that holds the key; the key itself never stands in this file.
            optional api_key_env = "OPENAI_API_KEY", variable_name();
            /// At most so many requests a minute, evenly paced. Left out: as many as come.
            optional requests_per_minute = 60, whole_number(1..=1_000_000);
            /// At most so many tokens a minute, in and out. Left out: as many as come.
            optional tokens_per_minute = 200_000, whole_number_from(1..);
            /// The provider to use while this one is down. Left out: none.
            optional fallback = "local", provider_name(&others, "other provider");
            /// US dollars for a million tokens. Left out: as the built-in list of prices has it, else unknown. Tokens that come from the provider's
            /// cache may have a price of their own: { input = 0.15, output = 0.60, cached = 0.075 }
            table price = { input = 0.15, output = 0.60 }, read_price;
            /// The entry of credentials.json (in the home directory) that holds the key; it is written
            /// {"providers": {"opencode_zen": {"api_key": "…"}}}
            optional api_key_name = "opencode_zen", non_empty_text();
        }
        if api_key_env.is_some() && api_key_name.is_some() {
            section.reject("api_key_name", "given beside api_key_env", "one of the two");
        }
        let additions = read_additions(section);
        let endpoint = endpoint.unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned());
        Self {
            kind: kind.unwrap_or_else(|| guess_kind(&endpoint)),
            key_source: KeySource::of(api_key_env, api_key_name),
            stream,
            rules: ProviderRules {
                model: model.map_or_else(|| ProviderRules::default().model, Into::into),
                temperature: Some(narrowed(temperature)),
                timeout,
                max_concurrency,
                requests_per_minute,
                tokens_per_minute,
                retry,
                circuit: CircuitRules {
                    failures: circuit_failures,
                    wait: circuit_wait,
                },
                fallback,
                price: price.flatten(),
                price_list: price_list(&endpoint),
                context_tokens,
                history_share: hundredths(history_share),
                ..additions.rules
            },
            endpoint,
            ..additions
        }
    }
}

/// Whether calls are read from texts, the tier, and settings with what deviates from common requests: whether
/// reasoning goes back, members of the body, and headers.
fn read_additions(section: &mut Section<'_, '_>) -> ProviderSettings {
    read_keys! { section;
        /// How dear it is, from 1, the cheapest, to 3, for roles that name a tier. Of several providers of one tier the
        /// first that is not away is asked. Left out: it takes no part in that.
        optional tier = 1, whole_number(1..=3);
        /// Whether calls that the model leaves in its text are made, where its server does not read them. Only a
        /// text that is nothing but calls of tools on offer, with arguments by their schemas, counts.
        default text_calls = true, boolean();
        /// Whether the model's reasoning is sent back with its messages, in the form in which it came. Left out: where
        /// the server demands it, and for the models whose makers want it.
        optional reasoning_back = true, boolean();
        /// Whether requests are marked up to where they are worth caching (`cache_control`), as Anthropic's models
        /// want it, also behind OpenRouter and other gateways. Servers that do not know the marks may refuse them.
        default cache_marks = false, boolean();
        /// Members that are added to the body of each request, as the provider documents them. They outrank ours.
        optional extra = { top_p = 0.9, reasoning = { effort = "low" } }, body_members();
    }
    ProviderSettings {
        reasoning_back,
        marks_cache: cache_marks,
        extra: extra.unwrap_or_default(),
        headers: read_headers(section),
        rules: ProviderRules {
            reads_text_calls: text_calls,
            tier: tier.map(|tier| ProviderTier { tier, place: 0 }),
            ..ProviderRules::default()
        },
        ..ProviderSettings::default()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a temperature is from 0 to 2 and providers round it far more coarsely"
)]
fn narrowed(temperature: f64) -> f32 {
    temperature as f32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share is from 0 to 1"
)]
fn hundredths(share: f64) -> u8 {
    (share * 100.0).round() as u8
}

/// The names of all providers, and the settings of those that could be read. Without any in the
/// text it is `local` alone.
pub(super) fn read_providers(
    root: &mut Section<'_, '_>,
) -> (Vec<String>, BTreeMap<String, ProviderSettings>) {
    let declared = root.declared_in("providers");
    let mut names = declared.clone();
    names.sort();
    let providers = root.read_named("providers", |name, section| {
        (
            name.to_owned(),
            ProviderSettings::read(section, name, &names),
        )
    });
    let mut providers: BTreeMap<String, ProviderSettings> = BTreeMap::from_iter(providers);
    for (place, name) in declared.iter().enumerate() {
        let rules = providers.get_mut(name).map(|provider| &mut provider.rules);
        if let Some(tier) = rules.and_then(|rules| rules.tier.as_mut()) {
            tier.place = place;
        }
    }
    if names.is_empty() {
        names.push(DEFAULT_NAME.to_owned());
        providers.insert(DEFAULT_NAME.to_owned(), ProviderSettings::default());
    }
    (names, providers)
}

fn read_price(section: &mut Section<'_, '_>) -> Option<TokenPrice> {
    read_keys! { section;
        required input = 0.15, number(0.0..=MAX_PRICE);
        required output = 0.60, number(0.0..=MAX_PRICE);
        optional cached = 0.075, number(0.0..=MAX_PRICE);
    }
    Some(TokenPrice {
        input: input?,
        output: output?,
        cached,
    })
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
