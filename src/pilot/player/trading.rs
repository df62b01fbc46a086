//! Trading: buy what is cheap, carry it to another system, sell it there.

use serde_json::json;

use crate::situation::MarketQuote;

use super::player_view::PlayerView;
use super::step::PlayerStep;
use super::{looking, mining, moving, stationing};

/// The most of one item that is bought at once.
const MAX_LISTED: i64 = 10;

/// One step of the trader.
pub(super) fn choose_trading_step(cockpit: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    if let Some(step) = looking::look_around(cockpit, rng) {
        return step;
    }
    if mining::must_earn(cockpit) {
        return mining::choose_mining_step(cockpit, rng, &[]);
    }
    let situation = &cockpit.situation;
    if situation.place.docked != Some(true) {
        return if situation.trades.bought_here.is_empty() {
            moving::go_to_base(cockpit, None, "Trade happens at bases.", rng)
        } else {
            moving::jump_to_neighbour(cockpit, "What I carry sells better elsewhere.", rng)
        };
    }
    let Some(market) = &situation.trades.market else {
        if cockpit.can_ask("view_market") {
            return PlayerStep::call(
                "view_market",
                json!({}),
                "I look at what is bought and sold here.",
            );
        }
        return moving::jump_to_neighbour(cockpit, "I cannot see the market of this base.", rng);
    };
    sell_goods(cockpit, market)
        .or_else(|| stationing::refuel_ship(cockpit))
        .or_else(|| buy_goods(cockpit, market, rng))
        .unwrap_or_else(|| {
            moving::jump_to_neighbour(cockpit, "There is no more business for me here.", rng)
        })
}

/// Sells what was not bought here and somebody here wants.
fn sell_goods(cockpit: &PlayerView<'_>, market: &[MarketQuote]) -> Option<PlayerStep> {
    let trades = &cockpit.situation.trades;
    let bid_for = |item: &str| {
        market
            .iter()
            .find(|quote| quote.item == item)
            .map_or(0, |quote| quote.bid)
    };
    let (item, quantity) = cockpit.situation.ship.goods().find(|(item, _)| {
        bid_for(item) > 0 && !trades.unsold.contains(*item) && !trades.bought_here.contains(*item)
    })?;
    Some(PlayerStep::call(
        "sell",
        json!({"item_id": item, "quantity": quantity}),
        format!("They pay {} for {item} here.", bid_for(item)),
    ))
}

/// Buys one of the three cheapest items for at most half of the money, unless there is cargo already.
fn buy_goods(
    cockpit: &PlayerView<'_>,
    market: &[MarketQuote],
    rng: &mut fastrand::Rng,
) -> Option<PlayerStep> {
    let situation = &cockpit.situation;
    let purse = situation.trades.credits.unwrap_or(0) / 2;
    let room = situation.ship.room().unwrap_or(MAX_LISTED);
    if situation.ship.goods().next().is_some() || room < 1 || !cockpit.offers("buy") {
        return None;
    }
    let mut offers: Vec<&MarketQuote> = market
        .iter()
        .filter(|quote| {
            (1..=purse).contains(&quote.ask) && !situation.trades.unbought.contains(&quote.item)
        })
        .collect();
    offers.sort_by_key(|quote| quote.ask);
    offers.truncate(3);
    let quote = rng.choice(offers)?;
    let most = MAX_LISTED.min(room).min(purse / quote.ask);
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
