//! What `status` tells of the whole program: conditions that last, and proxies.

use actors::domain::standing::{StandingConditions, StandingKind};
use serde::Serialize;

/// A condition of the whole program in `status`.
#[derive(Debug, Serialize)]
pub struct WarningJson<'a> {
    code: &'static str,
    since: String,
    text: &'a str,
}

impl<'a> WarningJson<'a> {
    /// The conditions that last, without the store's trouble, which has a member of its own.
    #[must_use]
    pub fn list(standing: &'a StandingConditions) -> Vec<WarningJson<'a>> {
        let warnings = standing.iter();
        warnings
            .filter(|(kind, _)| *kind != StandingKind::StoreTrouble)
            .map(|(kind, condition)| WarningJson {
                code: kind.code(),
                since: condition.since.to_string(),
                text: &condition.text,
            })
            .collect()
    }
}

/// A server in `status` that is reached through a proxy.
#[derive(Debug, Serialize)]
pub struct ProxiedServerJson {
    /// The server's name.
    pub server: String,
    /// Its scheme, host and port.
    pub address: String,
    /// The proxy's, without a password.
    pub proxy: String,
    /// The environment variable that names the proxy.
    pub variable: &'static str,
}
