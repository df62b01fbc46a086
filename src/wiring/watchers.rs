//! Watchers: those that look on while a swarm flies, and leave with it.

use std::sync::Arc;

use actors::commander::{CommanderMsg, Outside, Watcher};
use actors::domain::redact::Redactor;
use anyhow::Context;
use ractor::ActorRef;
use tokio_util::task::AbortOnDropHandle;

use crate::alerts::{Alarm, Operator};
use crate::home::Home;
use crate::ledger::SqlLedger;
use crate::listener::Listener;
use crate::metrics::{MeasuredLedger, MeasuredModels, Metrics, MetricsServer};
use crate::settings::Settings;
use crate::traces::Exporter;

use super::daily;

/// Those that look on.
#[derive(Default)]
pub(super) struct Watchers {
    listeners: Vec<Listener>,
    metrics: Option<MetricsServer>,
    traces: Option<Exporter>,
    alarm: Option<Alarm>,
    operator: Operator,
    reports: Option<AbortOnDropHandle<()>>,
}

impl Watchers {
    /// Starts those that the configuration wants; what they measure is measured from here on.
    pub(super) async fn start(
        settings: &Settings,
        http: &reqwest::Client,
        secrets: Vec<Arc<str>>,
        outside: &mut Outside,
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
                .listen(Box::new(move |event| metrics.heard(event)))
                .await?;
        }
        if let Some(endpoint) = &settings.traces.endpoint {
            let exporter = Exporter::start(http, endpoint);
            watchers.listen(exporter.ear(&settings.traces)).await?;
            watchers.traces = Some(exporter);
        }
        if settings.alerts.has_hook() {
            let redactor = Arc::new(Redactor::new(secrets));
            let operator = watchers.operator.clone();
            let alarm = Alarm::start(&settings.alerts, http, redactor, operator);
            watchers.listen(alarm.ear()).await?;
            watchers.alarm = Some(alarm);
        }
        Ok(watchers)
    }

    async fn listen(&mut self, ear: crate::listener::Ear) -> anyhow::Result<()> {
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
    pub(super) fn write_reports(&mut self, settings: &Settings, ledger: &SqlLedger, home: &Home) {
        self.reports = settings.reports.daily.map(|daily| {
            let writing = daily::start(ledger.clone(), home.reports(), daily);
            AbortOnDropHandle::new(writing)
        });
    }

    /// Through whom the operator is told of what does not work.
    pub(super) fn are_heard_by(&self, commander: &ActorRef<CommanderMsg>) {
        self.operator.is_reached_by(commander);
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
