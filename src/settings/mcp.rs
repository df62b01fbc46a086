//! `[mcp]`: the upstream MCP server, which is the game.

use zoea_domain::rules::ToolRules;
use zoea_domain::tool_filter::{ToolFilter, ToolFilters};

use super::header::{HeaderSettings, read_headers};
use super::provider::KeySource;
use super::rule::{
    BUILT_IN_GAME, duration_above_zero, non_empty_text, retry_waits, tool_patterns, upstream_url,
    variable_name, whole_number,
};
use super::secret::Secret;
use super::section::Section;
use super::table::{ReadSection, read_keys};

/// The MCP server of the live game.
pub const SPACEMOLT: &str = "https://game.spacemolt.com/mcp";

/// The upstream MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpSettings {
    /// Its URL; `None` if the file says `""`. `ZOEA_MCP_ENDPOINT` overrides it.
    pub upstream: Option<String>,
    /// The rules for tool calls.
    pub tools: ToolRules,
    /// The source of the bearer token.
    pub token_source: KeySource,
    /// The token that goes with every request, if the server wants one.
    pub token: Option<Secret>,
    /// Further headers of every request.
    pub headers: Vec<HeaderSettings>,
    /// The source of the game's registration code.
    pub registration_code_source: KeySource,
    /// The registration code. It is put into each call of `register` on its way to the game.
    pub registration_code: Option<Secret>,
}

impl McpSettings {
    /// Whether the upstream is the built-in game, which the program serves while it runs.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        self.upstream.as_deref() == Some(BUILT_IN_GAME)
    }
}

impl ReadSection for McpSettings {
    fn read_section(section: &mut Section<'_, '_>, _: &[String]) -> Self {
        read_keys! { section;
            /// The MCP server. "offline": the built-in game. "": none. The variable ZOEA_MCP_ENDPOINT overrides it.
            default upstream = "https://game.spacemolt.com/mcp", upstream_url() => "ZOEA_MCP_ENDPOINT";
            /// How long one call of a tool may take; travelling takes minutes.
            default tool_timeout = "600s", duration_above_zero();
            /// The waits before trying again, where trying again is safe.
            default retry = ["2s", "5s", "10s"], retry_waits();
            /// Initialise, login and register together, for this machine and all Myses. The game allows 30.
            default logins_per_minute = 24, whole_number(1..=1_000_000);
            /// The variable that holds the server's bearer token; the token itself never stands in this file. Left
            /// out: none.
            optional token_env = "GAME_TOKEN", variable_name();
            /// The entry of credentials.json that holds it, where no variable is named; it is written
            /// {"secrets": {"game_token": "…"}}
            optional token_name = "game_token", non_empty_text();
            /// Which of its tools are offered and called, by name or by the game's command; `*` stands for any text.
            /// Left out: all. Our own (zoea_*) always are, and the runtime itself still logs in.
            optional tools = ["get_*", "travel", "mine", "sell"], tool_patterns();
            /// Which are not, whatever `tools` says.
            default deny_tools = [], tool_patterns();
            /// The variable that holds the game's registration code; the code itself never stands in this file. It
            /// goes into each call of `register` on its way to the game, and no model sees it. Left out: none.
            optional registration_code_env = "REGISTRATION_CODE", variable_name();
            /// The entry of credentials.json that holds it, where no variable is named; it is written
            /// {"games": {"spacemolt": {"registration_code": "…"}}}
            optional registration_code_name = "spacemolt", non_empty_text();
        }
        let headers = read_headers(section);
        let has_token = token_env.is_some() || token_name.is_some();
        if has_token
            && headers
                .iter()
                .any(|of| of.name == http::header::AUTHORIZATION)
        {
            section.reject(
                "headers",
                "with authorization beside a token",
                "one of the two",
            );
        }
        let swarm = ToolFilter {
            allow: tools,
            deny: deny_tools,
        };
        let tools = ToolRules {
            timeout: tool_timeout,
            retry,
            logins_per_minute: Some(logins_per_minute),
            filters: ToolFilters {
                swarm,
                ..ToolFilters::default()
            },
            ..ToolRules::default()
        };
        Self {
            upstream,
            tools,
            token_source: KeySource::of(token_env, token_name),
            token: None,
            headers,
            registration_code_source: KeySource::of(registration_code_env, registration_code_name),
            registration_code: None,
        }
    }
}
