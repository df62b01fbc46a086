//! The toolbox: the game's tools, or any MCP server's, over streamable HTTP by rmcp.
//!
//! One link is one session of one Mysis. It opens, lists and calls; when to do so again is decided
//! inside, so rmcp's own renewal of sessions is off.

mod failure;
mod ticket;
mod wire;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use actors::domain::ids::MysisId;
use actors::domain::tool::{ToolSpec, Toolset};
use actors::ports::{Link, LinkAnswer, LinkCall, LinkFault, Upstream};
use actors::session::own_tools;
use futures::FutureExt;
use futures::future::BoxFuture;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientConfig, ClientRequest,
    ContentBlock, Implementation, MetaObject, RequestMetaObject, ResourceContents, ServerResult,
    Tool,
};
use rmcp::service::{PeerRequestOptions, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{Peer, RoleClient, ServiceExt};

use ticket::Ticket;
use wire::Wire;

/// Under this key a call carries our name for it, for the server's own records.
pub const CALL_META: &str = "zoea/call";

/// The MCP server of the configuration, or none.
pub struct McpUpstream {
    server: Option<Arc<Server>>,
}

struct Server {
    url: Arc<str>,
    http: reqwest::Client,
    known: Mutex<Vec<Weak<Toolset>>>,
}

impl McpUpstream {
    /// The server at this URL; `None`: there is none.
    #[must_use]
    pub fn new(url: Option<&str>, http: &reqwest::Client) -> McpUpstream {
        McpUpstream {
            server: url.map(|url| {
                Arc::new(Server {
                    url: url.into(),
                    http: http.clone(),
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
            service: Arc::default(),
        }))
    }
}

/// How an event stream is asked for again.
fn patience() -> ExponentialBackoff {
    let mut patience = ExponentialBackoff::default();
    patience.max_times = Some(4);
    patience
}

/// A session; open while it holds a service.
struct McpLink {
    server: Arc<Server>,
    service: Arc<Mutex<Option<RunningService<RoleClient, ClientConfig>>>>,
}

impl Link for McpLink {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        let (server, slot) = (self.server.clone(), self.service.clone());
        async move {
            let older = put(&slot, None);
            drop(older);
            let wire = Wire::new(server.http.clone());
            let session = wire.session();
            let service = client_info()
                .serve(server.transport(wire))
                .await
                .map_err(failure::of_opening)?;
            let ticket = Ticket::of(server.url.clone(), &service, &session);
            put(&slot, Some(service));
            Ok(ticket.as_ref().map(Ticket::written))
        }
        .boxed()
    }

    fn resume(&self, ticket: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        let (server, slot) = (self.server.clone(), self.service.clone());
        async move {
            let ticket = Ticket::read(&ticket, &server.url)?;
            let service = client_info()
                .serve(server.transport(Wire::resumed(server.http.clone(), ticket)))
                .await
                .map_err(failure::of_opening)?;
            put(&slot, Some(service));
            Ok(())
        }
        .boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        let (server, peer) = (self.server.clone(), self.peer());
        async move {
            let listed = peer?.list_all_tools().await.map_err(failure::of_call)?;
            Ok(server.shared(listed))
        }
        .boxed()
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkAnswer, LinkFault>> {
        let peer = self.peer();
        async move { send(&peer?, call).await }.boxed()
    }
}

impl McpLink {
    /// The open session; one whose transport has ended is none.
    fn peer(&self) -> Result<Peer<RoleClient>, LinkFault> {
        let service = self.service.lock().unwrap_or_else(PoisonError::into_inner);
        match &*service {
            Some(service) if !service.is_transport_closed() => Ok(service.peer().clone()),
            Some(_) | None => Err(LinkFault::SessionLost("the session is closed".to_string())),
        }
    }
}

type Slot = Mutex<Option<RunningService<RoleClient, ClientConfig>>>;

fn put(
    slot: &Slot,
    service: Option<RunningService<RoleClient, ClientConfig>>,
) -> Option<RunningService<RoleClient, ClientConfig>> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut *slot, service)
}

fn client_info() -> ClientConfig {
    ClientConfig::new(
        rmcp::model::ClientCapabilities::default(),
        Implementation::new("zoea", env!("CARGO_PKG_VERSION")),
    )
}

impl Server {
    fn transport(&self, wire: Wire) -> StreamableHttpClientTransport<Wire> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(self.url.clone());
        config.reinit_on_expired_session = false;
        // A stream that a server closes again and again is asked for less and less often.
        config.retry_config = Arc::new(patience());
        StreamableHttpClientTransport::with_client(wire, config)
    }

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

/// Calls a tool; where that takes too long, the server is told so.
async fn send(peer: &Peer<RoleClient>, call: LinkCall) -> Result<LinkAnswer, LinkFault> {
    let name = Cow::Owned(call.tool.to_string());
    let params = CallToolRequestParams::new(name).with_arguments(call.arguments);
    let mut meta = MetaObject::default();
    meta.insert(CALL_META.to_string(), call.call_id.into());
    let mut options = PeerRequestOptions::with_timeout(call.timeout);
    options.meta = Some(RequestMetaObject(meta));
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let handle = peer
        .send_cancellable_request(request, options)
        .await
        .map_err(failure::of_call)?;
    let answer = handle.await_response().await.map_err(failure::of_call)?;
    let ServerResult::CallToolResult(result) = answer else {
        return Err(LinkFault::Refused(
            "the server answered a tool call with something else".to_string(),
        ));
    };
    Ok(read(result))
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
