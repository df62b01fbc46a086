//! Watchers: those that look on while a swarm flies, and leave with it.

use std::sync::Arc;

use actors::commander::{Adapters, Watcher};
use actors::secrets::Secrets;
use anyhow::Context;
use tokio_util::task::AbortOnDropHandle;

use crate::alerts::AlertDispatcher;
use crate::metrics::{MeasuredLedger, MeasuredModels, Metrics, MetricsServer};
use crate::operator::Operator;
use crate::settings::{DailyReport, Settings};
use crate::traces::SpanExporter;
use actors::listener::Listener;

use super::daily::{self, DailyReporter};

/// Those that look on.
#[derive(Default)]
pub(super) struct Watchers {
    listeners: Vec<Listener>,
    metrics: Option<MetricsServer>,
    traces: Option<SpanExporter>,
    alarm: Option<AlertDispatcher>,
    reports: Option<AbortOnDropHandle<()>>,
}

impl Watchers {
    /// Starts those that the configuration wants; what they measure is measured from here on.
    pub(super) async fn start(
        settings: &Settings,
        http: &reqwest::Client,
        secrets: &Secrets,
        outside: &mut Adapters,
        operator: &Operator,
    ) -> anyhow::Result<Self> {
        let mut watchers = Watchers::default();
        if let Some(listen) = settings.metrics.listen {
            let metrics = Metrics::default();
            outside.models = Arc::new(MeasuredModels {
                models: outside.models.clone(),
                metrics: metrics.clone(),
            });
            outside.ledger = Arc::new(MeasuredLedger {
                ledger: outside.ledger.clone(),
                metrics: metrics.clone(),
            });
            let server = MetricsServer::start(listen, metrics.clone()).await;
            let server = server.with_context(|| format!("listen on {listen} for metrics"))?;
            tracing::info!(metrics = %server.url(), "metrics");
            watchers.metrics = Some(server);
            watchers
                .add_listener(Box::new(move |event| metrics.on_event(event)))
                .await?;
        }
        if let Some(endpoint) = &settings.traces.endpoint {
            let exporter = SpanExporter::start(http, endpoint, secrets.clone());
            watchers
                .add_listener(exporter.event_handler(&settings.traces))
                .await?;
            watchers.traces = Some(exporter);
        }
        if settings.alerts.has_hook() {
            let alarm =
                AlertDispatcher::start(&settings.alerts, http, secrets.clone(), operator.clone());
            watchers.add_listener(alarm.event_handler()).await?;
            watchers.alarm = Some(alarm);
        }
        Ok(watchers)
    }

    async fn add_listener(&mut self, ear: actors::listener::EventHandler) -> anyhow::Result<()> {
        let listener = Listener::start(ear).await;
        let listener = listener.map_err(|error| anyhow::anyhow!("start a listener: {error}"))?;
        self.listeners.push(listener);
        Ok(())
    }

    /// Through which they hear what happens.
    pub(super) fn watchers(&self) -> impl Iterator<Item = Watcher> {
        self.listeners.iter().map(Listener::watcher)
    }

    /// Begins to write the report of each day, where that is wanted.
    pub(super) fn write_reports(&mut self, daily: DailyReport, reporter: DailyReporter) {
        let writing = daily::start_reports(daily, reporter);
        self.reports = Some(AbortOnDropHandle::new(writing));
    }

    /// Where the metrics are.
    pub(super) fn metrics(&self) -> Option<String> {
        self.metrics.as_ref().map(MetricsServer::url)
    }

    /// Stops them all.
    pub(super) async fn stop(self) {
        drop(self.reports);
        for listener in self.listeners {
            listener.stop().await;
        }
        if let Some(alarm) = self.alarm {
            alarm.stop().await;
        }
        if let Some(traces) = self.traces {
            traces.stop().await;
        }
        if let Some(metrics) = self.metrics {
            metrics.stop().await;
        }
    }
}
