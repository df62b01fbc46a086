//! The tools of a request, serialized once for all Myses.

use parking_lot::Mutex;
use std::sync::{Arc, Weak};

use actors::domain::tool::{ToolSpec, Toolset};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::portable::portable_schema;

/// Serialized tools, cached once for all Myses with the same set.
#[derive(Debug, Default)]
pub(super) struct ToolsCache(Mutex<Vec<CachedTools>>);

#[derive(Debug)]
struct CachedTools {
    set: Weak<Toolset>,
    json: Arc<RawValue>,
}

impl ToolsCache {
    /// The `tools` of a request; `None` without any.
    pub(super) fn of(&self, tools: &Arc<Toolset>) -> Option<Arc<RawValue>> {
        if tools.tools().is_empty() {
            return None;
        }
        let mut known = self.0.lock();
        known.retain(|known| known.set.strong_count() > 0);
        let same = |set: &Weak<Toolset>| std::ptr::eq(set.as_ptr(), Arc::as_ptr(tools));
        if let Some(known) = known.iter().find(|known| same(&known.set)) {
            return Some(known.json.clone());
        }
        let json: Arc<RawValue> = write_tools(tools)?.into();
        known.push(CachedTools {
            set: Arc::downgrade(tools),
            json: json.clone(),
        });
        Some(json)
    }
}

#[derive(Serialize)]
struct WireTool<'a> {
    r#type: &'static str,
    function: WireToolFunction<'a>,
}

#[derive(Serialize)]
struct WireToolFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
}

/// Serializes tools. One whose schema is not JSON is left out, so that the others can be used.
fn write_tools(tools: &Toolset) -> Option<Box<RawValue>> {
    let schemas: Vec<(&ToolSpec, Box<RawValue>)> = tools
        .tools()
        .iter()
        .filter_map(|tool| {
            let schema = portable_schema(&tool.schema)?;
            Some((tool, to_raw_value(&schema).ok()?))
        })
        .collect();
    let tools: Vec<WireTool<'_>> = schemas
        .iter()
        .map(|(tool, parameters)| WireTool {
            r#type: "function",
            function: WireToolFunction {
                name: &tool.name,
                description: &tool.description,
                parameters,
            },
        })
        .collect();
    if tools.is_empty() {
        return None;
    }
    to_raw_value(&tools).ok()
}
