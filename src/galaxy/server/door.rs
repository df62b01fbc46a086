//! The door: every HTTP request passes here before rmcp sees it. It keeps the MCP sessions, the
//! limits of addresses and the faults, and answers `tools/list` from one ready text.

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

use super::{
    super::{
        desk::Connection,
        fault::{Faults, Strike, Target},
        options::{Clock, GalaxyOptions, UnknownSession},
        tools::{self, SessionArgument},
    },
    connections::Connections,
    envelope::{Envelope, Kind, NoMessage},
    gate::{Gate, TooMany},
    handler::{Caller, Handler},
    owner::Request,
    response,
};

const SESSION: &str = "mcp-session-id";

/// Bytes of a request's body at most.
const MOST_BYTES: usize = 4 * 1024 * 1024;

type Mcp = StreamableHttpService<Handler, NeverSessionManager>;

/// What all requests share.
#[derive(Clone)]
pub(super) struct Door(Arc<Inside>);

struct Inside {
    mcp: Mcp,
    connections: Arc<Connections>,
    gate: Arc<Gate>,
    faults: Arc<Faults>,
    requests: mpsc::Sender<Request>,
    clock: Clock,
    unknown_session: UnknownSession,
    /// The result of `tools/list`, and the one that a fault gives.
    listing: String,
    stop: CancellationToken,
}

/// A request that has been read.
struct Visit {
    parts: http::request::Parts,
    body: Bytes,
    address: IpAddr,
    now: Duration,
}

/// What faults leave of a request's way.
struct Passage<'a> {
    session: Option<&'a str>,
    connection: Option<Connection>,
    /// What will become of the answer.
    spoilt: Option<Strike>,
}

/// The server ends before the request does.
struct Stopping;

impl Door {
    pub(super) fn new(
        connections: Arc<Connections>,
        faults: Arc<Faults>,
        requests: mpsc::Sender<Request>,
        address: SocketAddr,
        options: &GalaxyOptions,
        stop: CancellationToken,
    ) -> Self {
        let gate = Arc::new(Gate::new(options.limits, options.tick));
        let handler = Handler {
            requests: requests.clone(),
            gate: Arc::clone(&gate),
            clock: options.clock.clone(),
        };
        let mut config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MOST_BYTES)
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
        Self(Arc::new(Inside {
            mcp: StreamableHttpService::new(factory, Arc::default(), config),
            connections,
            gate,
            faults,
            requests,
            clock: options.clock.clone(),
            unknown_session: options.unknown_session,
            listing: tools::listing(session),
            stop,
        }))
    }

    pub(super) fn router(self) -> Router {
        Router::new()
            .route("/mcp", any(mcp))
            .route("/faults", get(faults))
            .route("/health", get(health))
            .with_state(self)
    }
}

async fn faults(State(door): State<Door>) -> Response {
    response::json(StatusCode::OK, door.0.faults.tally().json().to_string())
}

async fn health(State(door): State<Door>) -> Response {
    let (reply, health) = oneshot::channel();
    let asked = door.0.requests.send(Request::Health { reply }).await;
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
        _ => response::broken(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping"),
    }
}

async fn mcp(
    State(door): State<Door>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: axum::extract::Request,
) -> Response {
    let inside = &door.0;
    let (address, now) = (peer.ip(), inside.clock.now());
    if let Err(TooMany(wait)) = inside.gate.enter(address, now) {
        return response::too_many(wait);
    }
    match *request.method() {
        Method::POST => {}
        Method::DELETE => return inside.delete(request.headers()).await,
        _ => return response::method_not_allowed(),
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, MOST_BYTES).await else {
        return response::broken(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the body is too large or was cut",
        );
    };
    let visit = Visit {
        parts,
        body,
        address,
        now,
    };
    inside.post(visit).await
}

impl Inside {
    /// Ends an MCP session, and the login that was made in it.
    async fn delete(&self, headers: &HeaderMap) -> Response {
        let ended = session_of(headers).and_then(|id| self.connections.close(id));
        match ended {
            Some(connection) => {
                // Failing means that everything is ending anyway.
                let _ = self.requests.send(Request::HangUp(connection)).await;
                response::empty(StatusCode::OK)
            }
            None => self.unknown_session(None),
        }
    }

    async fn post(&self, visit: Visit) -> Response {
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
        let mut passage = Passage {
            session: id.as_deref(),
            connection,
            spoilt: None,
        };
        for strike in self
            .faults
            .strikes(visit.now, target(&envelope, connection))
        {
            if let Some(answer) = self.refuse(strike, &envelope) {
                return answer;
            }
            if self.strike(strike, &mut passage).await.is_err() {
                return response::cut();
            }
        }
        let answer = self.pass(visit, &envelope, passage.connection).await;
        self.spoil(answer, passage.spoilt).await
    }

    /// What a fault answers in place of executing the request.
    fn refuse(&self, strike: Strike, envelope: &Envelope) -> Option<Response> {
        let answer = match strike {
            Strike::Http500 => {
                response::broken(StatusCode::INTERNAL_SERVER_ERROR, "broken on purpose")
            }
            Strike::Http429 { retry_after } => response::too_many(Duration::from_secs(retry_after)),
            Strike::Outage => response::broken(StatusCode::SERVICE_UNAVAILABLE, "down on purpose"),
            Strike::RpcError => {
                let message = "Internal error (on purpose)";
                response::rpc_error(StatusCode::OK, envelope.id, -32603, message)
            }
            Strike::ToolsMissing => {
                response::rpc_result(envelope.id.unwrap_or("null"), "{\"tools\":[]}")
            }
            Strike::Drop
            | Strike::Hang(_)
            | Strike::Slow(_)
            | Strike::McpSession
            | Strike::GameSession
            | Strike::Garbage
            | Strike::RestartWarning => return None,
        };
        Some(answer)
    }

    /// What a fault does before the request is executed.
    async fn strike(&self, strike: Strike, passage: &mut Passage<'_>) -> Result<(), Stopping> {
        let request = match strike {
            Strike::Slow(duration) => return self.wait(duration).await,
            Strike::McpSession => {
                passage.connection = None;
                let closed = passage.session.and_then(|id| self.connections.close(id));
                closed.map(Request::HangUp)
            }
            Strike::GameSession => passage.connection.map(Request::LoseLogin),
            Strike::RestartWarning => Some(Request::WarnOfRestart),
            Strike::Drop | Strike::Hang(_) | Strike::Garbage => {
                passage.spoilt = Some(strike);
                None
            }
            Strike::Http500
            | Strike::Http429 { .. }
            | Strike::Outage
            | Strike::ToolsMissing
            | Strike::RpcError => None,
        };
        match request {
            Some(request) => self.requests.send(request).await.map_err(|_| Stopping),
            None => Ok(()),
        }
    }

    /// What a fault makes of an answer to a request that was executed.
    async fn spoil(&self, answer: Response, strike: Option<Strike>) -> Response {
        match strike {
            Some(Strike::Drop) => response::cut(),
            Some(Strike::Hang(duration)) => {
                // Whether the time was up or the server ends: the connection is cut.
                let _ = self.wait(duration).await;
                response::cut()
            }
            Some(Strike::Garbage) => {
                response::json(StatusCode::OK, "<html><body>Bad gateway?</body></html>")
            }
            Some(
                Strike::Http500
                | Strike::Http429 { .. }
                | Strike::Slow(_)
                | Strike::McpSession
                | Strike::GameSession
                | Strike::RestartWarning
                | Strike::Outage
                | Strike::ToolsMissing
                | Strike::RpcError,
            )
            | None => answer,
        }
    }

    /// Waits, but not past the end of the server.
    async fn wait(&self, duration: Duration) -> Result<(), Stopping> {
        tokio::select! {
            () = tokio::time::sleep(duration) => Ok(()),
            () = self.stop.cancelled() => Err(Stopping),
        }
    }

    /// Hands a request on to whoever answers it.
    async fn pass(
        &self,
        visit: Visit,
        envelope: &Envelope<'_>,
        connection: Option<Connection>,
    ) -> Response {
        let (address, now) = (visit.address, visit.now);
        if matches!(envelope.kind, Kind::Initialize | Kind::LogIn)
            && (connection.is_some() || envelope.kind == Kind::Initialize)
            && let Err(TooMany(wait)) = self.gate.log_in(address, now)
        {
            return response::too_many(wait);
        }
        if envelope.kind == Kind::Initialize {
            self.gate.sweep(now);
            let (id, connection) = self.connections.open(now);
            let answer = self.call(visit, connection).await;
            return with_session(answer, &id);
        }
        let Some(connection) = connection else {
            return self.unknown_session(envelope.id);
        };
        let id = session_of(&visit.parts.headers).map(str::to_owned);
        let answer = match (envelope.kind, envelope.id) {
            (Kind::ToolsList, Some(id)) => response::rpc_result(id, &self.listing),
            (Kind::Initialize | Kind::ToolsList | Kind::LogIn | Kind::Other, _) => {
                self.call(visit, connection).await
            }
        };
        with_session(answer, id.as_deref().unwrap_or_default())
    }

    /// Lets rmcp answer.
    async fn call(&self, visit: Visit, connection: Connection) -> Response {
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
    headers.get(SESSION)?.to_str().ok()
}

fn with_session(mut response: Response, id: &str) -> Response {
    if let Ok(id) = HeaderValue::from_str(id) {
        response.headers_mut().insert(SESSION, id);
    }
    response
}

fn target(envelope: &Envelope, connection: Option<Connection>) -> Target {
    match (connection, envelope.kind) {
        (None, _) => Target::Stranger,
        (Some(_), Kind::ToolsList) => Target::ToolsList,
        (Some(_), Kind::Initialize | Kind::LogIn | Kind::Other) => Target::Session,
    }
}
