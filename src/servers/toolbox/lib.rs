//! The toolbox: the tools of the game, or of any MCP server, over streamable HTTP or from a child
//! process.
//!
//! A link is one MCP session of one Mysis. It opens the session, lists the tools and calls them.
//! The session actor decides when.

mod child;
mod failure;
mod link;
mod listed;
mod pins;
mod registration;
pub mod request_saver;
mod server;
mod session_health;
mod tool_order;

use std::borrow::Cow;
use std::sync::Arc;

use actors::domain::bounds::{self, MAX_TAKEN_BYTES};
use actors::domain::ids::MysisId;
use actors::ports::{Link, LinkAnswer, LinkCall, LinkReply, Upstream, WireFacts};
use http::{HeaderName, HeaderValue};
use rmcp::model::{CallToolRequestParams, MetaObject, RequestMetaObject};
use zoea_mcp::{
    COMMAND_FAILED_CODE, CallTerms, ChildCommand, ChildServer, FailedCalls, McpFailure,
    ServerSession, UpstreamEndpoint,
};

use child::ChildLink;
use link::McpLink;
use server::McpServer;

/// The key of a call's `_meta` under which the server receives our id of the call, for its records.
pub const CALL_META: &str = "zoea/call";

/// The key under which the server receives the span of a call, as MCP's conventions for traces say.
const TRACEPARENT_META: &str = "traceparent";
/// What MCP over HTTP goes by, in the words of OpenTelemetry.
const TRANSPORT: &str = "tcp";

/// The MCP server of the configuration, or none.
#[derive(Clone)]
pub struct McpUpstream {
    server: Option<(Arc<McpServer>, ServerWay)>,
    failed_calls: Option<FailedCalls>,
}

#[derive(Clone)]
enum ServerWay {
    Http(UpstreamEndpoint),
    Child(Arc<ChildServer>),
}

#[derive(Clone)]
pub struct UpstreamAccess {
    pub place: ServerPlace,
    /// The registration code of the game. It goes into each call of `register`, and no model sees
    /// it.
    pub registration_code: Option<Arc<str>>,
}

#[derive(Clone)]
pub enum ServerPlace {
    Url {
        url: Arc<str>,
        /// Its bearer token, if it wants one.
        token: Option<Arc<str>>,
        headers: Arc<[(HeaderName, HeaderValue)]>,
    },
    Child(ChildCommand),
}

impl ServerPlace {
    /// The URL or the program, for the operator.
    pub fn name(&self) -> &str {
        match self {
            ServerPlace::Url { url, .. } => url,
            ServerPlace::Child(command) => command.program(),
        }
    }
}

/// Receives the kind and the text of notices about a server's tools for the operator.
pub type NotifyOperator = Box<dyn Fn(&'static str, &str) + Send + Sync>;

/// The JSON-RPC codes of refusals that are about what was asked: a method, a tool or a task that the
/// server does not know, or wrong arguments.
const REQUEST_CODES: [i64; 2] = [-32601, -32602];

impl McpUpstream {
    /// The server that is reached so; `None` for no server. `tell` receives notices about its
    /// tools, each once for all Myses.
    pub fn new(
        access: Option<UpstreamAccess>,
        http: &reqwest::Client,
        notify: Option<NotifyOperator>,
    ) -> McpUpstream {
        let server = access.map(|access| {
            let server = Arc::new(McpServer::new(access.registration_code, notify));
            let way = match access.place {
                ServerPlace::Url {
                    url,
                    token,
                    headers,
                } => {
                    let mut endpoint = UpstreamEndpoint::new(url, http.clone());
                    endpoint.token = token;
                    endpoint.headers = headers;
                    endpoint.asks = true;
                    ServerWay::Http(endpoint)
                }
                ServerPlace::Child(command) => ServerWay::Child(child::server(command, &server)),
            };
            (server, way)
        });
        McpUpstream {
            server,
            failed_calls: None,
        }
    }

    /// The same, whose calls are kept if they fail.
    #[must_use]
    pub fn with_failed_calls(mut self, calls: FailedCalls) -> McpUpstream {
        if let Some((_, ServerWay::Http(endpoint))) = &mut self.server {
            endpoint.failed_calls = Some(calls.clone());
        }
        self.failed_calls = Some(calls);
        self
    }

    pub async fn end(&self) {
        match &self.server {
            Some((_, ServerWay::Child(child))) => child.end().await,
            Some((_, ServerWay::Http(_))) | None => {}
        }
    }
}

impl Upstream for McpUpstream {
    fn link(&self, _mysis: MysisId) -> Option<Arc<dyn Link>> {
        let (server, way) = self.server.clone()?;
        Some(match way {
            ServerWay::Child(child) => {
                Arc::new(ChildLink::new(child, server, self.failed_calls.clone()))
            }
            ServerWay::Http(endpoint) => Arc::new(McpLink::new(server, endpoint)),
        })
    }
}

async fn send_call(session: &ServerSession, call: LinkCall) -> Result<LinkReply, McpFailure> {
    let params = call_params(&call);
    let context = call.context;
    let report = |error_code| {
        if let Some(context) = &context {
            context.report(wire_facts(session.version(), TRANSPORT, error_code));
        }
    };
    // A call that is cancelled was under way all the same.
    report(None);
    let terms = CallTerms {
        limit: call.timeout,
        takes_task: call.takes_task,
        asker: context.as_ref().and_then(|of| of.asker.as_ref()),
    };
    let reply = session.call_on_terms(params, terms).await;
    if let Err(McpFailure::Refused { code, .. } | McpFailure::RefusedAfterAsking { code, .. }) =
        &reply
    {
        report(*code);
    }
    match reply {
        Ok(LinkReply::Answer(answer)) => Ok(LinkReply::Answer(bounded(answer))),
        // Where the caller takes no task, it says so itself.
        Ok(LinkReply::Task(task)) => Ok(LinkReply::Task(task)),
        Err(
            McpFailure::Refused {
                code: Some(COMMAND_FAILED_CODE),
                message,
                ..
            }
            | McpFailure::RefusedAfterAsking {
                code: Some(COMMAND_FAILED_CODE),
                message,
            },
        ) => Ok(LinkReply::Answer(error_answer(&message))),
        Err(failure) => Err(failure),
    }
}

/// A call as it is sent, with our id of it and its span beside its arguments.
fn call_params(call: &LinkCall) -> CallToolRequestParams {
    let name = Cow::Owned(call.tool.to_string());
    let mut params = CallToolRequestParams::new(name).with_arguments(call.arguments.clone());
    let mut meta = MetaObject::default();
    meta.insert(CALL_META.to_string(), call.call_id.clone().into());
    let context = call.context.as_ref();
    let traceparent = context.and_then(|of| of.traceparent.as_deref());
    if let Some(traceparent) = traceparent {
        meta.insert(TRACEPARENT_META.to_string(), traceparent.into());
    }
    params.meta = Some(RequestMetaObject(meta));
    params
}

fn bounded(answer: LinkAnswer) -> LinkAnswer {
    LinkAnswer {
        text: bounds::bounded_text(answer.text, MAX_TAKEN_BYTES),
        ..answer
    }
}

fn error_answer(message: &str) -> LinkAnswer {
    bounded(LinkAnswer {
        text: format!("Error: {message}"),
        structured: None,
        is_error: true,
    })
}

/// What observers are told of a call's way to the server. An empty version is not known.
fn wire_facts(version: &Arc<str>, transport: &'static str, error_code: Option<i64>) -> WireFacts {
    WireFacts {
        protocol_version: Some(version.clone()).filter(|version| !version.is_empty()),
        error_code,
        transport: Some(transport),
    }
}

#[cfg(test)]
mod tests;
