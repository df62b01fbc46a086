//! Trading: buy what is cheap, carry it to another system, sell it there.

use serde_json::json;

use crate::situation::MarketQuote;

use super::player_view::PlayerView;
use super::step::PlayerStep;
use super::{looking, mining, moving, stationing};

const MAX_BOUGHT_UNITS: i64 = 10;

pub(super) fn choose_trading_step(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    if let Some(step) = looking::look_around(view, rng) {
        return step;
    }
    if mining::must_earn(view) {
        return mining::choose_mining_step(view, rng, &[]);
    }
    let situation = &view.situation;
    if situation.place.docked != Some(true) {
        return if situation.trades.bought_here.is_empty() {
            moving::go_to_base(view, None, "Trade happens at bases.", rng)
        } else {
            moving::jump_to_neighbour(view, "What I carry sells better elsewhere.", rng)
        };
    }
    let Some(market) = &situation.trades.market else {
        if view.can_ask("view_market") {
            return PlayerStep::without_arguments(
                "view_market",
                "I look at what is bought and sold here.",
            );
        }
        return moving::jump_to_neighbour(view, "I cannot see the market of this base.", rng);
    };
    sell_goods(view, market)
        .or_else(|| stationing::refuel_ship(view))
        .or_else(|| buy_goods(view, market, rng))
        .unwrap_or_else(|| {
            moving::jump_to_neighbour(view, "There is no more business for me here.", rng)
        })
}

/// Sells goods that were not bought here and that the market bids for.
fn sell_goods(view: &PlayerView<'_>, market: &[MarketQuote]) -> Option<PlayerStep> {
    let trades = &view.situation.trades;
    let bid_for = |item: &str| {
        market
            .iter()
            .find(|quote| quote.item == item)
            .map_or(0, |quote| quote.bid)
    };
    let (item, quantity) = view.situation.ship.goods().find(|(item, _)| {
        bid_for(item) > 0 && !trades.unsold.contains(*item) && !trades.bought_here.contains(*item)
    })?;
    Some(PlayerStep::call(
        "sell",
        json!({"item_id": item, "quantity": quantity}),
        format!("They pay {} for {item} here.", bid_for(item)),
    ))
}

/// Buys one of the three cheapest items for at most half of the credits, unless there is cargo
/// already.
fn buy_goods(
    view: &PlayerView<'_>,
    market: &[MarketQuote],
    rng: &mut fastrand::Rng,
) -> Option<PlayerStep> {
    let situation = &view.situation;
    let budget = situation.trades.credits.unwrap_or(0) / 2;
    let room = situation.ship.room().unwrap_or(MAX_BOUGHT_UNITS);
    if situation.ship.goods().next().is_some() || room < 1 || !view.offers("buy") {
        return None;
    }
    let mut offers: Vec<&MarketQuote> = market
        .iter()
        .filter(|quote| {
            (1..=budget).contains(&quote.ask) && !situation.trades.unbought.contains(&quote.item)
        })
        .collect();
    offers.sort_by_key(|quote| quote.ask);
    offers.truncate(3);
    let quote = rng.choice(offers)?;
    let most = MAX_BOUGHT_UNITS.min(room).min(budget / quote.ask);
    let quantity = if quote.on_offer > 0 {
        most.min(quote.on_offer)
    } else {
        most
    };
    Some(PlayerStep::call(
        "buy",
        json!({"item_id": quote.item, "quantity": quantity}),
        format!(
            "{} costs only {} here; I carry some to another system.",
            quote.item, quote.ask
        ),
    ))
}
