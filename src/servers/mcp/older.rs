//! Recognises servers of the transport before (HTTP+SSE of 2024-11-05), which zoea does not speak, so
//! that the operator reads what they are.

use std::time::Duration;

use rmcp::transport::common::http_header::EVENT_STREAM_MIME_TYPE;
use tokio::time::timeout;

use super::{McpFailure, UpstreamEndpoint};

/// How long a server may take to name the address for messages, which it does at once.
const LOOK_TIMEOUT: Duration = Duration::from_secs(5);
/// The most bytes that are read for it.
const MAX_LOOK_BYTES: usize = 4 << 10;

impl UpstreamEndpoint {
    /// What is told where a session cannot be opened: the failure itself, or that the server is one
    /// of 2024. Such a server takes no message at its address, and says where it does on a stream.
    pub(super) async fn name_older(&self, failure: McpFailure) -> McpFailure {
        let may_be = match &failure {
            McpFailure::Status { status, .. } => {
                matches!(status, 400..=499) && !matches!(status, 401 | 403 | 408 | 429)
            }
            McpFailure::Refused { status, .. } => matches!(status, 400..=499),
            McpFailure::Broken(_) | McpFailure::TooLate(_) => true,
            McpFailure::RefusedAfterAsking { .. }
            | McpFailure::SessionGone
            | McpFailure::Http { .. } => false,
        };
        match may_be && timeout(LOOK_TIMEOUT, self.names_an_address()).await == Ok(true) {
            true => McpFailure::Broken(
                "the server speaks MCP over HTTP+SSE, the transport of 2024, which zoea does not: give its \
                 address for Streamable HTTP as upstream under [mcp] (often /mcp in place of /sse), or start a \
                 bridge: command = [\"npx\", \"-y\", \"mcp-remote\", \"URL\"]"
                    .to_string(),
            ),
            false => failure,
        }
    }

    /// Whether a stream at the address begins as those of 2024 do.
    async fn names_an_address(&self) -> bool {
        let request = self.http.get(&*self.url);
        let request = request.header("accept", EVENT_STREAM_MIME_TYPE);
        let Ok(mut response) = self.with_access(request).send().await else {
            return false;
        };
        let mut read = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            read.extend_from_slice(&chunk);
            let text = String::from_utf8_lossy(&read);
            let is_named = |line: &str| {
                let event = line.strip_prefix("event:");
                event.is_some_and(|event| event.trim() == "endpoint")
            };
            if text.lines().any(is_named) {
                return true;
            }
            if read.len() > MAX_LOOK_BYTES {
                return false;
            }
        }
        false
    }
}
