//! What `status` tells of the whole program: what needs the operator, conditions that last, and proxies.

use std::borrow::Cow;

use actors::domain::needs::ListedNeed;
use actors::domain::standing::{StandingConditions, StandingKind};
use serde::{Deserialize, Serialize};

/// The most names of a need in `status`. Its count tells of the others.
const MAX_NAMES: usize = 50;

/// What needs the operator in `status`: a cause, and all Myses that it holds up.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct NeedJson {
    pub cause: Cow<'static, str>,
    /// What it is, in a word.
    pub what: Cow<'static, str>,
    /// How many Myses it holds up.
    pub count: usize,
    pub myses: Vec<String>,
    pub since: String,
    pub why: String,
    pub help: Cow<'static, str>,
}

impl From<ListedNeed> for NeedJson {
    fn from(need: ListedNeed) -> NeedJson {
        NeedJson {
            cause: need.cause.as_str().into(),
            what: need.what.into(),
            count: need.myses.len(),
            since: need.since.to_string(),
            why: need.why.to_string(),
            help: need.remedy.text().into(),
            myses: need
                .myses
                .into_iter()
                .take(MAX_NAMES)
                .map(|mysis| mysis.name.to_string())
                .collect(),
        }
    }
}

/// A condition of the whole program in `status`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct WarningJson<'a> {
    /// A stable word for it.
    pub code: Cow<'a, str>,
    pub since: String,
    pub text: Cow<'a, str>,
}

impl<'a> WarningJson<'a> {
    /// The conditions that last, without the store's trouble, which has a member of its own.
    pub fn list(standing: &'a StandingConditions) -> Vec<WarningJson<'a>> {
        let warnings = standing.iter();
        warnings
            .filter(|(kind, _)| *kind != StandingKind::StoreTrouble)
            .map(|(kind, condition)| WarningJson {
                code: kind.code().into(),
                since: condition.since.to_string(),
                text: condition.text.as_ref().into(),
            })
            .collect()
    }
}

/// A server in `status` that is reached through a proxy.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ProxiedServerJson {
    pub server: String,
    /// Its scheme, host and port.
    pub address: String,
    /// The proxy's, without a password.
    pub proxy: String,
    pub variable: Cow<'static, str>,
}
