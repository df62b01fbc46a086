//! Abandoning a mission.

use serde_json::json;

use super::super::{CommandArguments, GameAnswer, GameRefusal, PlayerId, World};

pub(crate) fn abandon_mission(
    world: &mut World,
    player: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let id = arguments.text_or_empty("mission_id")?;
    if id.is_empty() {
        return Err(GameRefusal::invalid_payload(
            "Must specify 'mission_id'. Use 'get_active_missions' to see yours.",
        ));
    }
    let now = world.tick;
    let missions = &mut world.player_mut(player).missions;
    let at = missions
        .iter()
        .position(|mission| mission.has_id(id) && mission.expiry_tick() > now)
        .ok_or_else(|| GameRefusal::new("mission_not_found", "You have no such active mission."))?;
    let mission = missions.remove(at);
    Ok(json!({ "message": format!("Mission abandoned: {}", mission.template().title) }))
}
