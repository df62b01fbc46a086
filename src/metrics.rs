//! Metrics: the numbers of CONTRACT.md, counted where events happen and exported as Prometheus
//! text.
//!
//! The counts of a Mysis come from its own status and are removed with it. Labels that a model
//! could invent are bounded.

mod measured;
mod server;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actors::domain::event::{EventKind, MysisStatus, SwarmEvent};
use actors::domain::ids::MysisId;
use actors::domain::message::{CallStatus, ResultMeta, RowBody};
use actors::domain::state::LifeState;

pub use measured::{MeasuredLedger, MeasuredModels};
pub use server::MetricsServer;

use text::{Histogram, MetricsPage};

/// The most tools with a label of their own. Further ones are counted as `other`, because a model
/// may call names that are no tools.
const MAX_TOOL_LABELS: usize = 256;

/// The upper bounds of the histograms' buckets, in seconds.
const MODEL_SECONDS_BOUNDS: [f64; 10] = [0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];
const TOOL_SECONDS_BOUNDS: [f64; 10] = [0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 120.0, 600.0];
const COMMIT_SECONDS_BOUNDS: [f64; 10] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 5.0,
];

/// All metrics. Clones share them.
#[derive(Clone, Default)]
pub struct Metrics(Arc<Mutex<MetricsState>>);

#[derive(Default)]
struct MetricsState {
    statuses: BTreeMap<MysisId, Arc<MysisStatus>>,
    /// The kind of the newest fault of each Mysis.
    faults: BTreeMap<MysisId, &'static str>,
    requests: BTreeMap<(Arc<str>, &'static str), u64>,
    model_seconds: BTreeMap<Arc<str>, Histogram>,
    tools: BTreeSet<Arc<str>>,
    calls: BTreeMap<(Arc<str>, &'static str), u64>,
    tool_seconds: Option<Histogram>,
    restarts: BTreeMap<&'static str, u64>,
    commit_seconds: Option<Histogram>,
    waiting: usize,
}

impl Metrics {
    fn numbers(&self) -> MutexGuard<'_, MetricsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an event.
    pub fn on_event(&self, event: &SwarmEvent) {
        let mut numbers = self.numbers();
        match (&event.what, &event.mysis) {
            (EventKind::StatusChanged(status), _) => {
                if let Some(fault) = &status.fault {
                    numbers.faults.insert(status.id, fault.kind.as_str());
                }
                numbers.statuses.insert(status.id, status.clone());
            }
            (EventKind::Deleted, Some(who)) => {
                numbers.statuses.remove(&who.id);
                numbers.faults.remove(&who.id);
            }
            (EventKind::StateChanged { from, to, .. }, Some(who)) => {
                if (*from, *to) == (LifeState::Errored, LifeState::Running) {
                    let cause = numbers.faults.get(&who.id).copied().unwrap_or("unknown");
                    *numbers.restarts.entry(cause).or_default() += 1;
                }
            }
            // A call ends when its result is stored, whether the server answered or a stop
            // cancelled it. So the metrics agree with the rows.
            (EventKind::Stored(row), _) => {
                if let RowBody::Result { meta, .. } = &row.body {
                    numbers.count_call(meta);
                }
            }
            (
                EventKind::Created
                | EventKind::Deleted
                | EventKind::StateChanged { .. }
                | EventKind::TurnStarted
                | EventKind::ModelReplied { .. }
                | EventKind::ToolCalled { .. }
                | EventKind::ToolReturned { .. }
                | EventKind::Mission(_)
                | EventKind::BudgetChanged(_)
                | EventKind::OutagesChanged(_)
                | EventKind::SilenceChanged(_)
                | EventKind::Learned(_)
                | EventKind::Notice { .. }
                | EventKind::Shutdown,
                _,
            ) => {}
        }
    }

    fn count_request(&self, provider: &Arc<str>, outcome: &'static str, seconds: f64) {
        let mut numbers = self.numbers();
        let of = (provider.clone(), outcome);
        *numbers.requests.entry(of).or_default() += 1;
        let histogram = numbers.model_seconds.entry(provider.clone());
        histogram
            .or_insert_with(|| Histogram::new(&MODEL_SECONDS_BOUNDS))
            .observe(seconds);
    }

    fn count_commit(&self, seconds: f64) {
        let mut numbers = self.numbers();
        let histogram = &mut numbers.commit_seconds;
        histogram
            .get_or_insert_with(|| Histogram::new(&COMMIT_SECONDS_BOUNDS))
            .observe(seconds);
    }

    fn set_waiting(&self, jobs: usize) {
        self.numbers().waiting = jobs;
    }

    /// All metrics as Prometheus text.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.numbers().to_text()
    }
}

impl MetricsState {
    fn count_call(&mut self, result: &ResultMeta) {
        let is_known = self.tools.contains(&result.tool);
        if !is_known && self.tools.len() < MAX_TOOL_LABELS {
            self.tools.insert(result.tool.clone());
        }
        let name = self.tools.get(&result.tool).cloned();
        let (outcome, came_back) = match result.status {
            CallStatus::Done => ("ok", true),
            CallStatus::Failed => ("error", true),
            CallStatus::Recorded | CallStatus::Sent | CallStatus::Unknown => ("unknown", false),
            CallStatus::NotExecuted => ("not_executed", false),
        };
        let of = (name.unwrap_or_else(|| "other".into()), outcome);
        *self.calls.entry(of).or_default() += 1;
        if !came_back {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "nobody waits for so long")]
        let seconds = result.ms as f64 / 1000.0;
        self.tool_seconds
            .get_or_insert_with(|| Histogram::new(&TOOL_SECONDS_BOUNDS))
            .observe(seconds);
    }

    fn to_text(&self) -> String {
        let mut page = MetricsPage::default();
        self.write_myses(&mut page);
        self.write_models(&mut page);
        self.write_tools(&mut page);
        self.write_program(&mut page);
        page.into_text()
    }

    fn write_myses(&self, page: &mut MetricsPage) {
        page.write_head("zoea_myses", "gauge", "Myses by state.");
        for state in LifeState::ALL {
            let count = self.statuses.values().filter(|of| of.state == state);
            let state = state.as_str();
            page.write_line("zoea_myses", &[("state", state)], count.count() as u64);
        }
        page.write_head("zoea_turns_total", "counter", "Turns that came to an end.");
        for of in self.statuses.values() {
            let name = [("mysis", &*of.name)];
            page.write_line("zoea_turns_total", &name, of.totals.turns);
        }
    }

    fn write_models(&self, page: &mut MetricsPage) {
        page.write_head(
            "zoea_model_requests_total",
            "counter",
            "Requests to model servers.",
        );
        for ((provider, outcome), count) in &self.requests {
            let of = [("provider", &**provider), ("outcome", outcome)];
            page.write_line("zoea_model_requests_total", &of, *count);
        }
        page.write_head(
            "zoea_model_seconds",
            "histogram",
            "How long model servers took.",
        );
        for (provider, histogram) in &self.model_seconds {
            page.write_histogram(
                "zoea_model_seconds",
                Some(("provider", provider)),
                histogram,
            );
        }
        page.write_head(
            "zoea_tokens_total",
            "counter",
            "Tokens as providers reported them.",
        );
        for of in self.statuses.values() {
            let totals = of.totals;
            for (direction, tokens) in [("in", totals.tokens_in), ("out", totals.tokens_out)] {
                let labels = [("mysis", &*of.name), ("direction", direction)];
                page.write_line("zoea_tokens_total", &labels, tokens);
            }
        }
    }

    fn write_tools(&self, page: &mut MetricsPage) {
        page.write_head(
            "zoea_tool_calls_total",
            "counter",
            "Tool calls that are over.",
        );
        for ((tool, outcome), count) in &self.calls {
            let of = [("tool", &**tool), ("outcome", outcome)];
            page.write_line("zoea_tool_calls_total", &of, *count);
        }
        page.write_head(
            "zoea_tool_seconds",
            "histogram",
            "How long tool calls took that were answered.",
        );
        if let Some(histogram) = &self.tool_seconds {
            page.write_histogram("zoea_tool_seconds", None, histogram);
        }
    }

    fn write_program(&self, page: &mut MetricsPage) {
        let help = "Errored Myses that were started again, by what had taken them down.";
        page.write_head("zoea_restarts_total", "counter", help);
        for (cause, count) in &self.restarts {
            page.write_line("zoea_restarts_total", &[("cause", cause)], *count);
        }
        let help = "How long commits of the store took.";
        page.write_head("zoea_store_commit_seconds", "histogram", help);
        if let Some(histogram) = &self.commit_seconds {
            page.write_histogram("zoea_store_commit_seconds", None, histogram);
        }
        let help = "What waits in the queue of an actor.";
        page.write_head("zoea_mailbox_depth", "gauge", help);
        let waiting = self.waiting as u64;
        page.write_line("zoea_mailbox_depth", &[("actor", "store")], waiting);
    }
}
