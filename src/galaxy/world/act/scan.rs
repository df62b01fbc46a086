//! Looking closely at another ship.

use serde_json::json;

use super::{
    super::{
        Answer, PlayerId, Refusal, World, arguments::Arguments, catalogue::Skill, inbox::Event,
        write,
    },
    Act,
};

pub(crate) fn read(arguments: Arguments) -> Result<Act, Refusal> {
    let target = arguments.text_or_empty("target_id")?;
    if target.is_empty() {
        return Err(Refusal::payload(
            "Must specify 'target_id'. Use 'get_nearby' to see who is here.",
        ));
    }
    Ok(Act::Scan(target.to_owned()))
}

pub(crate) fn scan(world: &mut World, player: PlayerId, target: &str) -> Answer {
    let now = world.tick;
    let target = write::chat::find_pilot(world, target).map_err(|_| Refusal::no_such_target())?;
    let (pilot, other) = (world.player(player), world.player(target));
    let is_here = other.at == pilot.at && other.docked_at().is_none() && other.voyage().is_none();
    if target == player || !is_here || other.visit.is_none() {
        return Err(Refusal::no_such_target());
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
    let event = Event::Scanned {
        scanner: player,
        name: pilot.name.clone(),
        ship: pilot.ship.class().id,
    };
    world.player_mut(target).tell(event, now);
    world.player_mut(player).learn(Skill::SCANNING, 1, now);
    Ok(answer)
}
