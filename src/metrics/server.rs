//! The metrics server: `/metrics`, for whoever scrapes.

use std::net::SocketAddr;

use axum::Router;
use axum::http::header;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::Metrics;

/// What the text is.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The server.
pub struct MetricsServer {
    address: SocketAddr,
    task: JoinHandle<std::io::Result<()>>,
}

impl MetricsServer {
    /// Serves these numbers.
    ///
    /// # Errors
    /// The address is taken.
    pub async fn start(listen: SocketAddr, metrics: Metrics) -> std::io::Result<MetricsServer> {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let page = move || {
            let text = metrics.text();
            async move { ([(header::CONTENT_TYPE, FORMAT)], text) }
        };
        let router = Router::new().route("/metrics", get(page));
        let task = tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(MetricsServer { address, task })
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/metrics", self.address)
    }

    /// Stops serving.
    pub async fn stop(self) {
        self.task.abort();
        // Aborted or ended, it is gone.
        let _ = self.task.await;
    }
}
