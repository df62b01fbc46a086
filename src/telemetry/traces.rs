//! Traces: a span for each turn, model call and tool call, sent to an OpenTelemetry collector.
//!
//! Turns are made of the swarm's events, and calls are reported where they are made, so that no
//! turn waits for a collector. Finished turns wait in a bounded queue. Spans that do not fit or
//! cannot be sent are counted and reported.

mod chat;
mod contents;
mod otlp;
mod sender;
mod span;
mod tool;
mod turns;

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use actors::domain::ids::{CallKey, Timestamp, TurnRef};
use actors::domain::message::Severity;
use actors::listener::EventHandler;
use actors::ports::Clock;
use actors::secrets::Secrets;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use zoea_settings::TraceSettings;
use zoea_system::clock::MachineClock;

use crate::telemetry::observation::{CallObserver, ModelCallReport, ToolCallReport};
use crate::telemetry::operator::Operator;

use otlp::{ExportTraceServiceRequest, KeyValue, ResourceSpans, ScopeSpans, Value};
use sender::{OtlpSender, Taken};
use turns::{FinishedTurn, OpenTurns};

/// The most turns that wait to be sent, and their bytes.
const MAX_QUEUED_TURNS: usize = 512;
const MAX_QUEUED_BYTES: usize = 32 << 20;
/// The most turns in one request, and about its bytes.
const BATCH_TURNS: usize = 64;
const BATCH_BYTES: usize = 1 << 20;
const STOP_TIMEOUT: Duration = Duration::from_secs(1);
/// The conventions by which spans are named.
const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/gen-ai/1.42.0";

pub struct SpanExporter {
    recorder: Arc<TraceRecorder>,
    task: JoinHandle<()>,
}

/// Makes spans of what it is told, and queues those of finished turns.
pub struct TraceRecorder {
    state: Mutex<RecorderState>,
    queue: Arc<QueueFigures>,
}

struct RecorderState {
    turns: OpenTurns,
    /// The way to the exporter; `None` once it is to end.
    queue: Option<mpsc::Sender<QueuedTurn>>,
}

struct QueuedTurn {
    spans: FinishedTurn,
    bytes: usize,
}

/// What was queued and is not brought yet, and what was lost.
#[derive(Default)]
struct QueueFigures {
    bytes: AtomicUsize,
    spans: AtomicU64,
    lost_spans: AtomicU64,
    /// Those of the lost ones for which the queue had no room, since the exporter looked last.
    crowded_out: AtomicU64,
}

struct Exporter {
    sender: OtlpSender,
    resource: otlp::Resource,
    queue: Arc<QueueFigures>,
    secrets: Secrets,
    operator: Operator,
    /// Whether the operator was told that the collector does not take spans.
    is_down: bool,
    /// What the operator was told of a collector that takes spans and is not content with them.
    complaint: Option<CollectorComplaint>,
    /// Whether it was told that the queue had no room for spans.
    is_crowded: bool,
}

/// What a collector says of spans that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CollectorComplaint {
    Warned,
    Refused,
}

impl SpanExporter {
    /// Starts to send spans to the configured collector. Returns `None` if none is configured.
    pub fn start(
        http: &reqwest::Client,
        settings: &TraceSettings,
        (secrets, operator): (Secrets, Operator),
    ) -> Option<SpanExporter> {
        let url = settings.collector.clone()?;
        let shown = reqwest::Url::parse(&url).map(|url| zoea_http::shown_address(&url));
        tracing::info!(collector = shown.unwrap_or_default(), "traces are sent");
        let sender = OtlpSender {
            http: http.clone(),
            url,
            headers: settings.header_map(),
            protocol: settings.protocol.unwrap_or_default(),
            is_compressed: settings.compression,
            waits: &sender::RETRY_WAITS,
            secrets: secrets.clone(),
        };
        let (queue, turns) = mpsc::channel(MAX_QUEUED_TURNS);
        let figures = Arc::new(QueueFigures::default());
        let exporter = Exporter {
            sender,
            resource: resource_of(settings),
            queue: figures.clone(),
            secrets,
            operator,
            is_down: false,
            complaint: None,
            is_crowded: false,
        };
        let recorder = TraceRecorder {
            state: Mutex::new(RecorderState {
                turns: OpenTurns::new(settings.contents),
                queue: Some(queue),
            }),
            queue: figures,
        };
        Some(SpanExporter {
            recorder: Arc::new(recorder),
            task: tokio::spawn(exporter.export_all(turns)),
        })
    }

    pub fn recorder(&self) -> Arc<TraceRecorder> {
        self.recorder.clone()
    }

    #[must_use]
    pub fn event_handler(&self) -> EventHandler {
        let recorder = self.recorder.clone();
        Box::new(move |event| recorder.record(|turns| turns.on_event(event)))
    }

    /// Sends the remaining spans within a time limit. The listeners must have ended.
    pub async fn stop(self) {
        self.recorder
            .record(|turns| turns.finish_all(MachineClock.now()));
        self.recorder.state.lock().queue = None;
        let mut task = self.task;
        if tokio::time::timeout(STOP_TIMEOUT, &mut task).await.is_err() {
            task.abort();
            // An aborted task ends at its next wait. What it did not bring is lost.
            let _ = task.await;
            self.recorder.queue.lose_waiting();
            tracing::warn!("the trace collector did not accept the last spans in time");
        }
        let lost = self.recorder.lost_spans();
        if lost > 0 {
            tracing::warn!(lost, "spans were lost");
        }
    }
}

impl TraceRecorder {
    /// The spans that no collector got.
    pub fn lost_spans(&self) -> u64 {
        self.queue.lost_spans.load(Ordering::Relaxed)
    }

    /// Takes a step, and queues the turns that are complete after it.
    fn record(&self, step: impl FnOnce(&mut OpenTurns) -> Vec<FinishedTurn>) {
        let mut state = self.state.lock();
        for spans in step(&mut state.turns) {
            let count = spans.len() as u64;
            let bytes = spans.iter().map(span::TraceSpan::bytes).sum();
            let waiting = self.queue.bytes.fetch_add(bytes, Ordering::Relaxed);
            self.queue.spans.fetch_add(count, Ordering::Relaxed);
            let turn = QueuedTurn { spans, bytes };
            let queue = state.queue.as_ref();
            let queue = queue.filter(|_| waiting + bytes <= MAX_QUEUED_BYTES);
            let is_queued = queue.is_some_and(|queue| queue.try_send(turn).is_ok());
            if !is_queued {
                self.queue.leave(bytes, count);
                self.queue.lost_spans.fetch_add(count, Ordering::Relaxed);
                self.queue.crowded_out.fetch_add(count, Ordering::Relaxed);
            }
        }
    }
}

impl QueueFigures {
    /// Notes that spans are queued no longer.
    fn leave(&self, bytes: usize, spans: u64) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.spans.fetch_sub(spans, Ordering::Relaxed);
    }

    fn lose_waiting(&self) {
        let waiting = self.spans.swap(0, Ordering::Relaxed);
        self.lost_spans.fetch_add(waiting, Ordering::Relaxed);
    }
}

impl CallObserver for TraceRecorder {
    fn on_model_call_begun(&self, turn: Option<TurnRef>, at: Timestamp) {
        if let Some(turn) = turn {
            self.state.lock().turns.on_model_call_begun(turn, at);
        }
    }

    fn on_model_call(&self, call: &ModelCallReport<'_>) {
        self.record(|turns| turns.on_model_call(call));
    }

    fn traceparent(&self, turn: TurnRef, key: CallKey, at: Timestamp) -> Option<Arc<str>> {
        let place = self.state.lock().turns.place_of_call(turn, key, at);
        Some(place.traceparent().into())
    }

    fn on_tool_call(&self, call: &ToolCallReport<'_>) {
        self.state.lock().turns.on_tool_call(call);
    }
}

impl Exporter {
    async fn export_all(mut self, mut turns: mpsc::Receiver<QueuedTurn>) {
        let mut batch = Vec::new();
        while turns.recv_many(&mut batch, BATCH_TURNS).await > 0 {
            let mut request: FinishedTurn = Vec::new();
            let mut bytes = 0;
            for turn in batch.drain(..) {
                if bytes + turn.bytes > BATCH_BYTES && !request.is_empty() {
                    self.export(std::mem::take(&mut request), bytes).await;
                    bytes = 0;
                }
                request.extend(turn.spans);
                bytes += turn.bytes;
            }
            self.export(request, bytes).await;
            self.notify_crowding();
        }
    }

    /// Sends spans that take so many bytes of the queue.
    async fn export(&mut self, spans: FinishedTurn, bytes: usize) {
        let count = spans.len() as u64;
        let known = self.secrets.redactor();
        let spans = spans.into_iter().map(|span| span.into_otlp(&known));
        let request = otlp_request(self.resource.clone(), spans.collect());
        match self.sender.send(&request).await {
            Ok(taken) => self.on_taken(&taken),
            Err(why) => self.on_failure(&why, count),
        }
        self.queue.leave(bytes, count);
    }

    /// Tells once that spans come faster than they are taken.
    fn notify_crowding(&mut self) {
        let lost = self.queue.crowded_out.swap(0, Ordering::Relaxed);
        let was_crowded = std::mem::replace(&mut self.is_crowded, lost > 0);
        // Of a collector that is down, the operator knows that spans are lost.
        if lost > 0 && !was_crowded && !self.is_down {
            let text = format!("the trace collector is too slow, so spans are lost: {lost} so far");
            self.operator.notify(Severity::Warn, "traces_lost", &text);
        }
    }

    fn on_taken(&mut self, taken: &Taken) {
        if std::mem::take(&mut self.is_down) {
            let text = "the trace collector accepts spans again";
            self.operator.notify(Severity::Info, "traces_taken", text);
        }
        let Taken { rejected, message } = taken;
        self.queue
            .lost_spans
            .fetch_add(*rejected, Ordering::Relaxed);
        let complaint = match (*rejected, message.is_empty()) {
            (0, true) => None,
            (0, false) => Some(CollectorComplaint::Warned),
            (_, _) => Some(CollectorComplaint::Refused),
        };
        // One that is content again is told of again; one that only warned may still refuse.
        if complaint <= self.complaint && complaint.is_some() {
            return;
        }
        self.complaint = complaint;
        let (code, text) = match complaint {
            None => return,
            Some(CollectorComplaint::Warned) => (
                "traces_warned",
                format!("the trace collector says: {message}"),
            ),
            Some(CollectorComplaint::Refused) => (
                "traces_refused",
                format!("the trace collector refused {rejected} spans: {message}"),
            ),
        };
        let text = self.secrets.clean(&text);
        self.operator.notify(Severity::Warn, code, &text);
    }

    fn on_failure(&mut self, why: &str, count: u64) {
        self.queue.lost_spans.fetch_add(count, Ordering::Relaxed);
        if !std::mem::replace(&mut self.is_down, true) {
            let text = format!("the trace collector accepts no spans, so they are lost: {why}");
            let text = self.secrets.clean(&text);
            self.operator.notify(Severity::Warn, "traces_lost", &text);
        }
    }
}

/// What all spans of this process share. The operator's own attributes do not replace the name of
/// the service, which the settings decide.
fn resource_of(settings: &TraceSettings) -> otlp::Resource {
    let instance = uuid::Uuid::new_v4().to_string();
    let own = [
        ("service.name", settings.service_name()),
        ("service.version", env!("CARGO_PKG_VERSION")),
        ("service.instance.id", &*instance),
    ];
    let configured = settings.resource.iter();
    let configured = configured
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .filter(|(key, _)| *key != "service.name");
    let is_named = |key: &str| configured.clone().any(|(known, _)| known == key);
    let own = own.into_iter().filter(|(key, _)| !is_named(key));
    let attributes = own.chain(configured.clone()).map(|(key, value)| KeyValue {
        key: key.to_string(),
        value: Some(Value::from(value).into()),
    });
    otlp::Resource {
        attributes: attributes.collect(),
    }
}

fn otlp_request(resource: otlp::Resource, spans: Vec<otlp::Span>) -> ExportTraceServiceRequest {
    let scope = otlp::InstrumentationScope {
        name: "zoea".to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
    };
    let scope_spans = ScopeSpans {
        scope: Some(scope),
        spans,
        schema_url: SCHEMA_URL.to_string(),
    };
    let spans = ResourceSpans {
        resource: Some(resource),
        scope_spans: vec![scope_spans],
        schema_url: SCHEMA_URL.to_string(),
    };
    ExportTraceServiceRequest {
        resource_spans: vec![spans],
    }
}

#[cfg(test)]
mod tests;
