//! Buying and selling at a station's market.

use serde_json::json;

use super::{
    super::{
        Answer, PlayerId, Refusal, World,
        arguments::Arguments,
        atlas::{Atlas, BaseIx},
        catalogue::Skill,
        market::{Level, Side, Stall},
        mission::Deed,
        player::Player,
        view,
    },
    Act, Delivery, Goods,
};

pub(crate) fn read_sell(arguments: Arguments) -> Result<Act, Refusal> {
    let item = arguments.named_item("Use 'view_market' to see available items.")?;
    let quantity = arguments.quantity()?;
    arguments.flag("auto_list")?;
    Ok(Act::Sell(Goods { item, quantity }))
}

pub(crate) fn read_buy(arguments: Arguments) -> Result<Act, Refusal> {
    let item = arguments.named_item("Use 'view_market' to see available items.")?;
    let quantity = arguments.quantity()?;
    arguments.flag("auto_list")?;
    let delivery = match arguments.text("deliver_to")? {
        None | Some("" | "cargo") => Delivery::Cargo,
        Some("storage") => Delivery::Storage,
        Some(other) => {
            return Err(Refusal::payload(format!(
                "Unknown deliver_to '{other}'. Must be 'cargo' or 'storage'."
            )));
        }
    };
    Ok(Act::Buy(Goods { item, quantity }, delivery))
}

/// Sells into the bids as far as they go. Finding none is no error.
pub(crate) fn sell(world: &mut World, player: PlayerId, goods: Goods) -> Answer {
    let Goods { item, quantity } = goods;
    let now = world.tick;
    let pilot = world.player(player);
    let held = pilot.ship.cargo.count(item);
    if held < quantity {
        return Err(Refusal::new(
            "insufficient_items",
            format!(
                "Not enough {} in cargo. You have {held} but tried to sell {quantity}.",
                item.name()
            ),
        ));
    }
    let base = pilot.docked_at().ok_or_else(Refusal::not_docked)?;
    // Shared, because the market is read while the player is changed.
    let atlas = world.atlas.clone();
    let stall = stall(world, &atlas, base);
    let fills = world.markets.fills(stall, item, Side::Bids, quantity);
    let (sold, earned) = totals(&fills);
    world.markets.take(stall, item, Side::Bids, sold);
    let pilot = world.player_mut(player);
    pilot.ship.cargo.take(item, sold);
    pilot.earn(earned);
    pilot.count(Deed::Sold(sold), now);
    let xp = u64::from(sold > 0);
    let level_up = sold > 0 && pilot.learn(Skill::TRADING, xp, now);
    pilot.stats.trades_completed += xp;
    let unsold = quantity - sold;
    let mut message = format!("Sold {sold} {} for {earned}cr.", item.name());
    let mut answer = json!({
        "action": "sell",
        "item": item.name(),
        "item_id": item.id(),
        "quantity_sold": sold,
        "total_earned": earned,
        "fills": view::fills(&fills),
        "level_up": level_up,
        "xp_gained": xp,
    });
    if unsold > 0 {
        message.push_str(&format!(" {unsold} unsold (no buyers)"));
        answer["unsold"] = unsold.into();
    }
    answer["message"] = message.into();
    Ok(answer)
}

/// Buys from the asks; what they do not give stays unfilled.
pub(crate) fn buy(world: &mut World, player: PlayerId, goods: Goods, to: Delivery) -> Answer {
    let Goods { item, quantity } = goods;
    let now = world.tick;
    let pilot = world.player(player);
    let base = pilot.docked_at().ok_or_else(Refusal::not_docked)?;
    // Shared, because the market is read while the player is changed.
    let atlas = world.atlas.clone();
    let stall = stall(world, &atlas, base);
    let fills = world.markets.fills(stall, item, Side::Asks, quantity);
    let (bought, cost) = totals(&fills);
    check_purchase(pilot, goods, to, (bought, cost))?;
    world.markets.take(stall, item, Side::Asks, bought);
    let pilot = world.player_mut(player);
    pilot.spend(cost);
    pilot.stats.trades_completed += 1;
    let delivered = match to {
        Delivery::Cargo => {
            pilot.ship.cargo.put(item, bought);
            "delivered_to_cargo"
        }
        Delivery::Storage => {
            pilot.storage.entry(base).or_default().put(item, bought);
            "delivered_to_storage"
        }
    };
    let level_up = pilot.learn(Skill::TRADING, 1, now);
    let mut answer = json!({
        "action": "buy",
        "item": item.name(),
        "item_id": item.id(),
        "quantity": bought,
        "total_cost": cost,
        "fills": view::fills(&fills),
        delivered: bought,
        "level_up": level_up,
        "message": format!("Bought {bought} {} for {cost}cr.", item.name()),
    });
    if quantity > bought {
        answer["unfilled"] = (quantity - bought).into();
    }
    Ok(answer)
}

/// Whether there is anything to buy, and the money and the room for it.
fn check_purchase(
    pilot: &Player,
    goods: Goods,
    to: Delivery,
    (bought, cost): (u64, u64),
) -> Result<(), Refusal> {
    let item = goods.item;
    if bought == 0 {
        return Err(Refusal::new(
            "item_not_available",
            format!(
                "No one is selling {} at this station. To place a standing buy order, use: \
                 {{\"type\": \"create_buy_order\", \"item_id\": \"{}\", \"quantity\": {}, \
                 \"price_each\": {}}}",
                item.name(),
                item.id(),
                goods.quantity,
                item.value()
            ),
        ));
    }
    if pilot.credits < cost {
        let message = format!(
            "Need {cost} credits to buy {bought} {}. You have {}.",
            item.name(),
            pilot.credits
        );
        return Err(Refusal::new("insufficient_credits", message));
    }
    if to == Delivery::Cargo && pilot.ship.space() < bought.saturating_mul(item.size()) {
        return Err(Refusal::cargo_full());
    }
    Ok(())
}

/// The market of a base as it is now.
pub(crate) fn stall<'a>(world: &World, atlas: &'a Atlas, base: BaseIx) -> Stall<'a> {
    Stall {
        atlas,
        dice: world.dice,
        base,
        now: world.tick,
    }
}

/// Units and credits.
pub(crate) fn totals(fills: &[Level]) -> (u64, u64) {
    fills.iter().fold((0, 0), |(units, credits), fill| {
        (units + fill.quantity, credits + fill.quantity * fill.price)
    })
}
