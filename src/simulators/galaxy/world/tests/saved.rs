//! The file of a galaxy keeps its form: an older one is read, and written again as it was.

use serde_json::{Value, json};

use super::{Game, World, WorldRules};

/// A galaxy in which something of everything that is saved has happened.
fn lived_in() -> World {
    let mut game = Game::new(1);
    let ann = game.register("Quill", "crimson");
    let call = |game: &mut Game, command: &str, arguments: Value| game.ok(ann, command, arguments);
    let mission = json!({ "mission_id": "iron_supply_run" });
    let accepted = call(&mut game, "accept_mission", mission);
    let belt = json!({ "target_poi": "war_materials" });
    call(&mut game, "travel", belt.clone());
    let iron = |game: &mut Game| {
        let missions = game.ok(ann, "get_active_missions", json!({}));
        missions["missions"][0]["objectives"][0]["current"].as_u64()
    };
    while iron(&mut game) < Some(30) {
        call(&mut game, "mine", json!({}));
    }
    call(&mut game, "travel", json!({ "target_poi": "war_citadel" }));
    let done = json!({ "mission_id": accepted["mission_id"] });
    call(&mut game, "complete_mission", done);
    let survey = json!({ "mission_id": "local_sector_survey" });
    call(&mut game, "accept_mission", survey);
    for command in ["sell", "deposit_items"] {
        let cargo = call(&mut game, "get_cargo", json!({}));
        let goods = json!({ "item_id": cargo["cargo"][0]["item_id"], "quantity": 1 });
        call(&mut game, command, goods);
    }
    call(&mut game, "captains_log_add", json!({ "entry": "ore" }));
    let ben = game.register("Ben", "crimson");
    for (channel, target) in [("system", ""), ("local", ""), ("private", "Ben")] {
        let said = json!({ "channel": channel, "target_id": target, "content": "hello" });
        call(&mut game, "chat", said);
    }
    game.world.end_visit(ben);
    let flight = super::order(ann, "travel", belt);
    game.world.submit(flight).unwrap();
    game.pass(2);
    game.world
}

#[test]
fn a_galaxy_keeps_its_form() {
    zoea_golden::hold_text("galaxy.json", &lived_in().save());
    let kept = zoea_golden::kept("galaxy.json");
    let read = World::load(WorldRules::new(1), &kept).expect("it is understood");
    zoea_golden::hold_text("galaxy.json", &read.save());
}
