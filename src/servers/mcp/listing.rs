//! Lists of tools. Each tool is parsed by itself, so that an invalid one does not affect the
//! others.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use zoea_http::raw_json;

use super::message::RawResult;
use super::mirror::{MirroredArgument, marked_arguments};
use super::{McpFailure, SessionMode};

/// The most tools of a server. Together with our own they stay below 512, beyond which model
/// servers refuse a request.
pub(super) const MAX_TOOLS: usize = 500;
/// The most bytes of all tools, because every request to a model contains them.
const MAX_TOOLS_BYTES: usize = 2 << 20;
/// The largest tool in bytes, including its schema.
const MAX_TOOL_BYTES: usize = 128 << 10;
/// The longest name in bytes.
const MAX_NAME_BYTES: usize = 256;
/// The deepest nesting of a schema. In a request the schema is nested further, and many parsers
/// stop at 128.
const MAX_SCHEMA_DEPTH: usize = 64;
/// The most pages of a list. A server that sends more is broken.
const MAX_PAGES: usize = 200;
/// The most left-out tools that are named. Of the others only the number is told.
const MAX_TOLD_TOOLS: usize = 5;

/// A list of one page, and the page. The sessions of a swarm usually get the same page, and reading it
/// takes longer than sending it.
pub(super) struct KnownListing {
    page: RawResult,
    listing: Arc<Listing>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTool {
    pub name: Arc<str>,
    pub description: Arc<str>,
    /// The JSON schema of its arguments, as compact JSON.
    pub schema: Arc<str>,
    /// The server's hint on whether it only reads.
    pub read_only_hint: Option<bool>,
    /// All its annotations, as the server wrote them.
    pub annotations: Arc<str>,
}

#[derive(Debug, Default)]
pub struct Listing {
    /// The usable tools, in the server's order.
    pub tools: Vec<ListedTool>,
    names: BTreeSet<Arc<str>>,
    bytes: usize,
    left_out: usize,
    named: Vec<String>,
    cut: Option<String>,
    cursors: BTreeSet<String>,
    pages: BTreeSet<u64>,
    is_stateless: bool,
    /// How long the list is valid; `None` if the server does not say, or has sessions.
    pub ttl: Option<Duration>,
    /// Whether every client of the server gets this list.
    pub is_public: bool,
    /// By tool, the arguments that are repeated in headers.
    pub(super) mirrored: BTreeMap<Arc<str>, Arc<[MirroredArgument]>>,
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
        self.name.len() + self.description.len() + self.schema.len() + self.annotations.len()
    }
}

impl Listing {
    fn new(mode: SessionMode) -> Listing {
        Listing {
            is_stateless: mode == SessionMode::Stateless,
            ..Listing::default()
        }
    }

    /// Takes a page. Returns the cursor of the next one.
    fn take_page(&mut self, page: &RawResult) -> Result<Option<String>, McpFailure> {
        let keys = ["tools", "nextCursor", "resultType", "ttlMs", "cacheScope"];
        let [tools, next, kind, ttl, scope] = raw_json::pick(page.text(), keys);
        let is_complete = kind.is_none_or(|kind| kind == r#""complete""#);
        let tools = tools.filter(|tools| is_complete && tools.starts_with('['));
        let tools = tools.ok_or_else(|| super::unexpected_answer("tools/list"))?;
        // A server that does not heed cursors gives the same page for ever.
        if tools != "[]" && !self.pages.insert(hash_of(tools)) {
            return Ok(None);
        }
        // Of a server with sessions, asking for the list is also how a session is tried.
        let ttl = ttl.filter(|_| self.is_stateless);
        let ttl = ttl.and_then(|ttl| ttl.parse().ok());
        let ttl = ttl.map(Duration::from_millis);
        // A list is as old as its oldest page, and as public as its least public one.
        self.ttl = match (self.ttl, ttl) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let is_public = scope == Some("\"public\"");
        self.is_public = is_public && (self.is_public || self.names.is_empty());
        raw_json::for_each_element(tools, |tool| {
            self.take_tool(tool);
            true
        });
        Ok(next.and_then(|next| self.new_cursor(next)))
    }

    /// The cursor of another page. An empty one is the end, and so is one that was there before.
    fn new_cursor(&mut self, next: &str) -> Option<String> {
        let is_number = || next.parse::<f64>().is_ok();
        let next = raw_json::as_text(next).or_else(|| is_number().then(|| next.to_string()))?;
        let is_new = !next.is_empty() && self.cursors.insert(next.clone());
        is_new.then_some(next)
    }

    fn take_tool(&mut self, tool: &str) {
        if self.is_full() || self.left_out >= MAX_TOOLS {
            return self.leave_out(None, "more than are taken");
        }
        let parsed = parse_tool(tool).and_then(|(read, schema)| {
            let marked = match self.is_stateless {
                true => marked_arguments(&schema),
                false if is_task_only(tool) => Err("it is called as a task only"),
                false => Ok(Arc::default()),
            };
            match marked {
                Ok(marked) => Ok((read, marked)),
                Err(why) => Err((Some(read.name.to_string()), why)),
            }
        });
        match parsed {
            // Of two tools with one name the first one stays.
            Ok((tool, _)) if !self.names.insert(tool.name.clone()) => {
                self.leave_out(Some(&tool.name), "its name is taken");
            }
            Ok((tool, _)) if self.bytes + tool.bytes() > MAX_TOOLS_BYTES => {
                self.leave_out(Some(&tool.name), "with it they are larger than 2 MiB");
            }
            Ok((tool, marked)) => {
                self.bytes += tool.bytes();
                if !marked.is_empty() {
                    self.mirrored.insert(tool.name.clone(), marked);
                }
                self.tools.push(tool);
            }
            Err((name, why)) => self.leave_out(name.as_deref(), why),
        }
    }

    fn leave_out(&mut self, name: Option<&str>, why: &str) {
        self.left_out += 1;
        if self.named.len() < MAX_TOLD_TOOLS {
            let name: String = name.unwrap_or("one").chars().take(60).collect();
            self.named.push(format!("{name} ({why})"));
        }
    }

    fn is_full(&self) -> bool {
        self.tools.len() >= MAX_TOOLS
    }

    /// Notes that the server has more tools, which are not read.
    fn note_cut(&mut self, why: String) {
        self.cut = Some(why);
    }

    /// The tools that are left out and the reasons, in words for the operator; `None` if there are
    /// none.
    pub fn left_out(&self) -> Option<String> {
        let mut named = self.named.clone();
        let rest = self.left_out - self.named.len();
        if rest > 0 {
            named.push(format!("and {rest} more"));
        }
        let one_by_one = (!named.is_empty()).then(|| {
            let (count, named) = (self.left_out, named.join(", "));
            format!("{count} left out: {named}")
        });
        let cut = self
            .cut
            .as_ref()
            .map(|why| format!("the rest of its list is not read ({why})"));
        match (one_by_one, cut) {
            (Some(one), Some(cut)) => Some(format!("{one}; {cut}")),
            (named, cut) => named.or(cut),
        }
    }
}

pub(super) trait PageFailure: From<McpFailure> {
    /// Why the page cannot be used, where that says nothing about other pages.
    fn of_page(&self) -> Option<&str>;
}

impl PageFailure for McpFailure {
    fn of_page(&self) -> Option<&str> {
        let McpFailure::Broken(why) = self else {
            return None;
        };
        Some(why)
    }
}

/// Reads all pages of a server's list, together at most `room` bytes. `ask` sends a request and
/// reads an answer of at most so many bytes. A page that cannot be used ends the list. Those before
/// it stay. A list that is `known` is not read again.
pub(super) async fn read_pages<F: PageFailure, A>(
    mode: SessionMode,
    (mut room, known): (usize, &Mutex<Option<KnownListing>>),
    ask: impl Fn(ClientRequest, usize) -> A,
) -> Result<Arc<Listing>, F>
where
    A: Future<Output = Result<RawResult, F>>,
{
    let mut listing = Listing::new(mode);
    let mut cursor = None;
    let mut first = None;
    for page in 0..MAX_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
        let raw = ask(request, room).await;
        if let (0, Ok(raw)) = (page, &raw)
            && let Some(listing) = known_listing(known, listing.is_stateless, raw)
        {
            return Ok(listing);
        }
        let next = raw.and_then(|raw| {
            room = room.checked_sub(raw.bytes()).ok_or_else(|| {
                let text = "the answer is larger than is read";
                McpFailure::Broken(text.to_string())
            })?;
            let next = listing.take_page(&raw)?;
            first = (page == 0).then_some(raw);
            Ok(next)
        });
        cursor = match next {
            Ok(next) => next,
            Err(failure) => match failure.of_page() {
                Some(why) if page > 0 => {
                    listing.note_cut(format!("page {} cannot be used: {why}", page + 1));
                    return Ok(Arc::new(listing));
                }
                Some(_) | None => return Err(failure),
            },
        };
        if cursor.is_none() {
            let listing = Arc::new(listing);
            if let Some(page) = first {
                let listing = listing.clone();
                *known.lock() = Some(KnownListing { page, listing });
            }
            return Ok(listing);
        }
        if listing.is_full() {
            listing.note_cut(format!("{} tools are enough", listing.tools.len()));
            return Ok(Arc::new(listing));
        }
    }
    let text = format!("the list of tools has no end after {MAX_PAGES} pages");
    if listing.tools.is_empty() {
        return Err(McpFailure::Broken(text).into());
    }
    listing.note_cut(text);
    Ok(Arc::new(listing))
}

/// The list that was read from this page, if it was read last.
fn known_listing(
    known: &Mutex<Option<KnownListing>>,
    is_stateless: bool,
    page: &RawResult,
) -> Option<Arc<Listing>> {
    let known = known.lock();
    let same = known.as_ref().filter(|known| known.page.is_same(page))?;
    (same.listing.is_stateless == is_stateless).then(|| same.listing.clone())
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The name of a tool that cannot be used, if known, and the reason.
type LeftOut = (Option<String>, &'static str);

/// Parses a tool and its schema. The error has its name, if known, and the reason why it cannot be
/// used.
fn parse_tool(tool: &str) -> Result<(ListedTool, Map<String, Value>), LeftOut> {
    if tool.len() > MAX_TOOL_BYTES {
        return Err((None, "it is larger than 128 KiB"));
    }
    let wire: WireListedTool<'_> =
        serde_json::from_str(tool).map_err(|_| (None, "it is not an object"))?;
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
            Ok(schema) if nesting_depth(&schema) > MAX_SCHEMA_DEPTH => {
                Err("its inputSchema is too deep")
            }
            Ok(Value::Object(schema)) => Ok(schema),
            // Some languages write an empty object so.
            Ok(Value::Array(items)) if items.is_empty() => Ok(Map::new()),
            Ok(_) => Err("its inputSchema is not an object"),
            Err(_) => Err("its inputSchema is too deep"),
        },
    };
    let schema = match schema {
        Ok(schema) => schema,
        Err(why) => return Err((Some(name), why)),
    };
    let annotations = wire.annotations.map(RawValue::get);
    let hints: Option<ToolHints> = annotations.and_then(|text| serde_json::from_str(text).ok());
    let tool = ListedTool {
        name: name.into(),
        description: text(wire.description).unwrap_or_default().into(),
        schema: serde_json::to_string(&schema).unwrap_or_default().into(),
        read_only_hint: hints.and_then(|hints| hints.read_only_hint),
        annotations: annotations.unwrap_or_default().into(),
    };
    Ok((tool, schema))
}

/// Whether its server refuses each call of a tool that does not ask for a task of 2025-11-25. Ours
/// ask for none of these.
pub(super) fn is_task_only(tool: &str) -> bool {
    let [execution] = raw_json::pick(tool, ["execution"]);
    let support = execution.and_then(|execution| raw_json::pick(execution, ["taskSupport"])[0]);
    support == Some(r#""required""#)
}

/// The nesting depth of a value. Parsing has limited it to 128.
fn nesting_depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nesting_depth).max().unwrap_or(0),
        Value::Object(items) => 1 + items.values().map(nesting_depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
