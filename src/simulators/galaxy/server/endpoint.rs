//! The endpoint: every HTTP request passes here before rmcp sees it. It keeps the MCP sessions, the
//! limits of addresses and the faults, and answers `tools/list` from one prepared text.

mod fault_injection;
mod status;

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{ConnectInfo, State},
    response::Response,
    routing::{any, get},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use rmcp::model::ProtocolVersion;
use rmcp::transport::common::http_header::HEADER_MCP_PROTOCOL_VERSION;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use zoea_grammar::incident::Incident;

use self::{
    fault_injection::FaultedRequest,
    status::{show_faults, show_health},
};
use super::{
    super::{
        fault::FaultInjector,
        frontend::{ConnectionId, STATELESS},
        grouped,
        options::{AccessRules, GalaxyClock, GalaxyOptions, UnknownSession},
        tools::{self, SessionArgument},
    },
    connections::Connections,
    envelope::{Envelope, NoMessage, RpcMessageKind},
    gate::{AddressGate, TooMany},
    handler::{Caller, GameInterface, Handler},
    link_login::LinkPage,
    links::LoginLinks,
    owner::OwnerRequest,
    response,
    stateless::Stateless,
    traffic::Traffic,
};

const SESSION_HEADER: &str = "mcp-session-id";

/// The largest body of a request, in bytes.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

type McpService = StreamableHttpService<Handler, NeverSessionManager>;

#[derive(Clone)]
pub(super) struct GalaxyEndpoint(Arc<EndpointState>);

struct EndpointState {
    flat: McpService,
    grouped: McpService,
    connections: Arc<Connections>,
    gate: Arc<AddressGate>,
    links: Arc<LoginLinks>,
    faults: Arc<FaultInjector>,
    traffic: Arc<Traffic>,
    requests: mpsc::Sender<OwnerRequest>,
    clock: GalaxyClock,
    unknown_session: UnknownSession,
    access: AccessRules,
    /// What serves requests without an MCP session; `None`: nothing does.
    stateless: Option<Arc<Stateless>>,
    /// Results of `tools/list`, written once: the usual one, and the one after a change.
    tool_list: String,
    changed_list: String,
    stop: CancellationToken,
    /// Incidents that are served again.
    replays: Vec<Incident>,
}

struct ReceivedRequest {
    parts: http::request::Parts,
    body: Bytes,
    address: IpAddr,
    now: Duration,
    interface: GameInterface,
}

fn session_argument(options: &GalaxyOptions) -> SessionArgument {
    match options.sessions.needs_argument {
        true => SessionArgument::Required,
        false => SessionArgument::Unmentioned,
    }
}

impl GalaxyEndpoint {
    pub(super) fn new(
        connections: Arc<Connections>,
        (faults, traffic): (Arc<FaultInjector>, Arc<Traffic>),
        requests: mpsc::Sender<OwnerRequest>,
        address: SocketAddr,
        options: &GalaxyOptions,
        stop: CancellationToken,
    ) -> Self {
        let gate = Arc::new(AddressGate::new(options.limits, options.tick));
        let links = Arc::new(LoginLinks::new(options.links));
        let link_page: Arc<str> = format!("http://{address}/link").into();
        let stateless = options
            .stateless
            .map(|rules| Arc::new(Stateless::new(rules, options.tick)));
        let handler = |interface| Handler {
            interface,
            // The second interface keeps to sessions.
            stateless: match interface {
                GameInterface::Flat => stateless.clone(),
                GameInterface::Grouped => None,
            },
            requests: requests.clone(),
            gate: Arc::clone(&gate),
            clock: options.clock.clone(),
            links: Arc::clone(&links),
            link_page: Arc::clone(&link_page),
        };
        let mut config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY_BYTES)
            .with_cancellation_token(stop.clone());
        // On a loopback address, rmcp's check of the Host header keeps web pages out. On any other
        // address the server cannot know the names under which clients reach it.
        if !address.ip().is_loopback() {
            config = config.disable_allowed_hosts();
        }
        let session = session_argument(options);
        let service = |interface| {
            let handler = handler(interface);
            let factory = move || Ok(handler.clone());
            StreamableHttpService::new(factory, Arc::default(), config.clone())
        };
        Self(Arc::new(EndpointState {
            flat: service(GameInterface::Flat),
            grouped: service(GameInterface::Grouped),
            connections,
            gate: Arc::clone(&gate),
            links: Arc::clone(&links),
            faults,
            traffic,
            requests: requests.clone(),
            clock: options.clock.clone(),
            unknown_session: options.unknown_session,
            access: options.access.clone(),
            replays: options.replays.clone(),
            tool_list: tools::listing_json(session),
            changed_list: json!({ "tools": tools::changed_entries(session) }).to_string(),
            stateless,
            stop,
        }))
    }

    pub(super) fn into_router(self) -> Router {
        let state = &self.0;
        let link_page = LinkPage {
            requests: state.requests.clone(),
            gate: Arc::clone(&state.gate),
            links: Arc::clone(&state.links),
            clock: state.clock.clone(),
        };
        let serve = |interface| {
            any(move |endpoint, peer, request| serve_mcp(endpoint, peer, request, interface))
        };
        Router::new()
            .route("/mcp", serve(GameInterface::Flat))
            .route("/mcp/v2", serve(GameInterface::Grouped))
            .route("/faults", get(show_faults))
            .route("/health", get(show_health))
            .with_state(self)
            .merge(link_page.into_router())
    }
}

async fn serve_mcp(
    State(endpoint): State<GalaxyEndpoint>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: axum::extract::Request,
    interface: GameInterface,
) -> Response {
    let state = &endpoint.0;
    let (address, now) = (peer.ip(), state.clock.now());
    state.traffic.count_request();
    if let Err(TooMany(wait)) = state.gate.admit_request(address, now) {
        return response::too_many(wait);
    }
    if let Some(status) = state.access.refusal(request.headers()) {
        return response::no_access(status);
    }
    match *request.method() {
        Method::POST => {}
        Method::DELETE => return state.end_session(request.headers()).await,
        _ => return response::method_not_allowed(),
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, MAX_BODY_BYTES).await else {
        return response::plain_error(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the body is too large or was cut",
        );
    };
    let received = ReceivedRequest {
        parts,
        body,
        address,
        now,
        interface,
    };
    state.answer_post(received).await
}

impl EndpointState {
    /// Ends an MCP session, and the login that was made in it.
    async fn end_session(&self, headers: &HeaderMap) -> Response {
        let ended = session_of(headers).and_then(|id| self.connections.close(id));
        match ended {
            Some(connection) => {
                // The send fails only when the whole server is ending.
                let _ = self
                    .requests
                    .send(OwnerRequest::Disconnect(connection))
                    .await;
                response::empty(StatusCode::OK)
            }
            None => self.unknown_session(None, GameInterface::Flat),
        }
    }

    async fn answer_post(&self, received: ReceivedRequest) -> Response {
        // The clone shares the bytes. The envelope borrows from it and outlives the request.
        let body = received.body.clone();
        let envelope = match Envelope::read(&body) {
            Ok(envelope) => envelope,
            Err(NoMessage::NoJson) => {
                return response::rpc_error(StatusCode::BAD_REQUEST, None, -32700, "Parse error");
            }
            Err(NoMessage::NoRequest) => {
                return response::rpc_error(
                    StatusCode::BAD_REQUEST,
                    None,
                    -32600,
                    "Invalid Request",
                );
            }
        };
        let id = session_of(&received.parts.headers).map(str::to_owned);
        let connection = match &id {
            Some(id) => self.connections.find(id, received.now),
            None => self
                .is_stateless_request(&received.parts.headers)
                .then_some(STATELESS),
        };
        if let Some(answer) = response::replay(&self.replays, &body) {
            return answer;
        }
        let mut faulted = FaultedRequest::new(id.as_deref(), connection);
        if let Some(answer) = self.inject_faults(&envelope, &mut faulted, &received).await {
            return answer;
        }
        let answer = self.route_request(received, &envelope, &faulted).await;
        self.spoil_answer(answer, faulted.spoilt).await
    }

    async fn route_request(
        &self,
        received: ReceivedRequest,
        envelope: &Envelope<'_>,
        faulted: &FaultedRequest<'_>,
    ) -> Response {
        if envelope.kind == RpcMessageKind::Initialize {
            return self.begin_session(received).await;
        }
        if (envelope.kind == RpcMessageKind::LogIn && faulted.connection.is_some())
            && let Err(TooMany(wait)) = self.gate.count_login(received.address, received.now)
        {
            return response::too_many(wait);
        }
        if faulted.is_stateless() && received.interface == GameInterface::Flat {
            return self.call_rmcp(received, STATELESS).await;
        }
        let (Some(id), Some(connection)) = (faulted.session, faulted.connection) else {
            return self.unknown_session(envelope.id, received.interface);
        };
        let answer = match (envelope.kind, envelope.id) {
            (RpcMessageKind::ToolsList, Some(request)) => match received.interface {
                GameInterface::Flat => response::rpc_result(request, &self.tool_list),
                GameInterface::Grouped => {
                    let listing = grouped::listing_json(received.parts.uri.query());
                    response::rpc_result(request, &listing)
                }
            },
            (
                RpcMessageKind::Initialize
                | RpcMessageKind::ToolsList
                | RpcMessageKind::LogIn
                | RpcMessageKind::Other,
                _,
            ) => self.call_rmcp(received, connection).await,
        };
        with_session(answer, id)
    }

    /// Whether a request without a session is of a revision that has none.
    fn is_stateless_request(&self, headers: &HeaderMap) -> bool {
        let version = headers.get(HEADER_MCP_PROTOCOL_VERSION);
        let version = version.and_then(|version| version.to_str().ok());
        let first = ProtocolVersion::V_2026_07_28;
        self.stateless.is_some() && version.is_some_and(|version| version >= first.as_str())
    }

    /// Begins an MCP session, if rmcp accepts the request.
    async fn begin_session(&self, received: ReceivedRequest) -> Response {
        let now = received.now;
        self.gate.sweep(now);
        if let Err(TooMany(wait)) = self.gate.count_login(received.address, now) {
            return response::too_many(wait);
        }
        let (id, connection) = self.connections.open(now);
        let answer = self.call_rmcp(received, connection).await;
        if answer.status() != StatusCode::OK {
            self.connections.close(&id);
            return answer;
        }
        with_session(answer, &id)
    }

    async fn call_rmcp(&self, received: ReceivedRequest, connection: ConnectionId) -> Response {
        let mut request = http::Request::from_parts(received.parts, Body::from(received.body));
        request.extensions_mut().insert(Caller {
            connection,
            address: received.address,
        });
        let service = match received.interface {
            GameInterface::Flat => &self.flat,
            GameInterface::Grouped => &self.grouped,
        };
        service.handle(request).await.map(Body::new)
    }

    /// The answer for an unknown session. A notification gets no JSON-RPC error, because nobody
    /// waits for one.
    fn unknown_session(&self, id: Option<&str>, interface: GameInterface) -> Response {
        let (code, message) = match interface {
            GameInterface::Flat => (-32600, "Session not initialized"),
            GameInterface::Grouped => (-32001, "Session expired (server may have restarted)"),
        };
        let status = match self.unknown_session {
            UnknownSession::Ok => StatusCode::OK,
            UnknownSession::NotFound => StatusCode::NOT_FOUND,
        };
        match (id, self.unknown_session) {
            (None, UnknownSession::Ok) => response::empty(StatusCode::ACCEPTED),
            (Some(_), UnknownSession::Ok) | (_, UnknownSession::NotFound) => {
                response::rpc_error(status, id, code, message)
            }
        }
    }
}

fn session_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER)?.to_str().ok()
}

fn with_session(mut response: Response, id: &str) -> Response {
    if let Ok(id) = HeaderValue::from_str(id) {
        response.headers_mut().insert(SESSION_HEADER, id);
    }
    response
}
