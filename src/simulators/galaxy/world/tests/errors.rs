//! Tests of refusals, letter for letter.

use serde_json::json;

use super::{Game, PlayerId, map, order};

#[test]
fn a_newcomer_learns_what_is_wrong_in_the_order_of_the_real_server() {
    let mut game = Game::new(1);
    let mut code = |arguments: serde_json::Value| game.world.register(&map(arguments)).unwrap_err();
    assert_eq!(
        code(json!({})).to_string(),
        "invalid_username: Username must be 3-24 characters"
    );
    assert_eq!(code(json!({ "username": "ab" })).code, "invalid_username");
    assert_eq!(
        code(json!({ "username": "a<b>c" })).code,
        "invalid_username"
    );
    let empire = code(json!({ "username": "Quill", "empire": "Solarian" }));
    assert_eq!(empire.code, "invalid_empire");
    assert!(
        empire
            .message
            .starts_with("Invalid empire. Choose one of:\n - solarian: ")
    );
    assert_eq!(empire.message.lines().count(), 7);
    let missing = code(json!({ "username": "Quill", "empire": "solarian" }));
    assert_eq!(missing.code, "registration_code_required");
    let endless =
        json!({ "username": "Quill", "empire": "solarian", "registration_code": "x".repeat(65) });
    assert_eq!(
        code(endless).to_string(),
        "invalid_registration_code: Registration code is not valid."
    );
    game.register("Ąę émoji 🚀 O'Neil", "solarian");
    let taken = game
        .try_register("ąĘ émoji 🚀 o'neil", "crimson")
        .unwrap_err();
    assert_eq!(taken.to_string(), "username_taken: Username already taken");
}

#[test]
fn wrong_credentials_are_all_refused_alike() {
    let mut game = Game::new(1);
    game.register("Quill", "solarian");
    for credentials in [
        json!({}),
        json!({ "username": "Quill", "password": "guess" }),
        json!({ "username": "Nobody", "password": "guess" }),
        json!({ "username": 7 }),
    ] {
        let refusal = game.world.login(&map(credentials)).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "auth_failed: Invalid username or password. Passwords are random hex strings."
        );
    }
}

fn check_refusals(game: &mut Game, pilot: PlayerId, table: &str) {
    for line in table.trim().lines() {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [command, arguments, words] = columns[..] else {
            panic!("{line}");
        };
        let arguments = serde_json::from_str(arguments).unwrap();
        assert_eq!(game.refused(pilot, command, arguments), words);
    }
}

/// Commands, their arguments and the refusals.
const REFUSED_MOVES: &str = r#"
travel | {"destination": "main_belt"} | invalid_payload: Unknown parameter(s): [destination]. Requires 'target_poi'. Example: {"target_poi": "main_belt"}
travel | {"y": 1, "x": 2} | invalid_payload: Unknown parameter(s): [x y]. Requires 'target_poi'. Example: {"target_poi": "main_belt"}
jump | {} | invalid_payload: Must specify 'target_system'. Example: {"target_system": "alpha_centauri"}
travel | {"target_poi": "sirius"} | invalid_poi: Unknown destination: sirius
jump | {"target_system": "nowhere"} | invalid_system: Target system not found
jump | {"target_system": "haven"} | not_connected: Haven is not connected to your current system.
search_systems | {"query": " "} | invalid_query: Search query is required. Provide a partial system name to search for.
"#;

#[test]
fn moving_refuses_wrong_parameters_and_others_ignore_them() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "solarian");
    check_refusals(&mut game, pilot, REFUSED_MOVES);
    game.ok(pilot, "get_system", json!({ "system_id": "haven" }));
    game.ok(pilot, "view_market", json!({ "base_id": "elsewhere" }));
}

/// Commands, their arguments and the refusals.
const REFUSED_TRADES: &str = r#"
sell | {"item": "iron_ore", "quantity": 1} | invalid_payload: Must specify 'item_id'. Use 'view_market' to see available items.
buy | {"quantity": 1} | invalid_payload: Must specify 'item_id'. Use 'view_market' to see available items.
buy | {"item_id": "fuel_cells", "quantity": 1} | invalid_item: invalid_item: Unknown item 'fuel_cells'. Use exact item ID (e.g. 'iron_ore') or full name (e.g. 'Iron Ore').
sell | {"item_id": "iron_ore"} | invalid_payload: Quantity must be greater than 0.
sell | {"item_id": "iron_ore", "quantity": 35} | insufficient_items: Not enough Iron Ore in cargo. You have 0 but tried to sell 35.
refuel | {} | tank_full: Fuel tank is already full.
dock | {} | already_docked: Already docked
catalog | {} | invalid_type: Unknown catalog type "". Must be one of: ships, skills, recipes, items.
captains_log_add | {"content": "x"} | empty_entry: Log entry cannot be empty. Use the 'entry' parameter to provide your log text.
accept_mission | {} | invalid_payload: Must provide template_id (or mission_id) to accept a mission.
"#;

#[test]
fn trading_refuses_in_the_words_of_the_market() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "solarian");
    check_refusals(&mut game, pilot, REFUSED_TRADES);
    let poor = game.refused(
        pilot,
        "buy",
        json!({ "item_id": "repair_kit", "quantity": 5 }),
    );
    assert!(poor.starts_with("insufficient_credits: Need "), "{poor}");
    let none = game.refused(
        pilot,
        "buy",
        json!({ "item_id": "mining_laser_i", "quantity": 1 }),
    );
    assert!(
        none.starts_with("item_not_available: No one is selling Mining Laser I"),
        "{none}"
    );
}

#[test]
fn away_from_a_base_the_server_says_how_to_get_to_one() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "solarian");
    check_refusals(
        &mut game,
        pilot,
        "mine | {} | no_resources: Nothing to mine here",
    );
    game.ok(pilot, "travel", json!({ "target_poi": "earth" }));
    let refused = r#"
dock | {} | no_base: No station at this location
undock | {} | not_docked: Not docked
"#;
    check_refusals(&mut game, pilot, refused);
    let words = "not_docked: You must be docked at a base to perform this action. Use 'dock' at a POI \
                 with a base, or use 'get_poi' to check if your current location has a base.";
    assert_eq!(game.refused(pilot, "view_market", json!({})), words);
    assert_eq!(game.refused(pilot, "repair", json!({})), words);
    check_refusals(
        &mut game,
        pilot,
        "refuel | {} | no_fuel_cells: No fuel cells found in cargo. Buy fuel cells from a market or craft them.",
    );
    game.ok(
        pilot,
        "travel",
        json!({ "target_poi": "kuiper_ice_fields" }),
    );
    check_refusals(
        &mut game,
        pilot,
        "mine | {} | no_module: Mining here needs an ice harvester module.",
    );
}

#[test]
fn a_full_hold_says_so_again_and_again() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "crimson");
    game.ok(pilot, "travel", json!({ "target_poi": "war_materials" }));
    while game.call(pilot, "mine", json!({})).is_ok() {}
    for _ in 0..3 {
        assert_eq!(
            game.refused(pilot, "mine", json!({})),
            "cargo_full: Cargo hold is full"
        );
    }
}

#[test]
fn one_mutation_waits_and_a_flying_ship_takes_none() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "solarian");
    game.world
        .submit(order(pilot, "travel", json!({ "target_poi": "main_belt" })))
        .unwrap();
    let mine = || order(pilot, "mine", json!({}));
    assert_eq!(
        game.world.submit(mine()).unwrap_err().to_string(),
        "action_pending: Another action is already in progress for this player"
    );
    game.pass(2);
    assert_eq!(
        game.world.submit(mine()).unwrap_err().to_string(),
        "in_transit: Your ship is mid-travel to Main Belt (~40s until arrival). Resubmit after arrival."
    );
    let seen = game.ok(pilot, "get_system", json!({}));
    assert_eq!(
        (&seen["in_transit"], &seen["ticks_remaining"]),
        (&json!(true), &json!(4))
    );
    game.pass(4);
    assert!(game.world.submit(mine()).is_ok());
}

#[test]
fn what_is_not_played_is_refused_and_never_pretended() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "solarian");
    for tool in crate::tools::all() {
        if super::super::command::find_handler(&tool.name).is_some()
            || ["login", "logout", "register", "session"].contains(&tool.name.as_str())
        {
            continue;
        }
        let empty = game.call(pilot, &tool.name, json!({})).unwrap_err();
        assert!(
            !empty.message.is_empty() && !empty.message.contains('{'),
            "{}",
            tool.name
        );
        let given: serde_json::Map<_, _> = tool
            .required_parameters()
            .map(|name| (name.to_owned(), json!("x")))
            .collect();
        let refusal = game.call(pilot, &tool.name, given.into()).unwrap_err();
        assert_ne!(refusal.code, "internal_error", "{}", tool.name);
    }
    let refused = r#"
survey_system | {} | no_scanner: No survey scanner equipped. You need a module with survey capability, such as a Survey Scanner I.
attack | {"target_id": "x"} | invalid_target: Target not found at your location.
game<|channel|>analysis | {} | unknown_command: Unknown command: game<|channel|>analysis. Use the 'help' command to see available commands.
"#;
    check_refusals(&mut game, pilot, refused);
}
