//! What serves requests without an MCP session.

use std::time::Duration;

use rmcp::model::Tool;
use serde_json::json;

use super::super::{
    options::StatelessRules,
    tools::{self, SessionArgument},
};
use super::tasks::Tasks;

/// What serves requests without an MCP session.
#[derive(Debug)]
pub(super) struct Stateless {
    pub(super) ttl_ms: u64,
    /// `None`: no call is answered by a task.
    pub(super) tasks: Option<Tasks>,
    /// All tools, as such clients see them.
    pub(super) tools: Vec<Tool>,
    /// The result of `tools/list` after a change.
    pub(super) changed_list: String,
}

impl Stateless {
    pub(super) fn new(rules: StatelessRules, tick: Duration) -> Self {
        let entries = tools::listing_entries(SessionArgument::Listed).into_iter();
        let tools = entries.filter_map(|entry| serde_json::from_value(entry).ok());
        let ttl_ms = u64::try_from(rules.list_ttl.as_millis()).unwrap_or(u64::MAX);
        let changed_list = json!({
            "resultType": "complete",
            "tools": tools::changed_entries(SessionArgument::Listed),
            "ttlMs": ttl_ms,
            "cacheScope": "public",
        });
        Self {
            ttl_ms,
            tasks: rules.tasks.then(|| Tasks::new(tick)),
            tools: tools.collect(),
            changed_list: changed_list.to_string(),
        }
    }
}
