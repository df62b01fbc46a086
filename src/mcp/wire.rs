//! The wire: one message posted, and what kind of answer begins to come back.

use rmcp::model::ClientJsonRpcMessage;
use serde::Deserialize;

use super::message::RpcError;
use super::{Failure, Session};

/// The header by which a session keeps to the version it was opened with.
const VERSION: &str = "mcp-protocol-version";
/// The header that names the session.
const SESSION: &str = "mcp-session-id";

const JSON: &str = "application/json";
const EVENT_STREAM: &str = "text/event-stream";

/// The largest error that is read; of a larger one only the status counts.
const MAX_ERROR_BYTES: usize = 64 << 10;
/// The most of a server's words that is shown, in characters.
const MAX_SHOWN_CHARS: usize = 600;
/// The longest session id, and the longest wait as text, that are kept.
const MAX_SESSION_BYTES: usize = 1024;
const MAX_RETRY_AFTER_BYTES: usize = 64;

/// What a server sends back.
pub(super) struct Answer {
    /// Its status, a good one.
    pub(super) status: u16,
    /// The session that it names.
    pub(super) session: Option<String>,
    pub(super) body: Body,
}

/// How the answer itself comes.
pub(super) enum Body {
    /// Not at all, or as something else: what, where it says so.
    None(Option<String>),
    /// In one piece.
    Json(Bounded),
    /// As a stream of events.
    Events(reqwest::Response),
}

/// A body of which so much is read and no more.
pub(super) struct Bounded(reqwest::Response);

impl Bounded {
    pub(super) async fn read(self, max_bytes: usize) -> Result<Vec<u8>, Failure> {
        let Bounded(mut response) = self;
        let announced = response.content_length().unwrap_or(0);
        if announced > max_bytes as u64 {
            return Err(too_large(max_bytes));
        }
        // At most `max_bytes`, so it fits.
        let mut body = Vec::with_capacity(usize::try_from(announced).unwrap_or(0));
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if chunk.len() > max_bytes - body.len() {
                return Err(too_large(max_bytes));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// The URL may hold a secret.
fn broken(error: reqwest::Error) -> Failure {
    Failure::Http(error.without_url())
}

pub(super) fn too_large(max_bytes: usize) -> Failure {
    Failure::Broken(format!(
        "the answer is larger than the {} KiB that are read",
        max_bytes >> 10
    ))
}

impl Session {
    /// Posts a message.
    pub(super) async fn post(&self, message: &ClientJsonRpcMessage) -> Result<Answer, Failure> {
        let request = self.endpoint.http.post(&*self.endpoint.url).json(message);
        let response = self.with_headers(request).send().await;
        self.answered(response.map_err(broken)?).await
    }

    /// Asks for the rest of a stream, from behind an event.
    pub(super) async fn get_after(&self, event: &str) -> Result<reqwest::Response, Failure> {
        let request = self.endpoint.http.get(&*self.endpoint.url);
        let request = request.header("last-event-id", event);
        let response = self.with_headers(request).send().await;
        match self.answered(response.map_err(broken)?).await?.body {
            Body::Events(response) => Ok(response),
            Body::Json(_) | Body::None(_) => Err(super::unexpected("the question for a stream")),
        }
    }

    fn with_headers(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        let mut request = request.header("accept", format!("{EVENT_STREAM}, {JSON}"));
        if let Some(token) = &self.endpoint.token {
            request = request.bearer_auth(token);
        }
        if let Some(session) = &self.pass.session {
            request = request.header(SESSION, &**session);
        }
        // A version that is no header is the server's own invention; it may do without.
        match http::HeaderValue::from_str(&self.pass.version) {
            Ok(version) if !version.is_empty() => request.header(VERSION, version),
            Ok(_) | Err(_) => request,
        }
    }

    async fn answered(&self, response: reqwest::Response) -> Result<Answer, Failure> {
        let status = response.status();
        if !status.is_success() {
            return Err(self.refused(response).await);
        }
        let text = |name: &str| response.headers().get(name)?.to_str().ok();
        let session = text(SESSION).filter(|id| id.len() <= MAX_SESSION_BYTES);
        let session = session.map(str::to_string);
        let kind = text("content-type").unwrap_or_default().to_string();
        let is_empty = response.content_length() == Some(0);
        let body = if matches!(status.as_u16(), 202 | 204) || is_empty {
            Body::None(None)
        } else if kind.starts_with(EVENT_STREAM) {
            Body::Events(response)
        } else if kind.starts_with(JSON) {
            Body::Json(Bounded(response))
        } else {
            // A notification is not answered, whatever comes.
            Body::None(Some(excerpt(kind.as_bytes())))
        };
        Ok(Answer {
            status: status.as_u16(),
            session,
            body,
        })
    }

    /// Why there is no answer: the server's own error where there is one to read, else the status.
    async fn refused(&self, response: reqwest::Response) -> Failure {
        let status = response.status().as_u16();
        if status == 404 && self.pass.session.is_some() {
            return Failure::SessionGone;
        }
        let text = |name: &str| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.to_string())
        };
        let retry_after = text("retry-after").filter(|text| text.len() <= MAX_RETRY_AFTER_BYTES);
        let body = Bounded(response).read(MAX_ERROR_BYTES).await;
        let body = body.unwrap_or_default();
        if !matches!(status, 401 | 403 | 429)
            && let Some(error) = error_in(&body)
        {
            return Failure::Refused {
                code: error.code,
                message: error.message,
                status,
            };
        }
        let shown = excerpt(&body);
        let why = if shown.is_empty() {
            shown
        } else {
            format!(": {shown}")
        };
        Failure::Status {
            status,
            why,
            retry_after,
        }
    }
}

/// A JSON-RPC error in place of an answer. Whatever its id, nothing else can have been meant.
fn error_in(body: &[u8]) -> Option<RpcError> {
    #[derive(Deserialize)]
    struct Refusal {
        error: RpcError,
    }
    let refusal: Refusal = serde_json::from_slice(body).ok()?;
    Some(refusal.error)
}

fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    let mut shown: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
