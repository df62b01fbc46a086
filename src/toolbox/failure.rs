//! Failures: what went wrong with an MCP request, and above all whether it may have been executed.

use std::time::Duration;

use actors::ports::LinkFault;
use rmcp::model::ErrorData;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::mcp::Failure;

type HttpError = StreamableHttpError<reqwest::Error>;

/// Why a call, or the list of tools, did not come back.
pub(super) fn of_call(failure: Failure) -> LinkFault {
    match failure {
        Failure::Refused(error) => refused(&error),
        Failure::Http(error) => of_http(error),
        Failure::Broken(_) | Failure::TooLate(_) => LinkFault::AnswerLost(failure.to_string()),
    }
}

/// Why a session did not open. Nothing that matters was executed.
pub(super) fn of_opening(failure: Failure) -> LinkFault {
    let fault = of_call(failure);
    match fault {
        LinkFault::Limited { .. } | LinkFault::Restarting { .. } => fault,
        LinkFault::Unreachable(why)
        | LinkFault::SessionLost(why)
        | LinkFault::Refused(why)
        | LinkFault::AnswerLost(why) => LinkFault::Unreachable(why),
    }
}

/// A JSON-RPC error: the server says no, or does not know the session.
fn refused(error: &ErrorData) -> LinkFault {
    let text = error.message.to_lowercase();
    let is_session = matches!(error.code.0, -32600 | -32001)
        || text.contains("session")
        || text.contains("not initialized");
    let text = format!("{} ({})", error.message, error.code.0);
    if is_session {
        LinkFault::SessionLost(text)
    } else {
        LinkFault::Refused(text)
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "rmcp's list of failures is open; what is not known may have been executed"
)]
fn of_http(error: HttpError) -> LinkFault {
    match error {
        StreamableHttpError::Client(error) if error.is_connect() => {
            LinkFault::Unreachable(crate::http::plain(error))
        }
        StreamableHttpError::Client(error) => LinkFault::AnswerLost(crate::http::plain(error)),
        StreamableHttpError::SessionExpired => {
            LinkFault::SessionLost("the server does not know the session".to_string())
        }
        StreamableHttpError::HttpStatus(status) => {
            of_status(status.status, status.retry_after.as_deref())
        }
        StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 4") => {
            LinkFault::Refused(text.into_owned())
        }
        StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_) => {
            LinkFault::Refused("the server wants an authorization that zoea has not".to_string())
        }
        other => LinkFault::AnswerLost(other.to_string()),
    }
}

/// A status says whether the request reached whoever would have executed it.
fn of_status(status: u16, retry_after: Option<&str>) -> LinkFault {
    let text = format!("HTTP {status}");
    match status {
        429 => LinkFault::Limited {
            text: format!("{text}: too many requests"),
            retry_after: retry_after
                .and_then(|text| text.trim().parse().ok())
                .map(Duration::from_secs),
        },
        503 => LinkFault::Unreachable(format!("{text}: the server is unavailable")),
        _ => LinkFault::AnswerLost(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ErrorCode;

    fn error(code: i32, message: &'static str) -> Failure {
        Failure::Refused(ErrorData::new(ErrorCode(code), message, None))
    }

    #[test]
    fn a_lost_session_is_told_from_a_refusal() {
        for lost in [
            error(-32600, "Session not initialized"),
            error(-32001, "expired"),
            error(-32000, "Bad Request: No valid session ID provided"),
        ] {
            assert!(matches!(of_call(lost), LinkFault::SessionLost(_)));
        }
        assert!(matches!(
            of_call(error(-32602, "unknown tool")),
            LinkFault::Refused(_)
        ));
    }

    #[test]
    fn only_what_cannot_have_been_executed_is_called_so() {
        assert!(matches!(of_status(503, None), LinkFault::Unreachable(_)));
        assert!(matches!(of_status(500, None), LinkFault::AnswerLost(_)));
        assert!(matches!(of_status(502, None), LinkFault::AnswerLost(_)));
        assert_eq!(
            of_status(429, Some("54")),
            LinkFault::Limited {
                text: "HTTP 429: too many requests".to_string(),
                retry_after: Some(Duration::from_secs(54)),
            }
        );
    }
}
