//! The toolbox: the tools of the game, or of any MCP server, over streamable HTTP.
//!
//! A link is one MCP session of one Mysis. It opens the session, lists the tools and calls them.
//! The session actor decides when.

mod failure;
mod registration;
pub mod request_saver;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use actors::domain::bounds::{self, MAX_TAKEN_BYTES};
use actors::domain::ids::MysisId;
use actors::domain::tool::{ToolSpec, Toolset};
use actors::ports::{Link, LinkAnswer, LinkCall, LinkFault, Upstream};
use actors::session::own_tools;
use futures::FutureExt;
use futures::future::BoxFuture;
use rmcp::model::{CallToolRequestParams, MetaObject, RequestMetaObject};

use zoea_mcp::{
    CallResult, ListedTool, Listing, MAX_ANSWER_BYTES, McpFailure, ServerSession, UpstreamEndpoint,
};

/// The key of a call's `_meta` under which the server receives our id of the call, for its records.
pub const CALL_META: &str = "zoea/call";

/// The MCP server of the configuration, or none.
pub struct McpUpstream {
    server: Option<Arc<McpServer>>,
}

struct McpServer {
    endpoint: UpstreamEndpoint,
    known: Mutex<Vec<Weak<Toolset>>>,
    /// The last report about tools that are left out, and its receiver.
    told: Mutex<Option<Arc<str>>>,
    tell: Option<TellOperator>,
    /// The registration code of the game, if it needs one.
    registration_code: Option<Arc<str>>,
}

/// Receives texts about a server's tools for the operator.
pub type TellOperator = Box<dyn Fn(&str) + Send + Sync>;

/// The JSON-RPC code with which early versions of SpaceMolt reported a failed command.
const COMMAND_FAILED_CODE: i64 = 0;

impl McpUpstream {
    /// The server at this URL; `None` for no server.
    #[must_use]
    pub fn new(url: Option<&str>, http: &reqwest::Client) -> McpUpstream {
        McpUpstream::with_tell(url, http, None, None)
    }

    /// The same, with a receiver for reports about tools that are left out. A report comes once for
    /// all Myses. A registration code goes into each call of `register`, and no model sees it.
    #[must_use]
    pub fn with_tell(
        url: Option<&str>,
        http: &reqwest::Client,
        tell: Option<TellOperator>,
        registration_code: Option<Arc<str>>,
    ) -> McpUpstream {
        McpUpstream {
            server: url.map(|url| {
                Arc::new(McpServer {
                    endpoint: UpstreamEndpoint {
                        url: url.into(),
                        token: None,
                        http: http.clone(),
                        max_answer_bytes: MAX_ANSWER_BYTES,
                    },
                    known: Mutex::default(),
                    told: Mutex::default(),
                    tell,
                    registration_code,
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

/// The session of one Mysis. It is open while the server's session id is held.
struct McpLink {
    server: Arc<McpServer>,
    session: Arc<SessionSlot>,
}

type SessionSlot = Mutex<Option<Arc<ServerSession>>>;

impl Link for McpLink {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        let (server, slot) = (self.server.clone(), self.session.clone());
        async move {
            put_session(&slot, None);
            let session = ServerSession::open(server.endpoint.clone())
                .await
                .map_err(failure::opening_fault)?;
            let token = session.resume_token();
            put_session(&slot, Some(session));
            Ok(token)
        }
        .boxed()
    }

    fn resume(&self, resume_token: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        let (server, slot) = (self.server.clone(), self.session.clone());
        async move {
            let session = ServerSession::resume(server.endpoint.clone(), &resume_token)
                .map_err(LinkFault::SessionLost)?;
            put_session(&slot, Some(session));
            Ok(())
        }
        .boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        let (server, session) = (self.server.clone(), self.session());
        async move {
            let listed = session?.tools().await.map_err(failure::call_fault)?;
            Ok(server.share_toolset(listed))
        }
        .boxed()
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkAnswer, LinkFault>> {
        let session = self.session();
        let call = match &self.server.registration_code {
            Some(code) => registration::with_code(call, code),
            None => call,
        };
        async move { send_call(&*session?, call).await }.boxed()
    }
}

impl McpLink {
    fn session(&self) -> Result<Arc<ServerSession>, LinkFault> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session
            .clone()
            .ok_or_else(|| LinkFault::SessionLost("the session is closed".to_string()))
    }
}

fn put_session(slot: &SessionSlot, session: Option<ServerSession>) {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    *slot = session.map(Arc::new);
}

impl McpServer {
    /// Adds our own tools. Myses with equal tools share one set, because a set can be large.
    fn share_toolset(&self, listing: Listing) -> Arc<Toolset> {
        let left_out: Option<Arc<str>> = listing.left_out().map(Into::into);
        self.tell_once(left_out.as_ref());
        let own = own_tools();
        let is_code_known = self.registration_code.is_some();
        let tools = listing.tools.into_iter().map(|tool| match is_code_known {
            true => to_tool_spec(registration::without_code(tool)),
            false => to_tool_spec(tool),
        });
        let set = Toolset::new(tools.chain(own.tools().iter().cloned())).leaving_out(left_out);
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

    /// Reports the tools that are left out, once for all Myses that list them.
    fn tell_once(&self, left_out: Option<&Arc<str>>) {
        let Some(text) = left_out else {
            return;
        };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.as_ref() == Some(text) {
            return;
        }
        *told = Some(text.clone());
        drop(told);
        if let Some(tell) = &self.tell {
            tell(&format!("of the game server's tools {text}"));
        }
    }
}

fn to_tool_spec(tool: ListedTool) -> ToolSpec {
    let ListedTool {
        name,
        description,
        schema,
        read_only_hint,
    } = tool;
    ToolSpec {
        name,
        description,
        schema,
        read_only_hint,
    }
}

async fn send_call(session: &ServerSession, call: LinkCall) -> Result<LinkAnswer, LinkFault> {
    let name = Cow::Owned(call.tool.to_string());
    let mut params = CallToolRequestParams::new(name).with_arguments(call.arguments);
    let mut meta = MetaObject::default();
    meta.insert(CALL_META.to_string(), call.call_id.into());
    params.meta = Some(RequestMetaObject(meta));
    match session.call(params, call.timeout).await {
        Ok(CallResult {
            text,
            structured,
            is_error,
        }) => Ok(LinkAnswer {
            text: bounds::bounded_text(text, MAX_TAKEN_BYTES),
            structured,
            is_error,
        }),
        Err(McpFailure::Refused {
            code: COMMAND_FAILED_CODE,
            message,
            ..
        }) => Ok(LinkAnswer {
            text: bounds::bounded_text(format!("Error: {message}"), MAX_TAKEN_BYTES),
            structured: None,
            is_error: true,
        }),
        Err(failure) => Err(failure::call_fault(failure)),
    }
}
