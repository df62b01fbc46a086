//! Mining: one pull at the deposits of the place.

use serde_json::json;

use super::super::{
    GameAnswer, GameRefusal, PlayerId, World, atlas::PoiKind, catalogue::Skill, figures,
    inbox::InboxEvent, mission::MissionDeed,
};

/// The caller does not choose the resource: the place does.
pub(crate) fn mine_deposit(world: &mut World, player: PlayerId) -> GameAnswer {
    let now = world.tick;
    let pilot = world.player(player);
    let at = pilot.at;
    let poi = world.atlas.poi(at);
    let space = pilot.ship.space();
    if poi.deposits.is_empty() {
        return Err(no_resources());
    }
    check_equipment(poi.kind, pilot.ship.mining_power())?;
    if space == 0 {
        return Err(GameRefusal::cargo_full());
    }
    let mut roll = world.dice.roll("mine", &[player.roll_key(), now]);
    let hit = world.deposits.pick_deposit((at, poi), &mut roll, now);
    let deposit = *hit.ok_or_else(no_resources)?;
    let skill = pilot.progress.level(Skill::MINING);
    let pulled = pull_units(pilot.ship.mining_power(), skill, &mut roll);
    let remaining = world.deposits.remaining(at, &deposit, now);
    let quantity = pulled.min(remaining).min(space / deposit.item.size());
    if quantity == 0 {
        return Err(GameRefusal::cargo_full());
    }
    world.deposits.draw_units(at, &deposit, quantity, now);
    let remaining = remaining - quantity;
    let pilot = world.player_mut(player);
    pilot.ship.cargo.put(deposit.item, quantity);
    pilot.stats.ore_mined += quantity;
    pilot.count_deed(MissionDeed::Mined(quantity), now);
    let event = InboxEvent::Yield {
        item: deposit.item,
        quantity,
        remaining,
        full: deposit.full,
        xp: quantity,
    };
    pilot.notify(event, now);
    pilot.gain_experience(Skill::MINING, quantity, now);
    Ok(json!({
        "resource_id": deposit.item.id(),
        "resource_name": deposit.item.name(),
        "quantity": quantity,
        "remaining": remaining,
        "remaining_display": figures::of_full(remaining, deposit.full),
        "max_remaining": deposit.full,
        "depletion_percent": figures::depletion(remaining, deposit.full),
        "xp_gained": { "mining": quantity },
    }))
}

fn no_resources() -> GameRefusal {
    GameRefusal::new("no_resources", "Nothing to mine here")
}

/// Refuses a place for which the ship has no equipment. Starters carry a mining laser, for belts
/// only.
fn check_equipment(kind: PoiKind, mining_power: u64) -> Result<(), GameRefusal> {
    let module = match kind {
        PoiKind::AsteroidBelt if mining_power > 0 => return Ok(()),
        PoiKind::GasCloud => "a gas harvester",
        PoiKind::IceField => "an ice harvester",
        PoiKind::AsteroidBelt
        | PoiKind::Sun
        | PoiKind::Planet
        | PoiKind::Station
        | PoiKind::Nebula
        | PoiKind::Relic => "a mining laser",
    };
    let message = format!("Mining here needs {module} module.");
    Err(GameRefusal::new("no_module", message))
}

/// Units of one pull: 1 to 4, 2.7 on average with a mining laser of power 5, 1% more per level.
fn pull_units(power: u64, skill: u64, roll: &mut fastrand::Rng) -> u64 {
    const TENTHS: [u64; 10] = [1, 2, 2, 2, 3, 3, 3, 3, 4, 4];
    let base = TENTHS[roll.usize(..TENTHS.len())] * power * (100 + skill);
    // The fraction of a unit becomes a whole unit with that probability.
    base / 500 + u64::from(roll.u64(..500) < base % 500)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pull_brings_2_7_units_on_average() {
        let mut roll = fastrand::Rng::with_seed(1);
        let total: u64 = (0..10_000).map(|_| pull_units(5, 0, &mut roll)).sum();
        assert!((26_500..27_500).contains(&total), "{total}");
        let skilled: u64 = (0..10_000).map(|_| pull_units(5, 50, &mut roll)).sum();
        assert!((39_500..41_500).contains(&skilled), "{skilled}");
    }
}
