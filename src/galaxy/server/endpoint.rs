//! The door: every HTTP request passes here before rmcp sees it. It keeps the MCP sessions, the
//! limits of addresses and the faults, and answers `tools/list` from one ready text.

mod fault_injection;

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
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use self::fault_injection::FaultedRequest;
use super::{
    super::{
        fault::FaultInjector,
        frontend::ConnectionId,
        options::{GalaxyClock, GalaxyOptions, UnknownSession},
        tools::{self, SessionArgument},
    },
    connections::Connections,
    envelope::{Envelope, NoMessage, RpcMessageKind},
    gate::{AddressGate, TooMany},
    handler::{Caller, Handler},
    owner::OwnerRequest,
    response,
    traffic::Traffic,
};

const SESSION_HEADER: &str = "mcp-session-id";

/// Bytes of a request's body at most.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

type McpService = StreamableHttpService<Handler, NeverSessionManager>;

/// What all requests share.
#[derive(Clone)]
pub(super) struct GalaxyEndpoint(Arc<EndpointState>);

struct EndpointState {
    mcp: McpService,
    connections: Arc<Connections>,
    gate: Arc<AddressGate>,
    faults: Arc<FaultInjector>,
    traffic: Arc<Traffic>,
    requests: mpsc::Sender<OwnerRequest>,
    clock: GalaxyClock,
    unknown_session: UnknownSession,
    /// The result of `tools/list`, and the one that a fault gives.
    listing: String,
    stop: CancellationToken,
}

/// A request that has been read.
struct ReceivedRequest {
    parts: http::request::Parts,
    body: Bytes,
    address: IpAddr,
    now: Duration,
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
        let handler = Handler {
            requests: requests.clone(),
            gate: Arc::clone(&gate),
            clock: options.clock.clone(),
        };
        let mut config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY_BYTES)
            .with_cancellation_token(stop.clone());
        // Bound to loopback, rmcp's check of the Host header keeps web pages out. Bound to anything
        // else, the names under which we are reached are not ours to know.
        if !address.ip().is_loopback() {
            config = config.disable_allowed_hosts();
        }
        let session = if options.sessions.needs_argument {
            SessionArgument::Required
        } else {
            SessionArgument::Unmentioned
        };
        let factory = move || Ok(handler.clone());
        Self(Arc::new(EndpointState {
            mcp: StreamableHttpService::new(factory, Arc::default(), config),
            connections,
            gate,
            faults,
            traffic,
            requests,
            clock: options.clock.clone(),
            unknown_session: options.unknown_session,
            listing: tools::listing_json(session),
            stop,
        }))
    }

    pub(super) fn into_router(self) -> Router {
        Router::new()
            .route("/mcp", any(serve_mcp))
            .route("/faults", get(show_faults))
            .route("/health", get(show_health))
            .with_state(self)
    }
}

async fn show_faults(State(door): State<GalaxyEndpoint>) -> Response {
    response::json(StatusCode::OK, door.0.faults.tally().json().to_string())
}

async fn show_health(State(door): State<GalaxyEndpoint>) -> Response {
    let (reply, health) = oneshot::channel();
    let asked = door.0.requests.send(OwnerRequest::Health { reply }).await;
    match (asked, health.await) {
        (Ok(()), Ok(health)) => {
            let body = json!({
                "ok": true,
                "tick": health.tick,
                "players": health.players,
                "online": health.online,
                "waiting": health.waiting,
            });
            response::json(StatusCode::OK, body.to_string())
        }
        _ => response::plain_error(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping"),
    }
}

async fn serve_mcp(
    State(door): State<GalaxyEndpoint>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: axum::extract::Request,
) -> Response {
    let inside = &door.0;
    let (address, now) = (peer.ip(), inside.clock.now());
    inside.traffic.count_request();
    if let Err(TooMany(wait)) = inside.gate.admit_request(address, now) {
        return response::too_many(wait);
    }
    match *request.method() {
        Method::POST => {}
        Method::DELETE => return inside.end_session(request.headers()).await,
        _ => return response::method_not_allowed(),
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, MAX_BODY_BYTES).await else {
        return response::plain_error(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the body is too large or was cut",
        );
    };
    let visit = ReceivedRequest {
        parts,
        body,
        address,
        now,
    };
    inside.answer_post(visit).await
}

impl EndpointState {
    /// Ends an MCP session, and the login that was made in it.
    async fn end_session(&self, headers: &HeaderMap) -> Response {
        let ended = session_of(headers).and_then(|id| self.connections.close(id));
        match ended {
            Some(connection) => {
                // Failing means that everything is ending anyway.
                let _ = self.requests.send(OwnerRequest::HangUp(connection)).await;
                response::empty(StatusCode::OK)
            }
            None => self.unknown_session(None),
        }
    }

    async fn answer_post(&self, visit: ReceivedRequest) -> Response {
        // Cheap: the bytes are shared, and the envelope has to outlive the visit.
        let body = visit.body.clone();
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
        let id = session_of(&visit.parts.headers).map(str::to_owned);
        let connection = id
            .as_deref()
            .and_then(|id| self.connections.find(id, visit.now));
        let mut passage = FaultedRequest::new(id.as_deref(), connection);
        if let Some(answer) = self.inject_faults(&envelope, &mut passage, visit.now).await {
            return answer;
        }
        let answer = self.route_request(visit, &envelope, &passage).await;
        self.spoil_answer(answer, passage.spoilt).await
    }

    /// Hands a request on to whoever answers it.
    async fn route_request(
        &self,
        visit: ReceivedRequest,
        envelope: &Envelope<'_>,
        passage: &FaultedRequest<'_>,
    ) -> Response {
        if envelope.kind == RpcMessageKind::Initialize {
            return self.begin_session(visit).await;
        }
        let (Some(id), Some(connection)) = (passage.session, passage.connection) else {
            return self.unknown_session(envelope.id);
        };
        if envelope.kind == RpcMessageKind::LogIn
            && let Err(TooMany(wait)) = self.gate.count_login(visit.address, visit.now)
        {
            return response::too_many(wait);
        }
        let answer = match (envelope.kind, envelope.id) {
            (RpcMessageKind::ToolsList, Some(request)) => {
                response::rpc_result(request, &self.listing)
            }
            (
                RpcMessageKind::Initialize
                | RpcMessageKind::ToolsList
                | RpcMessageKind::LogIn
                | RpcMessageKind::Other,
                _,
            ) => self.call_rmcp(visit, connection).await,
        };
        with_session(answer, id)
    }

    /// Begins an MCP session, if rmcp likes the request.
    async fn begin_session(&self, visit: ReceivedRequest) -> Response {
        let now = visit.now;
        self.gate.sweep(now);
        if let Err(TooMany(wait)) = self.gate.count_login(visit.address, now) {
            return response::too_many(wait);
        }
        let (id, connection) = self.connections.open(now);
        let answer = self.call_rmcp(visit, connection).await;
        if answer.status() != StatusCode::OK {
            self.connections.close(&id);
            return answer;
        }
        with_session(answer, &id)
    }

    /// Lets rmcp answer.
    async fn call_rmcp(&self, visit: ReceivedRequest, connection: ConnectionId) -> Response {
        let mut request = http::Request::from_parts(visit.parts, Body::from(visit.body));
        request.extensions_mut().insert(Caller {
            connection,
            address: visit.address,
        });
        self.mcp.handle(request).await.map(Body::new)
    }

    /// A notification cannot be answered by a JSON-RPC error; nobody waits for it either.
    fn unknown_session(&self, id: Option<&str>) -> Response {
        let status = match self.unknown_session {
            UnknownSession::Ok => StatusCode::OK,
            UnknownSession::NotFound => StatusCode::NOT_FOUND,
        };
        match (id, self.unknown_session) {
            (None, UnknownSession::Ok) => response::empty(StatusCode::ACCEPTED),
            (Some(_), UnknownSession::Ok) | (_, UnknownSession::NotFound) => {
                response::rpc_error(status, id, -32600, "Session not initialized")
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
