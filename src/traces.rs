//! Traces: a span for each turn, model call and tool call, sent to an OTLP collector as JSON.
//!
//! Spans are made of the swarm's events, so that no turn waits for them. Finished turns wait in a
//! bounded queue. Turns that do not fit or cannot be sent are counted and reported.

mod span;
mod turns;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actors::secrets::Secrets;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use zoea_http::JsonSender;

use crate::settings::TraceSettings;
use actors::listener::EventHandler;

use span::TraceSpan;
use turns::OpenTurns;

/// The most turns that wait to be sent.
const MAX_QUEUED_TURNS: usize = 512;
/// The most turns in one request.
const BATCH_TURNS: usize = 64;
/// How long one attempt may take, and the waits before further ones.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const RETRY_WAITS: [Duration; 3] = [
    Duration::from_millis(500),
    Duration::from_secs(2),
    Duration::from_secs(5),
];
/// How long the exporter may take to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Sends spans to the collector.
pub struct SpanExporter {
    queue: mpsc::Sender<Vec<TraceSpan>>,
    task: JoinHandle<()>,
    lost: Arc<AtomicU64>,
}

impl SpanExporter {
    /// Starts to send spans to the configured collector. Returns `None` if none is configured.
    #[must_use]
    pub fn start(
        http: &reqwest::Client,
        settings: &TraceSettings,
        secrets: Secrets,
    ) -> Option<SpanExporter> {
        let (queue, turns) = mpsc::channel(MAX_QUEUED_TURNS);
        let lost = Arc::new(AtomicU64::new(0));
        let delivery = JsonSender {
            http: http.clone(),
            url: traces_url(settings.endpoint.as_deref()?),
            token: None,
            timeout: REQUEST_TIMEOUT,
            waits: &RETRY_WAITS,
        };
        let service = settings.service.clone();
        let task = tokio::spawn(export_all(delivery, service, turns, lost.clone(), secrets));
        Some(SpanExporter { queue, task, lost })
    }

    /// The handler that makes spans of events, for a listener.
    #[must_use]
    pub fn event_handler(&self, settings: &TraceSettings) -> EventHandler {
        let mut turns = OpenTurns::new(settings.contents);
        let (queue, lost) = (self.queue.clone(), self.lost.clone());
        Box::new(move |event| {
            for turn in turns.on_event(event) {
                let spans = turn.len() as u64;
                if queue.try_send(turn).is_err() {
                    lost.fetch_add(spans, Ordering::Relaxed);
                }
            }
        })
    }

    /// Sends the remaining spans within a time limit. The listeners must have ended.
    pub async fn stop(self) {
        drop(self.queue);
        let mut task = self.task;
        if tokio::time::timeout(STOP_TIMEOUT, &mut task).await.is_err() {
            task.abort();
            tracing::warn!("the trace collector did not take the last spans in time");
        }
        let lost = self.lost.load(Ordering::Relaxed);
        if lost > 0 {
            tracing::warn!(lost, "spans were lost");
        }
    }
}

/// The collector's URL for traces. The path is appended if it is missing.
fn traces_url(endpoint: &str) -> String {
    let endpoint = endpoint.trim_end_matches('/');
    match endpoint.ends_with("/v1/traces") {
        true => endpoint.to_string(),
        false => format!("{endpoint}/v1/traces"),
    }
}

async fn export_all(
    delivery: JsonSender,
    service: String,
    mut turns: mpsc::Receiver<Vec<TraceSpan>>,
    lost: Arc<AtomicU64>,
    secrets: Secrets,
) {
    let mut is_down = false;
    let mut batch = Vec::new();
    while turns.recv_many(&mut batch, BATCH_TURNS).await > 0 {
        let spans: Vec<Value> = batch
            .drain(..)
            .flatten()
            .map(TraceSpan::into_json)
            .collect();
        let known = secrets.redactor();
        let spans: Vec<Value> = spans
            .into_iter()
            .map(|span| known.clean_json(span))
            .collect();
        match delivery.send(&otlp_request(&service, &spans)).await {
            Ok(()) => is_down = false,
            Err(why) => {
                lost.fetch_add(spans.len() as u64, Ordering::Relaxed);
                if !is_down {
                    tracing::warn!(%why, "failed to bring spans to the trace collector");
                }
                is_down = true;
            }
        }
    }
}

/// An OTLP request as JSON.
fn otlp_request(service: &str, spans: &[Value]) -> Value {
    let resource = [
        ("service.name", service),
        ("service.version", env!("CARGO_PKG_VERSION")),
    ];
    let resource: Vec<Value> = resource
        .into_iter()
        .map(|(key, value)| json!({"key": key, "value": {"stringValue": value}}))
        .collect();
    json!({"resourceSpans": [{
        "resource": {"attributes": resource},
        "scopeSpans": [{
            "scope": {"name": "zoea", "version": env!("CARGO_PKG_VERSION")},
            "spans": spans,
        }],
    }]})
}
