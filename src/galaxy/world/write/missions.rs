//! Giving a mission up.

use serde_json::json;

use super::super::{Answer, Arguments, PlayerId, Refusal, World};

pub(crate) fn abandon(world: &mut World, player: PlayerId, arguments: Arguments) -> Answer {
    let id = arguments.text_or_empty("mission_id")?;
    if id.is_empty() {
        return Err(Refusal::payload(
            "Must specify 'mission_id'. Use 'get_active_missions' to see yours.",
        ));
    }
    let now = world.tick;
    let missions = &mut world.player_mut(player).missions;
    let at = missions
        .iter()
        .position(|mission| mission.is_called(id) && mission.expires() > now)
        .ok_or_else(|| Refusal::new("mission_not_found", "You have no such active mission."))?;
    let mission = missions.remove(at);
    Ok(json!({ "message": format!("Mission abandoned: {}", mission.template().title) }))
}
