//! Buying and selling at a station's market.

use serde_json::json;

use super::{
    super::{
        GameAnswer, GameRefusal, PlayerId, World,
        arguments::CommandArguments,
        atlas::{Atlas, BaseIx},
        catalogue::Skill,
        market::{MarketSide, MarketView, PriceLevel},
        mission::MissionDeed,
        player::PlayerAccount,
        view,
    },
    ItemQuantity, Mutation, PurchaseDelivery,
    storage::check_held,
};

pub(crate) fn read_sell(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    let item = arguments.named_item("Use 'view_market' to see available items.")?;
    let quantity = arguments.quantity()?;
    arguments.flag("auto_list")?;
    Ok(Mutation::Sell(ItemQuantity { item, quantity }))
}

pub(crate) fn read_buy(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    let item = arguments.named_item("Use 'view_market' to see available items.")?;
    let quantity = arguments.quantity()?;
    arguments.flag("auto_list")?;
    let delivery = match arguments.text("deliver_to")? {
        None | Some("" | "cargo") => PurchaseDelivery::Cargo,
        Some("storage") => PurchaseDelivery::Storage,
        Some(other) => {
            return Err(GameRefusal::invalid_payload(format!(
                "Unknown deliver_to '{other}'. Must be 'cargo' or 'storage'."
            )));
        }
    };
    Ok(Mutation::Buy(ItemQuantity { item, quantity }, delivery))
}

/// Sells into the bids as far as they go. A market without bids is no error.
pub(crate) fn sell_goods(world: &mut World, player: PlayerId, goods: ItemQuantity) -> GameAnswer {
    let ItemQuantity { item, quantity } = goods;
    let now = world.tick;
    let pilot = world.player(player);
    check_held(pilot.ship.cargo.count(item), goods, "cargo", "sell")?;
    let base = pilot.docked_at().ok_or_else(GameRefusal::not_docked)?;
    // Shared, because the market is read while the player is changed.
    let atlas = world.atlas.clone();
    let stall = market_view(world, &atlas, base);
    let fills = world.markets.fills(stall, item, MarketSide::Bids, quantity);
    let (sold, earned) = sum_fills(&fills);
    world
        .markets
        .take_traded(stall, item, MarketSide::Bids, sold);
    let pilot = world.player_mut(player);
    pilot.ship.cargo.take(item, sold);
    pilot.earn_credits(earned);
    pilot.count_deed(MissionDeed::Sold(sold), now);
    let xp = u64::from(sold > 0);
    let level_up = sold > 0 && pilot.gain_experience(Skill::TRADING, xp, now);
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

/// Buys from the asks. The rest of the order stays unfilled.
pub(crate) fn buy_goods(
    world: &mut World,
    player: PlayerId,
    goods: ItemQuantity,
    to: PurchaseDelivery,
) -> GameAnswer {
    let ItemQuantity { item, quantity } = goods;
    let now = world.tick;
    let pilot = world.player(player);
    let base = pilot.docked_at().ok_or_else(GameRefusal::not_docked)?;
    // Shared, because the market is read while the player is changed.
    let atlas = world.atlas.clone();
    let stall = market_view(world, &atlas, base);
    let fills = world.markets.fills(stall, item, MarketSide::Asks, quantity);
    let (bought, cost) = sum_fills(&fills);
    check_purchase(pilot, goods, to, (bought, cost))?;
    world
        .markets
        .take_traded(stall, item, MarketSide::Asks, bought);
    let pilot = world.player_mut(player);
    pilot.spend_credits(cost);
    pilot.stats.trades_completed += 1;
    let delivered = match to {
        PurchaseDelivery::Cargo => {
            pilot.ship.cargo.put(item, bought);
            "delivered_to_cargo"
        }
        PurchaseDelivery::Storage => {
            pilot.storage.entry(base).or_default().put(item, bought);
            "delivered_to_storage"
        }
    };
    let level_up = pilot.gain_experience(Skill::TRADING, 1, now);
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

/// Refuses a purchase without an ask, without the credits or without the room for it.
fn check_purchase(
    pilot: &PlayerAccount,
    goods: ItemQuantity,
    to: PurchaseDelivery,
    (bought, cost): (u64, u64),
) -> Result<(), GameRefusal> {
    let item = goods.item;
    if bought == 0 {
        return Err(GameRefusal::new(
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
        return Err(GameRefusal::new("insufficient_credits", message));
    }
    if to == PurchaseDelivery::Cargo && pilot.ship.space() < bought.saturating_mul(item.size()) {
        return Err(GameRefusal::cargo_full());
    }
    Ok(())
}

pub(crate) fn market_view<'a>(world: &World, atlas: &'a Atlas, base: BaseIx) -> MarketView<'a> {
    MarketView {
        atlas,
        dice: world.dice,
        base,
        now: world.tick,
        pays: if world.has_low_prices() { 10 } else { 100 },
    }
}

pub(crate) fn sum_fills(fills: &[PriceLevel]) -> (u64, u64) {
    fills.iter().fold((0, 0), |(units, credits), fill| {
        (units + fill.quantity, credits + fill.quantity * fill.price)
    })
}
