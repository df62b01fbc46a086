//! MCP: the client side of a session with a server, over HTTP or with a child process.
//!
//! Servers of the revision 2026-07-28, which have no sessions, are spoken to in their own way
//! ([`SessionMode`]). To the caller both are a session.
//!
//! A session of rmcp has two tasks, five channels and an open stream, 90 KB for each Mysis. Ours is
//! a few words (decision 0011). Answers are parsed leniently, within limits and piece by piece
//! (decision 0110). Requests that a server sends within an answer are answered. Messages outside of
//! answers are not read.

mod asking;
mod body;
mod calling;
mod child;
mod content;
mod endpoint;
mod incidents;
mod listing;
mod message;
mod mirror;
mod older;
mod opening;
mod pace;
mod patience;
mod resume_token;
mod stateless;
mod stream;
mod task;
mod wire;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use actors::domain::bounds::bounded_text;
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientNotification, ClientRequest, Implementation,
    InitializeRequest, InitializeRequestParams, InitializedNotification, ProtocolVersion,
    RequestId,
};
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;
use zoea_text::clean::one_line;

pub use calling::CallTerms;
pub use child::{ChildCommand, ChildFailure, ChildServer, ChildSession, OnEnd};
pub use endpoint::UpstreamEndpoint;
pub use incidents::{COMMAND_FAILED_CODE, FailedCalls};
pub use listing::{ListedTool, Listing};
pub use opening::{HEADER_MISMATCH, UNKNOWN_REVISION};
pub use task::TaskAnswer;

use asking::QuestionDesk;
use body::BodyKind;
use listing::read_pages;
use message::RawResult;
use mirror::MirroredArgument;
use resume_token::fresh_request_id;
use wire::McpResponseBody;

/// The largest answer of an unknown server, in bytes.
pub const MAX_ANSWER_BYTES: usize = 8 << 20;
/// How long a server may take to receive that its session is open.
const NOTIFY_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest name of a server that is shown, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The two ways in which a server is spoken to. Which one it is is remembered for the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionMode {
    /// With a session, which `initialize` opens: the revisions up to 2025-11-25.
    Sessions,
    /// Without sessions: each request says everything. The revision 2026-07-28.
    Stateless,
}

pub struct ServerSession {
    endpoint: UpstreamEndpoint,
    mode: SessionMode,
    /// The session id from the server; `None` if it keeps no sessions.
    session: Option<Arc<str>>,
    /// The negotiated protocol version; empty before that.
    version: Arc<str>,
    name: Option<Arc<str>>,
    last_request: AtomicI64,
    /// Whether the server has said that its tools changed since they were listed.
    has_new_tools: AtomicBool,
}

/// Why a request has no result.
#[derive(Debug, Error)]
pub enum McpFailure {
    #[error("{}", refusal_text(message, *code))]
    Refused {
        /// The JSON-RPC code, if it has one.
        code: Option<i64>,
        message: String,
        /// The HTTP status of the response; 200 in a stream.
        status: u16,
    },
    /// The same, after it had asked the operator something. Whatever the code, the call is not to be
    /// made anew.
    #[error("{}: {}", calling::AFTER_ASKING, refusal_text(message, *code))]
    RefusedAfterAsking {
        /// The JSON-RPC code, if it has one.
        code: Option<i64>,
        message: String,
    },
    /// The server answered with an HTTP status only.
    #[error("HTTP {status}{why}")]
    Status {
        status: u16,
        /// The request, if it is no call, and the server's text after `: `, or nothing.
        why: String,
        /// How long the server wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The server does not know the session: HTTP 404 for a request with a session id.
    #[error("the server does not know the session (HTTP 404)")]
    SessionGone,
    /// The request or its answer was not transmitted.
    #[error("{text}")]
    Http {
        /// The error, without its URL.
        error: reqwest::Error,
        /// It in a sentence, with the server's address.
        text: String,
    },
    /// The answer is incomplete, too large, or not for this request.
    #[error("{0}")]
    Broken(String),
    /// There was no answer within the time limit.
    #[error("no answer within {0:?}")]
    TooLate(Duration),
}

/// The answer of a server to `initialize`, as far as it is needed.
#[derive(Deserialize)]
struct InitializeResponse {
    #[serde(rename = "protocolVersion")]
    version: String,
    #[serde(default, rename = "serverInfo")]
    server: Value,
}

/// The name that a server gives itself as it is shown; `None` if it has none.
fn shown_name(name: &str) -> Option<Arc<str>> {
    let name = one_line(name);
    (!name.is_empty()).then(|| bounded_text(name, MAX_NAME_BYTES).into())
}

impl ServerSession {
    async fn initialize(endpoint: UpstreamEndpoint) -> Result<ServerSession, McpFailure> {
        let mut session = ServerSession::new(endpoint, SessionMode::Sessions);
        let about = Implementation::new("zoea", env!("CARGO_PKG_VERSION"));
        let capabilities = match session.endpoint.asks {
            true => asking::with_questions(ClientCapabilities::default()),
            false => ClientCapabilities::default(),
        };
        let params = InitializeRequestParams::new(capabilities, about)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
        let request = ClientRequest::InitializeRequest(InitializeRequest::new(params));
        let (id, message) = session.with_next_id(request);
        let answer = session.post(&message).await?;
        session.session = answer.session.as_deref().map(Into::into);
        let result = session.read_result(answer, id, MAX_ANSWER_BYTES).await?;
        let greeting: InitializeResponse = result.read("initialize")?;
        session.version = greeting.version.into();
        session.name = greeting.server["name"].as_str().and_then(shown_name);
        session.tell_initialized().await?;
        Ok(session)
    }

    /// Tells the server that the session is open. Many servers know no notification, or answer it with an
    /// error, and serve the session all the same: whether it lives, the list of tools shows.
    async fn tell_initialized(&self) -> Result<(), McpFailure> {
        let done = InitializedNotification::default();
        let told = self.notify(ClientNotification::InitializedNotification(done));
        let told = tokio::time::timeout(NOTIFY_TIMEOUT, told).await;
        let why = match told.unwrap_or(Err(McpFailure::TooLate(NOTIFY_TIMEOUT))) {
            Ok(()) => return Ok(()),
            Err(
                failure @ McpFailure::Status {
                    status: 401 | 403, ..
                },
            ) => return Err(failure),
            Err(failure) => failure.to_string(),
        };
        tracing::info!(server = %self.endpoint.host(), %why, "the server does not take `notifications/initialized`");
        Ok(())
    }

    fn new(endpoint: UpstreamEndpoint, mode: SessionMode) -> ServerSession {
        ServerSession {
            endpoint,
            mode,
            session: None,
            version: "".into(),
            name: None,
            last_request: AtomicI64::new(fresh_request_id()),
            has_new_tools: AtomicBool::new(false),
        }
    }

    pub fn mode(&self) -> SessionMode {
        self.mode
    }

    /// The negotiated version of the protocol; empty where it is not known.
    pub fn version(&self) -> &Arc<str> {
        &self.version
    }

    /// The name that the server gives itself, if it was opened here and gave one.
    pub fn server_name(&self) -> Option<&Arc<str>> {
        self.name.as_ref()
    }

    /// Whether the server has said that its tools changed since they were listed.
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
        access(&mut known.lock())
    }

    /// Lists all tools of the server that are valid and within the limits, and the reasons for
    /// those left out. Sessions that get the same list share it.
    pub async fn tools(&self) -> Result<Arc<Listing>, McpFailure> {
        // What is said while the list is on its way may be about what comes after it.
        self.has_new_tools.store(false, Ordering::Relaxed);
        let listing = self.list_pages().await?;
        self.mirrored(|known| known.clone_from(&listing.mirrored));
        Ok(listing)
    }

    async fn list_pages(&self) -> Result<Arc<Listing>, McpFailure> {
        let room = self.endpoint.max_answer_bytes;
        let known = &self.endpoint.known_list;
        read_pages(self.mode, (room, known), |request, room| {
            self.ask(request, room)
        })
        .await
    }

    async fn ask(&self, request: ClientRequest, room: usize) -> Result<RawResult, McpFailure> {
        let (id, message) = self.with_next_id(request);
        let answer = self.post(&message).await?;
        self.read_result(answer, id, room).await
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

    /// The result of a request during which nobody is asked.
    async fn read_result(
        &self,
        answer: wire::McpResponse,
        id: i64,
        max_bytes: usize,
    ) -> Result<RawResult, McpFailure> {
        let nobody = QuestionDesk::closed();
        self.read_asking_result(answer, id, max_bytes, &nobody)
            .await
    }

    async fn read_asking_result(
        &self,
        answer: wire::McpResponse,
        id: i64,
        max_bytes: usize,
        desk: &QuestionDesk,
    ) -> Result<RawResult, McpFailure> {
        let status = answer.status;
        let mut body = match answer.body {
            McpResponseBody::Open(body) => body,
            McpResponseBody::Result(result) => return Ok(result),
        };
        match body.form().await? {
            BodyKind::Json => {
                let is_answered = |body: &[u8]| message::parse_result(body, id, status).is_ok();
                let body = body.read(max_bytes, is_answered).await?;
                message::parse_result(&body, id, status)
            }
            BodyKind::Events => self.read_stream(body, id, max_bytes, desk).await,
            BodyKind::Empty => Err(McpFailure::Broken(
                "the server took the request and did not answer it".to_string(),
            )),
            BodyKind::Foreign => Err(body.into_foreign().await),
        }
    }
}

pub(crate) fn refusal_text(message: &str, code: Option<i64>) -> String {
    match code {
        Some(code) => format!("{message} ({code})"),
        None => message.to_string(),
    }
}

fn unexpected_answer(to: &str) -> McpFailure {
    McpFailure::Broken(format!("the server answered {to} with something else"))
}

#[cfg(test)]
mod tests;
