//! The wire forms of systems and places.

use serde_json::{Value, json};

use super::super::{
    World,
    atlas::{PoiIx, SystemIx},
    calendar,
    player::PlayerAccount,
};

/// The `system` object with its connections and places.
pub(crate) fn system(world: &World, ix: SystemIx) -> Value {
    let system = world.atlas.system(ix);
    let lane = |to: &SystemIx| {
        let there = world.atlas.system(*to);
        json!({
            "system_id": there.id,
            "name": there.name,
            "distance": world.atlas.lane_length(ix, *to).round() as u64,
        })
    };
    let mut view = json!({
        "id": system.id,
        "name": system.name,
        "description": system.description,
        "police_level": system.police_level,
        "security_status": system.security_text(),
        "connections": system.lanes.iter().map(lane).collect::<Vec<_>>(),
        "pois": system.pois.iter().map(|poi| poi_of_system(world, *poi)).collect::<Vec<_>>(),
    });
    if let Some(empire) = system.empire {
        view["empire"] = empire.id().into();
    }
    view
}

pub(crate) fn poi_of_system(world: &World, ix: PoiIx) -> Value {
    let poi = world.atlas.poi(ix);
    let mut view = json!({
        "id": poi.id,
        "name": poi.name,
        "type": poi.kind.id(),
        "position": { "x": poi.position.x, "y": poi.position.y },
        "has_base": poi.base.is_some(),
        "online": world.count_at(ix),
    });
    if let Some(class) = poi.class {
        view["class"] = class.into();
    }
    if let Some(base) = poi.base {
        let base = world.atlas.base(base);
        view["base_id"] = base.id.clone().into();
        view["base_name"] = base.name.clone().into();
    }
    view
}

pub(crate) fn map_entry(world: &World, player: &PlayerAccount, ix: SystemIx) -> Value {
    let system = world.atlas.system(ix);
    let lanes = system
        .lanes
        .iter()
        .map(|lane| world.atlas.system(*lane).id.clone());
    let visited = player.visited.get(&ix);
    let mut view = json!({
        "system_id": system.id,
        "name": system.name,
        "position": { "x": system.position.x, "y": system.position.y },
        "connections": lanes.collect::<Vec<_>>(),
        "poi_count": system.pois.len(),
        "online": world.count_in(ix),
        "visited": visited.is_some(),
        "visited_at": visited.map_or(String::new(), |tick| calendar::timestamp(*tick)),
    });
    if let Some(empire) = system.empire {
        view["empire"] = empire.id().into();
    }
    if system.is_stronghold {
        view["is_stronghold"] = true.into();
    }
    view
}

/// The condition of a station. Simulated stations are always well supplied.
pub(crate) fn station_condition() -> Value {
    json!({
        "condition": "operational",
        "condition_text": "All service infrastructure supplied.",
        "satisfaction_pct": 100,
        "satisfied_count": 12,
        "total_service_infra": 12,
    })
}
