//! The metrics server: serves `/metrics` to scrapers, `/healthz` and `/readyz` to those who look after
//! processes.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::interface::serving::guard::{ListenScope, behind_guard};
use crate::interface::serving::{self, AcceptLimits};
use crate::telemetry::health::Health;

use super::Metrics;

const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The limits on connections. No scraper authenticates, so all of them are strangers.
const ACCEPT_LIMITS: AcceptLimits = AcceptLimits {
    max_strangers: 64,
    stranger_time: None,
    head_time: Duration::from_secs(120),
};

pub struct MetricsServer {
    address: SocketAddr,
    task: JoinHandle<()>,
}

/// The answer to whoever asks for the health: the reason in plain text, one line.
fn answer(checked: Result<&'static str, String>) -> (StatusCode, String) {
    match checked {
        Ok(word) => (StatusCode::OK, format!("{word}\n")),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")),
    }
}

impl MetricsServer {
    /// Serves these metrics, and the health of this process.
    pub async fn start(
        listen: SocketAddr,
        metrics: Metrics,
        health: Health,
    ) -> std::io::Result<MetricsServer> {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let page = move || {
            let text = metrics.to_text();
            async move { ([(header::CONTENT_TYPE, TEXT_FORMAT)], text) }
        };
        let ready = health.clone();
        let life = move || async move { answer(health.check_life().await) };
        let readiness = move || async move { answer(ready.check_readiness().await) };
        let router = Router::new()
            .route("/metrics", get(page))
            .route("/healthz", get(life))
            .route("/readyz", get(readiness));
        let reach = if address.ip().is_loopback() {
            ListenScope::Loopback
        } else {
            ListenScope::Anybody
        };
        let router = behind_guard(router, reach);
        let stop = CancellationToken::new();
        let task = tokio::spawn(serving::serve(listener, router, ACCEPT_LIMITS, stop));
        Ok(MetricsServer { address, task })
    }

    pub fn url(&self) -> String {
        format!("http://{}/metrics", self.address)
    }

    pub async fn stop(self) {
        self.task.abort();
        // The task is aborted or has ended.
        let _ = self.task.await;
    }
}
