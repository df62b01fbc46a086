//! Acts at a base: sell, store what nobody buys, read the credits, refuel.

use serde_json::json;

use super::player_view::PlayerView;
use super::step::{PlayerStep, WantedCall};

/// The next act while docked; none when it is time to leave. Items in `keep` are not sold.
pub(super) fn visit_base(
    view: &PlayerView<'_>,
    rng: &mut fastrand::Rng,
    keep: &[&str],
) -> Option<PlayerStep> {
    sell_goods(view, rng, keep)
        .or_else(|| put_away(view))
        .or_else(|| count_credits(view))
        .or_else(|| refuel_ship(view))
}

fn sell_goods(view: &PlayerView<'_>, rng: &mut fastrand::Rng, keep: &[&str]) -> Option<PlayerStep> {
    let ship = &view.situation.ship;
    let unsold = &view.situation.trades.unsold;
    let is_empty = ship.used == Some(0);
    if !is_empty && !ship.is_listed && view.can_ask("get_cargo") {
        return Some(PlayerStep::without_arguments(
            "get_cargo",
            "I am docked. Before I sell I look at what there is to sell.",
        ));
    }
    let for_sale = |item: &str| !unsold.contains(item);
    let spare = || {
        ship.goods()
            .filter(|(item, _)| for_sale(item) && !keep.contains(item))
    };
    let mut goods: Vec<(&str, i64)> = spare().collect();
    if goods.is_empty() && ship.is_crowded() {
        goods = ship.goods().filter(|(item, _)| for_sale(item)).collect();
    }
    goods.truncate(if rng.u8(..2) == 0 { 1 } else { 3 });
    if goods.is_empty() || !view.offers("sell") {
        return None;
    }
    let what: Vec<&str> = goods.iter().map(|(item, _)| *item).collect();
    Some(PlayerStep::calls(
        goods
            .iter()
            .map(|(item, quantity)| hand_over("sell", item, *quantity))
            .collect(),
        format!("I sell what the hold holds: {}.", what.join(", ")),
    ))
}

/// Stores goods that nobody buys when they fill half of the hold.
fn put_away(view: &PlayerView<'_>) -> Option<PlayerStep> {
    let situation = &view.situation;
    let held: i64 = situation.ship.goods().map(|(_, quantity)| quantity).sum();
    let is_burden = situation.ship.is_crowded()
        || situation
            .ship
            .capacity
            .is_some_and(|capacity| held * 2 > capacity);
    let unsold = situation
        .ship
        .goods()
        .find(|(item, _)| situation.trades.unsold.contains(*item));
    let (item, quantity) = unsold.filter(|_| is_burden)?;
    let tool = if view.offers("deposit_items") && !situation.trades.storage_refused {
        "deposit_items"
    } else {
        "jettison"
    };
    let call = hand_over(tool, item, quantity);
    if !view.offers(tool) || view.has_failed_enough(&call) {
        return None;
    }
    Some(PlayerStep::calls(
        vec![call],
        format!("Nobody here buys {item}, and I need the room."),
    ))
}

fn hand_over(tool: &str, item: &str, quantity: i64) -> WantedCall {
    WantedCall::new(tool, json!({"item_id": item, "quantity": quantity}))
}

fn count_credits(view: &PlayerView<'_>) -> Option<PlayerStep> {
    let must_count = view.situation.trades.is_stale || view.situation.ship.fuel.is_none();
    (must_count && view.can_ask("get_status")).then(|| {
        PlayerStep::without_arguments(
            "get_status",
            "Business is done. I look at my credits and the tank before I leave.",
        )
    })
}

/// Fills the tank unless it is nearly full.
pub(super) fn refuel_ship(view: &PlayerView<'_>) -> Option<PlayerStep> {
    let situation = &view.situation;
    let can_pay = situation.trades.credits.is_none_or(|credits| credits > 0);
    let wants_fuel = situation.ship.has_less_fuel_than(80)
        && !situation.trades.refuel_refused
        && can_pay
        && view.offers("refuel");
    wants_fuel.then(|| {
        PlayerStep::without_arguments(
            "refuel",
            "The station sells fuel and my tank is no longer full.",
        )
    })
}
