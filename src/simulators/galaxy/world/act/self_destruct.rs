//! Self-destruction: the pilot wakes up docked at the home base in a new starter.

use serde_json::{Value, json};

use super::super::{PlayerId, World, player::Berth, ship::PlayerShip};

/// Destroys the ship. Hull, cargo and modules are lost; credits, skills and storage stay.
pub(crate) fn self_destruct(world: &mut World, player: PlayerId) -> Value {
    let (now, dice) = (world.tick, world.dice);
    let pilot = world.player_mut(player);
    let (from, home) = (pilot.at, pilot.home);
    let lost = &pilot.ship.class().id;
    pilot.ship = PlayerShip::starter(pilot.empire, dice, player, pilot.ships, now);
    pilot.ships += 1;
    pilot.stats.ships_lost += 1;
    pilot.berth = Berth::Docked(home);
    let base = world.atlas.base(home);
    let (at, name, id) = (base.poi, base.name.clone(), base.id.clone());
    world.player_mut(player).at = at;
    if let Some(present) = world.present.get_mut(&from)
        && present.remove(&player)
    {
        world.present.entry(at).or_default().insert(player);
    }
    json!({
        "action": "self_destruct",
        "command": "self_destruct",
        "pending": false,
        "cause": "self_destruct",
        "ship_lost": lost,
        "respawn_base": id,
        "clone_cost": 0,
        "insurance_payout": 0,
        "message": format!("Your ship is destroyed. You wake at {name} in a new one."),
    })
}
