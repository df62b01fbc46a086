//! Classifies failures of MCP requests, above all by whether the call may have been executed.

use std::time::Duration;

use actors::domain::bounds::{self, MAX_REFUSAL_BYTES, MAX_RETRY_AFTER};
use actors::ports::{LinkFault, TaskNews};
use zoea_http::waits::first_duration;
use zoea_mcp::{HEADER_MISMATCH, McpFailure, UNKNOWN_REVISION};

use super::{REQUEST_CODES, session_health};

/// The JSON-RPC code for an unknown session.
const NO_SESSION_CODE: i64 = -32600;
/// The JSON-RPC code that the SDKs send with HTTP 404 for an unknown session, and SpaceMolt without.
/// Other servers have it for other errors.
const OWN_ERROR_CODE: i64 = -32001;
/// The JSON-RPC code with which SpaceMolt's second interface limits requests. Its text tells the
/// seconds.
const LIMITED_CODE: i64 = -32029;
/// The HTTP status for a request that took too long, which the official Python SDK also has as a
/// JSON-RPC code.
const TIMEOUT_STATUS: u16 = 408;
/// The words with which servers say that what is behind them did not answer, or is gone amid a call.
const LOST_ANSWER_WORDS: [&str; 7] = [
    "timed out",
    "timeout",
    "connection closed",
    "connection reset",
    "econnreset",
    "socket hang up",
    "fetch failed",
];
/// The JSON-RPC codes for a request that was refused before anything of it was done.
const NOT_BEGUN_CODES: [i64; 5] = [-32700, -32600, -32601, -32602, LIMITED_CODE];
/// The first JSON-RPC code of a server's own errors.
const SERVER_ERROR_CODE: i64 = -32000;

pub(super) fn call_fault(failure: McpFailure) -> LinkFault {
    let text = bounds::bounded_text(failure.to_string(), MAX_REFUSAL_BYTES);
    match failure {
        McpFailure::Refused {
            code: Some(code),
            status,
            message,
        } if is_session_lost(code, status, &message) => LinkFault::SessionLost(text),
        McpFailure::Refused {
            status: TIMEOUT_STATUS,
            ..
        } => LinkFault::AnswerLost(text),
        McpFailure::Refused {
            code: Some(code),
            message,
            ..
        }
        | McpFailure::RefusedAfterAsking {
            code: Some(code),
            message,
        } if leaves_open(code, &message) => LinkFault::AnswerLost(text),
        McpFailure::Refused {
            code: Some(LIMITED_CODE),
            ..
        } => LinkFault::Limited {
            retry_after: first_duration(&text).map(|wait| wait.min(MAX_RETRY_AFTER)),
            text,
        },
        McpFailure::Refused { .. } | McpFailure::RefusedAfterAsking { .. } => {
            LinkFault::Refused(text)
        }
        McpFailure::SessionGone => LinkFault::SessionLost(text),
        McpFailure::Status {
            status,
            retry_after,
            ..
        } => status_fault(status, &text, retry_after),
        McpFailure::Http { error, .. } => match zoea_http::descriptor_advice(&error) {
            Some(advice) => LinkFault::Unreachable(advice),
            None if error.is_connect() => LinkFault::Unreachable(text),
            // A server that redirects a request has not executed it.
            None if error.is_redirect() => LinkFault::Refused(format!("{text} (mcp.upstream)")),
            None => LinkFault::AnswerLost(text),
        },
        McpFailure::Broken(_) | McpFailure::TooLate(_) => LinkFault::AnswerLost(text),
    }
}

/// Classifies a failure of a request that only reads. Where the server refuses that, whatever it
/// says, it may not know the session.
pub(super) fn reading_fault(failure: McpFailure) -> LinkFault {
    let is_refused = session_health::is_refused(&failure);
    let fault = call_fault(failure);
    if is_refused && let LinkFault::Refused(why) | LinkFault::AnswerLost(why) = &fault {
        return LinkFault::SessionLost(why.clone());
    }
    fault
}

/// Classifies a failed question about a task. A server that refuses the id, or the method, does not
/// know the task any more. Any other refusal decides nothing about the task.
pub(super) fn task_fault(failure: McpFailure) -> Result<TaskNews, LinkFault> {
    let is_unknown = matches!(&failure, McpFailure::Refused { code: Some(code), .. } if REQUEST_CODES.contains(code));
    if is_unknown {
        let text = bounds::bounded_text(failure.to_string(), MAX_REFUSAL_BYTES);
        return Ok(TaskNews::Unknown(format!(
            "the server does not know it any more ({text})"
        )));
    }
    // A question changes nothing: a server that is unavailable is away, and can be asked later.
    if matches!(&failure, McpFailure::Status { status: 503, .. }) {
        return Err(LinkFault::Unreachable(failure.to_string()));
    }
    Err(call_fault(failure))
}

/// Classifies a failure to open a session. No game command was executed.
pub(super) fn opening_fault(failure: McpFailure) -> LinkFault {
    let fault = call_fault(failure);
    match fault {
        LinkFault::Limited { .. } | LinkFault::Restarting { .. } | LinkFault::NoAccess(_) => fault,
        LinkFault::Unreachable(why)
        | LinkFault::SessionLost(why)
        | LinkFault::Refused(why)
        | LinkFault::AnswerLost(why) => LinkFault::Unreachable(why),
    }
}

/// Whether a JSON-RPC error leaves open what became of the request: what is behind the server, or the
/// tool itself, may have been at work on it.
pub(super) fn leaves_open(code: i64, message: &str) -> bool {
    let own = [OWN_ERROR_CODE, HEADER_MISMATCH, i64::from(TIMEOUT_STATUS)];
    own.contains(&code) || (says_lost(message) && !NOT_BEGUN_CODES.contains(&code))
}

fn says_lost(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    LOST_ANSWER_WORDS.iter().any(|it| message.contains(it))
}

/// Whether a JSON-RPC error means that the session is lost. But for the code that servers also have for
/// errors of their own, the error's text does not count, because it may be about other sessions, for example the game's
/// own. With HTTP 400, -32000 is how servers on the official SDK refuse a request without a session
/// or with one that is not initialised. A server that does not know the revision of the request has
/// moved to another one, which opening a session finds out.
fn is_session_lost(code: i64, status: u16, message: &str) -> bool {
    match code {
        NO_SESSION_CODE | UNKNOWN_REVISION => true,
        OWN_ERROR_CODE if says_lost(message) || status == TIMEOUT_STATUS => false,
        OWN_ERROR_CODE => status >= 400 || names_a_session(message),
        SERVER_ERROR_CODE => status == 400,
        _ => false,
    }
}

/// Whether an error that a server also has for other troubles is about a session.
pub(super) fn names_a_session(message: &str) -> bool {
    message.to_ascii_lowercase().contains("session") && !says_lost(message)
}

/// Classifies an HTTP status by whether the server may have executed the request. Every 5xx may come
/// from a gateway that lost the server amid the call, also one that says when to come back.
fn status_fault(status: u16, text: &str, retry_after: Option<Duration>) -> LinkFault {
    match status {
        401 | 403 => LinkFault::NoAccess(format!(
            "{text}; the server refuses access: see token_env, token_name and headers under [mcp]; a change of \
             them takes a restart"
        )),
        429 => LinkFault::Limited {
            text: format!("HTTP {status}: too many requests"),
            retry_after: retry_after.map(|wait| wait.min(MAX_RETRY_AFTER)),
        },
        TIMEOUT_STATUS => LinkFault::AnswerLost(text.to_string()),
        300..=499 => LinkFault::Refused(text.to_string()),
        _ => LinkFault::AnswerLost(text.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: i64, message: &str, status: u16) -> LinkFault {
        call_fault(McpFailure::Refused {
            code: Some(code),
            message: message.to_string(),
            status,
        })
    }

    #[test]
    fn a_limit_tells_its_seconds() {
        let wait = |text: &str| {
            let LinkFault::Limited { retry_after, .. } = error(-32029, text, 200) else {
                panic!("{text} is no limit");
            };
            retry_after
        };
        let waited = wait("Too many requests. Retry in 7 seconds.");
        assert_eq!(waited, Some(Duration::from_secs(7)));
        assert_eq!(wait("Too many requests."), None);
        assert_eq!(wait("Retry in 99999999 seconds"), Some(MAX_RETRY_AFTER));
    }

    #[test]
    fn a_lost_session_is_told_by_status_and_code_and_never_by_a_word() {
        for lost in [
            error(-32600, "Session not initialized", 200),
            error(-32001, "expired", 404),
            error(-32001, "Session not found", 200),
            error(-32001, "Session expired (server may have restarted)", 200),
            error(-32000, "Bad Request: No valid session ID provided", 400),
            error(-32022, "Unsupported protocol version", 400),
            call_fault(McpFailure::SessionGone),
        ] {
            assert!(matches!(lost, LinkFault::SessionLost(_)), "{lost}");
        }
        for refused in [
            error(-32602, "unknown tool", 200),
            error(-32000, "the jam session is full", 200),
            error(-32603, "session not initialized", 200),
            error(-32602, "no such session: pick another table", 400),
        ] {
            assert!(matches!(refused, LinkFault::Refused(_)), "{refused}");
        }
    }

    #[test]
    fn a_server_that_gave_up_waiting_for_its_own_server_has_not_lost_the_session() {
        for (code, text) in [
            (-32001, "MCP error -32001: Request timed out"),
            (-32001, "MCP error -32001: Maximum total timeout exceeded"),
            (
                408,
                "Timed out while waiting for response to ClientRequest.",
            ),
            (-32000, "Tool 'sell' execution timed out after 5s"),
            (-32603, "upstream request timeout"),
            (-32000, "MCP error -32000: Connection closed"),
            (-32001, "Session request timed out"),
            (-32603, "fetch failed: ECONNRESET"),
            (-32001, "Tool cancelled (SIGTERM)"),
            (-32020, "the hold was half full"),
        ] {
            let fault = error(code, text, 200);
            assert!(matches!(fault, LinkFault::AnswerLost(_)), "{fault}");
        }
        let fault = error(-32001, "MCP error -32001: Request timed out", 400);
        assert!(matches!(fault, LinkFault::AnswerLost(_)), "{fault}");
        let fault = error(-32029, "Too many requests until the timeout", 200);
        assert!(matches!(fault, LinkFault::Limited { .. }), "{fault}");
        let fault = error(-32602, "`timeout` is no argument", 200);
        assert!(matches!(fault, LinkFault::Refused(_)), "{fault}");
    }

    #[test]
    fn only_what_cannot_have_been_executed_is_called_so() {
        for status in [408, 503, 504] {
            let soon = Some(Duration::from_secs(1));
            assert!(matches!(
                status_fault(status, "", soon),
                LinkFault::AnswerLost(_)
            ));
        }
        assert!(matches!(
            status_fault(500, "", None),
            LinkFault::AnswerLost(_)
        ));
        assert!(matches!(
            status_fault(502, "", None),
            LinkFault::AnswerLost(_)
        ));
        for denied in [401, 403] {
            let fault = status_fault(denied, "no", None);
            assert!(matches!(fault, LinkFault::NoAccess(_)), "{denied}");
        }
        for refused in [307, 400, 404, 413] {
            let fault = status_fault(refused, "no", None);
            assert!(matches!(fault, LinkFault::Refused(_)), "{refused}");
        }
        assert_eq!(
            status_fault(429, "", Some(Duration::from_secs(54))),
            LinkFault::Limited {
                text: "HTTP 429: too many requests".to_string(),
                retry_after: Some(Duration::from_secs(54)),
            }
        );
        let endless = status_fault(429, "", Some(Duration::MAX));
        let LinkFault::Limited { retry_after, .. } = endless else {
            panic!("{endless:?}");
        };
        assert_eq!(retry_after, Some(MAX_RETRY_AFTER));
    }
}
