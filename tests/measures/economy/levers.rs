//! Levers: named changes of the rules or of the program's parts, each of which may make play
//! cheaper or dearer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::price::TokenPrice;
use actors::domain::role::{RoleBook, RoleRules, TierRange};
use actors::domain::rules::{ProviderRules, ProviderTier, ValueRules};

use actors::domain::routine::CircleMode;
use actors::domain::tool_filter::{ToolFilter, ToolFilters};
use actors::domain::tool_offer::ToolListMode;

use super::EconomySetup;

#[derive(Clone, Copy, Debug)]
pub struct Lever {
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
        "roles",
        "each role's players are offered the tools of that role alone",
        narrow_tools_to_roles,
    ),
    lever(
        "cheap-tier",
        "all ask a cheap model that errs in a tenth of its calls",
        |setup| ask_tiers(setup, 1, 1),
    ),
    lever(
        "best-tier",
        "all ask a model of five times the price that errs in one of a hundred",
        |setup| ask_tiers(setup, 3, 3),
    ),
    lever(
        "tiers",
        "all begin at the cheap model, and go up to the dear one and down again",
        |setup| ask_tiers(setup, 1, 3),
    ),
    lever(
        "value",
        "who brings less than 3,000 credits for a dollar in an hour is parked",
        park_who_costs_more,
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

pub fn find_lever(name: &str) -> Option<&'static Lever> {
    LEVERS.iter().find(|lever| lever.name == name)
}

/// The list price of the cheap model (gpt-5-mini, 2026-07-24).
const CHEAP_PRICE: TokenPrice = TokenPrice {
    input: 0.25,
    output: 2.0,
    cached: None,
};

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

/// The tools that all roles use.
const COMMON_TOOLS: [&str; 15] = [
    "captains_log_add",
    "captains_log_list",
    "dock",
    "get_cargo",
    "get_notifications",
    "get_poi",
    "get_ship",
    "get_status",
    "get_system",
    "jump",
    "login",
    "refuel",
    "register",
    "travel",
    "undock",
];

/// The tools that a role uses beside those.
fn tools_of_role(role: &str) -> &'static [&'static str] {
    match role {
        "trader" => &[
            "buy",
            "sell",
            "view_market",
            "deposit_items",
            "withdraw_items",
        ],
        "contractor" => &[
            "accept_mission",
            "complete_mission",
            "get_active_missions",
            "get_missions",
            "buy",
            "sell",
            "mine",
            "deposit_items",
        ],
        "explorer" => &["get_nearby", "distress_signal", "mine", "sell"],
        "talker" => &["mine", "sell", "chat", "get_chat_history", "get_nearby"],
        _ => &["mine", "sell", "deposit_items"],
    }
}

fn narrow_tools_to_roles(setup: &mut EconomySetup) {
    let names = COMMON_TOOLS.iter().chain(tools_of_role(setup.role));
    let role = RoleRules {
        tools: ToolFilter {
            allow: Some(names.map(|name| Arc::from(*name)).collect()),
            deny: Vec::new(),
        },
        ..RoleRules::default()
    };
    give_role(setup, role);
}

fn give_role(setup: &mut EconomySetup, role: RoleRules) {
    let name: Arc<str> = setup.role.into();
    setup.rules.roles = Arc::new(RoleBook {
        roles: BTreeMap::from([(name.clone(), Arc::new(role))]),
        default: Some(name),
        ..RoleBook::default()
    });
}

/// Two providers, the cheap one at the price of the measurement and the dear one at five times as much, and
/// a role that may use these tiers.
fn ask_tiers(setup: &mut EconomySetup, lowest: u8, highest: u8) {
    let base = setup.rules.providers.values().next().cloned();
    let base = base.unwrap_or_default();
    for (place, (name, tier, nonsense, factor)) in [("cheap", 1, 0.10, 1.0), ("dear", 3, 0.01, 5.0)]
        .into_iter()
        .enumerate()
    {
        let provider = ProviderRules {
            tier: Some(ProviderTier { tier, place }),
            price: Some(TokenPrice {
                input: CHEAP_PRICE.input * factor,
                output: CHEAP_PRICE.output * factor,
                cached: None,
            }),
            ..base.clone()
        };
        setup.rules.providers.insert(name.into(), provider);
        setup.nonsense.insert(name.into(), nonsense);
    }
    let tiers = Some(TierRange { lowest, highest });
    give_role(
        setup,
        RoleRules {
            tiers,
            ..RoleRules::default()
        },
    );
}

/// Sets `[value] park_below`, and the price that it needs.
fn park_who_costs_more(setup: &mut EconomySetup) {
    setup.rules.value = ValueRules {
        park_below: Some(3000),
        window: Duration::from_secs(3600),
    };
    for provider in setup.rules.providers.values_mut() {
        provider.price.get_or_insert(CHEAP_PRICE);
    }
}

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
