//! `[mcp]`: the upstream MCP server, which is the game.

use std::sync::Arc;

use zoea_domain::rules::{LoginWay, ToolRules};
use zoea_domain::tool::RepeatRules;
use zoea_domain::tool_filter::{ToolFilter, ToolFilters};
use zoea_domain::tool_offer::ToolListMode;

use super::header::{HeaderSettings, VariableSettings, read_mcp_headers, read_variables};
use super::key::Key;
use super::provider::KeySource;
use super::rule::{
    BUILT_IN_GAME, boolean, command_words, duration_above_zero, named_number, non_empty_text,
    one_of, retry_waits, tool_patterns, upstream_url, variable_name, whole_number,
};
use super::secret::Secret;
use super::section::Section;
use super::table::{ReadSection, read_keys};

/// The MCP server of the live game.
pub const SPACEMOLT: &str = "https://game.spacemolt.com/mcp";

/// The same by its second interface.
pub const SPACEMOLT_V2: &str = "https://game.spacemolt.com/mcp/v2";

/// The upstream MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpSettings {
    /// Its URL; `None` if the file says `""` or names a command. `ZOEA_MCP_ENDPOINT` overrides it.
    pub upstream: Option<String>,
    /// The program with its arguments that is the server, in place of a URL; else empty.
    pub command: Vec<String>,
    /// The variables of its process that the configuration names.
    pub variables: Vec<VariableSettings>,
    /// The variables of its process that it always gets, as they are in our environment.
    pub inherited: Vec<(String, String)>,
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
            /// How long a question of the server waits for your answer; the call's own time does not run meanwhile.
            default answer_timeout = "10m", duration_above_zero();
            /// The waits before trying again, where trying again is safe.
            default retry = ["2s", "5s", "10s"], retry_waits();
            /// Initialise, login and register together, for this machine and all Myses. The game allows 30.
            default logins_per_minute = 24, whole_number(1..=1_000_000);
            /// From which address this process reaches the game, by any name. Processes on one Postgres share
            /// logins_per_minute with those of the same name. Left out: the machine's name.
            /// The variable ZOEA_LOGINS_ADDRESS overrides it.
            optional logins_address = "office", non_empty_text() => "ZOEA_LOGINS_ADDRESS";
            /// How a Mysis without an account logs in. "password": it registers, or takes an account of the pool.
            /// "link": you open a link, which stands among the needs, and pick its character.
            default login = "password", one_of([("password", LoginWay::Password), ("link", LoginWay::Link)]);
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
            /// Tools that only read, by your word: a call whose answer is lost is made again. Of SpaceMolt's it is known.
            default repeatable = [], tool_patterns();
            /// The same of every tool whose server says that it only reads. A server can be wrong.
            default trust_annotations = false, boolean();
            /// With tools that are of no game: a number in their results that tells how the work goes and should grow, as
            /// TOOL/MEMBER/… (* for any tool). In JSON the path leads to it; in other texts it stands in a line
            /// `MEMBER: 12`. The screen shows its change a minute. Left out: turns and tokens.
            optional number = "count_notes/total", named_number();
            /// "working": a request offers the tools that Myses of its role use, in brief, and they find the others by
            /// zoea_find_tools. "all": all that are allowed, as the server describes them, with each request.
            default tool_list = "working", one_of([("working", ToolListMode::Working), ("all", ToolListMode::All)]);
            /// The variable that holds the game's registration code; the code itself never stands in this file. It
            /// goes into each call of `register` on its way to the game, and no model sees it. Left out: none.
            optional registration_code_env = "REGISTRATION_CODE", variable_name();
            /// The entry of credentials.json that holds it, where no variable is named; it is written
            /// {"games": {"spacemolt": {"registration_code": "…"}}}
            optional registration_code_name = "spacemolt", non_empty_text();
        }
        let headers = read_mcp_headers(section);
        let command = read_command(section, upstream.as_deref());
        let upstream = upstream.filter(|_| command.is_empty());
        let variables = read_variables(section);
        let token_source = KeySource::of(token_env, token_name);
        if token_source != KeySource::None {
            refuse_authorization(section, &headers);
        }
        let repeat = RepeatRules {
            repeatable,
            trust_annotations,
        };
        let tools = ToolRules {
            timeout: tool_timeout,
            answer_timeout,
            retry,
            logins_per_minute: Some(logins_per_minute),
            logins_address: logins_address.map(Into::into),
            login,
            list: tool_list,
            filters: filters_of_all(tools, deny_tools),
            repeat,
            number,
            ..ToolRules::default()
        };
        Self {
            upstream,
            command,
            variables,
            inherited: Vec::new(),
            tools,
            token_source,
            token: None,
            headers,
            registration_code_source: KeySource::of(registration_code_env, registration_code_name),
            registration_code: None,
        }
    }
}

fn refuse_authorization(section: &mut Section<'_, '_>, headers: &[HeaderSettings]) {
    let mut names = headers.iter().map(|of| &of.name);
    if names.any(|name| *name == http::header::AUTHORIZATION) {
        section.reject(
            "headers",
            "with authorization beside a token",
            "one of the two",
        );
    }
}

fn filters_of_all(allow: Option<Vec<Arc<str>>>, deny: Vec<Arc<str>>) -> Arc<ToolFilters> {
    Arc::new(ToolFilters {
        swarm: ToolFilter { allow, deny },
        ..ToolFilters::default()
    })
}

const COMMAND: Key = Key::of_section("command");

/// Reads the command, which excludes everything that is about a URL.
fn read_command(section: &mut Section<'_, '_>, upstream: Option<&str>) -> Vec<String> {
    let Some(command) = section.read_optional(COMMAND, &command_words()) else {
        return Vec::new();
    };
    if command
        .first()
        .is_none_or(|program| program.trim().is_empty())
    {
        let allowed = "a list whose first text is the program";
        section.reject("command", "without a program", allowed);
    }
    let names_a_url = section.is_written("upstream") || upstream != Some(SPACEMOLT);
    if names_a_url && upstream.is_some() {
        let found = "given beside upstream (or ZOEA_MCP_ENDPOINT)";
        section.reject("command", found, "one of the two");
    }
    for key in ["token_env", "token_name", "headers"] {
        if section.is_written(key) {
            let allowed = "what the process needs to be named under [mcp.env]";
            section.reject(
                key,
                "given beside command, which has no requests of HTTP",
                allowed,
            );
        }
    }
    command
}
