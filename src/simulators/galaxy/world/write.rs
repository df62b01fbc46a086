//! Commands that change the world at once, without taking a tick.

pub(super) mod chat;
pub(super) mod profile;

use serde_json::json;

use super::{CommandArguments, GameAnswer, GameRefusal, PlayerId, World};

pub(super) fn captains_log_add(
    world: &mut World,
    player: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let entry = arguments.text_or_empty("entry")?;
    let now = world.tick;
    world.player_mut(player).log.add_entry(entry, now)
}

pub(super) fn abandon_mission(
    world: &mut World,
    player: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let id = arguments.needed_text("mission_id", "Use 'get_active_missions' to see yours.")?;
    let now = world.tick;
    let missions = &mut world.player_mut(player).missions;
    let at = missions
        .iter()
        .position(|mission| mission.has_id(id) && mission.expiry_tick() > now)
        .ok_or_else(|| GameRefusal::new("mission_not_found", "You have no such active mission."))?;
    let mission = missions.remove(at);
    Ok(json!({ "message": format!("Mission abandoned: {}", mission.template().title) }))
}
