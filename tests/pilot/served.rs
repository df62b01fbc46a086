//! A pilot on a loopback port, and its client.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zoea_pilot::{Habits, PilotFault, PilotOptions, serve};

/// Longer than anything here takes. A test that waits this long has failed.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

/// A running pilot.
pub(crate) struct Served {
    pub(crate) root: String,
    pub(crate) client: reqwest::Client,
    shutdown: CancellationToken,
    serving: JoinHandle<anyhow::Result<()>>,
}

/// Options without nonsense, with these faults.
pub(crate) fn with_faults(faults: &[&str]) -> PilotOptions {
    PilotOptions {
        habits: Habits {
            seed: 1,
            nonsense: 0.0,
            ..Habits::default()
        },
        faults: faults
            .iter()
            .map(|spec| spec.parse::<PilotFault>().unwrap())
            .collect(),
        ..PilotOptions::default()
    }
}

impl Served {
    pub(crate) async fn start(options: PilotOptions) -> Self {
        // It fails if another test was first, without harm.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let shutdown = CancellationToken::new();
        Self {
            root,
            client: reqwest::Client::builder()
                .no_proxy()
                .timeout(LIMIT)
                .build()
                .unwrap(),
            serving: tokio::spawn(serve(listener, options, shutdown.clone())),
            shutdown,
        }
    }

    pub(crate) fn post(&self, body: &Value) -> reqwest::RequestBuilder {
        self.post_text(body.to_string())
    }

    pub(crate) fn post_text(&self, body: String) -> reqwest::RequestBuilder {
        self.client
            .post(format!("{}/v1/chat/completions", self.root))
            .header("content-type", "application/json")
            .body(body)
    }

    /// Sends a request. Returns status and JSON.
    pub(crate) async fn ask(&self, body: &Value) -> (u16, Value) {
        let response = self.post(body).send().await.unwrap();
        let status = response.status().as_u16();
        (status, response.json().await.unwrap())
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let response = self
            .client
            .get(format!("{}{path}", self.root))
            .send()
            .await
            .unwrap();
        response.json().await.unwrap()
    }

    /// Begins the shutdown.
    pub(crate) fn stop(&self) {
        self.shutdown.cancel();
    }

    /// Waits until the server has ended.
    pub(crate) async fn ended(self) {
        tokio::time::timeout(LIMIT, self.serving)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
    }

    /// Drops the server without a shutdown.
    pub(crate) async fn abort(self) {
        self.serving.abort();
        assert!(self.serving.await.unwrap_err().is_cancelled());
    }

    pub(crate) async fn end(self) {
        self.stop();
        self.ended().await;
    }
}

fn tools() -> Value {
    ["register", "get_status", "get_system", "mine"]
        .iter()
        .map(|name| crate::host::described(name))
        .collect()
}

/// A request that is answered with a call of `register`.
pub(crate) fn calling() -> Value {
    json!({
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "You are alpha of the nebula. You have no account yet."},
            {"role": "user", "content": "Mine ore."},
        ],
        "tools": tools(),
    })
}

/// A request that is answered in words.
pub(crate) fn talking() -> Value {
    json!({
        "model": "some-model",
        "messages": [{"role": "system", "content": "You are alpha."}, {"role": "user", "content": "Hello!"}],
    })
}

pub(crate) fn message(completion: &Value) -> &Value {
    &completion["choices"][0]["message"]
}
