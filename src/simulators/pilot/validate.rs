//! The strict reader of chat requests: it refuses, with the reason, everything that a known server
//! refuses.
//!
//! It knows nothing of the rest of the program, so it can check independently what the program
//! sends. The simulated model server and the tests use it alike. `docs/REQUEST-SHAPE.md` names the
//! servers with each demand.

mod calls;
mod fields;
mod messages;
mod pairing;
mod roles;
mod tools;

pub(super) use tools::tool_names;

use serde_json::{Map, Value};
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct RequestRefusal {
    pub message: String,
    /// The path of the offending value, as in `messages.[3].tool_calls.[0].id`.
    pub param: Option<String>,
    /// The code for programs, where OpenAI has one.
    pub code: Option<&'static str>,
}

impl RequestRefusal {
    pub(super) fn at(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            param: Some(param.into()),
            code: None,
        }
    }

    pub(super) fn of_body(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            param: None,
            code: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// The demands of strict servers: one system message, alternating roles, no text of white space
    /// alone, and only the fields that OpenAI defines for a role (so no `reasoning_content`).
    #[default]
    Strict,
    /// The same, and a message of the model between a result and a user's message, as Mistral's
    /// interface demands.
    Strictest,
    OpenAi,
}

/// Checks a request by the demands of strict servers, but for those that are learnt from a refusal.
///
/// # Errors
/// The first mistake in it.
pub fn validate(body: &Value) -> Result<(), RequestRefusal> {
    validate_with(body, Strictness::default())
}

/// Checks a request by these demands.
///
/// # Errors
/// The first mistake in it.
pub fn validate_with(body: &Value, strictness: Strictness) -> Result<(), RequestRefusal> {
    let names = tool_names(body.get("tools"));
    let names = names.as_ref().map(Option::as_deref);
    validate_beside_tools(body, names, strictness)
}

/// Checks a request whose tools have been read separately; `names` is the result of `tool_names`.
pub(super) fn validate_beside_tools<N: AsRef<str>>(
    body: &Value,
    names: Result<Option<&[N]>, &RequestRefusal>,
    strictness: Strictness,
) -> Result<(), RequestRefusal> {
    let body = body
        .as_object()
        .ok_or_else(|| RequestRefusal::of_body("The request body must be a JSON object."))?;
    check_model(body)?;
    let messages = body
        .get("messages")
        .ok_or_else(|| RequestRefusal::at("messages", "Missing required parameter: 'messages'."))?
        .as_array()
        .ok_or_else(|| RequestRefusal::at("messages", "'messages' must be an array."))?;
    messages::check_messages(messages, strictness)?;
    pairing::check_pairing(messages)?;
    match strictness {
        Strictness::Strict => roles::check_roles(messages, true)?,
        Strictness::Strictest => roles::check_roles(messages, false)?,
        Strictness::OpenAi => {}
    }
    tools::check_use(body, names.map_err(RequestRefusal::clone)?)?;
    fields::check_fields(body)
}

fn check_model(body: &Map<String, Value>) -> Result<(), RequestRefusal> {
    match body.get("model").and_then(Value::as_str) {
        Some(model) if !model.is_empty() => Ok(()),
        Some(_) => Err(RequestRefusal::at("model", "'model' must not be empty.")),
        None => Err(RequestRefusal::at(
            "model",
            "you must provide a model parameter",
        )),
    }
}

fn is_function_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

#[cfg(test)]
mod tests;
