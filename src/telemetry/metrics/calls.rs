//! The metrics of OpenTelemetry's conventions for generative AI and for MCP (both 0.1.0), in the
//! names that Prometheus gives them.
//!
//! Labels are those of the configuration, because a server could invent others without end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::model::ModelAnswer;

use crate::telemetry::observation::{ModelCallEnd, ModelCallReport, ToolCallReport};

use super::text::{CALL_SECONDS_BOUNDS, Histogram, MetricLabel, MetricsPage};

const TOKEN_BOUNDS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];
/// The bounds that they advise for requests and sessions of MCP, in seconds.
const MCP_SECONDS_BOUNDS: [f64; 14] = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0,
];
/// The most combinations of a server and a model. Further ones are not counted here.
const MAX_MODELS: usize = 64;

#[derive(Default)]
pub(super) struct CallMetrics {
    models: BTreeMap<ModelKey, ModelFigures>,
    /// The durations of requests by MCP, by the kind of the failure; empty for none.
    requests: BTreeMap<&'static str, Histogram>,
    sessions: Option<Histogram>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ModelKey {
    provider_name: Arc<str>,
    model: Arc<str>,
    address: Arc<str>,
    port: String,
}

#[derive(Default)]
struct ModelFigures {
    /// By the kind of the failure; empty for none.
    durations: BTreeMap<&'static str, Histogram>,
    first_chunk: Option<Histogram>,
    tokens_in: Option<Histogram>,
    tokens_out: Option<Histogram>,
    totals: TokenTotals,
}

#[derive(Default)]
struct TokenTotals {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    reasoning: u64,
}

impl CallMetrics {
    pub(super) fn on_model_call(&mut self, call: &ModelCallReport<'_>) {
        let server = call.server;
        let provider = &call.request.provider;
        let key = ModelKey {
            provider_name: server
                .map_or(provider, |server| &server.provider_name)
                .clone(),
            model: call.request.model.clone(),
            address: server.map_or_else(|| "".into(), |server| server.address.clone()),
            port: server.map_or_else(String::new, |server| server.port.to_string()),
        };
        if !self.models.contains_key(&key) && self.models.len() >= MAX_MODELS {
            return;
        }
        let figures = self.models.entry(key).or_default();
        let kind = call.end.error_type().unwrap_or_default();
        let duration = figures.durations.entry(kind);
        duration
            .or_insert_with(|| Histogram::new(&CALL_SECONDS_BOUNDS))
            .observe(call.took.as_secs_f64());
        if let Some(wait) = call.first_chunk.map(|wait| wait.as_secs_f64()) {
            observe(&mut figures.first_chunk, &CALL_SECONDS_BOUNDS, wait);
        }
        if let ModelCallEnd::Answered(answer) = call.end {
            figures.on_answer(answer);
        }
    }

    pub(super) fn on_tool_call(&mut self, call: &ToolCallReport<'_>) {
        // An answer from a cache is no request.
        if call.wire.is_none() {
            return;
        }
        let kind = call.error_type().unwrap_or_default();
        let duration = self.requests.entry(kind);
        duration
            .or_insert_with(|| Histogram::new(&MCP_SECONDS_BOUNDS))
            .observe(call.took.as_secs_f64());
    }

    pub(super) fn on_session_over(&mut self, took: Duration) {
        observe(&mut self.sessions, &MCP_SECONDS_BOUNDS, took.as_secs_f64());
    }

    pub(super) fn write(&self, page: &mut MetricsPage) {
        self.write_durations(page, "gen_ai_client_operation_duration_seconds");
        let name = "gen_ai_client_operation_time_to_first_chunk_seconds";
        let help = "Time to the first part of a streamed answer.";
        page.write_head(name, "histogram", help);
        for (key, figures) in &self.models {
            if let Some(histogram) = &figures.first_chunk {
                page.write_histogram(name, &key.labels(&[]), histogram);
            }
        }
        self.write_token_histograms(page);
        self.write_token_totals(page);
        let name = "mcp_client_operation_duration_seconds";
        page.write_head(name, "histogram", "Duration of MCP tool calls.");
        for (kind, histogram) in &self.requests {
            let labels = [("mcp_method_name", "tools/call"), ("error_type", kind)];
            page.write_histogram(name, &labels, histogram);
        }
        let name = "mcp_client_session_duration_seconds";
        page.write_head(name, "histogram", "Duration of finished MCP sessions.");
        if let Some(histogram) = &self.sessions {
            page.write_histogram(name, &[], histogram);
        }
    }

    fn write_durations(&self, page: &mut MetricsPage, name: &str) {
        page.write_head(name, "histogram", "Duration of model calls.");
        for (key, figures) in &self.models {
            for (kind, histogram) in &figures.durations {
                page.write_histogram(name, &key.labels(&[("error_type", *kind)]), histogram);
            }
        }
    }

    fn write_token_histograms(&self, page: &mut MetricsPage) {
        let name = "gen_ai_client_token_usage";
        page.write_head(name, "histogram", "The tokens of one model call.");
        for (key, figures) in &self.models {
            let kinds = [
                ("input", &figures.tokens_in),
                ("output", &figures.tokens_out),
            ];
            for (kind, histogram) in kinds {
                if let Some(histogram) = histogram {
                    let labels = key.labels(&[("gen_ai_token_type", kind)]);
                    page.write_histogram(name, &labels, histogram);
                }
            }
        }
    }

    fn write_token_totals(&self, page: &mut MetricsPage) {
        type Read = fn(&TokenTotals) -> u64;
        let kinds: [(&str, Read); 5] = [
            ("input_tokens", |of| of.input),
            ("output_tokens", |of| of.output),
            ("cache_read_input_tokens", |of| of.cache_read),
            ("cache_write_input_tokens", |of| of.cache_write),
            ("reasoning_output_tokens", |of| of.reasoning),
        ];
        for (kind, read) in kinds {
            let name = format!("gen_ai_client_inference_usage_{kind}_total");
            page.write_head(&name, "counter", "Tokens as model servers reported them.");
            for (key, figures) in &self.models {
                page.write_line(&name, &key.labels(&[]), read(&figures.totals));
            }
        }
    }
}

impl ModelFigures {
    fn on_answer(&mut self, answer: &ModelAnswer) {
        let facts = &answer.facts;
        let totals = &mut self.totals;
        let add = |to: &mut u64, tokens: u64| *to = to.saturating_add(tokens);
        add(&mut totals.reasoning, facts.reasoning_tokens.unwrap_or(0));
        add(
            &mut totals.cache_write,
            facts.cache_write_tokens.unwrap_or(0),
        );
        let Some(usage) = answer.usage else {
            return;
        };
        add(&mut totals.input, usage.input);
        add(&mut totals.output, usage.output);
        add(&mut totals.cache_read, usage.cached);
        observe(&mut self.tokens_in, &TOKEN_BOUNDS, as_number(usage.input));
        observe(&mut self.tokens_out, &TOKEN_BOUNDS, as_number(usage.output));
    }
}

impl ModelKey {
    fn labels<'a>(&'a self, more: &[MetricLabel<'a>]) -> Vec<MetricLabel<'a>> {
        let own = [
            ("gen_ai_operation_name", "chat"),
            ("gen_ai_provider_name", &*self.provider_name),
            ("gen_ai_request_model", &*self.model),
            ("server_address", &*self.address),
            ("server_port", &*self.port),
        ];
        [&own, more].concat()
    }
}

fn observe(histogram: &mut Option<Histogram>, bounds: &'static [f64], value: f64) {
    histogram
        .get_or_insert_with(|| Histogram::new(bounds))
        .observe(value);
}

#[expect(clippy::cast_precision_loss, reason = "no request has so many tokens")]
fn as_number(count: u64) -> f64 {
    count as f64
}
