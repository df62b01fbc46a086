//! Classifies failures of model calls by whether another attempt can help (DESIGN 2).

use std::time::{Duration, SystemTime};

use actors::domain::bounds::MAX_RETRY_AFTER;
use actors::domain::model::ModelFault;
use actors::domain::redact::Redactor;
use async_openai::error::OpenAIError;
use serde_json::Value;
use thiserror::Error;

use super::error_hints;

/// A failure with an HTTP status.
#[derive(Debug, Error)]
#[error("HTTP {status}")]
pub(super) struct HttpFailure {
    pub(super) status: u16,
    pub(super) retry_after: Option<Duration>,
    pub(super) body: String,
}

/// The answer could not be read to its end.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct BadBody(pub(super) String);

/// The pause in the `Retry-After` header: seconds or a date. Some servers add milliseconds in
/// another header.
pub(super) fn retry_after(headers: &http::HeaderMap, now: SystemTime) -> Option<Duration> {
    requested_wait(headers, now).map(|wait| wait.min(MAX_RETRY_AFTER))
}

fn requested_wait(headers: &http::HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.trim().parse().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let value = text("retry-after")?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        // A value that is not a possible number of seconds is ignored.
        let is_long = seconds > MAX_RETRY_AFTER.as_secs_f64();
        return match is_long {
            true => Some(MAX_RETRY_AFTER),
            false => Duration::try_from_secs_f64(seconds).ok(),
        };
    }
    let date = chrono::DateTime::parse_from_rfc2822(value).ok()?;
    SystemTime::from(date).duration_since(now).ok()
}

/// Classifies an error. Secrets are removed from the server's text before it is cut, because a cut
/// secret could not be recognised.
pub(super) fn to_model_fault(error: OpenAIError, secrets: &Redactor) -> ModelFault {
    match error {
        OpenAIError::Boxed(error) => match error.downcast::<HttpFailure>() {
            Ok(failure) => {
                let body = secrets.clean(&failure.body);
                refusal_fault(failure.status, &body, failure.retry_after)
            }
            Err(error) => transient_fault(error.to_string()),
        },
        OpenAIError::Reqwest(error) => connection_fault(error),
        OpenAIError::JSONDeserialize(error, body) => transient_fault(format!(
            "the answer is no JSON ({error}): {}",
            excerpt(&secrets.clean(&body))
        )),
        OpenAIError::ApiError(error) => transient_fault(error.to_string()),
        OpenAIError::InvalidArgument(why) => ModelFault::Permanent { text: why },
        OpenAIError::StreamError(error) => transient_fault(error.to_string()),
        OpenAIError::FileSaveError(why) | OpenAIError::FileReadError(why) => transient_fault(why),
    }
}

fn transient_fault(text: String) -> ModelFault {
    ModelFault::Transient {
        text,
        retry_after: None,
    }
}

fn connection_fault(error: reqwest::Error) -> ModelFault {
    if let Some(text) = zoea_http::descriptor_advice(&error) {
        return ModelFault::NoDescriptor { text };
    }
    let (is_connect, is_redirect) = (error.is_connect(), error.is_redirect());
    let text = zoea_http::error_text(error);
    if is_connect {
        let text = format!("the provider cannot be reached ({text}); is its server running?");
        return ModelFault::Unreachable { text };
    }
    if is_redirect {
        return ModelFault::Permanent {
            text: format!("{text} (the provider's endpoint)"),
        };
    }
    transient_fault(format!("the answer could not be had: {text}"))
}

/// Classifies a refusal by its status. A wrong request is not repeated.
pub(super) fn refusal_fault(status: u16, body: &str, retry_after: Option<Duration>) -> ModelFault {
    let text = format!("HTTP {status}: {}", server_message(body));
    // A 429 may mention tokens, too, but those are tokens per minute.
    if status != 429 && error_hints::is_too_long(body) {
        return ModelFault::TooLong { text };
    }
    let may_pass = status >= 500 || matches!(status, 408 | 409 | 425 | 429);
    if may_pass {
        return ModelFault::Transient { text, retry_after };
    }
    let advice = match status {
        401 | 403 => "; check the provider's api_key_env or api_key_name",
        404 => "; check the provider's endpoint and model",
        _ => "",
    };
    ModelFault::Permanent {
        text: format!("{text}{advice}"),
    }
}

/// The server's own message, wherever it is in the body.
fn server_message(body: &str) -> String {
    let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    let found = ["/error/message", "/error", "/message", "/detail"]
        .into_iter()
        .find_map(|path| value.pointer(path).and_then(Value::as_str));
    // A router keeps the message of the server behind it in another member.
    let raw = value.pointer("/error/metadata/raw").and_then(Value::as_str);
    match (found, raw) {
        (Some(found), Some(raw)) => excerpt(&format!("{found}: {raw}")),
        (Some(text), None) | (None, Some(text)) => excerpt(text),
        (None, None) => excerpt(body),
    }
}

fn excerpt(text: &str) -> String {
    match zoea_http::excerpt(text) {
        shown if shown.is_empty() => "(no text)".to_string(),
        shown => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_again_and_what_is_wrong_is_not() {
        for status in [408, 429, 500, 502, 503, 529] {
            let fault = refusal_fault(status, "", None);
            assert!(matches!(fault, ModelFault::Transient { .. }), "{status}");
        }
        for status in [400, 401, 403, 404, 422] {
            let fault = refusal_fault(status, "", None);
            assert!(matches!(fault, ModelFault::Permanent { .. }), "{status}");
        }
    }

    #[test]
    fn the_servers_words_are_found_in_every_form() {
        for (body, words) in [
            (r#"{"error":{"message":"no such model"}}"#, "no such model"),
            (r#"{"error":"overloaded"}"#, "overloaded"),
            (r#"{"detail":"nope"}"#, "nope"),
            ("plain text", "plain text"),
            ("", "(no text)"),
        ] {
            assert_eq!(server_message(body), words);
        }
    }

    #[test]
    fn retry_after_is_read_as_seconds_milliseconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_773_254_520);
        let after = |name: &'static str, value: &'static str| {
            let mut headers = http::HeaderMap::new();
            headers.insert(name, http::HeaderValue::from_static(value));
            retry_after(&headers, now)
        };
        assert_eq!(after("retry-after", "54"), Some(Duration::from_secs(54)));
        assert_eq!(
            after("retry-after-ms", "20"),
            Some(Duration::from_millis(20))
        );
        assert_eq!(
            after("retry-after", "Wed, 11 Mar 2026 18:42:30 GMT"),
            Some(Duration::from_secs(30))
        );
        assert_eq!(after("retry-after", "soon"), None);
        let longest = Some(MAX_RETRY_AFTER);
        for (name, value, expected) in [
            ("retry-after", "18446744073709551615", longest),
            ("retry-after", "1e308", longest),
            ("retry-after", "inf", longest),
            ("retry-after-ms", "18446744073709551615", longest),
            ("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", longest),
            ("retry-after", "Fri, 31 Dec 99999 23:59:59 GMT", longest),
            ("retry-after", "Fri, 01 Jan 0000 00:00:00 GMT", None),
            ("retry-after", "NaN", None),
            ("retry-after", "-1", None),
            ("retry-after", "-1e308", None),
        ] {
            assert_eq!(after(name, value), expected, "{name}: {value}");
        }
    }
}
