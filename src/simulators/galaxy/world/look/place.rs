//! The player's surroundings: system, place, base and other pilots.

use serde_json::{Value, json};

use super::super::{
    CommandArguments, GameAnswer, GameRefusal, World,
    atlas::Base,
    figures,
    player::{PlayerAccount, Voyage, VoyageKind},
    view,
};

/// The largest number of pilots that `get_nearby` lists. `count` tells how many there are.
const MAX_LISTED_PILOTS: usize = 50;

const SERVICES: [&str; 6] = [
    "refuel", "repair", "market", "crafting", "missions", "storage",
];

pub(crate) fn get_system(world: &World, player: &PlayerAccount, _: CommandArguments) -> GameAnswer {
    if let Some(voyage) = player.voyage() {
        return Ok(in_flight(world, player, voyage, "get_system"));
    }
    let ix = world.system_of(player);
    Ok(json!({
        "action": "get_system",
        "system": view::system(world, ix),
        "poi": view::poi_of_system(world, player.at),
        "security_status": world.atlas.system(ix).security_text(),
    }))
}

pub(crate) fn get_poi(world: &World, player: &PlayerAccount, _: CommandArguments) -> GameAnswer {
    if let Some(voyage) = player.voyage() {
        return Ok(in_flight(world, player, voyage, "get_poi"));
    }
    let poi = world.atlas.poi(player.at);
    let mut view = json!({
        "id": poi.id,
        "system_id": world.atlas.system(poi.system).id,
        "type": poi.kind.id(),
        "name": poi.name,
        "description": poi.description,
        "position": { "x": poi.position.x, "y": poi.position.y },
    });
    let mut answer = json!({});
    if !poi.deposits.is_empty() {
        let (short, long) = deposit_views(world, player);
        view["resources"] = short.into();
        answer["resources"] = long.into();
    }
    if let Some(base) = poi.base {
        let base = world.atlas.base(base);
        view["base_id"] = base.id.clone().into();
        answer["base"] = base_view(world, base);
        answer["services"] = SERVICES.as_slice().into();
    }
    answer["poi"] = view;
    Ok(answer)
}

pub(crate) fn get_base(world: &World, player: &PlayerAccount, _: CommandArguments) -> GameAnswer {
    let base = player.docked_at().ok_or_else(GameRefusal::not_docked)?;
    Ok(json!({
        "base": base_view(world, world.atlas.base(base)),
        "services": SERVICES,
        "condition": view::station_condition(),
    }))
}

pub(crate) fn get_nearby(world: &World, player: &PlayerAccount, _: CommandArguments) -> GameAnswer {
    if let Some(voyage) = player.voyage() {
        return Ok(in_flight(world, player, voyage, "get_nearby"));
    }
    let others = world
        .players_at(player.at)
        .filter(|other| other.id != player.id);
    let nearby: Vec<Value> = others.take(MAX_LISTED_PILOTS).map(view::visible).collect();
    let myself = usize::from(player.visit.is_some());
    Ok(json!({
        "poi_id": world.atlas.poi(player.at).id,
        "count": world.count_at(player.at).saturating_sub(myself),
        "nearby": nearby,
        "pirate_count": 0,
        "pirates": [],
    }))
}

/// The deposits of the player's place, in the forms of `poi` and of `resources`.
fn deposit_views(world: &World, player: &PlayerAccount) -> (Vec<Value>, Vec<Value>) {
    let describe = |deposit| {
        let remaining = world.deposits.remaining(player.at, deposit, world.tick);
        let short = json!({
            "resource_id": deposit.item.id(),
            "richness": deposit.richness,
            "remaining": remaining,
            "max_remaining": deposit.full,
        });
        let mut long = short.clone();
        long["name"] = deposit.item.name().into();
        long["remaining_display"] = figures::of_full(remaining, deposit.full).into();
        long["depletion_percent"] = figures::depletion(remaining, deposit.full).into();
        (short, long)
    };
    world
        .atlas
        .poi(player.at)
        .deposits
        .iter()
        .map(describe)
        .unzip()
}

fn base_view(world: &World, base: &Base) -> Value {
    let mut view = json!({
        "id": base.id,
        "poi_id": world.atlas.poi(base.poi).id,
        "name": base.name,
        "type": "station",
        "description": base.description,
        "public_access": true,
        "defense_level": base.defense_level,
        "has_drones": base.defense_level > 0,
        "facilities": [format!("{}_refinery_1", base.id)],
    });
    if let Some(empire) = base.empire {
        view["empire"] = empire.id().into();
    }
    view
}

/// The answer for a ship under way, which is at no place.
fn in_flight(world: &World, player: &PlayerAccount, voyage: Voyage, action: &str) -> Value {
    let (from, to) = (world.atlas.poi(player.at), world.atlas.poi(voyage.to));
    let (kind, place) = match voyage.kind {
        VoyageKind::Travel => ("travel", &to.name),
        VoyageKind::Jump => ("jump", &world.atlas.system(to.system).name),
    };
    let ticks = voyage.arrives.saturating_sub(world.tick);
    json!({
        "action": action,
        "in_transit": true,
        "transit_type": kind,
        "from_system": world.atlas.system(from.system).id,
        "to_system": world.atlas.system(to.system).id,
        "to_poi": to.id,
        "ticks_remaining": ticks,
        "message": format!("In transit to {place}: {ticks} ticks left."),
    })
}
