//! The wire forms of pilots and their ships.

use serde_json::{Map, Value, json};

use super::super::{
    World, calendar,
    catalogue::{ModulePurpose, ModuleSpec},
    id::Id,
    player::PlayerAccount,
};

pub(crate) fn player(world: &World, player: &PlayerAccount) -> Value {
    let mut view = json!({
        "id": player.id.to_string(),
        "username": player.name,
        "empire": player.empire.id(),
        "credits": player.credits,
        "created_at": calendar::timestamp(player.created),
        "last_login_at": calendar::timestamp(player.last_login),
        "last_active_at": calendar::timestamp(player.last_active),
        "last_chat_check": calendar::timestamp(player.last_login),
        "status_message": player.profile.status_message,
        "clan_tag": player.profile.clan_tag,
        "primary_color": player.profile.primary_color,
        "secondary_color": player.profile.secondary_color,
        "anonymous": player.profile.is_anonymous,
        "is_cloaked": false,
        "current_system": world.atlas.system(world.system_of(player)).id,
        "current_poi": world.atlas.poi(player.at).id,
        "current_ship_id": player.ship.id.to_string(),
        "home_base": world.atlas.base(player.home).id,
        "skills": skills(player, |learnt| learnt.level),
        "skill_xp": skills(player, |learnt| learnt.xp),
        "stats": stats(world, player),
        "experience": player.progress.experience,
    });
    if let Some(base) = player.docked_at() {
        view["docked_at_base"] = world.atlas.base(base).id.clone().into();
    }
    view
}

fn skills(
    player: &PlayerAccount,
    part: impl Fn(super::super::progress::SkillLevel) -> u64,
) -> Map<String, Value> {
    let skills = player.progress.iter();
    skills
        .map(|(skill, learnt)| (skill.id().to_owned(), part(learnt).into()))
        .collect()
}

fn stats(world: &World, player: &PlayerAccount) -> Value {
    let stats = &player.stats;
    json!({
        "bases_destroyed": 0,
        "credits_earned": stats.credits_earned,
        "credits_spent": stats.credits_spent,
        "distance_traveled": stats.distance_traveled,
        "items_crafted": stats.items_crafted,
        "ore_mined": stats.ore_mined,
        "pirates_destroyed": 0,
        "ships_destroyed": 0,
        "ships_lost": stats.ships_lost,
        "systems_explored": player.visited.len(),
        "time_played": player.seconds_played(world.tick),
        "trades_completed": stats.trades_completed,
    })
}

pub(crate) fn ship(world: &World, player: &PlayerAccount) -> Value {
    let (ship, class) = (&player.ship, player.ship.class());
    let modules: Vec<String> = ship.modules().map(|(id, _)| id.to_string()).collect();
    let mut view = json!({
        "id": ship.id.to_string(),
        "owner_id": player.id.to_string(),
        "class_id": class.id,
        "name": class.name,
        "hull": ship.hull,
        "max_hull": class.hull,
        "shield": class.shield,
        "max_shield": class.shield,
        "shield_recharge": class.shield_recharge,
        "armor": class.armor,
        "speed": class.speed,
        "fuel": ship.fuel,
        "max_fuel": class.fuel,
        "cargo_used": ship.cargo.used(),
        "cargo_capacity": class.cargo,
        "cpu_used": ship.cpu_used(),
        "cpu_capacity": class.cpu,
        "power_used": ship.power_used(),
        "power_capacity": class.power,
        "weapon_slots": class.slots[0],
        "defense_slots": class.slots[1],
        "utility_slots": class.slots[2],
        "modules": modules,
        "cargo": super::contents(&ship.cargo),
        "created_at": calendar::timestamp(ship.built),
    });
    if let Some(base) = player.docked_at() {
        view["docked_at_base"] = world.atlas.base(base).id.clone().into();
    }
    view
}

pub(crate) fn module((id, spec): (Id, &ModuleSpec)) -> Value {
    let mut view = json!({
        "id": id.to_string(),
        "type_id": spec.id,
        "name": spec.name(),
        "size": spec.size,
        "cpu_usage": spec.cpu,
        "power_usage": spec.power,
        "quality": 100,
        "quality_grade": "Standard",
        "wear": 0,
        "wear_status": "Pristine",
    });
    match &spec.purpose {
        ModulePurpose::Mining { power, range } => {
            view["type"] = "mining".into();
            view["mining_power"] = (*power).into();
            view["mining_range"] = (*range).into();
        }
        ModulePurpose::Weapon(weapon) => {
            view["type"] = "weapon".into();
            view["damage"] = weapon.damage.into();
            view["damage_type"] = weapon.kind.as_str().into();
            view["reach"] = weapon.reach.into();
            view["cooldown"] = weapon.cooldown.into();
        }
    }
    view
}

/// The cargo with used and free space, as `get_cargo` shows it.
pub(crate) fn cargo(player: &PlayerAccount) -> Value {
    json!({
        "cargo": super::contents(&player.ship.cargo),
        "used": player.ship.cargo.used(),
        "capacity": player.ship.class().cargo,
        "available": player.ship.space(),
    })
}

pub(crate) fn visible(other: &PlayerAccount) -> Value {
    let class = other.ship.class();
    if other.profile.is_anonymous {
        return json!({
            "ship_class": class.id,
            "anonymous": true,
            "in_combat": false,
        });
    }
    let mut view = json!({
        "username": other.name,
        "player_id": other.id.to_string(),
        "ship_class": class.id,
        "ship_name": class.name,
        "anonymous": false,
        "in_combat": false,
        "primary_color": other.profile.primary_color,
        "secondary_color": other.profile.secondary_color,
    });
    for (key, text) in [
        ("status_message", &other.profile.status_message),
        ("clan_tag", &other.profile.clan_tag),
    ] {
        if !text.is_empty() {
            view[key] = text.clone().into();
        }
    }
    view
}
