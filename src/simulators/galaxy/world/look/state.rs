//! The whole state in sections, as the second interface has it.

use serde_json::{Value, json};

use super::super::{
    CommandArguments, GameAnswer, World,
    player::{PlayerAccount, VoyageKind},
    view,
};
use super::{missions, place, status};

pub(crate) fn get_state(
    world: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let whole = view::player(world, player);
    let part = |names: &[&str]| -> Value {
        let kept = names
            .iter()
            .map(|name| ((*name).to_owned(), whole[*name].clone()));
        Value::Object(kept.collect())
    };
    let mut ship = view::ship(world, player);
    let cargo = ship["cargo"].take();
    if let Some(ship) = ship.as_object_mut() {
        for section in ["cargo", "modules", "docked_at_base"] {
            ship.remove(section);
        }
    }
    ship["class_name"] = player.ship.class().name.as_str().into();
    let modules: Vec<Value> = player.ship.modules().map(view::module).collect();
    let missions = missions::get_active_missions(world, player, arguments)?;
    let skills = status::get_skills(world, player, arguments)?;
    Ok(json!({
        "message": "Current game state",
        "player": part(&["username", "empire", "credits", "home_base", "is_cloaked"]),
        "ship": ship,
        "modules": modules,
        "cargo": cargo,
        "location": location(world, player, arguments)?,
        "missions": { "active": missions["missions"], "max_missions": missions["max_missions"] },
        "queue": { "has_pending": world.pending.contains_key(&player.id) },
        "skills": skills["skills"],
        "current_tick": world.tick,
    }))
}

fn location(world: &World, player: &PlayerAccount, arguments: CommandArguments) -> GameAnswer {
    let poi = world.atlas.poi(player.at);
    let system = world.atlas.system(poi.system);
    let lanes: Vec<&str> = system
        .lanes
        .iter()
        .map(|lane| world.atlas.system(*lane).id.as_str())
        .collect();
    let mut location = json!({
        "system_id": system.id,
        "system_name": system.name,
        "security_status": system.security_text(),
        "connections": lanes,
        "docked_at": player.docked_at().map(|base| world.atlas.base(base).id.clone()),
        "in_transit": player.voyage().is_some(),
    });
    if let Some(voyage) = player.voyage() {
        location["transit_arrival_tick"] = voyage.arrives.into();
        location["transit_type"] = match voyage.kind {
            VoyageKind::Travel => "travel",
            VoyageKind::Jump => "jump",
        }
        .into();
        return Ok(location);
    }
    let here = place::get_poi(world, player, arguments)?;
    let nearby = place::get_nearby(world, player, arguments)?;
    location["poi_id"] = poi.id.clone().into();
    location["poi_name"] = poi.name.clone().into();
    location["poi_type"] = poi.kind.id().into();
    if here["resources"].is_array() {
        location["resources"] = here["resources"].clone();
    }
    location["nearby_player_count"] = nearby["count"].clone();
    location["nearby_players"] = nearby["nearby"].clone();
    location["nearby_pirate_count"] = 0.into();
    Ok(location)
}
