//! Moving goods between the hold, a station's storage and space.

use serde_json::json;

use super::{
    super::{GameAnswer, GameRefusal, PlayerId, World, arguments::CommandArguments},
    ItemQuantity, Mutation,
};

pub(crate) fn read_deposit(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    read_goods(arguments).map(Mutation::Deposit)
}

pub(crate) fn read_withdraw(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    read_goods(arguments).map(Mutation::Withdraw)
}

pub(crate) fn read_jettison(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    read_goods(arguments).map(Mutation::Jettison)
}

fn read_goods(arguments: CommandArguments) -> Result<ItemQuantity, GameRefusal> {
    Ok(ItemQuantity {
        item: arguments.named_item("Use 'get_cargo' or 'view_storage' to see what you have.")?,
        quantity: arguments.quantity()?,
    })
}

pub(crate) fn deposit_goods(
    world: &mut World,
    player: PlayerId,
    goods: ItemQuantity,
) -> GameAnswer {
    let ItemQuantity { item, quantity } = goods;
    let pilot = world.player_mut(player);
    let base = pilot.docked_at().ok_or_else(GameRefusal::not_docked)?;
    check_held(pilot.ship.cargo.count(item), goods, "cargo", "deposit")?;
    pilot.ship.cargo.take(item, quantity);
    let stored = pilot.storage.entry(base).or_default();
    stored.put(item, quantity);
    Ok(json!({
        "action": "deposit_items",
        "item_id": item.id(),
        "quantity": quantity,
        "storage_total": stored.count(item),
        "cargo_remaining": pilot.ship.cargo.count(item),
        "cargo_space": pilot.ship.space(),
    }))
}

pub(crate) fn withdraw_goods(
    world: &mut World,
    player: PlayerId,
    goods: ItemQuantity,
) -> GameAnswer {
    let ItemQuantity { item, quantity } = goods;
    let pilot = world.player_mut(player);
    let base = pilot.docked_at().ok_or_else(GameRefusal::not_docked)?;
    let space = pilot.ship.space();
    let stored = pilot.storage.entry(base).or_default();
    check_held(stored.count(item), goods, "storage", "withdraw")?;
    if space < quantity.saturating_mul(item.size()) {
        return Err(GameRefusal::cargo_full());
    }
    stored.take(item, quantity);
    let left = stored.count(item);
    pilot.ship.cargo.put(item, quantity);
    Ok(json!({
        "action": "withdraw_items",
        "item_id": item.id(),
        "quantity": quantity,
        "storage_remaining": left,
        "cargo_total": pilot.ship.cargo.count(item),
        "cargo_space": pilot.ship.space(),
    }))
}

pub(crate) fn jettison_goods(
    world: &mut World,
    player: PlayerId,
    goods: ItemQuantity,
) -> GameAnswer {
    let ItemQuantity { item, quantity } = goods;
    let pilot = world.player_mut(player);
    check_held(pilot.ship.cargo.count(item), goods, "cargo", "jettison")?;
    pilot.ship.cargo.take(item, quantity);
    Ok(json!({
        "action": "jettison",
        "item_id": item.id(),
        "item_name": item.name(),
        "quantity": quantity,
        "cargo_used": pilot.ship.cargo.used(),
        "cargo_space": pilot.ship.space(),
    }))
}

pub(super) fn check_held(
    held: u64,
    goods: ItemQuantity,
    place: &str,
    verb: &str,
) -> Result<(), GameRefusal> {
    if held >= goods.quantity {
        return Ok(());
    }
    Err(GameRefusal::new(
        "insufficient_items",
        format!(
            "Not enough {} in {place}. You have {held} but tried to {verb} {}.",
            goods.item.name(),
            goods.quantity
        ),
    ))
}
