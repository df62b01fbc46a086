//! What the results of both interfaces tell, by captured and composed examples.

use serde_json::json;
use zoea_game::standing::GoodsChange;

use crate::captured::captured;
use crate::results::read_facts;

use super::*;

fn shown(command: &str, text: &str) -> Standing {
    let facts = read_facts(text).unwrap_or_else(|| panic!("{text}"));
    let read_only = command.starts_with("get_") || command == "view_market";
    read(command, read_only, &facts)
}

fn of(command: &str, facts: Value) -> Standing {
    shown(command, &facts.to_string())
}

fn gauge_of(now: u32, most: u32) -> Gauge {
    Gauge {
        now: Some(now),
        most: Some(most),
    }
}

#[test]
fn a_status_of_the_first_interface_tells_everything() {
    let status = |docked: bool| {
        let mut player =
            json!({"credits": 136, "current_system": "sol", "current_poi": "main_belt"});
        if docked {
            player["docked_at_base"] = "confederacy_central_command".into();
        }
        of(
            "get_status",
            json!({
                "player": player,
                "ship": {"hull": 90, "max_hull": 100, "fuel": 97, "max_fuel": 100,
                         "cargo_used": 16, "cargo_capacity": 70},
            }),
        )
    };
    let expected = Standing {
        credits: Some(136),
        system: Some("sol".to_string()),
        poi: Some("main_belt".to_string()),
        docked: Some(false),
        fuel: gauge_of(97, 100),
        cargo: gauge_of(16, 70),
        hull: gauge_of(90, 100),
        ..Standing::default()
    };
    assert_eq!(status(false), expected);
    assert_eq!(status(true).docked, Some(true));
}

#[test]
fn a_captured_status_of_the_second_interface_tells_all_but_the_point_of_interest() {
    let texts = captured("get_status");
    let docked = shown("get_status", &texts[0]);
    let expected = Standing {
        credits: Some(2750),
        system: Some("market_prime".to_string()),
        docked: Some(true),
        fuel: gauge_of(87, 130),
        cargo: gauge_of(30, 100),
        hull: gauge_of(95, 95),
        sizes: ["palladium_ore", "vanadium_ore", "gold_ore"]
            .map(|item| (item.to_string(), 1))
            .to_vec(),
        ..Standing::default()
    };
    assert_eq!(docked, expected);
    let in_space = shown("get_status", &texts[1]);
    assert_eq!(
        (
            in_space.credits,
            in_space.docked,
            in_space.system.as_deref()
        ),
        (Some(187_117), Some(false), Some("gold_run"))
    );
}

#[test]
fn the_other_captured_looks_tell_their_part() {
    let one = |action: &str| shown(action, &captured(action)[0]);
    let location = one("get_location");
    assert_eq!(
        (location.credits, location.docked, location.fuel),
        (Some(2750), Some(true), Gauge::default())
    );
    assert_eq!(
        one("get_poi").poi.as_deref(),
        Some("gold_run_mineral_fields")
    );
    assert_eq!(one("get_system").system.as_deref(), Some("market_prime"));
    let cargo = one("get_cargo");
    assert_eq!(
        (cargo.credits, cargo.cargo),
        (Some(257_951), Gauge::default())
    );
    assert_eq!(cargo.docked, None, "it does not tell where the ship is");
    for nothing in [
        "get_skills",
        "get_active_missions",
        "get_notifications",
        "view_market",
    ] {
        assert_eq!(one(nothing), Standing::default(), "{nothing}");
    }
}

#[test]
fn a_state_in_sections_tells_the_place_and_a_change_only_what_changed() {
    let all: Value = serde_json::from_str(crate::CAPTURED_RESULTS).unwrap();
    let examples = all["examples"].as_array().unwrap();
    let state = examples
        .iter()
        .find(|example| example["structuredContent"]["queue"].is_object())
        .unwrap();
    let state = of("get_status", state["structuredContent"].clone());
    assert_eq!(
        (
            state.credits,
            state.poi.as_deref(),
            state.docked,
            state.cargo
        ),
        (
            Some(187_117),
            Some("gold_run_mineral_fields"),
            Some(false),
            gauge_of(11, 100)
        )
    );
    let sold = json!({"details": {"total_earned": 12}, "message": "Sold.",
                      "player": {"credits": 512}, "ship": {"cargo_used": 0}});
    let sold = of("sell", sold);
    assert_eq!(
        (sold.credits, sold.deal.map(Deal::net)),
        (Some(512), Some(12))
    );
    assert_eq!((sold.cargo.now, sold.docked), (Some(0), None));
}

#[test]
fn outcomes_of_actions_tell_what_follows_from_them() {
    let sold: Vec<Option<i64>> = captured("sell")
        .iter()
        .map(|text| shown("sell", text).deal.map(Deal::net))
        .collect();
    assert_eq!(sold, [12, 24, 535, 6, 0].map(Some));
    let refuelled = shown("refuel", &captured("refuel")[0]);
    assert_eq!(
        (
            refuelled.deal.map(Deal::net),
            refuelled.fuel_added,
            refuelled.fuel
        ),
        (Some(-352), Some(88), Gauge::default())
    );
    assert_eq!(shown("dock", &captured("dock")[0]).docked, Some(true));
    let refuelled =
        json!({"action": "refuel", "fuel": 3, "cost": 6, "fuel_now": 100, "fuel_max": 100});
    assert_eq!(of("refuel", refuelled).fuel, gauge_of(100, 100));
    let repaired =
        json!({"action": "repair", "repaired": 12, "cost": 24, "hull": 100, "max_hull": 100});
    assert_eq!(of("repair", repaired).hull, gauge_of(100, 100));
    let arrived = json!({"action": "arrived", "poi": "Main Belt", "poi_id": "main_belt"});
    let arrived = of("travel", arrived);
    assert_eq!(
        (arrived.poi.as_deref(), arrived.system, arrived.docked),
        (Some("main_belt"), None, Some(false))
    );
    let jumped = json!({"system": "Alpha Centauri", "system_id": "alpha_centauri", "poi": "alpha_centauri_star"});
    let jumped = of("jump", jumped);
    assert_eq!(
        (jumped.system.as_deref(), jumped.poi.as_deref()),
        (Some("alpha_centauri"), Some("alpha_centauri_star"))
    );
    let cargo = json!({"cargo": [], "used": 16, "capacity": 70, "available": 54});
    assert_eq!(of("get_cargo", cargo).cargo, gauge_of(16, 70));
    let stored =
        json!({"action": "deposit_items", "quantity": 12, "cargo_remaining": 0, "cargo_space": 66});
    assert_eq!(of("deposit_items", stored).cargo_free, Some(66));
    let mission = json!({"mission_id": "a", "credits_earned": 1500});
    assert_eq!(
        of("complete_mission", mission).deal.map(Deal::net),
        Some(1500)
    );
}

#[test]
fn what_is_said_of_others_or_of_no_deal_is_not_the_players_own() {
    let scanned = json!({"success": true, "hull": 3, "shield": 0, "username": "Tessera"});
    assert_eq!(of("scan", scanned), Standing::default());
    let estimate = json!({"item": "x", "total_cost": 900});
    let facts = estimate.as_object().unwrap();
    assert_eq!(read("estimate_purchase", true, facts), Standing::default());
    for odd in [
        json!(-1),
        json!(1.5),
        json!("9"),
        json!(u64::MAX),
        json!(null),
    ] {
        let odd = json!({"player": {"credits": odd, "current_system": "Sol Three"}, "ship": {"fuel": odd}});
        assert_eq!(of("get_status", odd.clone()), Standing::default(), "{odd}");
    }
}

#[test]
fn calls_that_move_credits_say_how_many() {
    for (command, tool, arguments, expected) in [
        (
            "deposit_credits",
            "deposit_credits",
            r#"{"amount":50}"#,
            Some(Transfer::Amount(-50)),
        ),
        (
            "withdraw_credits",
            "withdraw_credits",
            r#"{"amount":"50"}"#,
            Some(Transfer::Amount(50)),
        ),
        (
            "faction_deposit_credits",
            "faction_deposit_credits",
            r#"{"amount":7}"#,
            Some(Transfer::Amount(-7)),
        ),
        (
            "send_gift",
            "send_gift",
            r#"{"recipient":"b","credits":9}"#,
            Some(Transfer::Amount(-9)),
        ),
        (
            "send_gift",
            "send_gift",
            r#"{"recipient":"b","item_id":"iron_ore","quantity":9}"#,
            None,
        ),
        (
            "send_gift",
            "spacemolt_storage",
            r#"{"action":"deposit","target":"b","item_id":"credits","quantity":9}"#,
            Some(Transfer::Amount(-9)),
        ),
        (
            "withdraw_credits",
            "spacemolt_storage",
            r#"{"action":"withdraw","item_id":"credits","quantity":4}"#,
            Some(Transfer::Amount(4)),
        ),
        (
            "withdraw_credits",
            "withdraw_credits",
            "{}",
            Some(Transfer::Unknown),
        ),
        (
            "withdraw_credits",
            "withdraw_credits",
            "no json",
            Some(Transfer::Unknown),
        ),
        (
            "trade_accept",
            "trade_accept",
            r#"{"trade_id":"t"}"#,
            Some(Transfer::Unknown),
        ),
        (
            "trade_offer",
            "trade_offer",
            r#"{"target_id":"b","credits":5}"#,
            Some(Transfer::Offer),
        ),
        ("sell", "sell", "{}", None),
        ("deposit_items", "deposit_items", "{}", None),
    ] {
        assert_eq!(
            transfer(command, tool, arguments),
            expected,
            "{command} {arguments}"
        );
    }
    let accepted = json!({"trade_id": "t", "your_credits": 86, "message": "Trade completed"});
    assert_eq!(of("trade_accept", accepted).credits, Some(86));
}

#[test]
fn an_action_tells_what_it_did_to_the_goods_in_the_hold() {
    let moved = |item: &str, units: i64| GoodsChange::Moved {
        item: item.to_string(),
        units,
    };
    let (none, untold) = (GoodsChange::None, GoodsChange::Unknown);
    for (command, facts, expected) in [
        (
            "mine",
            json!({"resource_id": "iron_ore", "quantity": 3}),
            moved("iron_ore", 3),
        ),
        ("mine", json!({"kind": "filtered"}), untold.clone()),
        (
            "sell",
            json!({"item_id": "iron_ore", "quantity_sold": 12}),
            moved("iron_ore", -12),
        ),
        (
            "use_item",
            json!({"item_id": "fuel_cell", "quantity_used": 1}),
            moved("fuel_cell", -1),
        ),
        (
            "withdraw_items",
            json!({"item_id": "a", "quantity": 5}),
            moved("a", 5),
        ),
        (
            "refuel",
            json!({"source": "station", "fuel": 3}),
            none.clone(),
        ),
        (
            "refuel",
            json!({"source": "cells", "cells_used": 3, "cost": 0}),
            untold.clone(),
        ),
        (
            "create_sell_order",
            json!({"item_id": "a", "from_cargo": 4}),
            untold,
        ),
        ("jump", json!({"system_id": "sol"}), none),
    ] {
        assert_eq!(
            of(command, facts.clone()).goods,
            expected,
            "{command} {facts}"
        );
    }
}
