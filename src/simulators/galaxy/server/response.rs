//! HTTP responses that do not come from rmcp.

use std::{io, time::Duration};

use axum::{
    body::{Body, Bytes},
    response::Response,
};
use http::{
    HeaderValue, StatusCode,
    header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde_json::json;
use zoea_grammar::incident::Incident;

use super::super::limits::whole_seconds;

pub(super) fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A JSON-RPC error with the id of the request, or null.
pub(super) fn rpc_error(
    status: StatusCode,
    id: Option<&str>,
    code: i32,
    message: &str,
) -> Response {
    let error = json!({ "code": code, "message": message });
    let id = id.unwrap_or("null");
    json(
        status,
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}"),
    )
}

/// A JSON-RPC result whose text is already written.
pub(super) fn rpc_result(id: &str, result: &str) -> Response {
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}");
    json(StatusCode::OK, body)
}

/// 405: this address accepts POST, and DELETE to end a session.
pub(super) fn method_not_allowed() -> Response {
    let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
    let methods = HeaderValue::from_static("POST, DELETE");
    response.headers_mut().insert(ALLOW, methods);
    response
}

/// 429 in the words of the real server.
pub(super) fn too_many(wait: Duration) -> Response {
    let seconds = whole_seconds(wait);
    let body = json!({
        "error": "rate_limited",
        "message": "Too many requests. Please slow down.",
        "retry_after": seconds,
    });
    let mut response = json(StatusCode::TOO_MANY_REQUESTS, body.to_string());
    response.headers_mut().insert(RETRY_AFTER, seconds.into());
    response
}

/// 401 or 403, for a request without the token or the header that it needs.
pub(super) fn no_access(status: StatusCode) -> Response {
    let mut response = plain_error(status, "this server needs a token");
    if status == StatusCode::UNAUTHORIZED {
        let scheme = HeaderValue::from_static("Bearer");
        response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
    }
    response
}

pub(super) fn plain_error(status: StatusCode, text: &'static str) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response
}

/// A response that promises a body and cuts the connection instead.
pub(super) fn cut_body() -> Response {
    let never =
        futures::stream::once(async { Err::<Bytes, _>(io::Error::other("cut on purpose")) });
    let mut response = json(StatusCode::OK, Body::from_stream(never));
    let promise = HeaderValue::from_static("1000");
    response.headers_mut().insert(CONTENT_LENGTH, promise);
    response
}

/// The answer of an incident to a request like the one that failed.
pub(super) fn replay(replays: &[Incident], request: &[u8]) -> Option<Response> {
    let request = String::from_utf8_lossy(request);
    let incident = replays.iter().find(|incident| incident.answers(&request))?;
    let mut response = Response::builder().status(incident.status);
    for (name, value) in &incident.headers {
        response = response.header(name, value);
    }
    response.body(incident.body_for(&request).into()).ok()
}
