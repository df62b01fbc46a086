//! Levers: named changes of the rules or of the program's parts, each of which may make play
//! cheaper or dearer.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::routine::CircleMode;
use actors::domain::tool_filter::{ToolFilter, ToolFilters};
use actors::domain::tool_offer::ToolListMode;

use super::EconomySetup;

/// A lever.
#[derive(Clone, Copy, Debug)]
pub struct Lever {
    /// Its name.
    pub name: &'static str,
    /// What it changes.
    pub what: &'static str,
    /// Changes a role's setup.
    pub change: fn(&mut EconomySetup),
}

/// All levers. A new one is a line here.
pub const LEVERS: &[Lever] = &[
    lever(
        "all-tools",
        "each request has all tools, instead of those in use",
        |setup| setup.rules.tools.list = ToolListMode::All,
    ),
    lever(
        "allowed-tools",
        "an operator's list of the tools that these players use",
        allow_used_tools,
    ),
    lever(
        "no-earlier-turns",
        "requests have nothing of a mission's earlier turns",
        leave_earlier_turns_out,
    ),
    lever(
        "routines",
        "miners leave what repeats to a routine",
        |setup| setup.mission.push_str(" Leave what repeats to a routine."),
    ),
    lever(
        "auto-routines",
        "what earned in three rounds goes on as a routine by itself",
        |setup| setup.rules.routines.mode = CircleMode::Auto,
    ),
    lever(
        "no-offers",
        "requests do not tell what could be a routine",
        |setup| setup.rules.routines.mode = CircleMode::Off,
    ),
    lever(
        "small-context",
        "at most 16 KiB of messages in a request, instead of 64",
        |setup| setup.rules.context_budget = 16 << 10,
    ),
    lever(
        "slow-turns",
        "a pause of one tick between turns, instead of 2 s",
        |setup| setup.rules.turn_pause = Duration::from_secs(10),
    ),
    lever(
        "no-request-saver",
        "requests to the game are not saved",
        |setup| setup.parts.spare_requests = |upstream| upstream,
    ),
];

const fn lever(name: &'static str, what: &'static str, change: fn(&mut EconomySetup)) -> Lever {
    Lever { name, what, change }
}

/// The lever with this name.
#[must_use]
pub fn find_lever(name: &str) -> Option<&'static Lever> {
    LEVERS.iter().find(|lever| lever.name == name)
}

/// The tools of the game that the players use.
const USED_TOOLS: [&str; 31] = [
    "accept_mission",
    "buy",
    "captains_log_add",
    "captains_log_list",
    "chat",
    "complete_mission",
    "deposit_items",
    "distress_signal",
    "dock",
    "get_active_missions",
    "get_cargo",
    "get_chat_history",
    "get_missions",
    "get_nearby",
    "get_notifications",
    "get_poi",
    "get_ship",
    "get_skills",
    "get_status",
    "get_system",
    "jettison",
    "jump",
    "login",
    "mine",
    "refuel",
    "register",
    "sell",
    "travel",
    "undock",
    "view_market",
    "withdraw_items",
];

fn leave_earlier_turns_out(setup: &mut EconomySetup) {
    for provider in setup.rules.providers.values_mut() {
        provider.history_share = 0;
    }
}

fn allow_used_tools(setup: &mut EconomySetup) {
    let swarm = ToolFilter {
        allow: Some(USED_TOOLS.map(Into::into).to_vec()),
        deny: Vec::new(),
    };
    setup.rules.tools.filters = Arc::new(ToolFilters {
        swarm,
        ..ToolFilters::default()
    });
}
