//! The lists of tools of the first interface, written once.

use serde_json::json;

use super::super::{
    super::tools::{self, SessionArgument},
    stateless::Stateless,
};

/// Results of `tools/list`, written once.
pub(super) struct Listings {
    pub(super) usual: String,
    /// The list after a change, and the same for clients without sessions.
    pub(super) changed: String,
    pub(super) changed_stateless: String,
}

impl Listings {
    pub(super) fn new(session: SessionArgument, stateless: Option<&Stateless>) -> Self {
        let changed = json!({ "tools": tools::changed_entries(session) });
        let stateless = stateless.map(|rules| {
            let list = json!({
                "resultType": "complete",
                "tools": tools::changed_entries(SessionArgument::Listed),
                "ttlMs": rules.ttl_ms(),
                "cacheScope": "public",
            });
            list.to_string()
        });
        Self {
            usual: tools::listing_json(session),
            changed: changed.to_string(),
            changed_stateless: stateless.unwrap_or_default(),
        }
    }
}
