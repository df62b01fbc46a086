//! The levels of the hold and the tank between two looks.

use super::*;

/// The used space of the hold, and whether it may be another one by now.
fn cargo(scene: &Scene) -> (Option<u32>, bool) {
    let facts = scene.facts();
    (facts.cargo.now, facts.is_cargo_old)
}

fn fuel(scene: &Scene) -> (Option<u32>, bool) {
    let facts = scene.facts();
    (facts.fuel.now, facts.is_fuel_old)
}

fn look(scene: &mut Scene, fuel: u32, goods: &[(&str, u32, u32)]) {
    let used: u32 = goods.iter().map(|(_, units, size)| units * size).sum();
    let goods = goods.iter().map(|(item, units, size)| json!({"item_id": item, "name": item, "quantity": units, "size": size}));
    let goods: Vec<_> = goods.collect();
    let ship = json!({"fuel": fuel, "max_fuel": 100, "cargo_used": used, "cargo_capacity": 70, "cargo": goods});
    scene.done("get_status", "{}", json!({"ship": ship}));
}

fn mine(scene: &mut Scene, item: &str, units: u32) {
    let result =
        json!({"resource_id": item, "resource_name": item, "quantity": units, "remaining": 9});
    scene.done("mine", "{}", result);
}

#[test]
fn what_is_mined_fills_the_hold_by_the_size_that_a_look_told() {
    let mut scene = Scene::new();
    look(&mut scene, 90, &[("iron_ore", 4, 1), ("relic", 3, 5)]);
    assert_eq!(cargo(&scene), (Some(19), false));
    mine(&mut scene, "iron_ore", 3);
    mine(&mut scene, "relic", 2);
    assert_eq!(cargo(&scene), (Some(32), false));
    let sold = json!({"item_id": "relic", "quantity_sold": 5, "total_earned": 9});
    scene.done("sell", r#"{"item_id": "relic", "quantity": 5}"#, sold);
    assert_eq!(cargo(&scene), (Some(7), false));
    let nothing =
        json!({"item_id": "iron_ore", "quantity_sold": 0, "total_earned": 0, "unsold": 7});
    scene.done("sell", "{}", nothing);
    assert_eq!(cargo(&scene), (Some(7), false));
}

#[test]
fn goods_of_unknown_size_make_the_level_an_old_one_until_something_tells_it() {
    let mut scene = Scene::new();
    look(&mut scene, 90, &[("iron_ore", 4, 1)]);
    mine(&mut scene, "gold_ore", 3);
    assert_eq!(cargo(&scene), (Some(4), true));
    // What is known is still counted, and does not make it a level of now.
    mine(&mut scene, "iron_ore", 2);
    assert_eq!(cargo(&scene), (Some(6), true));
    let kept = json!({"cargo": [{"item_id": "iron_ore", "quantity": 6, "size": 1},
        {"item_id": "gold_ore", "quantity": 3, "size": 2}], "used": 12, "capacity": 70});
    scene.done("get_cargo", "{}", kept);
    assert_eq!(cargo(&scene), (Some(12), false));
    mine(&mut scene, "gold_ore", 1);
    assert_eq!(cargo(&scene), (Some(14), false));
    scene.done(
        "deposit_items",
        "{}",
        json!({"item_id": "gold_ore", "quantity": 4, "cargo_space": 64}),
    );
    assert_eq!(cargo(&scene), (Some(6), false));
}

#[test]
fn purchases_count_where_they_came_into_the_hold() {
    let mut scene = Scene::new();
    look(&mut scene, 90, &[("fuel_cell", 1, 2)]);
    let bought = |to: &str| json!({"item_id": "fuel_cell", "quantity": 3, "total_cost": 9, to: 3});
    scene.done("buy", "{}", bought("delivered_to_cargo"));
    assert_eq!(cargo(&scene), (Some(8), false));
    scene.done("buy", "{}", bought("delivered_to_storage"));
    assert_eq!(cargo(&scene), (Some(8), false));
    scene.done(
        "buy",
        "{}",
        json!({"item_id": "fuel_cell", "quantity": 3, "total_cost": 9}),
    );
    assert_eq!(
        cargo(&scene),
        (Some(8), true),
        "nothing tells where it went"
    );
}

#[test]
fn what_may_have_moved_goods_makes_the_level_old_and_what_was_refused_does_not() {
    let after = |tool: &str, status: CallStatus, text: &str| {
        let mut scene = Scene::new();
        look(&mut scene, 90, &[("iron_ore", 60, 1)]);
        scene.call(tool, "{}", status, text);
        cargo(&scene)
    };
    let (fresh, old) = ((Some(60), false), (Some(60), true));
    for tool in [
        "travel",
        "dock",
        "repair",
        "chat",
        "captains_log_add",
        "scan",
        "forum_reply",
    ] {
        assert_eq!(after(tool, CallStatus::Done, "{}"), fresh, "{tool}");
        assert_eq!(after(tool, CallStatus::Unknown, "?"), fresh, "{tool}");
    }
    for tool in [
        "craft",
        "complete_mission",
        "loot_wreck",
        "an_action_of_tomorrow",
    ] {
        assert_eq!(after(tool, CallStatus::Done, "{}"), old, "{tool}");
    }
    for tool in ["mine", "sell"] {
        assert_eq!(after(tool, CallStatus::Unknown, "?"), old, "{tool}");
        assert_eq!(
            after(tool, CallStatus::Failed, "Error: cargo_full"),
            fresh,
            "{tool}"
        );
        assert_eq!(after(tool, CallStatus::NotExecuted, ""), fresh, "{tool}");
        assert_eq!(
            after(tool, CallStatus::Done, "Done, whatever it was."),
            old,
            "{tool}"
        );
    }
    let listed = r#"{"item_id": "iron_ore", "quantity_sold": 2, "auto_listed": 9}"#;
    assert_eq!(after("sell", CallStatus::Done, listed), old);
    let much = r#"{"resource_id": "iron_ore", "quantity": 11}"#;
    assert_eq!(
        after("mine", CallStatus::Done, much),
        old,
        "no hold has 71 of 70"
    );
}

#[test]
fn sizes_that_do_not_come_to_the_used_space_are_not_believed() {
    let mut scene = Scene::new();
    let goods = json!([{"item_id": "iron_ore", "quantity": 4, "size": 1}]);
    let ship = json!({"cargo_used": 9, "cargo_capacity": 70, "cargo": goods});
    scene.done("get_ship", "{}", json!({"ship": ship}));
    mine(&mut scene, "iron_ore", 1);
    assert_eq!(cargo(&scene), (Some(9), true));
}

#[test]
fn texts_of_the_second_interface_tell_sizes_too() {
    let mut scene = Scene::new();
    let status = "Quill [nebula] | 2,750cr | Market Prime\nShip: Prospect (prospect) | Hull: 95/95\n\
        Fuel: 87/130 | Cargo: 12/100\nCargo (2 items):\nitem\tqty\tsize\nGold Ore\t8\t1\nPower Cell\t2\t2\n";
    scene.call("get_status", "{}", CallStatus::Done, status);
    assert_eq!(cargo(&scene), (Some(12), false));
    scene.call("sell", "{}", CallStatus::Done, "Sold 6 Gold Ore for 12cr.");
    assert_eq!(cargo(&scene), (Some(6), false));
    scene.call(
        "sell",
        "{}",
        CallStatus::Done,
        "Sold 1 Power Cell for 12cr.",
    );
    assert_eq!(cargo(&scene), (Some(4), false));
    scene.call(
        "refuel",
        "{}",
        CallStatus::Done,
        "Refueled 88 fuel for 352cr.",
    );
    assert_eq!(
        cargo(&scene),
        (Some(4), false),
        "a station's fuel is in no hold"
    );
}

#[test]
fn fuel_is_old_after_a_trip_and_told_again_by_the_station() {
    let mut scene = Scene::new();
    look(&mut scene, 90, &[]);
    assert_eq!(fuel(&scene), (Some(90), false));
    mine(&mut scene, "iron_ore", 2);
    assert_eq!(fuel(&scene), (Some(90), false));
    scene.done("travel", "{}", json!({"poi_id": "sol_central"}));
    assert_eq!(fuel(&scene), (Some(90), true));
    let filled =
        json!({"source": "station", "fuel": 12, "cost": 24, "fuel_now": 100, "fuel_max": 100});
    scene.done("refuel", "{}", filled);
    assert_eq!(fuel(&scene), (Some(100), false));
    scene.call("jump", "{}", CallStatus::Unknown, "?");
    assert_eq!(fuel(&scene), (Some(100), true));
}

#[test]
fn levels_and_sizes_are_the_same_after_a_restart() {
    let mut scene = Scene::new();
    look(&mut scene, 90, &[("iron_ore", 4, 1), ("gold_ore", 1, 2)]);
    scene.done("travel", "{}", json!({"poi_id": "main_belt"}));
    mine(&mut scene, "iron_ore", 3);
    mine(&mut scene, "gold_ore", 2);
    assert!(scene.save(true) > 0);
    let before = scene.facts().clone();
    assert_eq!(
        (cargo(&scene), fuel(&scene)),
        ((Some(13), false), (Some(90), true))
    );
    scene.restart();
    assert_eq!(scene.facts(), &before);
    mine(&mut scene, "gold_ore", 1);
    assert_eq!(cargo(&scene), (Some(15), false));
    mine(&mut scene, "nickel_ore", 1);
    scene.save(true);
    scene.restart();
    assert_eq!(cargo(&scene), (Some(15), true));
}

#[test]
fn without_a_look_among_the_recalled_rows_a_level_is_old() {
    let mut scene = Scene::new();
    look(&mut scene, 90, &[("iron_ore", 4, 1)]);
    mine(&mut scene, "iron_ore", 3);
    scene.save(true);
    scene.rows.drain(..2);
    scene.restart();
    assert_eq!(
        (cargo(&scene), fuel(&scene)),
        ((Some(7), true), (Some(90), true))
    );
}
