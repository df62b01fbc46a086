//! The toolbox: the game's tools, or any MCP server's, over streamable HTTP.
//!
//! One link is one session of one Mysis. It opens, lists and calls; when to do so again is decided
//! inside.

pub mod courtesy;
mod failure;
mod ticket;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use actors::domain::ids::MysisId;
use actors::domain::tool::{ToolSpec, Toolset};
use actors::ports::{Link, LinkAnswer, LinkCall, LinkFault, Upstream};
use actors::session::own_tools;
use futures::FutureExt;
use futures::future::BoxFuture;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, MetaObject, RequestMetaObject,
    ResourceContents, Tool,
};

use crate::mcp::{Endpoint, Session};

use ticket::Ticket;

/// Under this key a call carries our name for it, for the server's own records.
pub const CALL_META: &str = "zoea/call";

/// The MCP server of the configuration, or none.
pub struct McpUpstream {
    server: Option<Arc<Server>>,
}

struct Server {
    endpoint: Endpoint,
    known: Mutex<Vec<Weak<Toolset>>>,
}

impl McpUpstream {
    /// The server at this URL; `None`: there is none.
    #[must_use]
    pub fn new(url: Option<&str>, http: &reqwest::Client) -> McpUpstream {
        McpUpstream {
            server: url.map(|url| {
                Arc::new(Server {
                    endpoint: Endpoint {
                        url: url.into(),
                        token: None,
                        http: http.clone(),
                    },
                    known: Mutex::default(),
                })
            }),
        }
    }
}

impl Upstream for McpUpstream {
    fn link(&self, _mysis: MysisId) -> Option<Arc<dyn Link>> {
        let server = self.server.clone()?;
        Some(Arc::new(McpLink {
            server,
            session: Arc::default(),
        }))
    }
}

/// A session of one Mysis; open while it holds one.
struct McpLink {
    server: Arc<Server>,
    session: Arc<Slot>,
}

type Slot = Mutex<Option<Arc<Session>>>;

impl Link for McpLink {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        let (server, slot) = (self.server.clone(), self.session.clone());
        async move {
            put(&slot, None);
            let session = Session::open(server.endpoint.clone())
                .await
                .map_err(failure::of_opening)?;
            let ticket = Ticket::of(&server.endpoint.url, session.pass());
            put(&slot, Some(session));
            Ok(ticket.as_ref().map(Ticket::written))
        }
        .boxed()
    }

    fn resume(&self, ticket: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        let (server, slot) = (self.server.clone(), self.session.clone());
        async move {
            let pass = Ticket::read(&ticket, &server.endpoint.url)?;
            let session = Session::resumed(server.endpoint.clone(), pass);
            put(&slot, Some(session));
            Ok(())
        }
        .boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        let (server, session) = (self.server.clone(), self.session());
        async move {
            let listed = session?.tools().await.map_err(failure::of_call)?;
            Ok(server.shared(listed))
        }
        .boxed()
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkAnswer, LinkFault>> {
        let session = self.session();
        async move { send(&*session?, call).await }.boxed()
    }
}

impl McpLink {
    fn session(&self) -> Result<Arc<Session>, LinkFault> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session
            .clone()
            .ok_or_else(|| LinkFault::SessionLost("the session is closed".to_string()))
    }
}

fn put(slot: &Slot, session: Option<Session>) {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    *slot = session.map(Arc::new);
}

impl Server {
    /// The tools together with ours, in one set for all whose tools are equal.
    fn shared(&self, listed: Vec<Tool>) -> Arc<Toolset> {
        let own = own_tools();
        let tools = listed.into_iter().map(spec);
        let set = Toolset::new(tools.chain(own.tools().iter().cloned()));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|set| set.strong_count() > 0);
        let same = known
            .iter()
            .filter_map(Weak::upgrade)
            .find(|known| **known == set);
        same.unwrap_or_else(|| {
            let set = Arc::new(set);
            known.push(Arc::downgrade(&set));
            set
        })
    }
}

fn spec(tool: Tool) -> ToolSpec {
    let schema = serde_json::to_string(&tool.input_schema);
    ToolSpec {
        name: tool.name.as_ref().into(),
        description: tool.description.as_deref().unwrap_or_default().into(),
        schema: schema.unwrap_or_else(|_| "{}".to_string()).into(),
        read_only_hint: tool
            .annotations
            .as_ref()
            .and_then(|annotations| annotations.read_only_hint),
    }
}

async fn send(session: &Session, call: LinkCall) -> Result<LinkAnswer, LinkFault> {
    let name = Cow::Owned(call.tool.to_string());
    let mut params = CallToolRequestParams::new(name).with_arguments(call.arguments);
    let mut meta = MetaObject::default();
    meta.insert(CALL_META.to_string(), call.call_id.into());
    params.meta = Some(RequestMetaObject(meta));
    let result = session.call(params, call.timeout).await;
    result.map(read).map_err(failure::of_call)
}

fn read(result: CallToolResult) -> LinkAnswer {
    let mut texts: Vec<String> = result.content.iter().map(shown).collect();
    if texts.is_empty() {
        texts.extend(result.structured_content.map(|value| value.to_string()));
    }
    LinkAnswer {
        text: texts.join("\n"),
        is_error: result.is_error.unwrap_or(false),
    }
}

/// What a model can read of a piece of content.
fn shown(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => {
            format!("[image: {}, {} bytes]", image.mime_type, image.data.len())
        }
        ContentBlock::Audio(audio) => {
            format!("[audio: {}, {} bytes]", audio.mime_type, audio.data.len())
        }
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            ResourceContents::BlobResourceContents { uri, blob, .. } => {
                format!("[resource: {uri}, {} bytes]", blob.len())
            }
            _ => "[resource]".to_string(),
        },
        ContentBlock::ResourceLink(link) => format!("[resource: {}]", link.uri),
        _ => "[content of an unknown kind]".to_string(),
    }
}
