//! The order of tools in all lists of a server.

use std::collections::BTreeMap;
use std::sync::Arc;

use zoea_mcp::ListedTool;

/// The number of tools whose place is remembered. A server that goes through more names than that is
/// remembered anew.
const MAX_PLACES: usize = 4096;

/// The place of each tool. Some servers shuffle their list for each session, and requests of Myses would
/// share no beginning.
#[derive(Default)]
pub(super) struct ToolOrder(BTreeMap<Arc<str>, usize>);

impl ToolOrder {
    /// Puts tools in the order in which they were first known.
    pub(super) fn arrange(&mut self, mut tools: Vec<ListedTool>) -> Vec<ListedTool> {
        if self.0.len() > MAX_PLACES {
            self.0.clear();
        }
        for tool in &tools {
            let next = self.0.len();
            self.0.entry(tool.name.clone()).or_insert(next);
        }
        tools.sort_by_key(|tool| self.0.get(&tool.name).copied());
        tools
    }
}
