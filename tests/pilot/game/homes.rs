//! The homes of the empires, and the tools of the imitation.

/// The home of an empire: empire, system, POI of the base, base, belt, hold.
#[derive(Debug)]
pub(crate) struct Home {
    pub(crate) empire: &'static str,
    pub(super) system: &'static str,
    pub(super) port: &'static str,
    pub(super) base: &'static str,
    pub(super) belt: &'static str,
    pub(super) hold: i64,
}

pub(crate) const HOMES: [Home; 5] = [
    home(
        "solarian",
        "sol",
        "sol_central",
        "confederacy_central_command",
        "main_belt",
        70,
    ),
    home(
        "voidborn",
        "nexus_prime",
        "the_core",
        "central_nexus",
        "material_harvesters",
        65,
    ),
    home(
        "crimson",
        "krynn",
        "war_citadel",
        "crimson_war_citadel",
        "war_materials",
        60,
    ),
    home(
        "nebula",
        "haven",
        "grand_exchange",
        "grand_exchange_station",
        "commerce_fields",
        100,
    ),
    home(
        "outerrim",
        "frontier",
        "mobile_capital",
        "frontier_station",
        "pioneer_fields",
        75,
    ),
];

const fn home(
    empire: &'static str,
    system: &'static str,
    port: &'static str,
    base: &'static str,
    belt: &'static str,
    hold: i64,
) -> Home {
    Home {
        empire,
        system,
        port,
        base,
        belt,
        hold,
    }
}

/// The tools of the imitation and their parameters.
pub(crate) const TOOLS: [(&str, &[&str]); 25] = [
    ("register", &["username", "empire", "registration_code"]),
    ("login", &["username", "password"]),
    ("get_status", &[]),
    ("get_cargo", &[]),
    ("get_system", &[]),
    ("get_poi", &[]),
    ("get_notifications", &["limit", "clear"]),
    ("travel", &["target_poi"]),
    ("jump", &["target_system"]),
    ("dock", &[]),
    ("undock", &[]),
    ("mine", &[]),
    ("sell", &["item_id", "quantity", "auto_list"]),
    ("buy", &["item_id", "quantity", "deliver_to"]),
    ("refuel", &[]),
    ("view_market", &["item_id", "category"]),
    ("deposit_items", &["item_id", "quantity"]),
    ("jettison", &["item_id", "quantity"]),
    ("get_missions", &[]),
    ("get_active_missions", &[]),
    ("accept_mission", &["mission_id"]),
    ("complete_mission", &["mission_id"]),
    ("captains_log_add", &["entry"]),
    ("captains_log_list", &["index"]),
    ("zoea_search_messages", &["query", "limit"]),
];
