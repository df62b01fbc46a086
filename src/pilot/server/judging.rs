//! Who asks, and whether what is asked may be asked: the key and the checks.

use axum::http::{HeaderMap, header};
use serde_json::{Value, json};

use super::verdict::Verdict;
use super::{Server, wrong_key};
use crate::pilot::body;
use crate::pilot::books::Line;
use crate::pilot::chance::Mix;
use crate::pilot::faults::error_body;
use crate::pilot::identity;
use crate::pilot::request::Request;
use crate::pilot::validate::{Refusal, validate_with};

/// The longest `user` that is used as a caller's name as it is.
const LONGEST_USER: usize = 64;

impl Server {
    /// Decides what to answer, and describes the request for the books.
    pub(super) fn judge(&self, headers: &HeaderMap, bytes: &[u8]) -> (Verdict, Line) {
        let parsed = body::read(bytes);
        let mut line = self.describe(headers, bytes, parsed.as_ref().ok());
        if !self.admits(headers) {
            return (Verdict::refused(401, wrong_key()), line);
        }
        let checked = parsed
            .map_err(|error| {
                Refusal::of_body(format!(
                    "We could not parse the JSON body of your request: {error}."
                ))
            })
            .and_then(|body| validate_with(&body, self.options.strictness).map(|()| body));
        match checked {
            Ok(body) => {
                line.valid = true;
                (self.answer(&body, &line), line)
            }
            Err(refusal) => {
                let param = refusal.param.as_deref();
                let body = error_body(
                    &refusal.message,
                    "invalid_request_error",
                    param,
                    refusal.code,
                );
                line.refusal = Some(match param {
                    Some(param) => format!("{param}: {}", refusal.message),
                    None => refusal.message,
                });
                (Verdict::refused(400, body), line)
            }
        }
    }

    fn describe(&self, headers: &HeaderMap, bytes: &[u8], body: Option<&Value>) -> Line {
        let request = body.map(Request::read).unwrap_or_default();
        Line {
            caller: caller(headers, body, &request),
            agent: identity::agent_name(&request),
            messages: request.entries.len(),
            bytes: bytes.len(),
            body: self.books.keeps_bodies().then(|| {
                serde_json::from_slice(bytes)
                    .unwrap_or_else(|_| json!(String::from_utf8_lossy(bytes)))
            }),
            ..Line::default()
        }
    }
}

/// Tells callers apart without giving their keys away: by key, and by `user` or else by the first line of the prompt.
fn caller(headers: &HeaderMap, body: Option<&Value>, request: &Request<'_>) -> String {
    let hash = |text: &str| format!("{:012x}", Mix::new(0).text(text).bits() >> 16);
    let user = body.and_then(|body| body["user"].as_str());
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
