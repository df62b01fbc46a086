//! Faults that replace the model's answer by an HTTP error.

use std::time::Duration;

use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr};

use crate::request::{ChatEntry, PilotRequest};

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ReplacementFault {
    /// 429 in OpenAI's form.
    #[strum(serialize = "http-429")]
    Http429 {
        /// The seconds of `Retry-After`; none where the header is not sent.
        retry_after: Option<u64>,
    },
    /// 429 with a body that is not JSON.
    #[strum(serialize = "text-429")]
    Text429,
    #[strum(serialize = "http-500")]
    Http500,
    #[strum(serialize = "http-503")]
    Http503,
    #[strum(serialize = "http-401")]
    Http401,
    /// 400 with the code `context_length_exceeded`.
    ContextLength {
        /// The longest request that is still accepted, in tokens.
        tokens: u64,
    },
    /// 400 to a system message.
    NoSystem,
    /// 400 to results of tools.
    NoToolRole,
    /// 400 to tools on offer.
    NoTools,
    /// 503 for a span of time.
    Outage {
        /// The beginning of the span, counted from the server's start.
        after: Duration,
        length: Duration,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ErrorReply {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<u64>,
    /// JSON, or a string that is sent unchanged.
    pub(crate) body: Value,
}

pub(crate) fn error_body(
    message: &str,
    kind: &str,
    param: Option<&str>,
    code: Option<&str>,
) -> Value {
    json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
}

pub(crate) fn invalid_request(message: &str, code: Option<&str>) -> Value {
    error_body(message, "invalid_request_error", None, code)
}

pub(crate) fn wrong_key() -> Value {
    invalid_request("Incorrect API key provided.", Some("invalid_api_key"))
}

impl ErrorReply {
    fn plain(status: u16, body: Value) -> ErrorReply {
        ErrorReply {
            status,
            retry_after: None,
            body,
        }
    }

    fn of(status: u16, message: &str, kind: &str, code: Option<&str>) -> ErrorReply {
        ErrorReply::plain(status, error_body(message, kind, None, code))
    }
}

impl ReplacementFault {
    /// The error for a request of this many tokens; none where the fault does not apply to it.
    pub(crate) fn error_reply(
        self,
        request: &PilotRequest<'_>,
        prompt_tokens: u64,
    ) -> Option<ErrorReply> {
        match self {
            Self::Http429 { retry_after } => Some(ErrorReply {
                retry_after,
                ..ErrorReply::of(
                    429,
                    "Rate limit reached for requests. Please try again later.",
                    "requests",
                    Some("rate_limit_exceeded"),
                )
            }),
            Self::Text429 => Some(ErrorReply::plain(429, Value::from("Too Many Requests\n"))),
            Self::Http500 => Some(ErrorReply::of(
                500,
                "The server had an error while processing your request. Sorry about that!",
                "server_error",
                None,
            )),
            Self::Http503 | Self::Outage { .. } => Some(ErrorReply::of(
                503,
                "The engine is currently overloaded, please try again later.",
                "service_unavailable",
                None,
            )),
            Self::Http401 => Some(ErrorReply::plain(401, wrong_key())),
            Self::ContextLength { tokens } if prompt_tokens > tokens => {
                let body = context_length_error(tokens, prompt_tokens);
                Some(ErrorReply::plain(400, body))
            }
            Self::ContextLength { .. } => None,
            Self::NoSystem => {
                let is_first = matches!(request.entries.first(), Some(ChatEntry::System(_)));
                is_first.then(|| refusal_of_roles("System role not supported"))
            }
            Self::NoToolRole => {
                let is_result = |entry: &ChatEntry<'_>| matches!(entry, ChatEntry::Result { .. });
                let has_results = request.entries.iter().any(is_result);
                has_results
                    .then(|| refusal_of_roles("Only user and assistant roles are supported!"))
            }
            Self::NoTools => (!request.tools.is_empty()).then(|| {
                refusal_of_roles("registry.ollama.ai/library/pilot does not support tools")
            }),
        }
    }
}

fn refusal_of_roles(message: &str) -> ErrorReply {
    ErrorReply::plain(400, invalid_request(message, None))
}

fn context_length_error(most: u64, prompt_tokens: u64) -> Value {
    error_body(
        &format!(
            "This model's maximum context length is {most} tokens. However, your messages resulted in {prompt_tokens} \
             tokens. Please reduce the length of the messages."
        ),
        "invalid_request_error",
        Some("messages"),
        Some("context_length_exceeded"),
    )
}
