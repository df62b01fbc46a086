//! Tests of several pilots in one world.

use serde_json::{Value, json};

use super::{Game, map, order};
use crate::world::{PlayerId, World, WorldRules};

fn notices_of(game: &mut Game, pilot: PlayerId) -> Vec<(String, Value)> {
    let answer = game.ok(pilot, "get_notifications", json!({ "limit": 100 }));
    let notices = answer["notifications"].as_array().unwrap().iter();
    notices
        .map(|notice| {
            let kind = notice["msg_type"].as_str().unwrap().to_owned();
            (kind, notice["data"].clone())
        })
        .collect()
}

#[test]
fn pilots_hear_each_other_and_see_who_comes() {
    let mut game = Game::new(1);
    let (ann, ben) = (
        game.register("Ann", "solarian"),
        game.register("Ben", "solarian"),
    );
    game.ok(
        ann,
        "chat",
        json!({ "channel": "system", "content": "hello" }),
    );
    game.ok(
        ann,
        "chat",
        json!({ "channel": "private", "target_id": "ben", "content": "psst" }),
    );
    let last_message = notices_of(&mut game, ben);
    assert_eq!(last_message[0].1["content"], "hello");
    assert_eq!(last_message[1].1["target_name"], "Ben");
    assert!(notices_of(&mut game, ann).is_empty());
    game.ok(ann, "travel", json!({ "target_poi": "main_belt" }));
    assert_eq!(notices_of(&mut game, ben)[0].0, "poi_departure");
    game.ok(ben, "travel", json!({ "target_poi": "main_belt" }));
    let seen = notices_of(&mut game, ann);
    assert_eq!(seen.last().unwrap().0, "poi_arrival");
    assert_eq!(seen.last().unwrap().1["username"], "Ben");
    let nearby = game.ok(ann, "get_nearby", json!({}));
    assert_eq!(nearby["nearby"][0]["username"], "Ben");
    let scan = game.ok(ann, "scan", json!({ "target_id": ben.to_string() }));
    assert_eq!(scan["ship_class"], "theoria");
    assert_eq!(
        notices_of(&mut game, ben).last().unwrap().0,
        "scan_detected"
    );
    let history = game.ok(ben, "get_chat_history", json!({ "channel": "private" }));
    assert_eq!(history["messages"][0]["content"], "psst");
}

#[test]
fn what_was_said_while_away_counts_as_unread() {
    let mut game = Game::new(1);
    let ann = game.register("Ann", "solarian");
    let (ben, welcome) = game.try_register("Ben", "solarian").unwrap();
    game.ok(
        ann,
        "chat",
        json!({ "channel": "system", "content": "before" }),
    );
    game.world.end_visit(ben);
    game.ok(
        ann,
        "chat",
        json!({ "channel": "system", "content": "after" }),
    );
    game.ok(
        ann,
        "chat",
        json!({ "channel": "private", "target_id": "Ben", "content": "call me" }),
    );
    let credentials = json!({ "username": "Ben", "password": welcome["password"] });
    let (_, back) = game.world.login(&map(credentials)).unwrap();
    assert_eq!(
        back["unread_chat"],
        json!({ "system": 1, "local": 0, "faction": 0, "private": 1 })
    );
    game.ok(ben, "get_chat_history", json!({ "channel": "system" }));
    game.ok(ben, "travel", json!({ "target_poi": "earth" }));
    game.ok(ben, "travel", json!({ "target_poi": "sol_central" }));
    let docked = game.ok(ben, "dock", json!({}));
    assert_eq!(docked["unread_chat"]["system"], 0);
    assert_eq!(docked["unread_chat"]["private"], 1);
}

#[test]
fn the_anonymous_pass_unseen() {
    let mut game = Game::new(1);
    let (ann, ben) = (
        game.register("Ann", "solarian"),
        game.register("Ben", "solarian"),
    );
    game.ok(ann, "set_anonymous", json!({ "anonymous": true }));
    let nearby = game.ok(ben, "get_nearby", json!({}));
    assert_eq!(nearby["nearby"][0].get("username"), None);
    game.ok(ann, "travel", json!({ "target_poi": "earth" }));
    assert!(notices_of(&mut game, ben).is_empty());
}

#[test]
fn the_order_of_arrival_within_a_tick_does_not_matter() {
    let play = |reversed: bool| {
        let mut game = Game::new(1);
        let mut pilots: Vec<PlayerId> = (0..20)
            .map(|number| game.register(&format!("Pilot {number}"), "solarian"))
            .collect();
        if reversed {
            pilots.reverse();
        }
        let mut answers = Vec::new();
        for command in ["travel", "mine", "mine", "mine"] {
            let arguments = match command {
                "travel" => json!({ "target_poi": "main_belt" }),
                _ => json!({}),
            };
            let answer_ids: Vec<_> = pilots
                .iter()
                .map(|pilot| {
                    (
                        game.world
                            .submit(order(*pilot, command, arguments.clone()))
                            .unwrap(),
                        *pilot,
                    )
                })
                .collect();
            for _ in 0..8 {
                for (answer_id, answer) in game.world.tick().answers {
                    let pilot = answer_ids
                        .iter()
                        .find(|(theirs, _)| *theirs == answer_id)
                        .unwrap()
                        .1;
                    answers.push((game.world.now(), pilot, answer.unwrap().to_string()));
                }
            }
        }
        answers
    };
    let answers = play(false);
    assert_eq!(answers.len(), 80);
    assert_eq!(answers, play(true));
}

#[test]
fn a_crowd_at_one_station_still_earns() {
    let mut game = Game::new(1);
    let pilots: Vec<PlayerId> = (0..300)
        .map(|number| game.register(&format!("Pilot {number}"), "nebula"))
        .collect();
    let everybody = |game: &mut Game, command: &str, arguments: Value, ticks: u64| {
        for pilot in &pilots {
            let _ = game.world.submit(order(*pilot, command, arguments.clone()));
        }
        game.pass(ticks);
    };
    for _ in 0..3 {
        everybody(
            &mut game,
            "travel",
            json!({ "target_poi": "commerce_fields" }),
            7,
        );
        for _ in 0..40 {
            everybody(&mut game, "mine", json!({}), 1);
        }
        everybody(
            &mut game,
            "travel",
            json!({ "target_poi": "grand_exchange" }),
            7,
        );
        for item in ["iron_ore", "copper_ore", "nickel_ore"] {
            for pilot in &pilots {
                let cargo = game.ok(*pilot, "get_cargo", json!({}));
                let held = cargo["cargo"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|held| held["item_id"] == item);
                if let Some(held) = held {
                    let goods = json!({ "item_id": item, "quantity": held["quantity"] });
                    let _ = game.world.submit(order(*pilot, "sell", goods));
                }
            }
            game.pass(3);
        }
        everybody(&mut game, "refuel", json!({}), 1);
    }
    let poorest = pilots
        .iter()
        .map(|pilot| game.credits(*pilot))
        .min()
        .unwrap();
    assert!(poorest > 300, "{poorest}");
}

#[test]
fn a_saved_world_goes_on_as_if_nothing_had_happened() {
    let mut game = Game::new(3);
    let (ann, ben) = (
        game.register("Ann", "outerrim"),
        game.register("Ben", "outerrim"),
    );
    game.ok(ann, "travel", json!({ "target_poi": "pioneer_fields" }));
    for _ in 0..5 {
        game.ok(ann, "mine", json!({}));
    }
    game.ok(
        ann,
        "chat",
        json!({ "channel": "local", "content": "anyone?" }),
    );
    game.ok(ben, "accept_mission", json!({ "mission_id": "first_haul" }));
    game.ok(ben, "buy", json!({ "item_id": "fuel_cell", "quantity": 1 }));
    let next = json!({ "target_system": neighbour(&mut game, ben) });
    game.world.submit(order(ben, "jump", next)).unwrap();
    game.pass(4);
    let saved = game.world.save();
    let mut restored = World::load(WorldRules::new(3), &saved).unwrap();
    assert_eq!(restored.save(), saved);
    for _ in 0..10 {
        game.world.tick();
        restored.tick();
    }
    assert_eq!(restored.save(), game.world.save());
    assert!(!restored.save().contains("UnderWay"));
    assert_eq!(restored.online(), 2);
}

fn neighbour(game: &mut Game, pilot: PlayerId) -> String {
    let system = game.ok(pilot, "get_system", json!({}));
    system["system"]["connections"][0]["system_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn another_seed_or_nonsense_is_not_loaded() {
    let saved = Game::new(3).world.save();
    let words = World::load(WorldRules::new(4), &saved)
        .unwrap_err()
        .to_string();
    assert_eq!(words, "it was made with seed 3, not with seed 4");
    assert!(World::load(WorldRules::new(3), "{\"seed\":3").is_err());
    let moved = saved.replacen("\"atlas\":", "\"atlas\":1", 1);
    assert!(World::load(WorldRules::new(3), &moved).is_err());
}
