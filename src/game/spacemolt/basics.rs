//! The basics: the commands with which a player logs in, looks, moves, mines, trades and hands in
//! missions.

/// The commands that a player needs from its first minute on, by the names of the first interface.
pub const BASICS: [&str; 26] = [
    "register",
    "login",
    "get_status",
    "get_system",
    "get_poi",
    "get_cargo",
    "get_notifications",
    "find_route",
    "travel",
    "jump",
    "dock",
    "undock",
    "refuel",
    "repair",
    "mine",
    "view_market",
    "sell",
    "buy",
    "deposit_items",
    "get_missions",
    "get_active_missions",
    "accept_mission",
    "complete_mission",
    "captains_log_add",
    "captains_log_list",
    "help",
];

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::commands;

    #[test]
    fn the_second_interface_has_all_of_them() {
        for command in BASICS {
            // Each of its tools has `help`.
            let has = command == "help" || commands::to_second(command, Map::new()).is_some();
            assert!(has, "{command}");
        }
    }
}
