//! Fuel and repairs: bought at a station, or taken from cargo.

use serde_json::json;

use super::{
    super::{
        GameAnswer, GameRefusal, PlayerId, World,
        arguments::CommandArguments,
        atlas::BaseIx,
        catalogue::{CatalogueItem, ItemRemedy},
        player::PlayerAccount,
    },
    ItemQuantity, Mutation,
};

const HULL_PRICE: u64 = 2;

pub(crate) fn read_refuel(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    if arguments.has("target") {
        return Err(GameRefusal::new(
            "invalid_target",
            "Fuel can only be transferred to a ship at your location that asked for it.",
        ));
    }
    if !arguments.has("item_id") {
        return Ok(Mutation::Refuel(None));
    }
    let goods = ItemQuantity {
        item: arguments.item()?,
        quantity: arguments.quantity_or(1)?,
    };
    Ok(Mutation::Refuel(Some(goods)))
}

pub(crate) fn read_use_item(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    Ok(Mutation::UseItem(ItemQuantity {
        item: arguments.named_item("Use 'get_cargo' to see what you carry.")?,
        quantity: arguments.quantity_or(1)?,
    }))
}

pub(crate) fn refuel_ship(
    world: &mut World,
    player: PlayerId,
    cells: Option<ItemQuantity>,
) -> GameAnswer {
    let pilot = world.player(player);
    if pilot.ship.fuel >= pilot.ship.class().fuel {
        return Err(GameRefusal::new("tank_full", "Fuel tank is already full."));
    }
    match (pilot.docked_at(), cells) {
        (Some(base), None) => refuel_from_station(world, player, base),
        (None, None) => {
            let cell = CatalogueItem::all()
                .find(|item| fuel_of(*item) > 0 && pilot.ship.cargo.count(*item) > 0);
            let item = cell.ok_or_else(|| {
                GameRefusal::new(
                    "no_fuel_cells",
                    "No fuel cells found in cargo. Buy fuel cells from a market or craft them.",
                )
            })?;
            let quantity = pilot.ship.cargo.count(item);
            refuel_from_cells(world, player, ItemQuantity { item, quantity })
        }
        (Some(_) | None, Some(goods)) => refuel_from_cells(world, player, goods),
    }
}

/// Buys as much fuel as the tank takes and the credits pay for.
fn refuel_from_station(world: &mut World, player: PlayerId, base: BaseIx) -> GameAnswer {
    let price = fuel_price(world, base);
    let pilot = world.player_mut(player);
    let full = pilot.ship.class().fuel;
    let fuel = (full - pilot.ship.fuel).min(pilot.credits / price);
    if fuel == 0 {
        return Err(insufficient_credits(price, "unit of fuel", pilot.credits));
    }
    pilot.spend_credits(fuel * price);
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

fn insufficient_credits(price: u64, unit: &str, held: u64) -> GameRefusal {
    let message = format!("Need {price} credits for a {unit}. You have {held}.");
    GameRefusal::new("insufficient_credits", message)
}

/// Burns as many fuel cells as the tank takes, at most the given number.
fn refuel_from_cells(world: &mut World, player: PlayerId, goods: ItemQuantity) -> GameAnswer {
    let each = fuel_of(goods.item);
    let pilot = world.player_mut(player);
    let full = pilot.ship.class().fuel;
    let held = pilot.ship.cargo.count(goods.item);
    if each == 0 || held == 0 {
        let message = format!("No {} that holds fuel found in cargo.", goods.item.name());
        return Err(GameRefusal::new("no_fuel_cells", message));
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
        world.dice.roll("fuel", &[base.roll_key()]).u64(1..=4)
    }
}

pub(crate) fn repair_ship(world: &mut World, player: PlayerId) -> GameAnswer {
    let pilot = world.player_mut(player);
    let full = pilot.ship.class().hull;
    let hull = (full - pilot.ship.hull).min(pilot.credits / HULL_PRICE);
    if pilot.ship.hull < full && hull == 0 {
        return Err(insufficient_credits(
            HULL_PRICE,
            "point of hull",
            pilot.credits,
        ));
    }
    pilot.spend_credits(hull * HULL_PRICE);
    pilot.ship.hull += hull;
    Ok(json!({
        "action": "repair",
        "repaired": hull,
        "cost": hull * HULL_PRICE,
        "hull": pilot.ship.hull,
        "max_hull": full,
    }))
}

pub(crate) fn use_item(world: &mut World, player: PlayerId, goods: ItemQuantity) -> GameAnswer {
    let ItemQuantity { item, quantity } = goods;
    let pilot = world.player_mut(player);
    let held = pilot.ship.cargo.count(item);
    if held < quantity {
        let message = format!("Not enough {} in cargo. You have {held}.", item.name());
        return Err(GameRefusal::new("insufficient_items", message));
    }
    let remedy = item.remedy().ok_or_else(|| {
        GameRefusal::new(
            "invalid_item",
            format!("invalid_item: {} cannot be used.", item.name()),
        )
    })?;
    let (effect, each) = match remedy {
        ItemRemedy::Fuel(each) => ("fuel", each),
        ItemRemedy::Hull(each) => ("hull", each),
    };
    let missing = missing_points(pilot, remedy);
    if missing == 0 {
        return Err(GameRefusal::new(
            "tank_full",
            format!("Your {effect} is already full."),
        ));
    }
    let used = quantity.min(missing.div_ceil(each));
    let amount = (used * each).min(missing);
    pilot.ship.cargo.take(item, used);
    match remedy {
        ItemRemedy::Fuel(_) => pilot.ship.fuel += amount,
        ItemRemedy::Hull(_) => pilot.ship.hull += amount,
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

fn missing_points(pilot: &PlayerAccount, remedy: ItemRemedy) -> u64 {
    match remedy {
        ItemRemedy::Fuel(_) => pilot.ship.class().fuel - pilot.ship.fuel,
        ItemRemedy::Hull(_) => pilot.ship.class().hull - pilot.ship.hull,
    }
}

fn fuel_of(item: CatalogueItem) -> u64 {
    match item.remedy() {
        Some(ItemRemedy::Fuel(each)) => each,
        Some(ItemRemedy::Hull(_)) | None => 0,
    }
}
