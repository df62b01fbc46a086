//! Scanning another ship.

use serde_json::json;

use super::{
    super::{
        GameAnswer, GameRefusal, PlayerId, World, arguments::CommandArguments, catalogue::Skill,
        inbox::InboxEvent, write,
    },
    Mutation,
};

pub(crate) fn read_scan(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    let target = arguments.needed_text("target_id", "Use 'get_nearby' to see who is here.")?;
    Ok(Mutation::Scan(target.to_owned()))
}

pub(crate) fn scan_ship(world: &mut World, player: PlayerId, target: &str) -> GameAnswer {
    let now = world.tick;
    let target =
        write::chat::find_pilot(world, target).map_err(|_| GameRefusal::no_such_target())?;
    let (pilot, other) = (world.player(player), world.player(target));
    let is_here = other.at == pilot.at && other.docked_at().is_none() && other.voyage().is_none();
    if target == player || !is_here || other.visit.is_none() {
        return Err(GameRefusal::no_such_target());
    }
    let answer = json!({
        "success": true,
        "target_id": target.to_string(),
        "cloaked": false,
        "revealed_info": ["username", "ship_class", "hull"],
        "username": other.name,
        "ship_class": other.ship.class().id,
        "hull": other.ship.hull,
    });
    let event = InboxEvent::Scanned {
        scanner: player,
        name: pilot.name.clone(),
        ship: &pilot.ship.class().id,
    };
    world.player_mut(target).notify(event, now);
    world
        .player_mut(player)
        .gain_experience(Skill::SCANNING, 1, now);
    Ok(answer)
}
