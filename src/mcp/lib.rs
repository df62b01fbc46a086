//! MCP: our side of one session with a server, request by request, over HTTP.
//!
//! rmcp's own session keeps two tasks, five channels and an open stream for each server, 90 KB a
//! Mysis; ours is a few words (decision 0011). Answers are read leniently, within limits, and piece
//! by piece (decision 0110). What a server asks of us while it answers is answered; what it says
//! outside of answers is not listened to.

mod content;
mod listing;
mod message;
mod resume_token;
mod stream;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientCapabilities, ClientJsonRpcMessage, ClientNotification, ClientRequest, Implementation,
    InitializeRequest, InitializeRequestParams, InitializedNotification, ListToolsRequest,
    PaginatedRequestParams, ProtocolVersion, RequestId,
};
use serde::Deserialize;
use thiserror::Error;

pub use content::CallResult;
pub use listing::{ListedTool, Listing};

use message::RawResult;

/// How long telling a server that we gave up may take.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// A list of tools has no more pages than this; a server that goes on has lost its way.
const MAX_PAGES: usize = 200;
/// The largest answer that is read of a server that we do not know.
pub const MAX_ANSWER_BYTES: usize = 8 << 20;

/// Where a server is, and how it is spoken to.
#[derive(Clone)]
pub struct UpstreamEndpoint {
    /// Its URL.
    pub url: Arc<str>,
    /// The token that it wants, if it wants one.
    pub token: Option<Arc<str>>,
    /// The HTTP client.
    pub http: reqwest::Client,
    /// The largest answer that is read, and the largest list of tools, all pages together.
    pub max_answer_bytes: usize,
}

/// An open session.
pub struct ServerSession {
    endpoint: UpstreamEndpoint,
    /// The id that the server gave it; `None`: the server keeps no sessions.
    session: Option<Arc<str>>,
    /// The version of the protocol that was agreed on; empty until then.
    version: Arc<str>,
    last_request: AtomicI64,
}

/// Why a request has no result.
#[derive(Debug, Error)]
pub enum McpFailure {
    /// The server answered with an error.
    #[error("{message} ({code})")]
    Refused {
        /// JSON-RPC's code.
        code: i64,
        /// The server's words.
        message: String,
        /// The HTTP status that it came with; 200 in a stream.
        status: u16,
    },
    /// The server answered with a status alone, for that reason.
    #[error("HTTP {status}{why}")]
    Status {
        /// The status.
        status: u16,
        /// What it says beside it, `: …`, or nothing.
        why: String,
        /// How long it asks to wait, as it says so.
        retry_after: Option<String>,
    },
    /// The server does not know the session: HTTP 404 to a request that named it.
    #[error("the server does not know the session (HTTP 404)")]
    SessionGone,
    /// The request did not get through, or its answer did not.
    #[error("{}", zoea_http::causes(.0))]
    Http(reqwest::Error),
    /// The answer broke off, is too large, or was none to this request.
    #[error("{0}")]
    Broken(String),
    /// There was no answer in time.
    #[error("no answer within {0:?}")]
    TooLate(Duration),
}

/// What a server says of itself. Of all that only the version matters here.
#[derive(Deserialize)]
struct InitializeResponse {
    #[serde(rename = "protocolVersion")]
    version: String,
}

impl ServerSession {
    /// Opens a session.
    ///
    /// # Errors
    /// The server cannot be reached or refuses it.
    pub async fn open(endpoint: UpstreamEndpoint) -> Result<ServerSession, McpFailure> {
        let mut session = ServerSession::new(endpoint);
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

    fn new(endpoint: UpstreamEndpoint) -> ServerSession {
        ServerSession {
            endpoint,
            session: None,
            version: "".into(),
            last_request: AtomicI64::new(0),
        }
    }

    /// All tools of the server that can be read and are within the limits, and a word on the rest.
    ///
    /// # Errors
    /// Any of [`McpFailure`].
    pub async fn tools(&self) -> Result<Listing, McpFailure> {
        let mut listing = Listing::default();
        let mut cursor = None;
        let mut room = self.endpoint.max_answer_bytes;
        for page in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let (id, message) = self.with_next_id(request);
            let answer = self.post(&message).await?;
            let raw = match self.read_result(answer, id, room).await {
                Ok(raw) => raw,
                // What came before is of use without it.
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

    /// Calls a tool. Where the answer takes longer than `limit`, the server is told that nobody
    /// waits for it any more.
    ///
    /// # Errors
    /// Any of [`McpFailure`].
    pub async fn call(
        &self,
        params: CallToolRequestParams,
        limit: Duration,
    ) -> Result<CallResult, McpFailure> {
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
        CallResult::read(&answer?)
    }

    /// Tells the server that an answer is of no use any more. It may do as it likes.
    async fn cancel(&self, id: i64) {
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

    /// The result of this request, wherever the server puts it.
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
