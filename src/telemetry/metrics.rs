//! Metrics: the numbers of CONTRACT.md, counted where events happen and exported as Prometheus
//! text.
//!
//! The counts of a Mysis come from its own status and are removed with it. Labels that a model
//! could invent are bounded.

mod calls;
mod measured;
mod needs;
mod process;
mod server;
mod servers;
mod text;
mod turns;

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::budget::BudgetStatus;
use actors::domain::event::{EventKind, MysisStatus, RosterChange, SwarmCondition, SwarmEvent};
use actors::domain::ids::MysisId;
use actors::domain::message::{CallStatus, ResultMeta, RowBody, RowKind};
use actors::domain::needs::NeedBook;
use actors::domain::outages::ServerOutages;
use actors::domain::state::LifeState;
use actors::ports::Clock;
use zoea_system::clock::MachineClock;

use crate::telemetry::observation::{CallObserver, ModelCallReport, ToolCallReport};

pub use measured::MeasuredLedger;
pub use server::MetricsServer;

use calls::CallMetrics;
use text::{Histogram, MetricLabel, MetricsPage, SumOfSeconds};
use turns::TurnMetrics;

/// The most tools with a label of their own. Further ones are counted as `other`, because a model
/// may call names that are no tools.
const MAX_TOOL_LABELS: usize = 256;

/// The upper bounds of the buckets of commits, in seconds.
const COMMIT_SECONDS_BOUNDS: [f64; 10] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 5.0,
];

/// All metrics. Clones share them.
#[derive(Clone, Default)]
pub struct Metrics(Arc<Mutex<MetricsState>>);

#[derive(Default)]
struct MetricsState {
    statuses: BTreeMap<MysisId, Arc<MysisStatus>>,
    faults: BTreeMap<MysisId, &'static str>,
    requests: BTreeMap<(Arc<str>, &'static str), u64>,
    model_seconds: BTreeMap<Arc<str>, SumOfSeconds>,
    tools: BTreeSet<Arc<str>>,
    calls: BTreeMap<(Arc<str>, &'static str), u64>,
    tool_seconds: SumOfSeconds,
    restarts: BTreeMap<&'static str, u64>,
    commit_seconds: Option<Histogram>,
    waiting: usize,
    calls_in_detail: CallMetrics,
    turns: TurnMetrics,
    /// Rows by kind. Kinds of other versions count as `unknown`.
    rows: BTreeMap<&'static str, u64>,
    budget: Option<Arc<BudgetStatus>>,
    outages: Arc<ServerOutages>,
    is_frozen: bool,
    needs: NeedBook,
}

/// The label of a row of a kind that this version does not know.
const UNKNOWN_KIND: &str = "unknown";

impl Metrics {
    pub fn on_event(&self, event: &SwarmEvent) {
        let mut numbers = self.0.lock();
        numbers.turns.on_event(event);
        numbers.needs.on_event(event);
        match (&event.what, &event.mysis) {
            (EventKind::StatusChanged(status), _) => {
                if let Some(fault) = &status.fault {
                    numbers.faults.insert(status.id, fault.kind.as_str());
                }
                numbers.statuses.insert(status.id, status.clone());
            }
            (EventKind::Roster(RosterChange::Deleted), Some(who)) => {
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
                let kind = row.kind().map_or(UNKNOWN_KIND, RowKind::as_str);
                *numbers.rows.entry(kind).or_default() += 1;
                if let RowBody::Result { meta, .. } = &row.body {
                    numbers.count_call(meta);
                }
            }
            (EventKind::Condition(SwarmCondition::Budget(budget)), _) => {
                numbers.budget = Some(budget.clone())
            }
            (EventKind::Condition(SwarmCondition::Outages(outages)), _) => {
                numbers.outages = outages.clone()
            }
            (EventKind::Condition(SwarmCondition::Freeze(since)), _) => {
                numbers.is_frozen = since.is_some()
            }
            (
                EventKind::Roster(_)
                | EventKind::StateChanged { .. }
                | EventKind::Turn(_)
                | EventKind::Mission(_)
                | EventKind::Condition(_)
                | EventKind::Learned(_)
                | EventKind::Notice { .. }
                | EventKind::Shutdown,
                _,
            ) => {}
        }
    }

    fn count_commit(&self, seconds: f64) {
        let mut numbers = self.0.lock();
        let histogram = &mut numbers.commit_seconds;
        histogram
            .get_or_insert_with(|| Histogram::new(&COMMIT_SECONDS_BOUNDS))
            .observe(seconds);
    }

    fn set_waiting(&self, jobs: usize) {
        self.0.lock().waiting = jobs;
    }

    /// All metrics as Prometheus text.
    pub fn to_text(&self) -> String {
        self.0.lock().to_text()
    }
}

impl CallObserver for Metrics {
    fn on_model_call(&self, call: &ModelCallReport<'_>) {
        let mut numbers = self.0.lock();
        let provider = &call.request.provider;
        let of = (provider.clone(), call.end.outcome());
        *numbers.requests.entry(of).or_default() += 1;
        let seconds = numbers.model_seconds.entry(provider.clone());
        seconds.or_default().add(call.took.as_secs_f64());
        numbers.calls_in_detail.on_model_call(call);
    }

    fn on_tool_call(&self, call: &ToolCallReport<'_>) {
        self.0.lock().calls_in_detail.on_tool_call(call);
    }

    fn on_session_over(&self, took: Duration) {
        self.0.lock().calls_in_detail.on_session_over(took);
    }
}

/// The other process that runs a Mysis; empty if this one does.
fn process_of(status: &MysisStatus) -> &str {
    let place = status.elsewhere.as_ref();
    place.map_or("", |place| &place.process)
}

/// The name, and the process if it is another one. Lines without it are those of the process that is
/// asked, so that sums of these over all processes count each Mysis once.
fn name_labels(status: &MysisStatus) -> [MetricLabel<'_>; 2] {
    [("mysis", &status.name), ("process", process_of(status))]
}

pub fn tool_outcome(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Done => "ok",
        CallStatus::Failed => "error",
        CallStatus::Recorded | CallStatus::Sent | CallStatus::Unknown => "unknown",
        CallStatus::NotExecuted => "not_executed",
    }
}

impl MetricsState {
    fn count_call(&mut self, result: &ResultMeta) {
        let is_known = self.tools.contains(&result.tool);
        if !is_known && self.tools.len() < MAX_TOOL_LABELS {
            self.tools.insert(result.tool.clone());
        }
        let name = self.tools.get(&result.tool).cloned();
        let of = (
            name.unwrap_or_else(|| "other".into()),
            tool_outcome(result.status),
        );
        *self.calls.entry(of).or_default() += 1;
        if !matches!(result.status, CallStatus::Done | CallStatus::Failed) {
            return;
        }
        if let Some(ms) = result.ms {
            #[expect(clippy::cast_precision_loss, reason = "nobody waits for so long")]
            self.tool_seconds.add(ms as f64 / 1000.0);
        }
    }

    fn to_text(&self) -> String {
        let mut page = MetricsPage::default();
        self.write_myses(&mut page);
        self.write_credits(&mut page);
        self.write_models(&mut page);
        self.write_tools(&mut page);
        self.write_needs(&mut page);
        self.write_program(&mut page);
        process::write(&mut page);
        self.turns.write(&mut page);
        self.calls_in_detail.write(&mut page);
        page.into_text()
    }

    fn write_myses(&self, page: &mut MetricsPage) {
        page.write_head("zoea_myses", "gauge", "Myses by state.");
        let others = self.statuses.values().map(|of| process_of(of));
        // This one has a line also where it runs none.
        let processes: BTreeSet<&str> = others.chain([""]).collect();
        for process in processes {
            for state in LifeState::ALL {
                let is_it = |of: &&Arc<MysisStatus>| of.state == state && process_of(of) == process;
                let labels = [("state", state.as_str()), ("process", process)];
                let count = self.statuses.values().filter(is_it).count();
                page.write_line("zoea_myses", &labels, count);
            }
        }
        let help = "Turns that came to an end.";
        self.write_of_each(page, ("zoea_turns_total", "counter", help), |of| {
            Some(of.totals.turns)
        });
    }

    fn write_credits(&self, page: &mut MetricsPage) {
        let help = "The credits of a Mysis in its newest result; no line without such a result.";
        self.write_of_each(page, ("zoea_credits", "gauge", help), |of| {
            of.figures.facts.credits
        });
        let help = "Credits earned minus credits paid since the start; no line without results that have credits.";
        self.write_of_each(page, ("zoea_credits_earned", "gauge", help), |of| {
            of.figures.earned_since_start()
        });
    }

    /// Writes a figure of every Mysis that has it.
    fn write_of_each<V: Display>(
        &self,
        page: &mut MetricsPage,
        (name, kind, help): (&str, &str, &str),
        figure: impl Fn(&MysisStatus) -> Option<V>,
    ) {
        page.write_head(name, kind, help);
        for of in self.statuses.values() {
            if let Some(figure) = figure(of) {
                page.write_line(name, &name_labels(of), figure);
            }
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
            "summary",
            "Duration of requests to model servers.",
        );
        for (provider, seconds) in &self.model_seconds {
            let provider = [("provider", &**provider)];
            page.write_sum("zoea_model_seconds", &provider, seconds);
        }
        page.write_head(
            "zoea_tokens_total",
            "counter",
            "Tokens as providers reported them.",
        );
        for of in self.statuses.values() {
            let totals = of.totals;
            for (direction, tokens) in [("in", totals.tokens_in), ("out", totals.tokens_out)] {
                let [name, process] = name_labels(of);
                let labels = [name, ("direction", direction), process];
                page.write_line("zoea_tokens_total", &labels, tokens);
            }
        }
    }

    fn write_tools(&self, page: &mut MetricsPage) {
        page.write_head("zoea_tool_calls_total", "counter", "Finished tool calls.");
        for ((tool, outcome), count) in &self.calls {
            let of = [("tool", &**tool), ("outcome", outcome)];
            page.write_line("zoea_tool_calls_total", &of, *count);
        }
        page.write_head(
            "zoea_tool_seconds",
            "summary",
            "Duration of answered tool calls.",
        );
        page.write_sum("zoea_tool_seconds", &[], &self.tool_seconds);
    }

    /// What an operator is alerted by.
    fn write_needs(&self, page: &mut MetricsPage) {
        needs::write(&self.needs, MachineClock.now(), page);
        let help = "1 while the swarm is frozen, so that no call begins, else 0.";
        page.write_head("zoea_frozen", "gauge", help);
        page.write_line("zoea_frozen", &[], u64::from(self.is_frozen));
        let help = "Cost of the model calls with a known price, in US dollars.";
        #[expect(clippy::cast_precision_loss, reason = "no swarm costs so much")]
        self.write_of_each(page, ("zoea_cost_usd_total", "counter", help), |of| {
            Some(of.totals.cost_micros as f64 / 1e6)
        });
        let help = "Spent share of today's budget; no line without a budget.";
        page.write_head("zoea_budget_used_ratio", "gauge", help);
        let now = MachineClock.now();
        let budget = self.budget.as_ref();
        if let Some(percent) = budget.and_then(|budget| budget.percent_at(now)) {
            #[expect(clippy::cast_precision_loss, reason = "no budget is exceeded so far")]
            let ratio = percent as f64 / 100.0;
            page.write_line("zoea_budget_used_ratio", &[], ratio);
        }
        let asked = self.requests.keys().map(|(provider, _)| &**provider);
        servers::write(&self.outages, asked, page);
    }

    fn write_program(&self, page: &mut MetricsPage) {
        let help = "Relaunches of errored Myses, by cause.";
        page.write_head("zoea_restarts_total", "counter", help);
        for (cause, count) in &self.restarts {
            page.write_line("zoea_restarts_total", &[("cause", cause)], *count);
        }
        let help = "Duration of the store's commits.";
        page.write_head("zoea_store_commit_seconds", "histogram", help);
        if let Some(histogram) = &self.commit_seconds {
            page.write_histogram("zoea_store_commit_seconds", &[], histogram);
        }
        let help = "Messages in an actor's queue.";
        page.write_head("zoea_mailbox_depth", "gauge", help);
        page.write_line("zoea_mailbox_depth", &[("actor", "store")], self.waiting);
        page.write_head("zoea_rows_total", "counter", "Rows stored since the start.");
        for (kind, count) in &self.rows {
            page.write_line("zoea_rows_total", &[("kind", kind)], *count);
        }
    }
}
