//! Docking and undocking, asked for or done by the server.

use serde_json::json;

use super::{
    super::{
        Answer, PlayerId, Refusal, World, arguments::Arguments, atlas::BaseIx, inbox::Event,
        player::Berth, view,
    },
    Act,
};

pub(crate) fn read_dock(_: Arguments) -> Result<Act, Refusal> {
    Ok(Act::Dock)
}

pub(crate) fn read_undock(_: Arguments) -> Result<Act, Refusal> {
    Ok(Act::Undock)
}

pub(crate) fn dock(world: &mut World, player: PlayerId) -> Answer {
    if world.player(player).docked_at().is_some() {
        return Err(Refusal::new("already_docked", "Already docked"));
    }
    let base = moor(world, player)?;
    let pilot = world.player(player);
    let stored = pilot
        .storage
        .get(&base)
        .map_or(0, |hold| hold.items().count());
    let base = world.atlas.base(base);
    let mut answer = json!({
        "action": "dock",
        "base": base.name,
        "station_condition": view::station_condition(),
        "story": "Clamps lock and the concourse lights come up.",
        "storage_items": stored,
        "unread_chat": view::unread(world, pilot),
    });
    if pilot.ship.fuel * 4 < pilot.ship.class().fuel {
        answer["fuel_warning"] = format!(
            "Fuel is low: {}/{}. Use 'refuel' before you leave.",
            pilot.ship.fuel,
            pilot.ship.class().fuel
        )
        .into();
    }
    Ok(answer)
}

pub(crate) fn undock(world: &mut World, player: PlayerId) -> Answer {
    let pilot = world.player_mut(player);
    if pilot.docked_at().is_none() {
        return Err(Refusal::new("not_docked", "Not docked"));
    }
    pilot.berth = Berth::Space;
    Ok(json!({ "action": "undock" }))
}

/// Docks for a command that needs it.
pub(crate) fn auto_dock(world: &mut World, player: PlayerId, command: &str) -> Result<(), Refusal> {
    moor(world, player)?;
    tell(
        world,
        player,
        "auto_dock",
        format!("Automatically docked (required for {command})"),
    );
    Ok(())
}

/// Undocks for a command that needs it.
pub(crate) fn auto_undock(world: &mut World, player: PlayerId, command: &str) {
    world.player_mut(player).berth = Berth::Space;
    tell(
        world,
        player,
        "auto_undock",
        format!("Automatically undocked (required for {command})"),
    );
}

fn moor(world: &mut World, player: PlayerId) -> Result<BaseIx, Refusal> {
    let base = world.atlas.poi(world.player(player).at).base;
    let base = base.ok_or_else(|| Refusal::new("no_base", "No station at this location"))?;
    world.player_mut(player).berth = Berth::Docked(base);
    Ok(base)
}

fn tell(world: &mut World, player: PlayerId, kind: &'static str, message: String) {
    let now = world.tick;
    let event = Event::Berth { kind, message };
    world.player_mut(player).tell(event, now);
}
