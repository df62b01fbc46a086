//! Tests of whole trips, as a model makes them.

use serde_json::json;

use super::Game;

const HOMES: [(&str, &str, &str); 5] = [
    ("solarian", "main_belt", "sol_central"),
    ("voidborn", "material_harvesters", "the_core"),
    ("crimson", "war_materials", "war_citadel"),
    ("nebula", "commerce_fields", "grand_exchange"),
    ("outerrim", "pioneer_fields", "mobile_capital"),
];

#[test]
fn a_starter_of_every_empire_can_earn_its_living() {
    for (empire, belt, station) in HOMES {
        let mut game = Game::new(1);
        let pilot = game.register("Quill", empire);
        let arrived = game.ok(pilot, "travel", json!({ "target_poi": belt }));
        assert_eq!(arrived["auto_undocked"], true);
        let mut pulls = 0;
        while let Ok(pull) = game.call(pilot, "mine", json!({})) {
            assert!(pull["quantity"].as_u64().unwrap() <= 4);
            pulls += 1;
        }
        assert!((18..=45).contains(&pulls), "{empire}: {pulls} pulls");
        game.ok(pilot, "travel", json!({ "target_poi": station }));
        let dock = game.ok(pilot, "dock", json!({}));
        assert_eq!(dock["action"], "dock");
        let cargo = game.ok(pilot, "get_cargo", json!({}));
        assert_eq!(cargo["available"], 0);
        for item in cargo["cargo"].as_array().unwrap() {
            let goods = json!({ "item_id": item["item_id"], "quantity": item["quantity"] });
            let sale = game.ok(pilot, "sell", goods);
            assert_eq!(sale["quantity_sold"], item["quantity"], "{empire}: {sale}");
        }
        game.ok(pilot, "refuel", json!({}));
        assert!(
            game.credits(pilot) > 180,
            "{empire}: {}",
            game.credits(pilot)
        );
    }
}

#[test]
fn a_supply_mission_pays_many_times_the_ore() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "crimson");
    let accepted = game.ok(
        pilot,
        "accept_mission",
        json!({ "mission_id": "iron_supply_run" }),
    );
    game.ok(pilot, "travel", json!({ "target_poi": "war_materials" }));
    let iron = |game: &mut Game| {
        let missions = game.ok(pilot, "get_active_missions", json!({}));
        missions["missions"][0]["objectives"][0]["current"]
            .as_u64()
            .unwrap()
    };
    while iron(&mut game) < 30 {
        game.ok(pilot, "mine", json!({}));
    }
    let early = game.refused(
        pilot,
        "complete_mission",
        json!({ "mission_id": accepted["mission_id"] }),
    );
    assert!(early.starts_with("not_docked"), "{early}");
    game.ok(pilot, "travel", json!({ "target_poi": "war_citadel" }));
    let paid = game.ok(
        pilot,
        "complete_mission",
        json!({ "mission_id": accepted["mission_id"] }),
    );
    assert_eq!(paid["credits_earned"], 1500);
    assert_eq!(paid["auto_docked"], true);
    assert_eq!(game.credits(pilot), 1600);
    let done = game.ok(pilot, "completed_missions", json!({}));
    assert_eq!(done["missions"][0]["template_id"], "iron_supply_run");
}

#[test]
fn an_unfinished_mission_says_what_is_missing() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "solarian");
    game.ok(
        pilot,
        "accept_mission",
        json!({ "mission_id": "titanium_extraction_contract" }),
    );
    let words = game.refused(
        pilot,
        "complete_mission",
        json!({ "mission_id": "titanium_extraction_contract" }),
    );
    assert_eq!(
        words,
        "mission_incomplete: Objective incomplete: Deliver 20 Titanium Ore"
    );
    game.ok(
        pilot,
        "abandon_mission",
        json!({ "mission_id": "titanium_extraction_contract" }),
    );
    assert_eq!(
        game.ok(pilot, "get_active_missions", json!({}))["total_count"],
        0
    );
}

#[test]
fn jumping_explores_and_the_way_back_is_found() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "solarian");
    let begun = game.world.now();
    let jump = game.ok(pilot, "jump", json!({ "target_system": "sirius" }));
    // One tick to undock, one to depart, six to arrive.
    assert_eq!(game.world.now() - begun, 2 + 6);
    assert_eq!(jump["from_system"], "Sol");
    assert_eq!(jump["poi"], "sirius_star");
    assert_eq!(jump["exploration_xp"], 10);
    let route = game.ok(pilot, "find_route", json!({ "target_system": "sol" }));
    assert_eq!(route["total_jumps"], 1);
    assert_eq!(route["fuel_available"], 99);
    let back = game.ok(pilot, "jump", json!({ "target_system": "sol" }));
    assert_eq!(back.get("exploration_xp"), None);
    let map = game.ok(pilot, "get_map", json!({ "system_id": "sirius" }));
    assert_eq!(map["visited"], true);
}

#[test]
fn ore_becomes_steel_and_steel_becomes_money() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "nebula");
    game.ok(
        pilot,
        "buy",
        json!({ "item_id": "iron_ore", "quantity": 5 }),
    );
    let made = game.ok(pilot, "craft", json!({ "recipe_id": "refine_steel" }));
    assert_eq!(
        (&made["output_id"], &made["quantity"]),
        (&json!("steel_plate"), &json!(2))
    );
    let words = game.refused(
        pilot,
        "craft",
        json!({ "recipe_id": "refine_steel", "quantity": 2 }),
    );
    assert_eq!(words, "missing_materials: Missing materials: 10x Iron Ore");
    game.ok(
        pilot,
        "deposit_items",
        json!({ "item_id": "steel_plate", "quantity": 2 }),
    );
    assert_eq!(
        game.ok(pilot, "view_storage", json!({}))["items"][0]["quantity"],
        2
    );
    game.ok(
        pilot,
        "withdraw_items",
        json!({ "item_id": "steel_plate", "quantity": 1 }),
    );
    let sale = game.ok(
        pilot,
        "sell",
        json!({ "item_id": "Steel Plate", "quantity": 1 }),
    );
    assert!(sale["total_earned"].as_u64().unwrap() > 0);
}

#[test]
fn an_empty_tank_strands_and_self_destruct_brings_home() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "crimson");
    let mut last = String::new();
    for _ in 0..200 {
        let target = if last == "war_materials" {
            "war_citadel"
        } else {
            "war_materials"
        };
        match game.call(pilot, "travel", json!({ "target_poi": target })) {
            Ok(_) => target.clone_into(&mut last),
            Err(refusal) => {
                assert_eq!(
                    refusal.to_string(),
                    "no_fuel: Not enough fuel. Need 1, have 0."
                );
                break;
            }
        }
    }
    let words = game.refused(pilot, "refuel", json!({}));
    assert_eq!(
        words,
        "no_fuel_cells: No fuel cells found in cargo. Buy fuel cells from a market or craft them."
    );
    game.ok(pilot, "self_destruct", json!({}));
    let status = game.ok(pilot, "get_status", json!({}));
    assert_eq!(status["ship"]["fuel"], 90);
    assert_eq!(status["player"]["docked_at_base"], "crimson_war_citadel");
    assert_eq!(status["player"]["stats"]["ships_lost"], 1);
}

#[test]
fn the_log_is_replayed_at_login() {
    let mut game = Game::new(1);
    let (pilot, welcome) = game.try_register("Quill", "solarian").unwrap();
    game.ok(pilot, "captains_log_add", json!({ "entry": "first" }));
    game.ok(pilot, "captains_log_add", json!({ "entry": "second" }));
    assert_eq!(
        game.ok(pilot, "captains_log_list", json!({ "index": 1 }))["entry"]["entry"],
        "first"
    );
    game.world.end_visit(pilot);
    let credentials = json!({ "username": "quill", "password": welcome["password"] });
    let (_, back) = game.world.login(&super::map(credentials)).unwrap();
    assert_eq!(back["captains_log"][0]["entry"], "second");
    assert_ne!(back["session_id"], welcome["session_id"]);
}

#[test]
fn levels_come_with_a_notification() {
    let mut game = Game::new(1);
    let pilot = game.register("Quill", "nebula");
    game.ok(pilot, "travel", json!({ "target_poi": "commerce_fields" }));
    for _ in 0..30 {
        game.ok(pilot, "mine", json!({}));
    }
    assert_eq!(
        game.ok(pilot, "get_skills", json!({}))["skills"]["mining"]["level"],
        1
    );
    let text = game.ok(pilot, "get_notifications", json!({ "limit": 100 }));
    let kinds: Vec<&str> = text["notifications"]
        .as_array()
        .unwrap()
        .iter()
        .map(|notice| notice["msg_type"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"skill_level_up"));
    assert_eq!(
        kinds.iter().filter(|kind| **kind == "mining_yield").count(),
        30
    );
    assert_eq!(kinds[0], "ok");
}
