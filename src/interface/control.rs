//! The control interface: the running program as an MCP server, and a client of it.
//!
//! It listens on loopback only, requires the token of the home, and refuses foreign hosts and
//! origins. Neither another user nor a web page can command the swarm.

mod accounts;
mod books;
pub mod call;
pub mod client;
mod guard;
mod hints;
pub(crate) mod history;
pub mod parameters;
pub mod period;
mod samples;
mod schema;
mod short;
mod status;
pub mod waiting;
mod weight;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::order::OrderRefusal;
use actors::secrets::Secrets;
use axum::Router;
use axum::middleware::from_fn;
use futures::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ContentBlock, ErrorData, Implementation,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
    ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use zoea_contract::ProxiedServerJson;
use zoea_settings::Secret;
use zoea_settings::prices::PriceBook;
use zoea_system::listen::describe_listen_error;
use zoea_text::clean;

use crate::interface::serving::guard::{ListenScope, behind_guard};
use crate::interface::serving::{self, AcceptLimits};
use crate::interface::swarm::Swarm;

use call::ControlCall;

pub use call::answer_call;
pub use short::ControlAnswer;

/// Strangers, which have not shown the token yet, get little time. Clients with the token may be
/// silent for longer than our own client keeps an idle connection. Hundreds of them come back at once after a restart,
/// and each is a stranger until its first request is read.
const ACCEPT_LIMITS: AcceptLimits = AcceptLimits {
    max_strangers: 512,
    stranger_time: Some(Duration::from_secs(10)),
    head_time: Duration::from_secs(120),
};

/// The largest request in bytes: the longest text that an operator may send, with each character
/// escaped as six bytes.
const MAX_REQUEST_BYTES: usize = 8 << 20;

/// How long the last answers may take to be sent.
const STOP_TIMEOUT: Duration = Duration::from_millis(200);

/// Facts that the control interface reports about the program, other than those of the swarm.
#[derive(Clone)]
pub struct ProgramInfo {
    /// When the program started, RFC 3339.
    pub started_at: String,
    /// The prices in force.
    pub prices: PriceBook,
    /// The secrets that are removed from every answer.
    pub secrets: Secrets,
    /// Tells which servers are reached through a proxy.
    pub proxied: Arc<dyn Fn() -> Vec<ProxiedServerJson> + Send + Sync>,
}

/// Tools that another part of the program adds to those of the swarm.
pub trait AddedTools: Send + Sync {
    fn list(&self) -> Vec<Tool>;

    /// Calls a tool. Returns `None` if the name is not one of these tools.
    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Option<Result<Value, String>>>;

    /// Removes clients that are gone, for as long as the future is polled.
    fn sweep(&self) -> BoxFuture<'_, ()>;

    /// Tells every client that the program is closing. It waits for them a limited time.
    fn close(&self) -> BoxFuture<'_, ()>;

    fn is_closing(&self) -> bool;
}

/// The control interface as an HTTP server.
pub struct ControlServer {
    address: SocketAddr,
    added: Arc<dyn AddedTools>,
    /// Cancelled to take no more connections and to end each connection after its present answer.
    stop: CancellationToken,
    /// Cancelled to drop the answers that are still being sent.
    cut: CancellationToken,
    task: JoinHandle<()>,
    _sweeping: AbortOnDropHandle<()>,
}

impl ControlServer {
    /// Takes the address. Clients that connect wait until the server [starts](Self::start).
    ///
    /// # Errors
    /// Why nothing can listen there, with the remedy.
    pub async fn bind(listen: SocketAddr) -> anyhow::Result<TcpListener> {
        TcpListener::bind(listen).await.map_err(|error| {
            let remedy = "choose another address with `listen` in [control]";
            anyhow::anyhow!(describe_listen_error(listen, &error, remedy))
        })
    }

    /// Serves a swarm on a listener.
    pub fn start(
        listener: TcpListener,
        (swarm, added): (Swarm, Arc<dyn AddedTools>),
        token: &Secret,
        about: ProgramInfo,
    ) -> std::io::Result<ControlServer> {
        let address = listener.local_addr()?;
        let (stop, cut) = (CancellationToken::new(), CancellationToken::new());
        let desk = ControlHandler {
            swarm,
            added: added.clone(),
            about: Arc::new(about),
        };
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            // The guard in front of this service checks hosts more strictly.
            .disable_allowed_hosts()
            .with_max_request_body_bytes(MAX_REQUEST_BYTES)
            .with_cancellation_token(cut.child_token());
        let service = StreamableHttpService::new(
            move || Ok(desk.clone()),
            Arc::new(LocalSessionManager::default()),
            config,
        );
        let router = Router::new().nest_service("/mcp", service);
        let weigh =
            from_fn(|request, next| weight::limit_request(MAX_REQUEST_BYTES, request, next));
        let router = guard::behind_token(router.layer(weigh), token);
        let router = behind_guard(router, ListenScope::Loopback);
        let task = tokio::spawn(serving::serve(
            listener,
            router,
            ACCEPT_LIMITS,
            stop.clone(),
        ));
        let sweeping = {
            let added = added.clone();
            tokio::spawn(async move { added.sweep().await })
        };
        Ok(ControlServer {
            address,
            added,
            stop,
            cut,
            task,
            _sweeping: AbortOnDropHandle::new(sweeping),
        })
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Answers every further request with the notice that the program is closing. Returns when the
    /// attached terminals have received it, or after a second.
    pub async fn close(&self) {
        self.added.close().await;
    }

    /// Closes and ends the server. Answers that then are still being sent are cut off.
    pub async fn stop(mut self) {
        self.close().await;
        self.stop.cancel();
        // Gives the last answers time to be sent.
        if tokio::time::timeout(STOP_TIMEOUT, &mut self.task)
            .await
            .is_err()
        {
            self.cut.cancel();
            self.task.abort();
        }
    }
}

#[derive(Clone)]
struct ControlHandler {
    swarm: Swarm,
    added: Arc<dyn AddedTools>,
    about: Arc<ProgramInfo>,
}

impl ControlHandler {
    fn all_tools(&self) -> Vec<Tool> {
        let mut tools = ControlCall::list_tools().to_vec();
        tools.extend(self.added.list());
        tools
    }
}

impl ServerHandler for ControlHandler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("zoea", env!("CARGO_PKG_VERSION")))
            .with_instructions("Commands a swarm of Myses: autonomous agents that play a game.")
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.all_tools()))
    }

    // By default rmcp answers these with an empty list. A method that is not offered shall not
    // exist.

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<
            ListResourceTemplatesRequestMethod,
        >())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.all_tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let answer = match self.added.call(&request.name, &arguments).await {
            Some(answer) => answer.map(ControlAnswer::from),
            // While the program closes, parts of the swarm are gone, so answers about it would be
            // wrong.
            None if self.added.is_closing() => Err(OrderRefusal::Closing.to_string()),
            None => match ControlCall::parse(&request.name, &arguments) {
                Ok(call) => {
                    let waits = matches!(&call, ControlCall::Wait(_))
                        || matches!(&call, ControlCall::ReadEvents(asked) if asked.wait.is_some());
                    let answer = answer_call(&self.swarm, &self.about, call).await;
                    // What it waited for may have been gone at its last look. The client asks the next program.
                    match waits && self.added.is_closing() {
                        true => Err(OrderRefusal::Closing.to_string()),
                        false => answer,
                    }
                }
                Err(why) => Err(self.about.secrets.redactor().clean_own(why)),
            },
        };
        let result = match answer {
            Ok(answer) => {
                let text = clean::clean_json(&answer.value.to_string()).into_owned();
                let texts = [Some(text), answer.rest].into_iter().flatten();
                CallToolResult::success(texts.map(ContentBlock::text).collect())
            }
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
        };
        Ok(result.into())
    }
}
