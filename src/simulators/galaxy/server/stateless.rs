//! What serves requests without an MCP session.

use std::time::Duration;

use rmcp::model::Tool;

use super::super::{
    options::StatelessRules,
    tools::{self, SessionArgument},
};
use super::tasks::Tasks;

/// What serves requests without an MCP session.
#[derive(Debug)]
pub(super) struct Stateless {
    pub(super) list_ttl: Duration,
    /// `None`: no call is answered by a task.
    pub(super) tasks: Option<Tasks>,
    /// All tools, as such clients see them.
    pub(super) tools: Vec<Tool>,
}

impl Stateless {
    pub(super) fn new(rules: StatelessRules, tick: Duration) -> Self {
        let entries = tools::listing_entries(SessionArgument::Listed).into_iter();
        let tools = entries.filter_map(|entry| serde_json::from_value(entry).ok());
        Self {
            list_ttl: rules.list_ttl,
            tasks: rules.tasks.then(|| Tasks::new(tick)),
            tools: tools.collect(),
        }
    }

    pub(super) fn ttl_ms(&self) -> u64 {
        u64::try_from(self.list_ttl.as_millis()).unwrap_or(u64::MAX)
    }
}
