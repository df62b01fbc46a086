//! Docking and undocking, by the player or by the server.

use serde_json::json;

use super::super::{
    GameAnswer, GameRefusal, PlayerId, World, atlas::BaseIx, inbox::InboxEvent, player::Berth, view,
};

pub(crate) fn dock_ship(world: &mut World, player: PlayerId) -> GameAnswer {
    if world.player(player).docked_at().is_some() {
        return Err(GameRefusal::new("already_docked", "Already docked"));
    }
    let base = dock_at_base(world, player)?;
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
        "unread_chat": view::unread_counts(world, pilot),
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

pub(crate) fn undock_ship(world: &mut World, player: PlayerId) -> GameAnswer {
    let pilot = world.player_mut(player);
    if pilot.docked_at().is_none() {
        return Err(GameRefusal::new("not_docked", "Not docked"));
    }
    pilot.berth = Berth::Space;
    Ok(json!({ "action": "undock" }))
}

pub(crate) fn auto_dock(
    world: &mut World,
    player: PlayerId,
    command: &str,
) -> Result<(), GameRefusal> {
    dock_at_base(world, player)?;
    notify_berth(
        world,
        player,
        "auto_dock",
        format!("Automatically docked (required for {command})"),
    );
    Ok(())
}

pub(crate) fn auto_undock(world: &mut World, player: PlayerId, command: &str) {
    world.player_mut(player).berth = Berth::Space;
    notify_berth(
        world,
        player,
        "auto_undock",
        format!("Automatically undocked (required for {command})"),
    );
}

fn dock_at_base(world: &mut World, player: PlayerId) -> Result<BaseIx, GameRefusal> {
    let base = world.atlas.poi(world.player(player).at).base;
    let base = base.ok_or_else(|| GameRefusal::new("no_base", "No station at this location"))?;
    world.player_mut(player).berth = Berth::Docked(base);
    Ok(base)
}

fn notify_berth(world: &mut World, player: PlayerId, kind: &'static str, message: String) {
    let now = world.tick;
    let event = InboxEvent::Berth { kind, message };
    world.player_mut(player).notify(event, now);
}
