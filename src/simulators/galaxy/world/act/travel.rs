//! Travel within a system, jumps between systems, and arrivals.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    super::{
        GameRefusal, PlayerId, World,
        arguments::CommandArguments,
        atlas::PoiIx,
        catalogue::Skill,
        inbox::{InboxEvent, PilotPassage},
        mission::MissionDeed,
        player::{Berth, PlayerAccount, Voyage, VoyageKind},
        view,
    },
    Mutation, MutationResult,
};

const MAX_LISTED_PILOTS: usize = 20;

/// The crowd at one place above which nobody is told who comes and goes.
const MAX_TOLD_PILOTS: usize = 50;

pub(crate) fn read_travel(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    let poi = arguments.only_parameter("target_poi", "main_belt")?;
    Ok(Mutation::Travel(poi.to_owned()))
}

pub(crate) fn read_jump(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    let system = arguments.only_parameter("target_system", "alpha_centauri")?;
    Ok(Mutation::Jump(system.to_owned()))
}

pub(crate) fn travel_to_poi(
    world: &mut World,
    player: PlayerId,
    target: &str,
) -> Result<MutationResult, GameRefusal> {
    let pilot = world.player(player);
    let to = world
        .atlas
        .find_poi(world.system_of(pilot), target)
        .ok_or_else(|| GameRefusal::new("invalid_poi", format!("Unknown destination: {target}")))?;
    let (here, there) = (world.atlas.poi(pilot.at), world.atlas.poi(to));
    if to == pilot.at {
        let message = format!("You are already at {}.", here.name);
        return Err(GameRefusal::new("invalid_poi", message));
    }
    let distance = here.position.distance(there.position);
    let fuel = pilot.ship.travel_fuel(distance);
    let voyage = Voyage {
        kind: VoyageKind::Travel,
        to,
        arrives: world.tick + pilot.ship.travel_ticks(distance),
    };
    set_off(world, player, voyage, fuel)?;
    world.player_mut(player).stats.distance_traveled += distance.round() as u64;
    Ok(MutationResult::UnderWay)
}

pub(crate) fn jump_to_system(
    world: &mut World,
    player: PlayerId,
    target: &str,
) -> Result<MutationResult, GameRefusal> {
    let pilot = world.player(player);
    let to = world
        .atlas
        .find_system(target)
        .ok_or_else(GameRefusal::no_such_system)?;
    let (here, there) = (
        world.atlas.system(world.system_of(pilot)),
        world.atlas.system(to),
    );
    if !here.lanes.contains(&to) {
        let message = format!("{} is not connected to your current system.", there.name);
        return Err(GameRefusal::new("not_connected", message));
    }
    let voyage = Voyage {
        kind: VoyageKind::Jump,
        // The first place of every system is its star.
        to: there.pois[0],
        arrives: world.tick + pilot.ship.jump_ticks(),
    };
    let fuel = pilot.ship.jump_fuel();
    set_off(world, player, voyage, fuel)?;
    Ok(MutationResult::UnderWay)
}

fn set_off(
    world: &mut World,
    player: PlayerId,
    voyage: Voyage,
    fuel: u64,
) -> Result<(), GameRefusal> {
    let pilot = world.player_mut(player);
    if pilot.ship.fuel < fuel {
        return Err(GameRefusal::new(
            "no_fuel",
            format!("Not enough fuel. Need {fuel}, have {}.", pilot.ship.fuel),
        ));
    }
    pilot.ship.fuel -= fuel;
    pilot.berth = Berth::UnderWay(voyage);
    let from = pilot.at;
    world.voyages.insert((voyage.arrives, player));
    if let Some(present) = world.present.get_mut(&from) {
        present.remove(&player);
    }
    announce_passage(world, player, from, InboxEvent::Departure);
    Ok(())
}

/// Ends a voyage. Returns the answer for the caller that waited for it.
pub(crate) fn end_voyage(world: &mut World, player: PlayerId) -> Value {
    let now = world.tick;
    let pilot = world.player_mut(player);
    let Some(voyage) = pilot.voyage() else {
        return Value::Null;
    };
    let from = pilot.at;
    pilot.at = voyage.to;
    pilot.berth = Berth::Space;
    let is_online = pilot.visit.is_some();
    announce_passage(world, player, voyage.to, InboxEvent::Arrival);
    let answer = match voyage.kind {
        VoyageKind::Travel => arrive_at_poi(world, player, voyage.to, now),
        VoyageKind::Jump => arrive_in_system(world, player, (from, voyage.to), now),
    };
    if is_online {
        world.present.entry(voyage.to).or_default().insert(player);
    }
    answer
}

fn arrive_at_poi(world: &mut World, player: PlayerId, to: PoiIx, now: u64) -> Value {
    let pilot = world.player_mut(player);
    pilot.gain_experience(Skill::NAVIGATION, 1, now);
    pilot.gain_experience(Skill::PILOTING, 1, now);
    let poi = world.atlas.poi(to);
    let others: Vec<Value> = world
        .players_at(to)
        .take(MAX_LISTED_PILOTS)
        .map(view::visible)
        .collect();
    let count = world.count_at(to);
    json!({
        "action": "arrived",
        "poi": poi.name,
        "poi_id": poi.id,
        "online_players": others,
        "online_players_count": count,
        "online_players_truncated": count > MAX_LISTED_PILOTS,
        "xp_gained": { "navigation": 1, "piloting": 1 },
    })
}

fn arrive_in_system(
    world: &mut World,
    player: PlayerId,
    (from, to): (PoiIx, PoiIx),
    now: u64,
) -> Value {
    let left = world.atlas.poi(from).system;
    let entered = world.atlas.poi(to).system;
    let pilot = world.player_mut(player);
    pilot.gain_experience(Skill::NAVIGATION, 2, now);
    pilot.gain_experience(Skill::PILOTING, 1, now);
    pilot.stats.distance_traveled += 10;
    let is_new = !pilot.visited.contains_key(&entered);
    if is_new {
        pilot.visited.insert(entered, now);
        pilot.gain_experience(Skill::EXPLORATION, 10, now);
        pilot.count_deed(MissionDeed::Surveyed, now);
    }
    let system = world.atlas.system(entered);
    let mut answer = json!({
        "action": "jumped",
        "from_system": world.atlas.system(left).name,
        "system": system.name,
        "system_id": system.id,
        "poi": world.atlas.poi(to).id,
        "navigation_xp": 2,
        "piloting_xp": 1,
    });
    if is_new {
        answer["exploration_xp"] = 10.into();
    }
    answer
}

/// Tells the pilots at a place who came or went, unless the pilot hides or the crowd is too large.
fn announce_passage(
    world: &mut World,
    player: PlayerId,
    at: PoiIx,
    event: impl Fn(Arc<PilotPassage>) -> InboxEvent,
) {
    let pilot = world.player(player);
    let count = world.count_at(at);
    if pilot.profile.is_anonymous || pilot.visit.is_none() || count == 0 || count > MAX_TOLD_PILOTS
    {
        return;
    }
    let poi = world.atlas.poi(at);
    let passage = Arc::new(PilotPassage {
        pilot: pilot.name.clone(),
        clan_tag: pilot.profile.clan_tag.clone(),
        poi_id: poi.id.clone(),
        poi_name: poi.name.clone(),
    });
    let others: Vec<PlayerId> = world
        .players_at(at)
        .map(|other: &PlayerAccount| other.id)
        .collect();
    let now = world.tick;
    for other in others {
        // All recipients share one record.
        world
            .player_mut(other)
            .notify(event(Arc::clone(&passage)), now);
    }
}
