//! Watchers: the observers of a running swarm, which stop with it.

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

/// The observers of a running swarm.
#[derive(Default)]
pub(super) struct Watchers {
    listeners: Vec<Listener>,
    metrics: Option<MetricsServer>,
    traces: Option<SpanExporter>,
    alerts: Option<AlertDispatcher>,
    reports: Option<AbortOnDropHandle<()>>,
}

impl Watchers {
    /// Starts the observers that the configuration asks for. Measurements begin here.
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
        if let Some(exporter) = SpanExporter::start(http, &settings.traces, secrets.clone()) {
            watchers
                .add_listener(exporter.event_handler(&settings.traces))
                .await?;
            watchers.traces = Some(exporter);
        }
        if settings.alerts.has_hook() {
            let alerts =
                AlertDispatcher::start(&settings.alerts, http, secrets.clone(), operator.clone());
            watchers.add_listener(alerts.event_handler()).await?;
            watchers.alerts = Some(alerts);
        }
        Ok(watchers)
    }

    async fn add_listener(
        &mut self,
        handler: actors::listener::EventHandler,
    ) -> anyhow::Result<()> {
        let listener = Listener::start(handler).await;
        let listener = listener.map_err(|error| anyhow::anyhow!("start a listener: {error}"))?;
        self.listeners.push(listener);
        Ok(())
    }

    /// The watchers through which they hear events.
    pub(super) fn watchers(&self) -> impl Iterator<Item = Watcher> {
        self.listeners.iter().map(Listener::watcher)
    }

    /// Starts the writing of daily reports.
    pub(super) fn write_reports(&mut self, daily: DailyReport, reporter: DailyReporter) {
        let writing = daily::start_reports(daily, reporter);
        self.reports = Some(AbortOnDropHandle::new(writing));
    }

    /// The address of the metrics, if they are served.
    pub(super) fn metrics(&self) -> Option<String> {
        self.metrics.as_ref().map(MetricsServer::url)
    }

    /// Stops all observers.
    pub(super) async fn stop(self) {
        drop(self.reports);
        for listener in self.listeners {
            listener.stop().await;
        }
        if let Some(alerts) = self.alerts {
            alerts.stop().await;
        }
        if let Some(traces) = self.traces {
            traces.stop().await;
        }
        if let Some(metrics) = self.metrics {
            metrics.stop().await;
        }
    }
}
