//! Watchers: the observers of a running swarm, which stop with it.

use std::sync::Arc;

use actors::commander::{Adapters, Watcher};
use actors::secrets::Secrets;
use anyhow::anyhow;
use tokio::task::JoinHandle;
use tokio_util::task::AbortOnDropHandle;
use zoea_settings::Settings;

use crate::telemetry::alerts::AlertDispatcher;
use crate::telemetry::health::Health;
use crate::telemetry::metrics::{MeasuredLedger, Metrics, MetricsServer};
use crate::telemetry::observation::{
    CallObserver, CallObservers, ObservedModels, ObservedUpstream,
};
use crate::telemetry::operator::Operator;
use crate::telemetry::standstill;
use crate::telemetry::traces::SpanExporter;
use actors::listener::Listener;
use zoea_system::listen::describe_listen_error;

#[derive(Default)]
pub(super) struct Watchers {
    listeners: Vec<Listener>,
    metrics: Option<MetricsServer>,
    health: Health,
    traces: Option<SpanExporter>,
    alerts: Option<AlertDispatcher>,
    /// What else runs until the swarm stops.
    tasks: Vec<AbortOnDropHandle<()>>,
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
        let mut observers: Vec<Arc<dyn CallObserver>> = Vec::new();
        if let Some(listen) = settings.metrics.listen {
            let metrics = Metrics::default();
            observers.push(Arc::new(metrics.clone()));
            outside.ledger = Arc::new(MeasuredLedger {
                ledger: outside.ledger.clone(),
                metrics: metrics.clone(),
            });
            let server =
                MetricsServer::start(listen, metrics.clone(), watchers.health.clone()).await;
            let server = server.map_err(|error| {
                let remedy = "choose another address with `listen` in [metrics]";
                anyhow!(describe_listen_error(listen, &error, remedy))
            })?;
            tracing::info!(metrics = %server.url(), "metrics are served");
            watchers.metrics = Some(server);
            watchers
                .add_listener(Box::new(move |event| metrics.on_event(event)))
                .await?;
        }
        let for_spans = (secrets.clone(), operator.clone());
        if let Some(exporter) = SpanExporter::start(http, &settings.traces, for_spans) {
            observers.push(exporter.recorder());
            watchers.add_listener(exporter.event_handler()).await?;
            watchers.traces = Some(exporter);
        }
        observe_calls(outside, observers);
        if settings.alerts.has_hook() {
            let alerts = AlertDispatcher::start(&settings.alerts, http, secrets, operator);
            watchers.add_listener(alerts.event_handler()).await?;
            watchers.alerts = Some(alerts);
        }
        watchers.tasks.push(standstill::watch(operator.clone()));
        Ok(watchers)
    }

    pub(super) fn health(&self) -> &Health {
        &self.health
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

    pub(super) fn watchers(&self) -> impl Iterator<Item = Watcher> {
        self.listeners.iter().map(Listener::watcher)
    }

    /// Keeps a task until the swarm stops.
    pub(super) fn keep(&mut self, task: JoinHandle<()>) {
        self.tasks.push(AbortOnDropHandle::new(task));
    }

    /// The address of the metrics, if they are served.
    pub(super) fn metrics(&self) -> Option<String> {
        self.metrics.as_ref().map(MetricsServer::url)
    }

    pub(super) async fn stop(self) {
        drop(self.tasks);
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

/// Reports calls to these observers, if there are any.
fn observe_calls(outside: &mut Adapters, observers: Vec<Arc<dyn CallObserver>>) {
    if observers.is_empty() {
        return;
    }
    let observers: CallObservers = observers.into();
    outside.models = Arc::new(ObservedModels {
        models: outside.models.clone(),
        observers: observers.clone(),
    });
    outside.upstream = Arc::new(ObservedUpstream {
        upstream: outside.upstream.clone(),
        observers,
    });
}
