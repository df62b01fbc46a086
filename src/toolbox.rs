//! The toolbox: the tools of the game, or of any MCP server, over streamable HTTP.
//!
//! A link is one MCP session of one Mysis. It opens the session, lists the tools and calls them.
//! The session actor decides when.

mod failure;
mod pins;
mod registration;
pub mod request_saver;
mod server;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use actors::domain::bounds::{self, MAX_TAKEN_BYTES};
use actors::domain::ids::MysisId;
use actors::domain::tool::Toolset;
use actors::ports::{Link, LinkAnswer, LinkCall, LinkFault, Upstream, WireFacts};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{HeaderName, HeaderValue};
use rmcp::model::{CallToolRequestParams, MetaObject, RequestMetaObject};
use tokio::time::Instant;

use zoea_mcp::{CallReply, CallResult, McpFailure, ServerSession, UpstreamEndpoint};

use server::{DatedList, McpServer, ToolList};

/// The key of a call's `_meta` under which the server receives our id of the call, for its records.
pub const CALL_META: &str = "zoea/call";

/// The key under which the server receives the span of a call, as MCP's conventions for traces say.
const TRACEPARENT_META: &str = "traceparent";
/// What MCP over HTTP goes by, in the words of OpenTelemetry.
const TRANSPORT: &str = "tcp";

/// The MCP server of the configuration, or none.
pub struct McpUpstream {
    server: Option<Arc<McpServer>>,
}

/// How the MCP server of the configuration is reached.
#[derive(Clone)]
pub struct UpstreamAccess {
    /// Its URL.
    pub url: Arc<str>,
    /// Its bearer token, if it wants one.
    pub token: Option<Arc<str>>,
    /// Further headers of every request.
    pub headers: Arc<[(HeaderName, HeaderValue)]>,
    /// The registration code of the game. It goes into each call of `register`, and no model sees
    /// it.
    pub registration_code: Option<Arc<str>>,
}

/// Receives the kind and the text of notices about a server's tools for the operator.
pub type TellOperator = Box<dyn Fn(&'static str, &str) + Send + Sync>;

/// The JSON-RPC code with which early versions of SpaceMolt reported a failed command.
const COMMAND_FAILED_CODE: i64 = 0;
/// The JSON-RPC codes with which servers refuse calls of tools that they do not know.
const UNKNOWN_TOOL_CODES: [i64; 2] = [-32601, -32602];
/// The JSON-RPC code of a request whose headers contradict it, because the tool has changed.
const HEADER_MISMATCH_CODE: i64 = -32020;

impl McpUpstream {
    /// The server that is reached so; `None` for no server. `tell` receives notices about its
    /// tools, each once for all Myses.
    #[must_use]
    pub fn new(
        access: Option<UpstreamAccess>,
        http: &reqwest::Client,
        tell: Option<TellOperator>,
    ) -> McpUpstream {
        let server = access.map(|access| {
            let endpoint = UpstreamEndpoint::new(access.url, http.clone())
                .with_token(access.token)
                .with_headers(access.headers);
            Arc::new(McpServer::new(endpoint, access.registration_code, tell))
        });
        McpUpstream { server }
    }
}

impl Upstream for McpUpstream {
    fn link(&self, _mysis: MysisId) -> Option<Arc<dyn Link>> {
        let server = self.server.clone()?;
        Some(Arc::new(McpLink {
            server,
            session: Arc::default(),
            listed: Arc::default(),
        }))
    }
}

/// The session of one Mysis. It is open while there is one.
#[derive(Clone)]
struct McpLink {
    server: Arc<McpServer>,
    session: Arc<Mutex<Option<Arc<ServerSession>>>>,
    listed: Arc<Mutex<Listed>>,
}

/// The last list of tools that this link got.
#[derive(Default)]
struct Listed {
    list: Option<Arc<ToolList>>,
    valid_until: Option<Instant>,
    /// Whether the server contradicted the list.
    is_doubtful: bool,
}

impl Link for McpLink {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        let link = self.clone();
        async move {
            link.put_session(None);
            let session = ServerSession::open(link.server.endpoint.clone())
                .await
                .map_err(failure::opening_fault)?;
            let token = session.resume_token();
            link.put_session(Some(session));
            Ok(token)
        }
        .boxed()
    }

    fn resume(&self, resume_token: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        let link = self.clone();
        async move {
            let session = ServerSession::resume(link.server.endpoint.clone(), &resume_token)
                .map_err(LinkFault::SessionLost)?;
            link.put_session(Some(session));
            Ok(())
        }
        .boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        let link = self.clone();
        async move {
            let session = link.session()?;
            let is_doubtful = link.listed(|listed| listed.is_doubtful);
            let known = match is_doubtful || session.has_new_tools() {
                true => None,
                false => link.server.public_list(),
            };
            if let Some(known) = known {
                let before = link.listed(|listed| listed.list.clone());
                link.server.tell_change(before.as_ref(), &known.list);
                return Ok(link.keep_list(known));
            }
            link.list_again(&session).await.map_err(failure::call_fault)
        }
        .boxed()
    }

    fn has_old_tools(&self) -> bool {
        let has_news = self.session().is_ok_and(|session| session.has_new_tools());
        let is_old = |listed: &mut Listed| {
            let is_over = |until: Instant| until <= Instant::now();
            listed.is_doubtful || listed.valid_until.is_some_and(is_over)
        };
        has_news || self.listed(is_old)
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkAnswer, LinkFault>> {
        let link = self.clone();
        let call = match &self.server.registration_code {
            Some(code) => registration::with_code(call, code),
            None => call,
        };
        async move { link.send(&*link.session()?, call).await }.boxed()
    }
}

impl McpLink {
    fn session(&self) -> Result<Arc<ServerSession>, LinkFault> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session
            .clone()
            .ok_or_else(|| LinkFault::SessionLost("the session is closed".to_string()))
    }

    fn put_session(&self, session: Option<ServerSession>) {
        let mut slot = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = session.map(Arc::new);
    }

    /// Reads or changes what is known of the list. The lock is never held across an await.
    fn listed<T>(&self, access: impl FnOnce(&mut Listed) -> T) -> T {
        access(&mut self.listed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Asks the server for its tools.
    async fn list_again(&self, session: &ServerSession) -> Result<Arc<Toolset>, McpFailure> {
        let listing = session.tools().await?;
        let before = self.listed(|listed| listed.list.clone());
        Ok(self.keep_list(self.server.take_listing(listing, before.as_ref())))
    }

    fn keep_list(&self, dated: DatedList) -> Arc<Toolset> {
        let tools = dated.list.tools.clone();
        self.listed(|listed| {
            *listed = Listed {
                list: Some(dated.list),
                valid_until: dated.valid_until,
                is_doubtful: false,
            };
        });
        tools
    }

    /// Notes that the server contradicts the list of its tools.
    fn doubt_list(&self) {
        self.listed(|listed| listed.is_doubtful = true);
        self.server.forget_public_list();
    }

    /// Sends a call. If its headers follow an old list of tools, the list is asked for and the call,
    /// which was not executed, is sent once more.
    async fn send(&self, session: &ServerSession, call: LinkCall) -> Result<LinkAnswer, LinkFault> {
        match send_call(session, call.clone()).await {
            Err(McpFailure::Refused {
                code: HEADER_MISMATCH_CODE,
                ..
            }) => {
                self.doubt_list();
                self.list_again(session)
                    .await
                    .map_err(failure::opening_fault)?;
                send_call(session, call).await.map_err(failure::call_fault)
            }
            Err(McpFailure::Refused {
                code,
                message,
                status,
            }) => {
                if UNKNOWN_TOOL_CODES.contains(&code) {
                    self.doubt_list();
                }
                Err(failure::call_fault(McpFailure::Refused {
                    code,
                    message,
                    status,
                }))
            }
            sent => sent.map_err(failure::call_fault),
        }
    }
}

async fn send_call(session: &ServerSession, call: LinkCall) -> Result<LinkAnswer, McpFailure> {
    let name = Cow::Owned(call.tool.to_string());
    let mut params = CallToolRequestParams::new(name).with_arguments(call.arguments);
    let mut meta = MetaObject::default();
    meta.insert(CALL_META.to_string(), call.call_id.into());
    let context = call.context;
    let traceparent = context.as_ref().and_then(|of| of.traceparent.as_deref());
    if let Some(traceparent) = traceparent {
        meta.insert(TRACEPARENT_META.to_string(), traceparent.into());
    }
    params.meta = Some(RequestMetaObject(meta));
    let report = |error_code| {
        if let Some(context) = &context {
            context.report(wire_facts(session, error_code));
        }
    };
    // A call that is cancelled was under way all the same.
    report(None);
    let reply = session.call(params, call.timeout).await;
    if let Err(McpFailure::Refused { code, .. }) = &reply {
        report(Some(*code));
    }
    match reply.and_then(CallReply::done) {
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
        Err(failure) => Err(failure),
    }
}

/// What observers are told of a call's way to the server.
fn wire_facts(session: &ServerSession, error_code: Option<i64>) -> WireFacts {
    let version = Some(session.version()).filter(|version| !version.is_empty());
    WireFacts {
        protocol_version: version.cloned(),
        error_code,
        transport: Some(TRANSPORT),
    }
}
