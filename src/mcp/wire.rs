//! Sends one message over HTTP and determines the kind of the answer.

use std::time::SystemTime;

use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use serde::Deserialize;
use zoea_http::{excerpt, retry_after};

use super::message::RpcError;
use super::stateless::StatelessRequest;
use super::{Era, McpFailure, ServerSession};

/// The header with the session's protocol version.
const VERSION_HEADER: &str = "mcp-protocol-version";
/// The largest error body in bytes. Of a larger one only the status counts.
const MAX_ERROR_BYTES: usize = 64 << 10;
/// The longest session id that is kept, in bytes.
const MAX_SESSION_BYTES: usize = 1024;

/// A server's response.
pub(super) struct McpResponse {
    /// Its status, which is a success.
    pub(super) status: u16,
    /// The session id in its headers.
    pub(super) session: Option<String>,
    pub(super) body: McpResponseBody,
}

/// The body of a response.
pub(super) enum McpResponseBody {
    /// There is none, or it has another content type, which is named if known.
    None(Option<String>),
    /// A JSON document.
    Json(BoundedBody),
    /// A stream of events.
    Events(reqwest::Response),
}

/// A body that is read up to a limit.
pub(super) struct BoundedBody(reqwest::Response);

impl BoundedBody {
    pub(super) async fn read(self, max_bytes: usize) -> Result<Vec<u8>, McpFailure> {
        let BoundedBody(mut response) = self;
        let announced = response.content_length().unwrap_or(0);
        if announced > max_bytes as u64 {
            return Err(too_large(max_bytes));
        }
        // It is at most `max_bytes`, so it fits.
        let mut body = Vec::with_capacity(usize::try_from(announced).unwrap_or(0));
        while let Some(chunk) = response.chunk().await.map_err(http_failure)? {
            if chunk.len() > max_bytes - body.len() {
                return Err(too_large(max_bytes));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// Converts an error without its URL, which may contain a secret.
fn http_failure(error: reqwest::Error) -> McpFailure {
    McpFailure::Http {
        text: zoea_http::error_text(&error),
        error: error.without_url(),
    }
}

pub(super) fn too_large(max_bytes: usize) -> McpFailure {
    McpFailure::Broken(format!(
        "the answer is larger than the {} KiB that are read",
        max_bytes >> 10
    ))
}

impl ServerSession {
    /// Posts a message.
    pub(super) async fn post(
        &self,
        message: &ClientJsonRpcMessage,
    ) -> Result<McpResponse, McpFailure> {
        let request = self.endpoint.http.post(&*self.endpoint.url);
        let request = match self.era {
            Era::Sessions => request.json(message),
            Era::Stateless => {
                let StatelessRequest { body, headers } = self.stateless_request(message);
                let request = request.json(&body);
                request.headers(headers.into_iter().collect())
            }
        };
        let response = self.with_headers(request).send().await;
        self.read_response(response.map_err(http_failure)?).await
    }

    /// Requests the rest of a stream after an event.
    pub(super) async fn get_after(&self, event: &str) -> Result<reqwest::Response, McpFailure> {
        let request = self.endpoint.http.get(&*self.endpoint.url);
        let request = request.header(HEADER_LAST_EVENT_ID, event);
        let response = self.with_headers(request).send().await;
        match self
            .read_response(response.map_err(http_failure)?)
            .await?
            .body
        {
            McpResponseBody::Events(response) => Ok(response),
            McpResponseBody::Json(_) | McpResponseBody::None(_) => {
                Err(super::unexpected_answer("the question for a stream"))
            }
        }
    }

    fn with_headers(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        let mut request = request.header(
            "accept",
            format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}"),
        );
        for (name, value) in &*self.endpoint.headers {
            request = request.header(name, value);
        }
        if let Some(token) = &self.endpoint.token {
            request = request.bearer_auth(token);
        }
        if let Some(session) = &self.session {
            request = request.header(HEADER_SESSION_ID, &**session);
        }
        // A version that is not a valid header value is left out.
        match http::HeaderValue::from_str(&self.version) {
            Ok(version) if !version.is_empty() => request.header(VERSION_HEADER, version),
            Ok(_) | Err(_) => request,
        }
    }

    async fn read_response(&self, response: reqwest::Response) -> Result<McpResponse, McpFailure> {
        let status = response.status();
        if !status.is_success() {
            return Err(self.read_failure(response).await);
        }
        let text = |name: &str| response.headers().get(name)?.to_str().ok();
        let session = text(HEADER_SESSION_ID).filter(|id| id.len() <= MAX_SESSION_BYTES);
        let session = session.map(str::to_string);
        let kind = text("content-type").unwrap_or_default().to_string();
        let is_empty = response.content_length() == Some(0);
        let body = if matches!(status.as_u16(), 202 | 204) || is_empty {
            McpResponseBody::None(None)
        } else if kind.starts_with(EVENT_STREAM_MIME_TYPE) {
            McpResponseBody::Events(response)
        } else if kind.starts_with(JSON_MIME_TYPE) {
            McpResponseBody::Json(BoundedBody(response))
        } else {
            // A notification has no answer, whatever its response contains.
            McpResponseBody::None(Some(excerpt(&kind)))
        };
        Ok(McpResponse {
            status: status.as_u16(),
            session,
            body,
        })
    }

    /// The failure: the server's own error if the body contains one and the status lets it speak
    /// for the request, else the status.
    async fn read_failure(&self, response: reqwest::Response) -> McpFailure {
        let status = response.status().as_u16();
        if status == 404 && self.session.is_some() {
            return McpFailure::SessionGone;
        }
        let retry_after = retry_after(response.headers(), SystemTime::now());
        let body = BoundedBody(response).read(MAX_ERROR_BYTES).await;
        let body = body.unwrap_or_default();
        let shown = match error_in(&body) {
            Some(error) if !is_about_access(status) && status < 500 => {
                return McpFailure::Refused {
                    code: error.code,
                    message: error.message,
                    status,
                };
            }
            // A gateway may say so while the server behind it carries out the request.
            Some(error) if status >= 500 => excerpt(&format!("{} ({})", error.message, error.code)),
            Some(_) | None => excerpt(&String::from_utf8_lossy(&body)),
        };
        let why = if shown.is_empty() {
            shown
        } else {
            format!(": {shown}")
        };
        McpFailure::Status {
            status,
            why,
            retry_after,
        }
    }
}

/// Whether a status says more than any error in the body: no access, too many requests.
fn is_about_access(status: u16) -> bool {
    matches!(status, 401 | 403 | 429)
}

/// A JSON-RPC error instead of an answer. Its id does not matter, because it can be about no other
/// request.
fn error_in(body: &[u8]) -> Option<RpcError> {
    #[derive(Deserialize)]
    struct RpcErrorBody {
        error: RpcError,
    }
    let refusal: RpcErrorBody = serde_json::from_slice(body).ok()?;
    Some(refusal.error)
}
