//! HTTP: the one place that builds a client.

use std::time::Duration;

use crate::descriptors;

/// How long opening a connection may take.
const CONNECTING: Duration = Duration::from_secs(10);
/// Idle connections kept for each server, so that a swarm's sockets do not pile up.
const IDLE_PER_HOST: usize = 8;

/// A client. Time limits for whole requests are its user's, since some answers take minutes.
///
/// # Errors
/// The platform's certificate store cannot be read.
pub fn client() -> Result<reqwest::Client, reqwest::Error> {
    // Installed already is as good as installed now: it is always the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(CONNECTING)
        .pool_max_idle_per_host(IDLE_PER_HOST)
        .pool_idle_timeout(Duration::from_secs(60))
        .user_agent(concat!("zoea/", env!("CARGO_PKG_VERSION")))
        .build()
}

/// What went wrong with a request, without its URL, which may hold a secret.
#[must_use]
pub fn plain(error: reqwest::Error) -> String {
    causes(&error.without_url())
}

/// An error and all that caused it, on one line.
#[must_use]
pub fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// What to do about a connection that this machine could not open for want of a descriptor; `None`
/// where the cause lies elsewhere. The other side has no part in it: it was not even asked.
#[must_use]
pub fn want_of_descriptors(error: &reqwest::Error) -> Option<String> {
    let is_named = std::iter::successors(Some(error as &dyn std::error::Error), |error| {
        error.source()
    })
    .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
    .any(descriptors::is_exhaustion);
    // Looking a name up fails for want of a descriptor without saying so.
    let is_hidden = || error.is_connect() && descriptors::are_exhausted();
    (is_named || is_hidden()).then(descriptors::advice)
}

/// A request that brings JSON somewhere, and is tried again where that may help.
#[derive(Clone)]
pub struct Delivery {
    /// The client.
    pub http: reqwest::Client,
    /// Where to.
    pub url: String,
    /// The bearer token, if the receiver wants one.
    pub token: Option<crate::settings::Secret>,
    /// How long one try may take.
    pub timeout: Duration,
    /// The waits before each further try.
    pub waits: &'static [Duration],
}

impl Delivery {
    /// Brings it there.
    ///
    /// # Errors
    /// What the last try said; the URL is not in it. A receiver that calls the request itself wrong
    /// is asked once.
    pub async fn bring(&self, body: &serde_json::Value) -> Result<(), String> {
        let mut waits = self.waits.iter();
        loop {
            let (why, is_final) = match self.bring_once(body).await {
                Ok(status) if status.is_success() => return Ok(()),
                Ok(status) => {
                    let is_busy = status.is_server_error() || matches!(status.as_u16(), 408 | 429);
                    (format!("HTTP status {status}"), !is_busy)
                }
                Err(error) => (plain(error), false),
            };
            match waits.next() {
                Some(wait) if !is_final => tokio::time::sleep(*wait).await,
                Some(_) | None => return Err(why),
            }
        }
    }

    async fn bring_once(
        &self,
        body: &serde_json::Value,
    ) -> Result<reqwest::StatusCode, reqwest::Error> {
        let mut request = self.http.post(&self.url).timeout(self.timeout).json(body);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose());
        }
        Ok(request.send().await?.status())
    }
}
