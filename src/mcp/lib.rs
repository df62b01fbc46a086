//! MCP: the client side of a session with a server, over HTTP.
//!
//! Servers of the revision 2026-07-28, which have no sessions, are spoken to in their own way
//! ([`Era`]). To the caller both are a session.
//!
//! A session of rmcp has two tasks, five channels and an open stream, 90 KB for each Mysis. Ours is
//! a few words (decision 0011). Answers are parsed leniently, within limits and piece by piece
//! (decision 0110). Requests that a server sends within an answer are answered. Messages outside of
//! answers are not read.

mod content;
mod era;
mod listing;
mod message;
mod mirror;
mod resume_token;
mod stateless;
mod stream;
mod task;
mod wire;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientCapabilities, ClientJsonRpcMessage, ClientNotification, ClientRequest, Implementation,
    InitializeRequest, InitializeRequestParams, InitializedNotification, ListToolsRequest,
    PaginatedRequestParams, ProtocolVersion, RequestId,
};
use serde::Deserialize;
use thiserror::Error;

pub use content::CallResult;
pub use era::Era;
pub use listing::{ListedTool, Listing};
pub use task::{CallReply, StartedTask, TaskAnswer};

use era::EraMemory;
use message::RawResult;
use mirror::MirroredArgument;

/// How long cancelling a request may take.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// The most pages of a list of tools. A server that sends more is broken.
const MAX_PAGES: usize = 200;
/// The largest answer of an unknown server, in bytes.
pub const MAX_ANSWER_BYTES: usize = 8 << 20;

/// The address of a server and how to talk to it.
#[derive(Clone)]
pub struct UpstreamEndpoint {
    url: Arc<str>,
    token: Option<Arc<str>>,
    headers: Arc<[(HeaderName, HeaderValue)]>,
    http: reqwest::Client,
    max_answer_bytes: usize,
    era: Arc<EraMemory>,
    /// Whether a server whose way is not known, or has changed, is asked for it.
    probes: bool,
    takes_tasks: bool,
    /// By tool, the arguments that are repeated in headers.
    mirrored: Arc<MirroredArguments>,
}

type MirroredArguments = Mutex<BTreeMap<Arc<str>, Arc<[MirroredArgument]>>>;

impl UpstreamEndpoint {
    /// A server at this URL that wants no token. Its answers, and its list of tools over all pages,
    /// may have [`MAX_ANSWER_BYTES`].
    #[must_use]
    pub fn new(url: impl Into<Arc<str>>, http: reqwest::Client) -> UpstreamEndpoint {
        UpstreamEndpoint {
            url: url.into(),
            token: None,
            headers: Arc::default(),
            http,
            max_answer_bytes: MAX_ANSWER_BYTES,
            era: Arc::default(),
            probes: true,
            takes_tasks: false,
            mirrored: Arc::default(),
        }
    }

    /// The same, known to have sessions. It is not asked whether it does without.
    #[must_use]
    pub fn with_sessions(mut self) -> UpstreamEndpoint {
        self.era = Arc::new(EraMemory::of(Era::Sessions));
        self.probes = false;
        self
    }

    /// The same for a caller that takes tasks as answers to calls. Only servers without sessions
    /// give them.
    #[must_use]
    pub fn with_tasks(mut self) -> UpstreamEndpoint {
        self.takes_tasks = true;
        self
    }

    /// The same with a bearer token.
    #[must_use]
    pub fn with_token(mut self, token: Option<Arc<str>>) -> UpstreamEndpoint {
        self.token = token;
        self
    }

    /// The same with further headers of every request.
    #[must_use]
    pub fn with_headers(mut self, headers: Arc<[(HeaderName, HeaderValue)]>) -> UpstreamEndpoint {
        self.headers = headers;
        self
    }

    /// The same with another limit of answers, in bytes.
    #[must_use]
    pub fn with_max_answer(mut self, bytes: usize) -> UpstreamEndpoint {
        self.max_answer_bytes = bytes;
        self
    }
}

pub struct ServerSession {
    endpoint: UpstreamEndpoint,
    era: Era,
    /// The session id from the server; `None` if it keeps no sessions.
    session: Option<Arc<str>>,
    /// The negotiated protocol version; empty before that.
    version: Arc<str>,
    last_request: AtomicI64,
    /// Whether the server has said that its tools changed since they were listed.
    has_new_tools: AtomicBool,
}

/// Why a request has no result.
#[derive(Debug, Error)]
pub enum McpFailure {
    /// The server answered with an error.
    #[error("{message} ({code})")]
    Refused {
        /// The JSON-RPC code.
        code: i64,
        /// The server's message.
        message: String,
        /// The HTTP status of the response; 200 in a stream.
        status: u16,
    },
    /// The server answered with an HTTP status only.
    #[error("HTTP {status}{why}")]
    Status {
        /// The status.
        status: u16,
        /// The server's text after `: `, or nothing.
        why: String,
        /// The value of `Retry-After`.
        retry_after: Option<String>,
    },
    /// The server does not know the session: HTTP 404 for a request with a session id.
    #[error("the server does not know the session (HTTP 404)")]
    SessionGone,
    /// The request or its answer was not transmitted.
    #[error("{}", zoea_http::causes(.0))]
    Http(reqwest::Error),
    /// The answer is incomplete, too large, or not for this request.
    #[error("{0}")]
    Broken(String),
    /// There was no answer within the time limit.
    #[error("no answer within {0:?}")]
    TooLate(Duration),
}

/// The answer of a server to `initialize`. Only the version is needed.
#[derive(Deserialize)]
struct InitializeResponse {
    #[serde(rename = "protocolVersion")]
    version: String,
}

impl ServerSession {
    /// Opens a session by `initialize`.
    async fn initialize(endpoint: UpstreamEndpoint) -> Result<ServerSession, McpFailure> {
        let mut session = ServerSession::new(endpoint, Era::Sessions);
        let about = Implementation::new("zoea", env!("CARGO_PKG_VERSION"));
        let params = InitializeRequestParams::new(ClientCapabilities::default(), about)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
        let request = ClientRequest::InitializeRequest(InitializeRequest::new(params));
        let (id, message) = session.with_next_id(request);
        let answer = session.post(&message).await?;
        session.session = answer.session.as_deref().map(Into::into);
        let result = session.read_result(answer, id, MAX_ANSWER_BYTES).await?;
        let greeting: InitializeResponse = result.read("initialize")?;
        session.version = greeting.version.into();
        let done = InitializedNotification::default();
        session
            .notify(ClientNotification::InitializedNotification(done))
            .await?;
        Ok(session)
    }

    fn new(endpoint: UpstreamEndpoint, era: Era) -> ServerSession {
        ServerSession {
            endpoint,
            era,
            session: None,
            version: "".into(),
            last_request: AtomicI64::new(0),
            has_new_tools: AtomicBool::new(false),
        }
    }

    /// The way in which the server is spoken to.
    #[must_use]
    pub fn era(&self) -> Era {
        self.era
    }

    /// The negotiated version of the protocol; empty where it is not known.
    #[must_use]
    pub fn version(&self) -> &Arc<str> {
        &self.version
    }

    /// Whether the server has said that its tools changed since they were listed.
    #[must_use]
    pub fn has_new_tools(&self) -> bool {
        self.has_new_tools.load(Ordering::Relaxed)
    }

    /// Reads or replaces the arguments that are repeated in headers. The lock is never held across
    /// an await.
    fn mirrored<T>(
        &self,
        access: impl FnOnce(&mut BTreeMap<Arc<str>, Arc<[MirroredArgument]>>) -> T,
    ) -> T {
        let known = &self.endpoint.mirrored;
        access(&mut known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lists all tools of the server that are valid and within the limits, and the reasons for
    /// those left out.
    ///
    /// # Errors
    /// Any of [`McpFailure`].
    pub async fn tools(&self) -> Result<Listing, McpFailure> {
        // What is said while the list is on its way may be about what comes after it.
        self.has_new_tools.store(false, Ordering::Relaxed);
        let mut listing = self.list_pages().await?;
        let mirrored = std::mem::take(&mut listing.mirrored);
        self.mirrored(|known| *known = mirrored);
        Ok(listing)
    }

    async fn list_pages(&self) -> Result<Listing, McpFailure> {
        let mut listing = Listing::new(self.era);
        let mut cursor = None;
        let mut room = self.endpoint.max_answer_bytes;
        for page in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let (id, message) = self.with_next_id(request);
            let answer = self.post(&message).await?;
            let raw = match self.read_result(answer, id, room).await {
                Ok(raw) => raw,
                // The pages before this one are usable without it.
                Err(McpFailure::Broken(why)) if page > 0 => {
                    listing.note_cut(format!("page {} cannot be used: {why}", page + 1));
                    return Ok(listing);
                }
                Err(failure) => return Err(failure),
            };
            room = room.saturating_sub(raw.bytes());
            cursor = listing.take_page(&raw)?;
            if cursor.is_none() {
                return Ok(listing);
            }
            if listing.is_full() {
                listing.note_cut(format!("{} tools are enough", listing.tools.len()));
                return Ok(listing);
            }
        }
        Err(McpFailure::Broken(format!(
            "the list of tools has no end after {MAX_PAGES} pages"
        )))
    }

    /// Calls a tool. If the answer takes longer than `limit`, cancels the request.
    ///
    /// # Errors
    /// Any of [`McpFailure`].
    pub async fn call(
        &self,
        params: CallToolRequestParams,
        limit: Duration,
    ) -> Result<CallReply, McpFailure> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let (id, message) = self.with_next_id(request);
        let room = self.endpoint.max_answer_bytes;
        let answer = async {
            let answer = self.post(&message).await?;
            self.read_result(answer, id, room).await
        };
        let Ok(answer) = tokio::time::timeout(limit, answer).await else {
            self.cancel(id).await;
            return Err(McpFailure::TooLate(limit));
        };
        CallReply::read(&answer?)
    }

    /// Tells the server that a request is cancelled. The server may ignore that. To a server without
    /// sessions, the closed connection says it.
    async fn cancel(&self, id: i64) {
        if self.era == Era::Stateless {
            return;
        }
        let why = Some("no answer in time".to_string());
        let params = CancelledNotificationParam::new(Some(RequestId::Number(id)), why);
        let note = CancelledNotification::new(params);
        let note = self.notify(ClientNotification::CancelledNotification(note));
        if !matches!(tokio::time::timeout(CANCEL_TIMEOUT, note).await, Ok(Ok(()))) {
            tracing::debug!("the server could not be told of a cancelled call");
        }
    }

    async fn notify(&self, notification: ClientNotification) -> Result<(), McpFailure> {
        let message = ClientJsonRpcMessage::notification(notification);
        self.post(&message).await.map(|_| ())
    }

    fn with_next_id(&self, request: ClientRequest) -> (i64, ClientJsonRpcMessage) {
        let id = self.last_request.fetch_add(1, Ordering::Relaxed) + 1;
        let message = ClientJsonRpcMessage::request(request, RequestId::Number(id));
        (id, message)
    }

    /// The result of a request, from a body or a stream.
    async fn read_result(
        &self,
        answer: wire::McpResponse,
        id: i64,
        max_bytes: usize,
    ) -> Result<RawResult, McpFailure> {
        let status = answer.status;
        match answer.body {
            wire::McpResponseBody::Json(body) => {
                let body = body.read(max_bytes).await?;
                message::parse_result(body, id, status)
            }
            wire::McpResponseBody::Events(response) => {
                self.read_stream(response, id, max_bytes).await
            }
            wire::McpResponseBody::None(None) => Err(McpFailure::Broken(
                "the server took the request and did not answer it".to_string(),
            )),
            wire::McpResponseBody::None(Some(kind)) => Err(McpFailure::Broken(format!(
                "the server answered with `{kind}`, which is not MCP; is the URL right?"
            ))),
        }
    }
}

fn unexpected_answer(to: &str) -> McpFailure {
    McpFailure::Broken(format!("the server answered {to} with something else"))
}

#[cfg(test)]
mod tests;
