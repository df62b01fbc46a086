//! Moving goods between the hold, a station's storage and space.

use serde_json::json;

use super::{
    super::{Answer, PlayerId, Refusal, World, arguments::Arguments},
    Act, Goods,
};

pub(crate) fn read_deposit(arguments: Arguments) -> Result<Act, Refusal> {
    goods(arguments).map(Act::Deposit)
}

pub(crate) fn read_withdraw(arguments: Arguments) -> Result<Act, Refusal> {
    goods(arguments).map(Act::Withdraw)
}

pub(crate) fn read_jettison(arguments: Arguments) -> Result<Act, Refusal> {
    goods(arguments).map(Act::Jettison)
}

fn goods(arguments: Arguments) -> Result<Goods, Refusal> {
    Ok(Goods {
        item: arguments.named_item("Use 'get_cargo' or 'view_storage' to see what you have.")?,
        quantity: arguments.quantity()?,
    })
}

pub(crate) fn deposit(world: &mut World, player: PlayerId, goods: Goods) -> Answer {
    let Goods { item, quantity } = goods;
    let pilot = world.player_mut(player);
    let base = pilot.docked_at().ok_or_else(Refusal::not_docked)?;
    check(pilot.ship.cargo.count(item), goods, "cargo", "deposit")?;
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

pub(crate) fn withdraw(world: &mut World, player: PlayerId, goods: Goods) -> Answer {
    let Goods { item, quantity } = goods;
    let pilot = world.player_mut(player);
    let base = pilot.docked_at().ok_or_else(Refusal::not_docked)?;
    let space = pilot.ship.space();
    let stored = pilot.storage.entry(base).or_default();
    check(stored.count(item), goods, "storage", "withdraw")?;
    if space < quantity.saturating_mul(item.size()) {
        return Err(Refusal::cargo_full());
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

pub(crate) fn jettison(world: &mut World, player: PlayerId, goods: Goods) -> Answer {
    let Goods { item, quantity } = goods;
    let pilot = world.player_mut(player);
    check(pilot.ship.cargo.count(item), goods, "cargo", "jettison")?;
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

fn check(held: u64, goods: Goods, place: &str, verb: &str) -> Result<(), Refusal> {
    if held >= goods.quantity {
        return Ok(());
    }
    Err(Refusal::new(
        "insufficient_items",
        format!(
            "Not enough {} in {place}. You have {held} but tried to {verb} {}.",
            goods.item.name(),
            goods.quantity
        ),
    ))
}
