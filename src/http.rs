//! HTTP: the one place that builds a client.

use std::time::Duration;

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
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
