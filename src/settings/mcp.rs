//! `[mcp]`: the upstream MCP server, which is the game.

use std::time::Duration;

use super::rule::{Time, WebUrl, WholeNumber};
use super::section::Section;

/// The upstream MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpSettings {
    /// Its URL; none where the file says `""`. `ZOEA_MCP_ENDPOINT` overrides it.
    pub upstream: Option<String>,
    /// How long one tool call may take, above zero.
    pub tool_timeout: Duration,
    /// The waits before each further try of a call that may safely be repeated.
    pub retry: Vec<Duration>,
    /// Initialise, login and register together, for this machine and all Myses, 1 to 1000000.
    pub logins_per_minute: u32,
}

impl Default for McpSettings {
    fn default() -> Self {
        Self {
            upstream: Some("https://game.spacemolt.com/mcp".to_owned()),
            tool_timeout: Duration::from_secs(600),
            retry: [2, 5, 10].map(Duration::from_secs).to_vec(),
            logins_per_minute: 24,
        }
    }
}

impl McpSettings {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let default = Self::default();
        let upstream = section.read("upstream", &WebUrl::UpstreamOrNone);
        Self {
            upstream: upstream.map_or(default.upstream, upstream_or_none),
            tool_timeout: section
                .read("tool_timeout", &Time::AboveZero)
                .unwrap_or(default.tool_timeout),
            retry: section
                .read("retry", &super::RETRY_RULE)
                .unwrap_or(default.retry),
            logins_per_minute: section
                .read("logins_per_minute", &WholeNumber::between(1, 1_000_000))
                .unwrap_or(default.logins_per_minute),
        }
    }
}

/// The empty text means that there is no upstream server.
pub(super) fn upstream_or_none(url: String) -> Option<String> {
    (!url.is_empty()).then_some(url)
}
