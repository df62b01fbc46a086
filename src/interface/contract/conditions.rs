//! What `status` tells of the whole program: what needs the operator, conditions that last, and proxies.

use std::sync::Arc;

use actors::domain::needs::ListedNeed;
use actors::domain::standing::{StandingConditions, StandingKind};
use serde::Serialize;

/// The most names of a need in `status`. Its count tells of the others.
const MAX_NAMES: usize = 50;

/// What needs the operator in `status`: a cause, and all Myses that it holds up.
#[derive(Debug, Serialize)]
pub struct NeedJson {
    cause: &'static str,
    what: &'static str,
    count: usize,
    myses: Vec<Arc<str>>,
    since: String,
    why: Arc<str>,
    help: &'static str,
}

impl From<ListedNeed> for NeedJson {
    fn from(need: ListedNeed) -> NeedJson {
        NeedJson {
            cause: need.cause.as_str(),
            what: need.what,
            count: need.myses.len(),
            since: need.since.to_string(),
            why: need.why,
            help: need.remedy.text(),
            myses: need
                .myses
                .into_iter()
                .take(MAX_NAMES)
                .map(|mysis| mysis.name)
                .collect(),
        }
    }
}

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
