//! Every captured and every composed result in words.

use serde_json::json;

use zoea_game::lines::MAX_LINE_CHARS;

use super::*;
use crate::results::read_facts;

fn describe(command: &str, result: &str) -> Option<String> {
    super::describe(command, result, read_facts(result).as_ref())
}

/// The composed results of the first interface.
const OF_THE_FIRST: &[(&str, &str)] = &[
    ("abandon_mission", "Mission abandoned: Iron Supply Run"),
    ("accept_mission", "accepted the mission Iron Supply Run"),
    (
        "analyze_market",
        "1 insight: Buyers here outnumber sellers for Copper Ore.",
    ),
    (
        "attack",
        "attacks Tessera Vow: Battle started. You are in the outer zone.",
    ),
    ("battle", "Stance set to brace"),
    ("buy", "bought 1 fuel cell for 47 cr"),
    ("cancel_order", "cancelled an order, got 4 copper ore back"),
    ("captains_log_add", "wrote into the captain's log"),
    (
        "captains_log_get",
        "log entry 0: Main Belt pays for now. Next: sell 60 iron, refuel, look at the copper contract.",
    ),
    (
        "captains_log_list",
        "log entry 0: Main Belt pays for now. Next: sell 60 iron, refuel, look at the copper contract.",
    ),
    ("catalog", "1 item found: Fuel Cell"),
    ("chat", "said it on the channel system"),
    ("claim", "Player QuillArdent is now linked to your account."),
    (
        "complete_mission",
        "completed the mission Iron Supply Run for 1,500 cr",
    ),
    ("completed_missions", "1 completed mission: Iron Supply Run"),
    ("craft", "crafted 2 steel plate"),
    (
        "create_buy_order",
        "bids for 5 steel plate at 19 cr each, fee 1 cr",
    ),
    ("create_faction", "founded the faction Ore Exchange"),
    (
        "create_sell_order",
        "offers 4 copper ore at 9 cr each, fee 1 cr",
    ),
    (
        "deposit_items",
        "put 12 iron ore into the storage, 12 stored there, 66 free in the hold",
    ),
    ("dock", "docked at Confederacy Central Command"),
    ("estimate_purchase", "2 fuel cell would cost 94 cr"),
    ("faction_info", "Ore Exchange [OREX], 3 members"),
    ("faction_invite", "Invitation sent to QuillArdent"),
    ("faction_list", "1 faction: Ore Exchange"),
    ("find_route", "2 jumps to Nova Terra, 2 fuel"),
    (
        "forum_create_thread",
        "began the thread Nickel price at Central",
    ),
    (
        "forum_get_thread",
        "the thread Nickel price at Central, 1 reply",
    ),
    ("forum_list", "1 thread: Nickel price at Central"),
    ("forum_reply", "Reply posted"),
    ("forum_upvote", "Upvoted"),
    ("get_action_log", "1 act: Sold 12 Iron Ore for 36cr"),
    (
        "get_active_missions",
        "1 active mission: Iron Supply Run (40 %)",
    ),
    ("get_base", "Confederacy Central Command, 9 services"),
    (
        "get_battle_status",
        "a battle of 2: QuillArdent hull 88 %, Tessera Vow hull 95 %",
    ),
    ("get_cargo", "hold 16/70: 12 iron ore, 4 copper ore"),
    ("get_chat_history", "1 message on the channel system"),
    ("get_commands", "2 commands"),
    ("get_guide", "the guide for a miner"),
    ("get_map", "a map of 3 systems, 1 visited"),
    ("get_missions", "1 mission on offer: Iron Supply Run"),
    ("get_nearby", "1 player here: Tessera Vow"),
    (
        "get_notifications",
        "2 notifications: Automatically undocked (required for mine), Tessera Vow says “Anyone buying nickel at Central?”",
    ),
    (
        "get_poi",
        "Main Belt (asteroid belt): iron ore 48,210, copper ore 20,550, nickel ore 9,120",
    ),
    (
        "get_ship",
        "Theoria, fuel 97/100, hold 16/70, hull 100/100, 2 modules",
    ),
    ("get_skills", "2 skills: mining 0, navigation 0"),
    (
        "get_status",
        "QuillArdent: wallet 136 cr, at main belt in sol, fuel 97/100, hold 16/70, hull 100/100",
    ),
    (
        "get_system",
        "Sol: 8 places, 2 systems near: Alpha Centauri, Sirius",
    ),
    ("get_trades", "1 offer of its own: Tessera Vow, 50 cr"),
    ("get_version", "the game is version 0.188.0 of 2026-03-10"),
    ("get_wrecks", "1 wreck here: cobble"),
    ("help", "help on mine, 1 command"),
    ("install_mod", "Installed Mining Laser I"),
    ("jettison", "threw out 4 copper ore, 58 free in the hold"),
    ("join_faction", "You joined Ore Exchange [OREX]"),
    (
        "jump",
        "jumped to Alpha Centauri from Sol, for the first time",
    ),
    ("leave_faction", "You left Ore Exchange"),
    ("list_ships", "1 ship: Theoria"),
    (
        "login",
        "logged in as QuillArdent, wallet 136 cr, docked at confederacy central command",
    ),
    ("logout", "logged out"),
    ("loot_wreck", "took 21 iron ore from a wreck"),
    ("mine", "mined 3 iron ore, 48,207 left here"),
    ("refuel", "took 3 fuel for 6 cr, fuel 100/100"),
    (
        "register",
        "registered as QuillArdent, wallet 100 cr, docked at confederacy central command",
    ),
    ("repair", "repaired 12 hull for 24 cr, hull 100/100"),
    ("scan", "scanned Tessera Vow, theoria, hull 92"),
    ("search_systems", "1 system found: Nova Terra"),
    ("self_destruct", "accepted, not done yet"),
    ("sell", "sold 12 iron ore for 36 cr"),
    ("set_home_base", "Home base set"),
    ("set_status", "set its status"),
    ("survey_system", "Survey complete: nothing new"),
    ("trade_accept", "Trade completed, wallet 86 cr"),
    ("trade_offer", "Trade offer sent to Tessera Vow"),
    ("travel", "arrived at Main Belt, 1 player here"),
    ("undock", "undocked"),
    ("uninstall_mod", "Uninstalled Mining Laser I"),
    ("use_item", "Restored 20 fuel"),
    (
        "view_market",
        "iron ore: the market at Confederacy Central Command pays 3 cr, asks 7 cr",
    ),
    ("view_orders", "1 order: sell 4 copper ore at 9 cr"),
    ("view_storage", "in the storage: 12 iron ore"),
    (
        "withdraw_items",
        "took 5 iron ore from the storage, 7 left there, 61 free in the hold",
    ),
];

/// The captured results of the second interface, in their order. One that is told as an error is a
/// refusal.
const OF_THE_SECOND: &[(&str, &str)] = &[
    ("login", "logged in as Quill Ardent"),
    (
        "get_status",
        "Quill Ardent: wallet 2,750 cr, docked at market prime exchange in market prime, fuel 87/130, hold 30/100, hull 95/95",
    ),
    (
        "get_status",
        "Quill Ardent: wallet 187,117 cr, in gold run, fuel 122/130, hold 11/100, hull 95/95",
    ),
    (
        "get_system",
        "Market Prime: 5 places, 3 systems near: Cargo Lanes, Gold Run, Haven",
    ),
    (
        "get_location",
        "wallet 2,750 cr, docked at market prime exchange in market prime",
    ),
    (
        "get_skills",
        "6 skills: piloting 4, mining 3, navigation 3, exploration 1, leadership 0",
    ),
    ("get_achievements", "Achievements (3/62 earned, 20 points)"),
    ("get_notifications", "no notifications"),
    (
        "view_market",
        "Market summary at Market Prime Exchange (482 items)",
    ),
    ("mine", "refused: Nothing to mine here (no_resources)"),
    (
        "get_poi",
        "Gold Run Mineral Fields (asteroid belt): carbon ore 31, vanadium ore 30, palladium ore 29 and 1 more",
    ),
    ("get_active_missions", "no active missions"),
    (
        "get_cargo",
        "hold: 35 power cell, 6 shield emitter; wallet 257,951 cr",
    ),
    (
        "analyze_market",
        "Trading insights at Market Prime Exchange (trading skill 19)",
    ),
    ("sell", "sold 6 gold ore for 12 cr"),
    ("sell", "sold 11 vanadium ore for 24 cr"),
    ("sell", "sold 20 carbon ore for 535 cr"),
    ("sell", "sold 6 vanadium ore for 6 cr, 7 unsold"),
    ("sell", "sold no palladium ore, 7 unsold"),
    ("dock", "docked at Market Prime Exchange"),
    ("dock", "refused: No station at this location"),
    ("refuel", "took 88 fuel for 352 cr"),
    (
        "refuel",
        "refused: No fuel cells found in cargo (no_fuel_cells)",
    ),
    ("buy", "refused: Unknown item 'fuel_cells' (invalid_item)"),
    (
        "buy",
        "refused: You must be docked at a station to perform this action (not_docked)",
    ),
    (
        "buy",
        "refused: Another action is already in progress for this player",
    ),
    (
        "accept_mission",
        "Appreciated, pilot. The asteroid belts should have what we need. Template: copper_requisition. Expires: 2026-07-15T18:26...",
    ),
    (
        "accept_mission",
        "refused: Must provide template_id (or mission_id) to accept a mission (invalid_payload)",
    ),
    (
        "estimate_purchase",
        "Estimate: 1 Mining Laser III would cost 0cr (0 available). 1 unfilled.",
    ),
    (
        "estimate_purchase",
        "refused: You must be docked at a station to perform this action (purchase_estimate_error)",
    ),
];

#[test]
fn every_composed_result_has_its_words() {
    let all: Value = serde_json::from_str(crate::EXAMPLE_RESULTS).unwrap();
    let all = all["tools"].as_object().unwrap();
    assert_eq!(all.len(), OF_THE_FIRST.len());
    for (tool, words) in OF_THE_FIRST {
        let result = all[*tool]["result"].to_string();
        assert_eq!(describe(tool, &result).as_deref(), Some(*words), "{tool}");
    }
}

/// The command, the words and whether it is an error, of each captured text.
fn captured() -> Vec<(String, String)> {
    let all: Value = serde_json::from_str(crate::CAPTURED_RESULTS).unwrap();
    let mut shown = Vec::new();
    for example in all["examples"].as_array().unwrap() {
        let (Some(tool), Some(arguments)) =
            (example["tool"].as_str(), example["arguments"].as_object())
        else {
            continue;
        };
        let command = crate::commands::command(tool, arguments);
        let texts = |name: &str| example[name].as_array().cloned().unwrap_or_default();
        let whole = example["result"]["content"][0]["text"].clone();
        let good = [whole].into_iter().chain(texts("texts"));
        for text in good.filter_map(|text| text.as_str().map(str::to_string)) {
            shown.push((command.to_string(), describe(command, &text).unwrap()));
        }
        for text in texts("errors") {
            shown.push((command.to_string(), refuse(text.as_str().unwrap())));
        }
    }
    shown
}

#[test]
fn every_captured_text_has_its_words() {
    let shown = captured();
    let shown: Vec<(&str, &str)> = shown
        .iter()
        .map(|(command, words)| (&**command, &**words))
        .collect();
    assert_eq!(shown, OF_THE_SECOND);
}

#[test]
fn captured_objects_read_like_texts() {
    let all: Value = serde_json::from_str(crate::CAPTURED_RESULTS).unwrap();
    let objects = all["examples"].as_array().unwrap().iter();
    let objects: Vec<String> = objects
        .filter_map(|example| example.get("structuredContent"))
        .map(Value::to_string)
        .collect();
    assert_eq!(
        describe("get_status", &objects[0]).unwrap(),
        "wallet 187,117 cr, at gold run mineral fields in gold run, fuel 122/130, hold 11/100, hull 95/95"
    );
    assert_eq!(
        describe("get_poi", &objects[1]).unwrap(),
        "Gold Run Mineral Fields (asteroid belt): carbon ore 31, vanadium ore 30"
    );
}

#[test]
fn an_act_of_the_second_interface_tells_the_state_after_it() {
    let after = |details: Value| {
        let delta = json!({
            "message": "Done.", "details": details,
            "player": {"credits": 1204},
            "ship": {"cargo_used": 43, "cargo_capacity": 75, "fuel": 9, "max_fuel": 100},
        });
        delta.to_string()
    };
    for (command, details, words) in [
        (
            "mine",
            json!({"resource_id": "copper_ore", "quantity": 4, "remaining": 10}),
            "mined 4 copper ore, hold 43/75",
        ),
        (
            "sell",
            json!({"item": "Iron Ore", "quantity_sold": 12, "total_earned": 96}),
            "sold 12 iron ore for 96 cr, wallet 1,204 cr",
        ),
        (
            "travel",
            json!({"action": "arrived", "poi": "Krynn Belt", "online_players_count": 0}),
            "arrived at Krynn Belt, fuel 9/100",
        ),
        (
            "undock",
            json!({"action": "undock"}),
            "undocked, fuel 9/100",
        ),
        ("faction_rooms", json!({"rooms": []}), "Done."),
    ] {
        assert_eq!(describe(command, &after(details)).unwrap(), words);
    }
    let delta = r#"{"ship": {"cargo_used": 150, "cargo_capacity": 200}, "cargo": []}"#;
    assert_eq!(describe("mine", delta).unwrap(), "hold 150/200");
}

#[test]
fn what_did_not_come_about_is_not_told_as_done() {
    for (command, result, words) in [
        (
            "mine",
            r#"{"pending": true, "message": "Action accepted"}"#,
            "accepted, not done yet",
        ),
        (
            "mine",
            r#"{"quantity": 0, "resource_id": "iron_ore"}"#,
            "mined nothing",
        ),
        (
            "travel",
            r#"{"destination": "Krynn Belt", "ticks": 2}"#,
            "travelling to Krynn Belt, arrives in 2 ticks",
        ),
        (
            "sell",
            r#"{"quantity_sold": 0, "item": "Iron Ore", "total_earned": 0, "unsold": 35}"#,
            "sold no iron ore, 35 unsold",
        ),
        (
            "find_route",
            r#"{"found": false, "target_system": "nova"}"#,
            "no route to nova is known",
        ),
        (
            "scan",
            r#"{"success": false, "target_id": "x"}"#,
            "the scan showed nothing",
        ),
        (
            "get_system",
            r#"{"in_transit": true, "to_system": "Sol", "ticks_remaining": 1}"#,
            "under way to Sol, 1 tick left",
        ),
        (
            "mine",
            r#"{"error": {"code": "cargo_full", "message": "Cargo hold is full"}, "quantity": 3}"#,
            "refused: Cargo hold is full (cargo_full)",
        ),
        (
            "buy",
            r#"{"error": "rate_limited", "message": "Too many requests. Slow down.", "retry_after": 54}"#,
            "refused: Too many requests; wait 54 s (rate_limited)",
        ),
        ("sell", "Error: empty_entry", "refused: empty_entry"),
    ] {
        assert_eq!(describe(command, result).as_deref(), Some(words));
    }
}

#[test]
fn a_refusal_is_one_sentence_with_its_code() {
    for (result, words) in [
        (
            "Error: not_docked: You must be docked. Use 'dock' first.",
            "refused: You must be docked (not_docked)",
        ),
        (
            "Error: invalid_item: invalid_item: Unknown item 'x'. Use an id (e.g. 'iron_ore').",
            "refused: Unknown item 'x' (invalid_item)",
        ),
        (
            r#"{"code": "slow", "message": "Wait.", "wait_seconds": 3}"#,
            "refused: Wait; wait 3 s (slow)",
        ),
        (r#"{"resource_id": "iron_ore", "quantity": 3}"#, "refused"),
        (
            "error: cargo_full: Your cargo hold is full (70/70)",
            "refused: Your cargo hold is full (70/70) (cargo_full)",
        ),
        ("the hold is full", "refused: the hold is full"),
        ("", "refused"),
    ] {
        assert_eq!(refuse(result), words);
    }
}

#[test]
fn each_command_has_one_formatter() {
    let mut known: Vec<&str> = formatters().map(|(command, _)| *command).collect();
    let count = known.len();
    known.sort_unstable();
    known.dedup();
    assert_eq!(known.len(), count);
    let commands: Vec<&str> = crate::commands::actions()
        .iter()
        .map(|it| it.command)
        .collect();
    let tools: Value = serde_json::from_str(crate::EXAMPLE_RESULTS).unwrap();
    for command in known {
        assert!(
            commands.contains(&command) || tools["tools"].get(command).is_some(),
            "{command} is none of the game's commands"
        );
    }
}

#[test]
fn whatever_comes_the_line_is_short_and_clean() {
    let commands: Vec<&str> = formatters().map(|(command, _)| *command).collect();
    let long = "\u{1b}[31m\u{202e}name\n".repeat(500);
    let odd = json!({
        "name": long, "item": long, "title": long, "message": long, "quantity": -3, "count": 1,
        "items": [1, {"name": long}], "skills": {"a": "b"}, "missions": [null], "notifications": 4,
    });
    for command in commands {
        for result in ["", "{}", "[]", "null", "{\"a\":", &long, &odd.to_string()] {
            let Some(words) = describe(command, result) else {
                continue;
            };
            let length = words.chars().count();
            assert!(
                (1..=MAX_LINE_CHARS + 1).contains(&length),
                "{command}: {words}"
            );
            assert!(!words.contains(char::is_control), "{command}: {words:?}");
            assert!(
                !words.contains('\u{202e}') && !words.starts_with('{'),
                "{words:?}"
            );
        }
    }
}
