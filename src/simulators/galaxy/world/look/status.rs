//! The player's own state: status, ship, cargo, skills, storage.

use serde_json::{Map, Value, json};

use super::{
    super::{
        CommandArguments, GameAnswer, World,
        catalogue::{ShipClass, xp_for_next},
        hold::Hold,
        player::PlayerAccount,
        view,
    },
    read_station,
};

pub(crate) fn get_status(world: &World, player: &PlayerAccount, _: CommandArguments) -> GameAnswer {
    let mut pilot = view::player(world, player);
    pilot["revealed_pois"] = json!({});
    Ok(json!({
        "player": pilot,
        "ship": view::ship(world, player),
        "modules": module_views(player),
    }))
}

pub(crate) fn get_ship(world: &World, player: &PlayerAccount, _: CommandArguments) -> GameAnswer {
    Ok(json!({
        "ship": view::ship(world, player),
        "class": class_view(player.ship.class()),
        "modules": module_views(player),
        "cargo_used": player.ship.cargo.used(),
        "cargo_max": player.ship.class().cargo,
    }))
}

pub(crate) fn get_cargo(_: &World, player: &PlayerAccount, _: CommandArguments) -> GameAnswer {
    Ok(view::cargo(player))
}

pub(crate) fn get_skills(_: &World, player: &PlayerAccount, _: CommandArguments) -> GameAnswer {
    let skills: Map<String, Value> = player
        .progress
        .iter()
        .map(|(skill, learnt)| {
            let view = json!({
                "level": learnt.level,
                "xp": learnt.xp,
                "next_level_xp": xp_for_next(learnt.level),
            });
            (skill.id().to_owned(), view)
        })
        .collect();
    Ok(json!({ "skills": skills, "message": "Skills level up by use." }))
}

pub(crate) fn list_ships(_: &World, player: &PlayerAccount, _: CommandArguments) -> GameAnswer {
    let (ship, class) = (&player.ship, player.ship.class());
    Ok(json!({
        "count": 1,
        "active_ship_id": ship.id.to_string(),
        "active_ship_class": class.id,
        "ships": [{
            "ship_id": ship.id.to_string(),
            "class_id": class.id,
            "class_name": class.name,
            "is_active": true,
            "hull": format!("{}/{}", ship.hull, class.hull),
            "fuel": format!("{}/{}", ship.fuel, class.fuel),
            "cargo_used": ship.cargo.used(),
            "modules": ship.modules().count(),
            "location": "active",
        }],
    }))
}

pub(crate) fn view_storage(
    world: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let base = read_station(world, player, arguments)?;
    let empty = Hold::default();
    let stored = player.storage.get(&base).unwrap_or(&empty);
    Ok(json!({
        "base_id": world.atlas.base(base).id,
        "credits": 0,
        "items": view::contents(stored),
        "ships": [],
        "hint": "Items are kept per station.",
    }))
}

fn module_views(player: &PlayerAccount) -> Vec<Value> {
    player.ship.modules().map(view::module).collect()
}

/// A ship class, as `get_ship` and the catalogue show it.
pub(super) fn class_view(class: &ShipClass) -> Value {
    json!({
        "id": class.id,
        "name": class.name,
        "class": "Starter",
        "category": "starter",
        "description": class.description,
        "tier": 0,
        "scale": 1,
        "price": 0,
        "starter_ship": true,
        "base_hull": class.hull,
        "base_shield": class.shield,
        "base_shield_recharge": class.shield_recharge,
        "base_armor": class.armor,
        "base_speed": class.speed,
        "base_fuel": class.fuel,
        "cargo_capacity": class.cargo,
        "cpu_capacity": class.cpu,
        "power_capacity": class.power,
        "weapon_slots": class.slots[0],
        "defense_slots": class.slots[1],
        "utility_slots": class.slots[2],
        "default_modules": class.modules,
        "build_time": 0,
        "shipyard_tier": 0,
        "faction": class.empire.id(),
    })
}
