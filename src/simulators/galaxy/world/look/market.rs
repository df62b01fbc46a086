//! The market of the station where the player is docked.

use serde_json::{Value, json};

use super::super::{
    CommandArguments, GameAnswer, GameRefusal, World,
    act::trade::{market_view, sum_fills},
    atlas::BaseIx,
    catalogue::{CatalogueItem, ItemCategory, Skill},
    market::{MarketSide, PriceLevel},
    player::PlayerAccount,
    view,
};

const MAX_INSIGHTS: usize = 5;

pub(crate) fn view_market(
    world: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let base = player.docked_at().ok_or_else(GameRefusal::not_docked)?;
    let one = arguments
        .has("item_id")
        .then(|| arguments.item())
        .transpose()?;
    let category = arguments.text("category")?;
    let items: Vec<Value> = CatalogueItem::all()
        .filter(|item| one.is_none_or(|one| one == *item))
        .filter(|item| category.is_none_or(|category| category == item.category().id()))
        .filter_map(|item| market_entry(world, base, item, one.is_some()))
        .collect();
    let mut answer = json!({
        "action": "view_market",
        "base": world.atlas.base(base).name,
        "categories": ItemCategory::ALL.map(ItemCategory::id),
    });
    if items.is_empty() {
        answer["message"] = "Nothing of the kind is traded here.".into();
    }
    answer["items"] = items.into();
    Ok(answer)
}

/// The order book of one item. Without details, only its best prices.
fn market_entry(
    world: &World,
    base: BaseIx,
    item: CatalogueItem,
    with_orders: bool,
) -> Option<Value> {
    let stall = market_view(world, &world.atlas, base);
    let bids = world.markets.levels(stall, item, MarketSide::Bids);
    let asks = world.markets.levels(stall, item, MarketSide::Asks);
    if bids.is_empty() && asks.is_empty() {
        return None;
    }
    let best = |levels: &[PriceLevel]| levels.first().map_or(0, |level| level.price);
    let quantity = |levels: &[PriceLevel]| levels.iter().map(|level| level.quantity).sum::<u64>();
    let (bid, ask) = (best(&bids), best(&asks));
    let mut view = json!({
        "item_id": item.id(),
        "item_name": item.name(),
        "category": item.category().id(),
        "best_buy": bid,
        "best_sell": ask,
        "buy_price": bid,
        "sell_price": ask,
        "buy_quantity": quantity(&bids),
        "sell_quantity": quantity(&asks),
    });
    if bid > 0 && ask > 0 {
        view["spread"] = ask.saturating_sub(bid).into();
    }
    let orders = |levels: &[PriceLevel]| -> Vec<Value> {
        let shown = if with_orders { levels } else { &[] };
        let order = |level: &PriceLevel| json!({ "price_each": level.price, "quantity": level.quantity, "source": "station" });
        shown.iter().map(order).collect()
    };
    view["buy_orders"] = orders(&bids).into();
    view["sell_orders"] = orders(&asks).into();
    Some(view)
}

pub(crate) fn estimate_purchase(
    world: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let item = arguments.item()?;
    let quantity = arguments.quantity()?;
    let base = player.docked_at().ok_or_else(GameRefusal::not_docked)?;
    let stall = market_view(world, &world.atlas, base);
    let fills = world.markets.fills(stall, item, MarketSide::Asks, quantity);
    let (available, cost) = sum_fills(&fills);
    let message = match available {
        0 => format!("No one is selling {} at this station.", item.name()),
        _ => format!("{available} {} would cost {cost}cr.", item.name()),
    };
    Ok(json!({
        "action": "estimate_purchase",
        "item": item.name(),
        "quantity_requested": quantity,
        "available": available,
        "fills": view::fills(&fills),
        "total_cost": cost,
        "unfilled": quantity - available,
        "message": message,
    }))
}

/// The items for which the station pays best, relative to their base values.
pub(crate) fn analyze_market(
    world: &World,
    player: &PlayerAccount,
    _: CommandArguments,
) -> GameAnswer {
    let base = player.docked_at().ok_or_else(GameRefusal::not_docked)?;
    let stall = market_view(world, &world.atlas, base);
    let mut offers: Vec<(u64, CatalogueItem, u64)> = CatalogueItem::all()
        .filter_map(|item| {
            let bids = world.markets.levels(stall, item, MarketSide::Bids);
            let bid = bids.first()?.price;
            Some((bid * 100 / item.value(), item, bid))
        })
        .collect();
    offers.sort_by_key(|(percent, item, _)| (std::cmp::Reverse(*percent), *item));
    let insights: Vec<Value> = offers
        .into_iter()
        .take(MAX_INSIGHTS)
        .zip(1..)
        .map(|((percent, item, bid), priority)| {
            json!({
                "category": "demand",
                "item": item.name(),
                "item_id": item.id(),
                "priority": priority,
                "message": format!(
                    "Buyers here pay {bid}cr for {}, {percent}% of its base value.",
                    item.name()
                ),
            })
        })
        .collect();
    let level = player.progress.level(Skill::TRADING);
    Ok(json!({
        "station": world.atlas.base(base).name,
        "skill_level": level,
        "message": format!("{} insights at trading level {level}", insights.len()),
        "insights": insights,
    }))
}
