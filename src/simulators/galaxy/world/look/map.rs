//! The map: all systems, searches and routes.

use serde_json::{Value, json};

use super::super::{CommandArguments, GameAnswer, GameRefusal, World, player::PlayerAccount, view};

const MAX_FOUND_SYSTEMS: usize = 20;

pub(crate) fn get_map(
    world: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let id = arguments.text_or_empty("system_id")?;
    if !id.is_empty() {
        let system = world
            .atlas
            .find_system(id)
            .ok_or_else(GameRefusal::no_such_system)?;
        return Ok(view::map_entry(world, player, system));
    }
    let systems: Vec<Value> = world
        .atlas
        .systems()
        .map(|(ix, _)| view::map_entry(world, player, ix))
        .collect();
    Ok(json!({ "total_count": systems.len(), "systems": systems }))
}

pub(crate) fn search_systems(
    world: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let query = arguments.text_or_empty("query")?;
    let part = query.trim().to_lowercase();
    if part.is_empty() {
        return Err(GameRefusal::new(
            "invalid_query",
            "Search query is required. Provide a partial system name to search for.",
        ));
    }
    let found: Vec<_> = world
        .atlas
        .systems()
        .filter(|(_, system)| {
            system.name.to_lowercase().contains(&part) || system.id.contains(&part)
        })
        .collect();
    let systems: Vec<Value> = found
        .iter()
        .take(MAX_FOUND_SYSTEMS)
        .map(|(ix, _)| view::map_entry(world, player, *ix))
        .collect();
    let plural = if found.len() == 1 {
        "system"
    } else {
        "systems"
    };
    Ok(json!({
        "query": query,
        "systems": systems,
        "total_found": found.len(),
        "message": format!("Found {} {plural} matching '{query}'", found.len()),
    }))
}

pub(crate) fn find_route(
    world: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let target = arguments.only_parameter("target_system", "sol")?;
    let to = world
        .atlas
        .locate_system(target)
        .ok_or_else(GameRefusal::no_such_system)?;
    let from = world.system_of(player);
    let route = world.atlas.find_route(from, to).unwrap_or_default();
    let stops: Vec<Value> = route
        .iter()
        .enumerate()
        .map(|(jumps, system)| {
            let system = world.atlas.system(*system);
            json!({ "system_id": system.id, "name": system.name, "jumps": jumps })
        })
        .collect();
    let jumps = route.len().saturating_sub(1);
    let each = player.ship.jump_fuel();
    Ok(json!({
        "found": !route.is_empty(),
        "target_system": world.atlas.system(to).id,
        "total_jumps": jumps,
        "route": stops,
        "fuel_per_jump": each,
        "estimated_fuel": each * jumps as u64,
        "fuel_available": player.ship.fuel,
        "cargo_used": player.ship.cargo.used(),
        "message": format!("Route found: {jumps} jumps"),
    }))
}
