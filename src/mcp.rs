//! MCP: our side of one session with a server, request by request, over rmcp's HTTP client.
//!
//! rmcp's own session keeps two tasks, five channels and an open stream for each server, 90 KB a
//! Mysis; ours is a few words (decision 0011). What a server asks of us while it answers is
//! answered; what it says outside of answers is not listened to.

mod stream;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotification,
    CancelledNotificationParam, ClientCapabilities, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, ErrorData, Implementation, InitializeRequest, InitializeRequestParams,
    InitializedNotification, ListToolsRequest, PaginatedRequestParams, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerResult, Tool,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use thiserror::Error;

/// How long telling a server that we gave up may take.
const PARTING: Duration = Duration::from_secs(5);
/// A list of tools has no more pages than this; a server that goes on has lost its way.
const PAGES: usize = 200;
/// The header by which a session keeps to the version it was opened with.
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Where a server is, and how it is spoken to.
#[derive(Clone)]
pub struct Endpoint {
    /// Its URL.
    pub url: Arc<str>,
    /// The token that it wants, if it wants one.
    pub token: Option<Arc<str>>,
    /// The HTTP client.
    pub http: reqwest::Client,
}

/// An open session.
pub struct Session {
    endpoint: Endpoint,
    pass: Pass,
    last_request: AtomicI64,
}

/// What a session is taken up again by, in this process or another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The id that the server gave it; `None`: the server keeps no sessions.
    pub session: Option<Arc<str>>,
    /// The version of the protocol that was agreed on.
    pub version: Arc<str>,
}

/// Why a request has no result.
#[derive(Debug, Error)]
pub enum Failure {
    /// The server answered with an error.
    #[error("{} ({})", .0.message, .0.code.0)]
    Refused(ErrorData),
    /// The request did not get through, or its answer did not.
    #[error("{}", plain(.0))]
    Http(StreamableHttpError<reqwest::Error>),
    /// The answer broke off, or was none to this request.
    #[error("{0}")]
    Broken(String),
    /// There was no answer in time.
    #[error("no answer within {0:?}")]
    TooLate(Duration),
}

/// An error's words, without the URL, which may hold a secret.
fn plain(error: &StreamableHttpError<reqwest::Error>) -> String {
    let text = error.to_string();
    let StreamableHttpError::Client(error) = error else {
        return text;
    };
    error.url().map_or(text.clone(), |url| {
        text.replace(url.as_str(), "the server's URL")
    })
}

impl Session {
    /// Opens a session.
    ///
    /// # Errors
    /// The server cannot be reached or refuses it.
    pub async fn open(endpoint: Endpoint) -> Result<Session, Failure> {
        let mut session = Session::resumed(
            endpoint,
            Pass {
                session: None,
                version: ProtocolVersion::LATEST_WITH_INITIALIZE.as_str().into(),
            },
        );
        let about = Implementation::new("zoea", env!("CARGO_PKG_VERSION"));
        let params = InitializeRequestParams::new(ClientCapabilities::default(), about)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
        let request = ClientRequest::InitializeRequest(InitializeRequest::new(params));
        let (id, message) = session.numbered(request);
        // The version is agreed on by this very request.
        let answer = session.post_with(message, HashMap::new()).await?;
        if let StreamableHttpPostResponse::Json(_, Some(id))
        | StreamableHttpPostResponse::Sse(_, Some(id)) = &answer
        {
            session.pass.session = Some(id.as_str().into());
        }
        let ServerResult::InitializeResult(server) = session.result(answer, id).await? else {
            return Err(unexpected("initialize"));
        };
        session.pass.version = server.protocol_version.as_str().into();
        let done = InitializedNotification::default();
        session
            .notify(ClientNotification::InitializedNotification(done))
            .await?;
        Ok(session)
    }

    /// Takes up a session that was opened before. The server is not asked; whether it still knows
    /// the session shows with the first request.
    #[must_use]
    pub fn resumed(endpoint: Endpoint, pass: Pass) -> Session {
        Session {
            endpoint,
            pass,
            last_request: AtomicI64::new(0),
        }
    }

    /// What the session can be taken up again by.
    #[must_use]
    pub fn pass(&self) -> &Pass {
        &self.pass
    }

    /// All tools of the server.
    ///
    /// # Errors
    /// Any of [`Failure`].
    pub async fn tools(&self) -> Result<Vec<Tool>, Failure> {
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..PAGES {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(page));
            let ServerResult::ListToolsResult(listed) = self.ask(request).await? else {
                return Err(unexpected("tools/list"));
            };
            tools.extend(listed.tools);
            cursor = listed.next_cursor;
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        Err(Failure::Broken(format!(
            "the list of tools has no end after {PAGES} pages"
        )))
    }

    /// Calls a tool. Where the answer takes longer than `limit`, the server is told that nobody
    /// waits for it any more.
    ///
    /// # Errors
    /// Any of [`Failure`].
    pub async fn call(
        &self,
        params: CallToolRequestParams,
        limit: Duration,
    ) -> Result<CallToolResult, Failure> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let (id, message) = self.numbered(request);
        let answer = async { self.result(self.post(message).await?, id.clone()).await };
        let Ok(answer) = tokio::time::timeout(limit, answer).await else {
            self.cancel(id).await;
            return Err(Failure::TooLate(limit));
        };
        let ServerResult::CallToolResult(result) = answer? else {
            return Err(unexpected("tools/call"));
        };
        Ok(result)
    }

    /// Tells the server that an answer is of no use any more. It may do as it likes.
    async fn cancel(&self, id: RequestId) {
        let why = Some("no answer in time".to_string());
        let params = CancelledNotificationParam::new(Some(id), why);
        let note = CancelledNotification::new(params);
        let note = self.notify(ClientNotification::CancelledNotification(note));
        if !matches!(tokio::time::timeout(PARTING, note).await, Ok(Ok(()))) {
            tracing::debug!("the server could not be told of a cancelled call");
        }
    }

    async fn ask(&self, request: ClientRequest) -> Result<ServerResult, Failure> {
        let (id, message) = self.numbered(request);
        let answer = self.post(message).await?;
        self.result(answer, id).await
    }

    async fn notify(&self, notification: ClientNotification) -> Result<(), Failure> {
        let message = ClientJsonRpcMessage::notification(notification);
        self.post(message).await.map(|_| ())
    }

    fn numbered(&self, request: ClientRequest) -> (RequestId, ClientJsonRpcMessage) {
        let number = self.last_request.fetch_add(1, Ordering::Relaxed) + 1;
        let id = RequestId::Number(number);
        (id.clone(), ClientJsonRpcMessage::request(request, id))
    }

    async fn post(
        &self,
        message: ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post_with(message, self.headers()).await
    }

    async fn post_with(
        &self,
        message: ClientJsonRpcMessage,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let Endpoint { url, token, http } = &self.endpoint;
        let token = token.as_ref().map(ToString::to_string);
        let session = self.pass.session.clone();
        http.post_message(url.clone(), message, session, token, headers)
            .await
            .map_err(Failure::Http)
    }

    fn headers(&self) -> HashMap<HeaderName, HeaderValue> {
        let version = HeaderValue::from_str(&self.pass.version);
        version
            .into_iter()
            .map(|version| (VERSION, version))
            .collect()
    }

    /// The result of this request, wherever the server puts it.
    async fn result(
        &self,
        answer: StreamableHttpPostResponse,
        id: RequestId,
    ) -> Result<ServerResult, Failure> {
        match answer {
            StreamableHttpPostResponse::Json(message, _) => settled(message),
            StreamableHttpPostResponse::Sse(stream, _) => self.heard(stream, id).await,
            // Whatever rmcp may add to the two above is no answer either.
            StreamableHttpPostResponse::Accepted | _ => Err(Failure::Broken(
                "the server took the request and did not answer it".to_string(),
            )),
        }
    }
}

/// What a body holds that answers one request. An error without an id answers it as well
/// (server-everything sends such errors after a restart).
fn settled(message: ServerJsonRpcMessage) -> Result<ServerResult, Failure> {
    match message {
        ServerJsonRpcMessage::Response(response) => Ok(response.result),
        ServerJsonRpcMessage::Error(error) => Err(Failure::Refused(error.error)),
        ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => {
            Err(unexpected("a request"))
        }
    }
}

fn unexpected(to: &str) -> Failure {
    Failure::Broken(format!("the server answered {to} with something else"))
}

#[cfg(test)]
mod tests;
