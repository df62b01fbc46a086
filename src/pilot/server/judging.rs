//! Who asks, and whether what is asked may be asked: the key and the checks.

use axum::http::{HeaderMap, header};
use serde_json::{Value, json};

use super::verdict::Verdict;
use super::{Server, wrong_key};
use crate::body::{self, Body};
use crate::books::Line;
use crate::chance::Mix;
use crate::faults::error_body;
use crate::identity;
use crate::request::Request;
use crate::tools::ToolList;
use crate::validate::{Refusal, validate_beside_tools};

/// The longest `user` that is used as a caller's name as it is.
const LONGEST_USER: usize = 64;

/// The books keep no more than so much of the reason of a refusal; it may quote what was sent.
const LONGEST_REASON: usize = 500;

impl Server {
    /// Decides what to answer, and describes the request for the books.
    pub(super) fn judge(&self, headers: &HeaderMap, bytes: &[u8]) -> (Verdict, Line) {
        let parsed = body::read(bytes);
        let tools = parsed
            .as_ref()
            .ok()
            .and_then(|body| body.tools)
            .map(|tools| self.toolshed.look_up(tools.get()));
        let request = read(&parsed, tools.as_deref());
        let mut line = Line {
            caller: caller(headers, parsed.as_ref().ok(), &request),
            agent: identity::agent_name(&request),
            messages: request.entries.len(),
            bytes: bytes.len(),
            body: self.books.keeps_bodies().then(|| kept(bytes)),
            ..Line::default()
        };
        if !self.admits(headers) {
            return (Verdict::refused(401, wrong_key()), line);
        }
        match self.check(&parsed, tools.as_deref()) {
            Ok(body) => {
                line.valid = true;
                (self.answer(body, &request, &line), line)
            }
            Err(refusal) => {
                let param = refusal.param.as_deref();
                let body = error_body(
                    &refusal.message,
                    "invalid_request_error",
                    param,
                    refusal.code,
                );
                let mut reason = param.map_or(String::new(), |param| format!("{param}: "));
                reason.push_str(&refusal.message);
                reason.truncate(reason.floor_char_boundary(LONGEST_REASON));
                line.refusal = Some(reason);
                (Verdict::refused(400, body), line)
            }
        }
    }

    /// The body, if it was JSON and is a valid request.
    fn check<'a>(
        &self,
        parsed: &'a serde_json::Result<Body<'_>>,
        tools: Option<&ToolList>,
    ) -> Result<&'a Value, Refusal> {
        let body = parsed.as_ref().map_err(|error| {
            Refusal::of_body(format!(
                "We could not parse the JSON body of your request: {error}."
            ))
        })?;
        let names = tools.map_or(Ok(None), |tools| tools.names.as_ref().map(Option::as_deref));
        validate_beside_tools(&body.value, names, self.options.strictness)?;
        Ok(&body.value)
    }
}

/// The request as the player will see it; an empty one where it cannot be read.
fn read<'a>(parsed: &'a serde_json::Result<Body<'_>>, tools: Option<&'a ToolList>) -> Request<'a> {
    let request = parsed
        .as_ref()
        .map(|body| Request::read(&body.value))
        .unwrap_or_default();
    let names = tools.and_then(|tools| tools.names.as_ref().ok()?.as_ref());
    Request {
        tools: names.into_iter().flatten().map(String::as_str).collect(),
        ..request
    }
}

/// The body as the record keeps it.
fn kept(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|_| json!(String::from_utf8_lossy(bytes)))
}

/// Tells callers apart without giving their keys away: by key, and by `user` or else by the first line of the prompt.
fn caller(headers: &HeaderMap, body: Option<&Body<'_>>, request: &Request<'_>) -> String {
    let hash = |text: &str| format!("{:012x}", Mix::new(0).text(text).bits() >> 16);
    let user = body.and_then(|body| body.value["user"].as_str());
    let first_line = request
        .system_texts()
        .next()
        .and_then(|prompt| prompt.lines().next());
    let agent = match (user, first_line) {
        (Some(user), _) if user.len() <= LONGEST_USER => format!("user:{user}"),
        (Some(user), _) => format!("user:{}", hash(user)),
        (None, Some(line)) => format!("prompt:{}", hash(line)),
        (None, None) => "nobody".to_owned(),
    };
    let key = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    key.map_or(agent.clone(), |key| format!("key:{} {agent}", hash(key)))
}
