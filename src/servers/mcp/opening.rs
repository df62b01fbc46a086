//! Opens a session: finds out whether a server that is not known does without `initialize`, and
//! remembers it for the endpoint.

use std::time::Duration;

use rmcp::model::{ClientRequest, DiscoverRequest, DiscoverRequestParams, ProtocolVersion};
use serde::Deserialize;
use serde_json::Value;

use super::{
    MAX_ANSWER_BYTES, McpFailure, ServerSession, SessionMode, UpstreamEndpoint, shown_name,
};

/// How long a server without sessions may take to say so. A server that does not know the question
/// may never answer it.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// The JSON-RPC codes with which only servers without sessions refuse a request: its headers contradict
/// it because the tool has changed, a capability is missing, its revision is unknown. Of a server with
/// sessions the first one is an error of its own.
pub const HEADER_MISMATCH: i64 = -32020;
const MISSING_CAPABILITY: i64 = -32021;
pub const UNKNOWN_REVISION: i64 = -32022;
pub(super) const UNKNOWN_METHOD: i64 = -32601;

/// Where in the `_meta` of its answers a server without sessions says who it is.
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// The answer to `server/discover`, as far as it is needed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Discovered {
    supported_versions: Vec<String>,
    #[serde(default, rename = "_meta")]
    meta: Value,
}

impl ServerSession {
    /// Opens a session. A server that is not known yet is asked first whether it does without
    /// `initialize`.
    pub async fn open(endpoint: UpstreamEndpoint) -> Result<ServerSession, McpFailure> {
        let memory = endpoint.mode.clone();
        let known = *memory.lock();
        if known == Some(SessionMode::Sessions) {
            match ServerSession::initialize(endpoint.clone()).await {
                Err(failure) if endpoint.probes && is_without_sessions(&failure) => {
                    *memory.lock() = None;
                }
                opened => return opened,
            }
        }
        let probe = ServerSession::probe(endpoint.clone());
        let refusal = match tokio::time::timeout(PROBE_TIMEOUT, probe).await {
            Ok(Ok(session)) => {
                *memory.lock() = Some(SessionMode::Stateless);
                return Ok(session);
            }
            Ok(Err(failure)) if !may_have_sessions(&failure) => return Err(failure),
            Ok(Err(failure)) => failure,
            Err(_) => McpFailure::TooLate(PROBE_TIMEOUT),
        };
        tracing::debug!(%refusal, "the server is asked for a session");
        match ServerSession::initialize(endpoint.clone()).await {
            Ok(session) => {
                *memory.lock() = Some(SessionMode::Sessions);
                Ok(session)
            }
            // A server without sessions that nothing reaches for the moment.
            Err(failure) if is_without_sessions(&failure) && says_nothing(&refusal) => Err(refusal),
            Err(failure) => Err(endpoint.name_older(failure).await),
        }
    }

    /// Asks a server what it supports. One that refuses the revision names those that it knows, and
    /// is asked once more: some servers only learn from the first refusal what a client speaks.
    async fn probe(endpoint: UpstreamEndpoint) -> Result<ServerSession, McpFailure> {
        match ServerSession::discover(endpoint.clone()).await {
            Err(McpFailure::Refused {
                code: Some(UNKNOWN_REVISION),
                status: 400..,
                ..
            }) => ServerSession::discover(endpoint).await,
            asked => asked,
        }
    }

    /// Asks a server what it supports, in the way of servers without sessions.
    async fn discover(endpoint: UpstreamEndpoint) -> Result<ServerSession, McpFailure> {
        let mut session = ServerSession::new(endpoint, SessionMode::Stateless);
        session.version = ProtocolVersion::V_2026_07_28.as_str().into();
        let params = DiscoverRequestParams {};
        let request = ClientRequest::DiscoverRequest(DiscoverRequest::new(params));
        let result = session.ask(request, MAX_ANSWER_BYTES).await?;
        let found: Discovered = result.read("server/discover")?;
        let mut versions = found.supported_versions.iter();
        if versions.any(|version| **version == *session.version) {
            let about = &found.meta[SERVER_INFO_KEY];
            session.name = about["name"].as_str().and_then(shown_name);
            return Ok(session);
        }
        let known: Vec<&str> = found
            .supported_versions
            .iter()
            .map(|one| &**one)
            .take(8)
            .collect();
        Err(McpFailure::Refused {
            code: Some(UNKNOWN_REVISION),
            message: format!("the server supports {}", known.join(", ")),
            status: 200,
        })
    }
}

/// Whether a refusal of `initialize` means that the server has no sessions.
fn is_without_sessions(failure: &McpFailure) -> bool {
    matches!(
        failure,
        McpFailure::Refused {
            code: Some(UNKNOWN_METHOD | UNKNOWN_REVISION | HEADER_MISMATCH),
            ..
        }
    )
}

/// Whether a server that answered `server/discover` so may be one with sessions, which does not
/// know that request.
fn may_have_sessions(failure: &McpFailure) -> bool {
    match failure {
        McpFailure::Refused { code, .. } => {
            !matches!(code, Some(HEADER_MISMATCH | MISSING_CAPABILITY))
        }
        // Too many requests, or not now: one more would be too much.
        McpFailure::Status {
            retry_after: Some(_),
            ..
        } => false,
        McpFailure::Status { status, .. } => !matches!(status, 408 | 429),
        McpFailure::SessionGone | McpFailure::Broken(_) | McpFailure::TooLate(_) => true,
        McpFailure::RefusedAfterAsking { .. } | McpFailure::Http { .. } => false,
    }
}

/// Whether a refusal says nothing about the request. A gateway may let pass only the requests that it knows,
/// and refuse others so: what the server says to `initialize` decides.
fn says_nothing(failure: &McpFailure) -> bool {
    matches!(
        failure,
        McpFailure::Status {
            status: 401 | 403 | 500..,
            ..
        }
    )
}
