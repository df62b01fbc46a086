//! Tools of a child process that only take tasks of 2025-11-25. What says so is heard in the lines of the
//! process, since the reader of messages drops it.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use zoea_http::raw_json;

use crate::McpFailure;
use crate::listing::{MAX_TOOLS, is_task_only};
use crate::message::RawResult;

const MARK: &str = "\"taskSupport\"";

/// The names of these tools: those of the last lists, of which each names no more than are read.
#[derive(Clone, Default)]
pub(super) struct TaskOnlyTools(Arc<Mutex<BTreeSet<String>>>);

impl TaskOnlyTools {
    pub(super) fn on_line(&self, line: &[u8]) {
        let Ok(line) = std::str::from_utf8(line) else {
            return;
        };
        let tools = raw_json::member_at(line, &["result", "tools"]).filter(|_| line.contains(MARK));
        let Some(tools) = tools else {
            return;
        };
        let mut names = self.0.lock();
        if names.len() > MAX_TOOLS {
            names.clear();
        }
        raw_json::for_each_element(tools, |tool| {
            if let Some(name) = raw_json::member(tool, "name").and_then(raw_json::as_text) {
                match is_task_only(tool) {
                    true => names.insert(name),
                    false => names.remove(&name),
                };
            }
            true
        });
    }

    /// A page of a list with what the reader dropped.
    pub(super) fn restore(&self, page: RawResult) -> Result<RawResult, McpFailure> {
        let names = self.0.lock();
        if names.is_empty() {
            return Ok(page);
        }
        let mut read: Value = serde_json::from_str(page.text()).unwrap_or_default();
        let tools = read["tools"].as_array_mut().into_iter().flatten();
        for tool in tools.filter(|tool| tool.is_object()) {
            if tool["name"]
                .as_str()
                .is_some_and(|name| names.contains(name))
            {
                tool["execution"] = json!({"taskSupport": "required"});
            }
        }
        RawResult::from_text(read.to_string())
    }
}
