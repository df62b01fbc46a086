//! Sends one message over HTTP and determines the kind of the answer.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use reqwest::header::ACCEPT_ENCODING;
use rmcp::model::{ClientJsonRpcMessage, RequestId};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use zoea_http::sse::{SseEvent, SseLine, SseLines};
use zoea_http::{raw_json, retry_after, said};

use super::body::{OpenBody, http_failure};
use super::incidents::Exchange;
use super::message::{MatchedMessages, RawResult, RpcError, readable};
use super::stateless::StatelessRequest;
use super::stream::take_line;
use super::{McpFailure, ServerSession, SessionMode};

const VERSION_HEADER: &str = "mcp-protocol-version";
/// The largest error body in bytes. Of a larger one only the status counts.
const MAX_ERROR_BYTES: usize = 64 << 10;
/// The longest session id that is kept, in bytes.
const MAX_SESSION_BYTES: usize = 1024;

pub(super) struct McpResponse {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    pub(super) body: McpResponseBody,
}

pub(super) enum McpResponseBody {
    /// It is not read yet.
    Open(OpenBody),
    /// It was read: the result of the request, which came under the status of a failure.
    Result(RawResult),
}

impl ServerSession {
    pub(super) async fn post(
        &self,
        message: &ClientJsonRpcMessage,
    ) -> Result<McpResponse, McpFailure> {
        self.post_for(message, &Exchange::default()).await
    }

    pub(super) async fn post_for(
        &self,
        message: &ClientJsonRpcMessage,
        exchange: &Exchange,
    ) -> Result<McpResponse, McpFailure> {
        exchange.asks(message);
        let request = self.endpoint.http.post(&*self.endpoint.url);
        let request = match self.mode {
            SessionMode::Sessions => request.json(message),
            SessionMode::Stateless => {
                let StatelessRequest { body, headers } = self.stateless_request(message);
                let request = request.json(&body);
                request.headers(headers.into_iter().collect())
            }
        };
        let response = self.with_headers(request).send().await;
        let (id, method) = match message {
            ClientJsonRpcMessage::Request(request) => match &request.id {
                RequestId::Number(id) => (Some(*id), Some(request.request.method())),
                RequestId::String(_) => (None, None),
            },
            ClientJsonRpcMessage::Response(_)
            | ClientJsonRpcMessage::Notification(_)
            | ClientJsonRpcMessage::Error(_) => (None, None),
        };
        let response = response.map_err(http_failure)?;
        let read = self.read_response(response, id, exchange).await;
        read.map_err(|failure| match method {
            Some(method) if method != "tools/call" => failure.of_request(method),
            Some(_) | None => failure,
        })
    }

    /// Requests the rest of a stream after an event.
    pub(super) async fn get_after(&self, event: &str) -> Result<OpenBody, McpFailure> {
        let request = self.endpoint.http.get(&*self.endpoint.url);
        let request = request.header(HEADER_LAST_EVENT_ID, event);
        let response = self.with_headers(request).send().await;
        match self
            .read_response(response.map_err(http_failure)?, None, &Exchange::default())
            .await?
            .body
        {
            McpResponseBody::Open(body) => Ok(body),
            McpResponseBody::Result(_) => {
                Err(super::unexpected_answer("the question for a stream"))
            }
        }
    }

    fn with_headers(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        let accepted = format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}");
        let mut request = self
            .endpoint
            .with_access(request.header("accept", accepted))
            // A text that a gateway has packed would come as bytes, and all at once.
            .header(ACCEPT_ENCODING, "identity");
        if let Some(session) = &self.session {
            request = request.header(HEADER_SESSION_ID, &**session);
        }
        // A version that is not a valid header value is left out.
        match http::HeaderValue::from_str(&self.version) {
            Ok(version) if !version.is_empty() => request.header(VERSION_HEADER, version),
            Ok(_) | Err(_) => request,
        }
    }

    /// Reads the head of a response to a request with this id; of a failure also the body.
    async fn read_response(
        &self,
        response: reqwest::Response,
        id: Option<i64>,
        exchange: &Exchange,
    ) -> Result<McpResponse, McpFailure> {
        let status = response.status();
        let text = |name: &str| response.headers().get(name)?.to_str().ok();
        let session = text(HEADER_SESSION_ID).filter(|id| id.len() <= MAX_SESSION_BYTES);
        let session = session.map(str::to_string);
        let retry_after = retry_after(response.headers(), SystemTime::now());
        let (is_success, status) = (status.is_success(), status.as_u16());
        let body = OpenBody::new(response, exchange.clone());
        let body = match is_success {
            true => McpResponseBody::Open(body),
            false => {
                McpResponseBody::Result(self.read_failure(body, (status, retry_after), id).await?)
            }
        };
        Ok(McpResponse {
            status,
            session,
            body,
        })
    }

    /// The failure: the server's own error if the body contains one and the status lets it speak
    /// for the request, else the status. A result of the request counts whatever the status is.
    async fn read_failure(
        &self,
        body: OpenBody,
        (status, retry_after): (u16, Option<Duration>),
        id: Option<i64>,
    ) -> Result<RawResult, McpFailure> {
        let room = match id {
            Some(_) => self.endpoint.max_answer_bytes,
            None => MAX_ERROR_BYTES,
        };
        let body = body.read(room, |_| true).await;
        let body = body.unwrap_or_default();
        let body = String::from_utf8_lossy(&body);
        let body = readable(&body);
        let error = match answer_in(&body, id.unwrap_or_default(), status) {
            Some(Ok(result)) => return Ok(result),
            Some(Err(failure)) => Some(failure),
            None => error_in(&body).map(|error| error.into_refusal(status)),
        };
        if status == 404 && self.session.is_some() {
            return Err(McpFailure::SessionGone);
        }
        let why = match error {
            Some(refusal) if !is_about_access(status) && status < 500 => return Err(refusal),
            // A gateway may say so while the server behind it carries out the request.
            Some(error) if status >= 500 => said(&error.to_string()),
            Some(_) | None => said(&page_title(&body)),
        };
        Err(McpFailure::Status {
            status,
            why,
            retry_after,
        })
    }
}

impl McpFailure {
    /// The same, with the name of the request that the status answers, unless that is a call: the
    /// conversation names calls already.
    fn of_request(self, method: &str) -> McpFailure {
        let McpFailure::Status {
            status,
            why,
            retry_after,
        } = self
        else {
            return self;
        };
        McpFailure::Status {
            status,
            why: format!(" to `{method}`{why}"),
            retry_after,
        }
    }
}

/// A text of a server; of a web page only the title, as it is no MCP server that answered.
fn page_title(text: &str) -> String {
    let small = text.to_ascii_lowercase();
    let begins = |tag: &str| small.trim_start().starts_with(tag);
    if !begins("<!doctype html") && !begins("<html") {
        return text.to_string();
    }
    let title = small.find("<title").and_then(|at| {
        let begin = at + small[at..].find('>')? + 1;
        let end = begin + small[begin..].find('<')?;
        let words: Vec<&str> = text[begin..end].split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    });
    match title {
        Some(title) => format!("a web page, \"{title}\", not an MCP server"),
        None => "a web page, not an MCP server".to_string(),
    }
}

/// Whether a status says more than any error in the body: no access, too many requests.
fn is_about_access(status: u16) -> bool {
    matches!(status, 401 | 403 | 429)
}

/// The answer to request `id` in the body of a failure, which may have the form of events.
fn answer_in(body: &str, id: i64, status: u16) -> Option<Result<RawResult, McpFailure>> {
    if body.starts_with(['{', '[']) {
        return MatchedMessages::find(body, id, status).answer;
    }
    let (mut lines, mut event, mut events) =
        (SseLines::default(), SseEvent::default(), VecDeque::new());
    let mut take = |line: SseLine<'_>| take_line(line, &mut event, &mut events);
    lines.take(body.as_bytes(), &mut take);
    lines.finish(&mut take);
    let mut events = events.iter();
    events.find_map(|event| MatchedMessages::find(&readable(&event.data), id, status).answer)
}

/// A JSON-RPC error in the body of a failure. Its id does not matter, because it can be about no
/// other request.
fn error_in(body: &str) -> Option<RpcError> {
    let error = raw_json::member(body, "error")?;
    raw_json::is_object(error).then(|| RpcError::read(error))
}
