//! Fuel and hull: bought at a station, or used up from cargo.

use serde_json::json;

use super::{
    super::{
        Answer, PlayerId, Refusal, World,
        arguments::Arguments,
        atlas::BaseIx,
        catalogue::{Item, Remedy},
        player::Player,
    },
    Act, Goods,
};

/// Credits for one point of hull.
const HULL_PRICE: u64 = 2;

pub(crate) fn read_refuel(arguments: Arguments) -> Result<Act, Refusal> {
    if arguments.has("target") {
        return Err(Refusal::new(
            "invalid_target",
            "Fuel can only be transferred to a ship at your location that asked for it.",
        ));
    }
    if !arguments.has("item_id") {
        return Ok(Act::Refuel(None));
    }
    let goods = Goods {
        item: arguments.item()?,
        quantity: arguments.quantity_or(1)?,
    };
    Ok(Act::Refuel(Some(goods)))
}

pub(crate) fn read_repair(_: Arguments) -> Result<Act, Refusal> {
    Ok(Act::Repair)
}

pub(crate) fn read_use_item(arguments: Arguments) -> Result<Act, Refusal> {
    Ok(Act::UseItem(Goods {
        item: arguments.named_item("Use 'get_cargo' to see what you carry.")?,
        quantity: arguments.quantity_or(1)?,
    }))
}

pub(crate) fn refuel(world: &mut World, player: PlayerId, cells: Option<Goods>) -> Answer {
    let pilot = world.player(player);
    if pilot.ship.fuel >= pilot.ship.class().fuel {
        return Err(Refusal::new("tank_full", "Fuel tank is already full."));
    }
    match (pilot.docked_at(), cells) {
        (Some(base), None) => from_station(world, player, base),
        (None, None) => {
            let cell =
                Item::all().find(|item| fuel_of(*item) > 0 && pilot.ship.cargo.count(*item) > 0);
            let item = cell.ok_or_else(|| {
                Refusal::new(
                    "no_fuel_cells",
                    "No fuel cells found in cargo. Buy fuel cells from a market or craft them.",
                )
            })?;
            let quantity = pilot.ship.cargo.count(item);
            from_cells(world, player, Goods { item, quantity })
        }
        (Some(_) | None, Some(goods)) => from_cells(world, player, goods),
    }
}

/// Fills the tank as far as the purse goes.
fn from_station(world: &mut World, player: PlayerId, base: BaseIx) -> Answer {
    let price = fuel_price(world, base);
    let pilot = world.player_mut(player);
    let full = pilot.ship.class().fuel;
    let fuel = (full - pilot.ship.fuel).min(pilot.credits / price);
    if fuel == 0 {
        return Err(Refusal::new(
            "insufficient_credits",
            format!(
                "Need {price} credits for a unit of fuel. You have {}.",
                pilot.credits
            ),
        ));
    }
    pilot.spend(fuel * price);
    pilot.ship.fuel += fuel;
    Ok(json!({
        "action": "refuel",
        "source": "station",
        "fuel": fuel,
        "cost": fuel * price,
        "fuel_now": pilot.ship.fuel,
        "fuel_max": full,
    }))
}

/// Burns as many cells as the tank takes, at most so many.
fn from_cells(world: &mut World, player: PlayerId, goods: Goods) -> Answer {
    let each = fuel_of(goods.item);
    let pilot = world.player_mut(player);
    let full = pilot.ship.class().fuel;
    let held = pilot.ship.cargo.count(goods.item);
    if each == 0 || held == 0 {
        let message = format!("No {} that holds fuel found in cargo.", goods.item.name());
        return Err(Refusal::new("no_fuel_cells", message));
    }
    let wanted = (full - pilot.ship.fuel).div_ceil(each);
    let cells = pilot
        .ship
        .cargo
        .take(goods.item, goods.quantity.min(wanted));
    let fuel = (cells * each).min(full - pilot.ship.fuel);
    pilot.ship.fuel += fuel;
    Ok(json!({
        "action": "refuel",
        "source": "cells",
        "fuel": fuel,
        "cells_used": cells,
        "fuel_now": pilot.ship.fuel,
        "fuel_max": full,
    }))
}

/// Credits for a unit of fuel: 2 in the capitals, 1 to 4 elsewhere.
fn fuel_price(world: &World, base: BaseIx) -> u64 {
    if world.atlas.base(base).is_home {
        2
    } else {
        world.dice.roll("fuel", &[base.part()]).u64(1..=4)
    }
}

pub(crate) fn repair(world: &mut World, player: PlayerId) -> Answer {
    let pilot = world.player_mut(player);
    let full = pilot.ship.class().hull;
    let hull = (full - pilot.ship.hull).min(pilot.credits / HULL_PRICE);
    if pilot.ship.hull < full && hull == 0 {
        return Err(Refusal::new(
            "insufficient_credits",
            format!(
                "Need {HULL_PRICE} credits for a point of hull. You have {}.",
                pilot.credits
            ),
        ));
    }
    pilot.spend(hull * HULL_PRICE);
    pilot.ship.hull += hull;
    Ok(json!({
        "action": "repair",
        "repaired": hull,
        "cost": hull * HULL_PRICE,
        "hull": pilot.ship.hull,
        "max_hull": full,
    }))
}

pub(crate) fn use_item(world: &mut World, player: PlayerId, goods: Goods) -> Answer {
    let Goods { item, quantity } = goods;
    let pilot = world.player_mut(player);
    let held = pilot.ship.cargo.count(item);
    if held < quantity {
        let message = format!("Not enough {} in cargo. You have {held}.", item.name());
        return Err(Refusal::new("insufficient_items", message));
    }
    let remedy = item.remedy().ok_or_else(|| {
        Refusal::new(
            "invalid_item",
            format!("invalid_item: {} cannot be used.", item.name()),
        )
    })?;
    let (effect, each) = match remedy {
        Remedy::Fuel(each) => ("fuel", each),
        Remedy::Hull(each) => ("hull", each),
    };
    let missing = missing(pilot, remedy);
    if missing == 0 {
        return Err(Refusal::new(
            "tank_full",
            format!("Your {effect} is already full."),
        ));
    }
    let used = quantity.min(missing.div_ceil(each));
    let amount = (used * each).min(missing);
    pilot.ship.cargo.take(item, used);
    match remedy {
        Remedy::Fuel(_) => pilot.ship.fuel += amount,
        Remedy::Hull(_) => pilot.ship.hull += amount,
    }
    Ok(json!({
        "action": "use_item",
        "item_id": item.id(),
        "item_name": item.name(),
        "effect_type": effect,
        "amount": amount,
        "quantity_used": used,
        "quantity_remaining": held - used,
        "message": format!("Restored {amount} {effect}"),
    }))
}

fn missing(pilot: &Player, remedy: Remedy) -> u64 {
    match remedy {
        Remedy::Fuel(_) => pilot.ship.class().fuel - pilot.ship.fuel,
        Remedy::Hull(_) => pilot.ship.class().hull - pilot.ship.hull,
    }
}

fn fuel_of(item: Item) -> u64 {
    match item.remedy() {
        Some(Remedy::Fuel(each)) => each,
        Some(Remedy::Hull(_)) | None => 0,
    }
}
