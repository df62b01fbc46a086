//! The wire: rmcp's HTTP client, mended where a server's answer would leave a caller waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse};

use super::ticket::Ticket;

/// A reqwest client whose callers always get an answer.
#[derive(Clone)]
pub(super) struct Wire {
    http: reqwest::Client,
    session: SessionId,
    /// The session that is taken up again in place of a new one.
    ticket: Option<Arc<Ticket>>,
}

/// The id that the server gave the session, once it did.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionId(Arc<Mutex<Option<Arc<str>>>>);

impl SessionId {
    pub(super) fn get(&self) -> Option<Arc<str>> {
        let session = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        session.clone()
    }

    fn note(&self, answer: &StreamableHttpPostResponse) {
        let (StreamableHttpPostResponse::Json(_, Some(id))
        | StreamableHttpPostResponse::Sse(_, Some(id))) = answer
        else {
            return;
        };
        let mut session = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *session = Some(id.as_str().into());
    }
}

impl Wire {
    /// Opens a new session.
    pub(super) fn new(http: reqwest::Client) -> Wire {
        Wire {
            http,
            session: SessionId::default(),
            ticket: None,
        }
    }

    /// Takes a session up again.
    pub(super) fn resumed(http: reqwest::Client, ticket: Ticket) -> Wire {
        Wire {
            ticket: Some(Arc::new(ticket)),
            ..Wire::new(http)
        }
    }

    /// Where the session's id will stand.
    pub(super) fn session(&self) -> SessionId {
        self.session.clone()
    }

    /// What the server said when the session was opened, said again for it: it knows the session,
    /// and would begin another one if it were asked.
    fn answered_before(
        &self,
        message: &ClientJsonRpcMessage,
    ) -> Option<StreamableHttpPostResponse> {
        let ticket = self.ticket.as_ref()?;
        if let ClientJsonRpcMessage::Notification(notification) = message {
            let ClientNotification::InitializedNotification(_) = notification.notification else {
                return None;
            };
            return Some(StreamableHttpPostResponse::Accepted);
        }
        let ClientJsonRpcMessage::Request(request) = message else {
            return None;
        };
        let ClientRequest::InitializeRequest(_) = request.request else {
            return None;
        };
        let result = ServerResult::InitializeResult(ticket.server.clone());
        let answer = ServerJsonRpcMessage::response(result, request.id.clone());
        let session = ticket.session.to_string();
        Some(StreamableHttpPostResponse::Json(answer, Some(session)))
    }
}

type Headers = HashMap<HeaderName, HeaderValue>;
type Failure = StreamableHttpError<reqwest::Error>;

impl StreamableHttpClient for Wire {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        if let Some(answer) = self.answered_before(&message) {
            return Ok(answer);
        }
        let id = request_id(&message);
        let answer = self
            .http
            .post_message(uri, message, session_id, auth_header, custom_headers)
            .await?;
        self.session.note(&answer);
        Ok(with_id(answer, id))
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        if let Some(answer) = self.answered_before(&message) {
            return Ok(answer);
        }
        let id = request_id(&message);
        let answer = self
            .http
            .post_message_with_max_sse_event_size(
                uri,
                message,
                session_id,
                auth_header,
                custom_headers,
                max_sse_event_size,
            )
            .await?;
        self.session.note(&answer);
        Ok(with_id(answer, id))
    }

    /// Sessions are left to the server, which forgets them in its own time: the next process, or the
    /// next life of this Mysis, takes them up again.
    async fn delete_session(
        &self,
        _uri: Arc<str>,
        _session_id: Arc<str>,
        _auth_header: Option<String>,
        _custom_headers: Headers,
    ) -> Result<(), Failure> {
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        self.http
            .get_stream(uri, session_id, last_event_id, auth_header, custom_headers)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        self.http
            .get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                auth_header,
                custom_headers,
                max_sse_event_size,
            )
            .await
    }
}

fn request_id(message: &ClientJsonRpcMessage) -> Option<rmcp::model::RequestId> {
    let ClientJsonRpcMessage::Request(request) = message else {
        return None;
    };
    Some(request.id.clone())
}

/// An error without an id answers the request that it came back for: rmcp would drop it, and the
/// caller would wait for ever (server-everything does this after a restart).
fn with_id(
    answer: StreamableHttpPostResponse,
    id: Option<rmcp::model::RequestId>,
) -> StreamableHttpPostResponse {
    if let StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(mut error), session) =
        answer
    {
        error.id = error.id.or(id);
        return StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), session);
    }
    answer
}
