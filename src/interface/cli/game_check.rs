//! The check of the game: whether its server offers tools, and whether they fit a model's context.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::MysisId;
use actors::domain::tokens::context_shortage;
use actors::domain::tool::Toolset;
use actors::domain::tool_offer::{ToolOffer, ToolSelection};
use actors::ports::Upstream;
use actors::secrets::Secrets;
use zoea_settings::Settings;

use crate::wiring;
use zoea_toolbox::McpUpstream;

/// How long one check may take.
pub(super) const CHECK_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) struct CheckedGame {
    pub(super) text: String,
    /// Those of its tools that requests offer, and our own.
    tools: Arc<Toolset>,
}

impl CheckedGame {
    /// Says that the tools leave no room for a turn in a context, and what helps; `None` if there is
    /// room, or if the context is not known.
    pub(super) fn context_shortage(&self, context_tokens: Option<u64>) -> Option<String> {
        context_shortage(context_tokens?, &self.tools)
    }
}

/// Checks whether the game's server offers its tools; `None` if no game is configured.
pub(super) async fn check_game(
    http: &reqwest::Client,
    settings: &Settings,
) -> Option<Result<CheckedGame, String>> {
    if settings.mcp.is_built_in() {
        return Some(Ok(CheckedGame {
            text: "the built-in game, served while the swarm runs".to_string(),
            tools: offered_tools(settings, &built_in_tools()),
        }));
    }
    let access = wiring::upstream_access(settings)?;
    let name = access.place.name().to_string();
    let upstream = McpUpstream::new(Some(access), http, None);
    let secrets = Secrets::new(wiring::configured_secrets(settings));
    let (finding, tools) = match list_tools(&upstream, &name).await {
        Ok((text, tools)) => (Ok(text), offered_tools(settings, &tools)),
        Err(why) => (Err(why), Arc::default()),
    };
    upstream.end().await;
    let text = clean_finding(finding, &secrets);
    Some(text.map(|text| CheckedGame { text, tools }))
}

/// The tools that a new Mysis' requests offer, of those that the patterns of the whole swarm leave.
fn offered_tools(settings: &Settings, tools: &Arc<Toolset>) -> Arc<Toolset> {
    let everybody = settings.mcp.tools.filters.of_mysis("");
    let selection = ToolSelection {
        list: settings.mcp.tools.list,
        ..ToolSelection::default()
    };
    let offer = ToolOffer::choose(tools, &everybody, selection);
    offer.tools().clone()
}

fn built_in_tools() -> Arc<Toolset> {
    let own = actors::session::own_tools();
    let listed = wiring::game_tools().into_iter();
    Arc::new(Toolset::new(listed.chain(own.tools().iter().cloned())))
}

/// Lists the tools without calling any. Returns them with a text for the operator.
async fn list_tools(upstream: &McpUpstream, name: &str) -> Result<(String, Arc<Toolset>), String> {
    let link = upstream.link(MysisId(0));
    let link = link.ok_or("no server is configured")?;
    let listing = async {
        link.open().await?;
        link.tools().await
    };
    match tokio::time::timeout(CHECK_TIMEOUT, listing).await {
        Ok(Ok(tools)) => {
            let own = actors::session::own_tools().tools().len();
            let left_out = tools.left_out().map(|text| format!("; {text}"));
            let named = match upstream.server_name() {
                Some(own) => format!("{own} ({name})"),
                None => name.to_string(),
            };
            let text = format!(
                "{named} offers {} tools{}",
                tools.tools().len() - own,
                left_out.unwrap_or_default()
            );
            Ok((text, tools))
        }
        Ok(Err(fault)) => {
            let fault = fault.to_string();
            // That of a process names it already.
            let is_named = fault.starts_with(&format!("{name}: "));
            Err(match is_named {
                true => fault,
                false => format!("{name}: {fault}"),
            })
        }
        Err(_) => Err(format!("{name}: no answer within {CHECK_TIMEOUT:?}")),
    }
}

/// Removes keys from a finding: a server's error text may quote its own key or that of another
/// server.
pub(super) fn clean_finding(
    finding: Result<String, String>,
    known: &Secrets,
) -> Result<String, String> {
    let known = known.redactor();
    match finding {
        Ok(text) => Ok(known.clean_own(text)),
        Err(why) => Err(known.clean_own(why)),
    }
}
