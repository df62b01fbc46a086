//! `[traces]`: the collector of spans, if there is one.
//!
//! What the configuration leaves open, OpenTelemetry's own variables may say (decision 189). They
//! are the machine's word for all of its programs, and the configuration is the operator's for this
//! swarm, so the configuration goes first.

use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;
use zoea_text::redact::header_secrets;

use super::environment::Environment;
use super::keys::{KeyRemarks, shown_variable};
use super::mistake::{Mistake, MistakePlace};
use super::rule::{boolean, non_empty_text, one_of, server_url, variable_name};
use super::secret::Secret;
use super::table::section;

const TRACES_PATH: &str = "/v1/traces";
/// The name of a swarm that has no other.
const SERVICE_NAME: &str = "zoea";
/// The attribute of a resource that names it.
const SERVICE_KEY: &str = "service.name";

/// The form of requests to a collector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TraceProtocol {
    #[default]
    Protobuf,
    Json,
}

section! {
    /// The OpenTelemetry collector.
    pub struct TraceSettings {
        /// Its address for OTLP over HTTP; none: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or
        /// OTEL_EXPORTER_OTLP_ENDPOINT, and without those no spans are made.
        optional endpoint: Option<String> = "http://127.0.0.1:4318", server_url();
        /// What it takes: "protobuf" or "json"; none: OTEL_EXPORTER_OTLP_PROTOCOL, else protobuf.
        optional protocol: Option<TraceProtocol> = "protobuf",
            one_of([("protobuf", TraceProtocol::Protobuf), ("json", TraceProtocol::Json)]);
        default compression: bool = "gzip", one_of([("gzip", true), ("none", false)]),
            "Whether requests are compressed: \"gzip\" or \"none\".";
        /// The variable that holds headers for it, such as the token that it wants, written as
        /// authorization=Bearer%20TOKEN,x-scope=belt; none: OTEL_EXPORTER_OTLP_HEADERS.
        optional headers_env: Option<String> = "TRACES_HEADERS", variable_name();
        default contents: bool = false, boolean(),
            "Whether spans carry what was said: requests, answers, arguments, results.";
        /// What this swarm is called there (service.name), so that several can share a collector;
        /// none: OTEL_SERVICE_NAME, else "zoea".
        optional service: Option<String> = "zoea", non_empty_text();
    }
    also {
        /// The URL that spans are sent to; `None` if no spans are made.
        collector: Option<String> = None;
        headers: Vec<(String, Secret)> = Vec::new();
        /// Further attributes of this program (`OTEL_RESOURCE_ATTRIBUTES`).
        resource: Vec<(String, String)> = Vec::new();
    }
}

impl TraceSettings {
    /// The settings of a swarm without a configuration: what the environment says.
    pub fn of_environment(environment: &Environment) -> TraceSettings {
        let mut settings = TraceSettings::default();
        let mut remarks = KeyRemarks::default();
        settings.complete(environment, &mut remarks);
        settings
    }

    /// The name of this swarm at the collector.
    pub fn service_name(&self) -> &str {
        self.service.as_deref().unwrap_or(SERVICE_NAME)
    }

    /// The headers as HTTP knows them.
    pub fn header_map(&self) -> HeaderMap {
        let headers = self.headers.iter();
        headers
            .filter_map(|(name, value)| http_header(name, value.expose()))
            .collect()
    }

    pub fn header_secrets(&self) -> impl Iterator<Item = &str> {
        let headers = self.headers.iter();
        headers.flat_map(|(name, value)| header_secrets(name, value.expose()))
    }

    /// Fills in what the configuration leaves to the environment.
    pub(super) fn complete(&mut self, environment: &Environment, remarks: &mut KeyRemarks) {
        let variables = Variables {
            environment,
            remarks,
        };
        variables.complete(self);
    }
}

/// Reads OpenTelemetry's variables. One that cannot be used is reported and ignored, as the
/// specification asks.
struct Variables<'a> {
    environment: &'a Environment,
    remarks: &'a mut KeyRemarks,
}

impl Variables<'_> {
    fn complete(mut self, settings: &mut TraceSettings) {
        settings.collector = match &settings.endpoint {
            Some(endpoint) => Some(with_path(endpoint)),
            None => self.endpoint(),
        };
        if settings.collector.is_none() && settings.headers_env.is_none() {
            return;
        }
        if settings.protocol.is_none() {
            settings.protocol = self.protocol();
        }
        settings.headers = match &settings.headers_env {
            Some(name) => self.named_headers(name),
            None => self.headers(),
        };
        let named = self.get("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
        settings.resource = match read_pairs(&named) {
            Some(pairs) => pairs,
            None => self.ignore("OTEL_RESOURCE_ATTRIBUTES", "no list of KEY=VALUE"),
        };
        if settings.service.is_none() {
            let resource = &settings.resource;
            let named = resource.iter().find(|(key, _)| key == SERVICE_KEY);
            let named = named.map(|(_, name)| name.clone());
            settings.service = self.get("OTEL_SERVICE_NAME").or(named);
        }
    }

    fn endpoint(&mut self) -> Option<String> {
        let is_off = self
            .get("OTEL_SDK_DISABLED")
            .is_some_and(|text| text.eq_ignore_ascii_case("true"))
            || self
                .get("OTEL_TRACES_EXPORTER")
                .is_some_and(|text| text == "none");
        if is_off {
            return None;
        }
        let whole = self.url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let found = whole.map(|url| ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url));
        let (name, url) = found.or_else(|| {
            let base = self.url("OTEL_EXPORTER_OTLP_ENDPOINT")?;
            Some(("OTEL_EXPORTER_OTLP_ENDPOINT", with_end(&base, TRACES_PATH)))
        })?;
        // A path or a query may hold a key.
        let server = shown_origin(&url);
        self.remarks.warnings.push(format!(
            "spans are sent to {server}, because {name} says so; set traces.endpoint to send them \
             elsewhere, or OTEL_SDK_DISABLED=true to send none"
        ));
        Some(url)
    }

    fn url(&mut self, name: &'static str) -> Option<String> {
        let text = self.get(name)?;
        let rule = server_url();
        match rule.accept_variable(&text) {
            Ok(url) => Some(url),
            Err(_) => self.ignore(name, &format!("not {}", rule.allowed)),
        }
    }

    fn protocol(&mut self) -> Option<TraceProtocol> {
        let (name, text) = self.first_of([
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
            "OTEL_EXPORTER_OTLP_PROTOCOL",
        ])?;
        match &*text {
            "http/protobuf" => Some(TraceProtocol::Protobuf),
            "http/json" => Some(TraceProtocol::Json),
            _ => self.ignore(
                name,
                "neither http/protobuf nor http/json, which zoea speaks",
            ),
        }
    }

    fn headers(&mut self) -> Vec<(String, Secret)> {
        let found = self.first_of([
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
            "OTEL_EXPORTER_OTLP_HEADERS",
        ]);
        let Some((name, text)) = found else {
            return Vec::new();
        };
        match read_headers(&text) {
            Some(headers) => headers,
            None => self.ignore(name, "no list of HEADER=VALUE"),
        }
    }

    fn named_headers(&mut self, name: &str) -> Vec<(String, Secret)> {
        let shown = shown_variable(name);
        let Some(text) = self.get(name) else {
            self.remarks.miss(format!(
                "traces.headers_env: {shown} is not set, so spans are sent without its headers"
            ));
            return Vec::new();
        };
        read_headers(&text).unwrap_or_else(|| {
            self.remarks.mistakes.push(Mistake {
                place: MistakePlace::Environment,
                text: format!(
                    "{shown} (traces.headers_env) holds no headers; allowed: HEADER=VALUE, several \
                     with commas, values percent-encoded"
                ),
            });
            Vec::new()
        })
    }

    /// A variable that is set and not empty.
    fn get(&self, name: &str) -> Option<String> {
        let text = self.environment.get(name)?.to_str()?.trim();
        (!text.is_empty()).then(|| text.to_string())
    }

    /// The first of these that is set, with its name.
    fn first_of(&self, names: [&'static str; 2]) -> Option<(&'static str, String)> {
        let mut names = names.into_iter();
        names.find_map(|name| Some((name, self.get(name)?)))
    }

    fn ignore<T: Default>(&mut self, name: &str, what: &str) -> T {
        let text = format!("{name} is {what}; it is ignored");
        self.remarks.warnings.push(text);
        T::default()
    }
}

/// The URL for traces. The path is appended if it is missing.
fn with_path(endpoint: &str) -> String {
    let path = endpoint.split('?').next().unwrap_or_default();
    match path.trim_end_matches('/').ends_with(TRACES_PATH) {
        true => with_end(endpoint, ""),
        false => with_end(endpoint, TRACES_PATH),
    }
}

/// A URL with this end of its path, in place of a slash and before the query.
fn with_end(url: &str, end: &str) -> String {
    match url.split_once('?') {
        Some((path, query)) => format!("{}{end}?{query}", path.trim_end_matches('/')),
        None => format!("{}{end}", url.trim_end_matches('/')),
    }
}

fn shown_origin(url: &str) -> String {
    Url::parse(url).map_or_else(|_| String::new(), |url| url.origin().ascii_serialization())
}

/// Headers in OpenTelemetry's form; `None` if HTTP cannot carry one of them.
fn read_headers(text: &str) -> Option<Vec<(String, Secret)>> {
    let pairs = read_pairs(text)?.into_iter().map(|(name, value)| {
        http_header(&name, &value)?;
        Some((name, Secret::new(value)))
    });
    pairs.collect()
}

fn http_header(name: &str, value: &str) -> Option<(HeaderName, HeaderValue)> {
    let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

/// Pairs written as `a=1,b=2`, with percent-encoded values.
fn read_pairs(text: &str) -> Option<Vec<(String, String)>> {
    let pairs = text
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| {
        let (key, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let key = key.trim();
        (!key.is_empty()).then(|| (key.to_string(), value.into_owned()))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests;
