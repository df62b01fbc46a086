//! Lists of tools. Each tool is parsed by itself, so that an invalid one does not affect the
//! others.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use zoea_http::raw_json;

use super::McpFailure;
use super::message::RawResult;

/// The most tools of a server. Together with our own they stay below 512, beyond which model
/// servers refuse a request.
const MAX_TOOLS: usize = 500;
/// The most bytes of all tools, because every request to a model contains them.
const MAX_TOOLS_BYTES: usize = 2 << 20;
/// The largest tool in bytes, including its schema.
const MAX_TOOL_BYTES: usize = 128 << 10;
/// The longest name in bytes.
const MAX_NAME_BYTES: usize = 256;
/// The deepest nesting of a schema. In a request the schema is nested further, and many parsers
/// stop at 128.
const MAX_SCHEMA_DEPTH: usize = 64;
/// The most left-out tools that are named. Of the others only the number is told.
const MAX_TOLD_TOOLS: usize = 5;

/// A tool in the server's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTool {
    pub name: Arc<str>,
    /// What it does.
    pub description: Arc<str>,
    /// The JSON schema of its arguments, as compact JSON.
    pub schema: Arc<str>,
    /// The server's hint on whether it only reads.
    pub read_only_hint: Option<bool>,
}

#[derive(Debug, Default)]
pub struct Listing {
    /// The usable tools, in the server's order.
    pub tools: Vec<ListedTool>,
    names: BTreeSet<Arc<str>>,
    bytes: usize,
    left_out: usize,
    told: Vec<String>,
    cut: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolsPage<'a> {
    #[serde(borrow)]
    tools: &'a RawValue,
    #[serde(default)]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireListedTool<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    description: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolHints {
    #[serde(default)]
    read_only_hint: Option<bool>,
}

impl ListedTool {
    fn bytes(&self) -> usize {
        self.name.len() + self.description.len() + self.schema.len()
    }
}

impl Listing {
    /// Takes a page. Returns the cursor of the next one.
    pub(super) fn take_page(&mut self, page: &RawResult) -> Result<Option<String>, McpFailure> {
        let page: ToolsPage<'_> = page.read("tools/list")?;
        if !page.tools.get().starts_with('[') {
            return Err(super::unexpected_answer("tools/list"));
        }
        raw_json::for_each_element(page.tools.get(), |tool| {
            self.take_tool(tool);
            true
        });
        Ok(page.next_cursor)
    }

    fn take_tool(&mut self, tool: &str) {
        if self.is_full() || self.left_out >= MAX_TOOLS {
            return self.leave_out(None, "more than are taken");
        }
        match parse_tool(tool) {
            // Of two tools with one name the first one stays.
            Ok(tool) if !self.names.insert(tool.name.clone()) => {
                self.leave_out(Some(&tool.name), "its name is taken");
            }
            Ok(tool) if self.bytes + tool.bytes() > MAX_TOOLS_BYTES => {
                self.leave_out(Some(&tool.name), "with it they are larger than 2 MiB");
            }
            Ok(tool) => {
                self.bytes += tool.bytes();
                self.tools.push(tool);
            }
            Err((name, why)) => self.leave_out(name.as_deref(), why),
        }
    }

    fn leave_out(&mut self, name: Option<&str>, why: &str) {
        self.left_out += 1;
        if self.told.len() < MAX_TOLD_TOOLS {
            let name: String = name.unwrap_or("one").chars().take(60).collect();
            self.told.push(format!("{name} ({why})"));
        }
    }

    /// Whether the limit of tools is reached.
    pub(super) fn is_full(&self) -> bool {
        self.tools.len() >= MAX_TOOLS
    }

    /// Notes that the server has more tools, which are not read.
    pub(super) fn note_cut(&mut self, why: String) {
        self.cut = Some(why);
    }

    /// The tools that are left out and the reasons, in words for the operator; `None` if there are
    /// none.
    #[must_use]
    pub fn left_out(&self) -> Option<String> {
        let mut told = self.told.clone();
        let rest = self.left_out - self.told.len();
        if rest > 0 {
            told.push(format!("and {rest} more"));
        }
        let one_by_one = (!told.is_empty()).then(|| {
            let (count, told) = (self.left_out, told.join(", "));
            format!("{count} left out: {told}")
        });
        let cut = self
            .cut
            .as_ref()
            .map(|why| format!("the rest of its list is not read ({why})"));
        match (one_by_one, cut) {
            (Some(one), Some(cut)) => Some(format!("{one}; {cut}")),
            (told, cut) => told.or(cut),
        }
    }
}

/// Parses a tool. The error has its name, if known, and the reason why it cannot be used.
fn parse_tool(tool: &str) -> Result<ListedTool, (Option<String>, &'static str)> {
    if tool.len() > MAX_TOOL_BYTES {
        return Err((None, "it is larger than 128 KiB"));
    }
    let wire: WireListedTool<'_> =
        serde_json::from_str(tool).map_err(|_| (None, "it is no object"))?;
    let text = |raw: Option<&RawValue>| -> Option<String> { serde_json::from_str(raw?.get()).ok() };
    let Some(name) = text(wire.name).filter(|name| !name.trim().is_empty()) else {
        return Err((None, "it has no name"));
    };
    if name.len() > MAX_NAME_BYTES {
        return Err((Some(name), "its name is longer than 256 bytes"));
    }
    let schema = match wire.input_schema {
        None => Err("it has no inputSchema"),
        Some(schema) => match serde_json::from_str::<Value>(schema.get()) {
            Ok(schema) if !schema.is_object() => Err("its inputSchema is no object"),
            Ok(schema) if nesting_depth(&schema) > MAX_SCHEMA_DEPTH => {
                Err("its inputSchema is too deep")
            }
            Ok(schema) => Ok(schema.to_string()),
            Err(_) => Err("its inputSchema is too deep"),
        },
    };
    let schema = match schema {
        Ok(schema) => schema,
        Err(why) => return Err((Some(name), why)),
    };
    let annotations = wire.annotations.map(RawValue::get);
    let annotations: Option<ToolHints> =
        annotations.and_then(|text| serde_json::from_str(text).ok());
    Ok(ListedTool {
        name: name.into(),
        description: text(wire.description).unwrap_or_default().into(),
        schema: schema.into(),
        read_only_hint: annotations.and_then(|annotations| annotations.read_only_hint),
    })
}

/// The nesting depth of a value. Parsing has limited it to 128.
fn nesting_depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nesting_depth).max().unwrap_or(0),
        Value::Object(items) => 1 + items.values().map(nesting_depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
