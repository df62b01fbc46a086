//! Mining: to the belt, dig until the hold is full, to the base, sell, refuel, again.

use crate::situation::Situation;

use super::player_view::PlayerView;
use super::step::{PlayerStep, WantedCall};
use super::{looking, moving, repeating, stationing};

/// One step of the miner's round. Items in `keep` are not sold.
pub(super) fn choose_mining_step(
    view: &PlayerView<'_>,
    rng: &mut fastrand::Rng,
    keep: &[&str],
) -> PlayerStep {
    if let Some(step) = repeating::go_on(view).filter(|_| keep.is_empty()) {
        return step;
    }
    if let Some(step) = looking::look_around(view, rng) {
        return step;
    }
    let situation = &view.situation;
    if situation.place.docked == Some(true) {
        if let Some(step) = stationing::visit_base(view, rng, keep) {
            return step;
        }
        if let Some(step) = repeating::repeat_mining(view).filter(|_| keep.is_empty()) {
            return step;
        }
    } else if situation.ship.is_crowded() {
        return moving::go_to_base(view, None, "The hold is full.", rng);
    } else if must_refuel(view) {
        return moving::go_to_base(view, None, "The tank is low.", rng);
    }
    go_and_mine(view, rng)
}

/// Whether fuel is low and a base could change that: there are credits, or goods worth some.
fn must_refuel(view: &PlayerView<'_>) -> bool {
    let ship = &view.situation.ship;
    let is_laden = match (ship.used, ship.capacity) {
        (Some(used), Some(capacity)) => used * 2 >= capacity,
        (Some(_), None) | (None, _) => false,
    };
    ship.has_less_fuel_than(25) && (is_laden || !is_broke(view))
}

/// Whether fuel is low and the credits do not pay for more, so that goods have to be sold before a
/// long flight.
pub(super) fn must_earn(view: &PlayerView<'_>) -> bool {
    view.situation.ship.has_less_fuel_than(50) && is_broke(view)
}

/// The credits for a unit of fuel at most stations.
const FUEL_PRICE: i64 = 4;

/// Whether the credits are too few for a full tank.
fn is_broke(view: &PlayerView<'_>) -> bool {
    let Situation { ship, trades, .. } = &view.situation;
    let missing = match (ship.fuel, ship.max_fuel) {
        (Some(fuel), Some(most)) => most.saturating_sub(fuel),
        (Some(_), None) | (None, _) => 0,
    };
    trades.refuel_refused
        || trades
            .credits
            .is_some_and(|credits| credits < missing.saturating_mul(FUEL_PRICE))
}

fn go_and_mine(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    let place = &view.situation.place;
    if place.can_mine_here() {
        return mine_here(view, rng);
    }
    if place.chart.is_none() {
        return looking::ask_for_chart(view);
    }
    match place.belts().next() {
        Some(belt) => moving::travel_to(
            view,
            &belt.id,
            &format!("There is room in the hold, and ore at {}.", belt.id),
        ),
        None => {
            moving::jump_to_neighbour(view, "There is nothing left to mine in this system.", rng)
        }
    }
}

/// One to three pulls with the laser at once.
fn mine_here(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    let has_room = view.situation.ship.room().is_none_or(|room| room > 15);
    let pulls = if has_room && rng.u8(..5) == 0 {
        rng.usize(2..=3)
    } else {
        1
    };
    let why = match view.situation.ship.room() {
        Some(room) => format!("I am at the rocks and have room for {room} more."),
        None => "I am at the rocks; I mine until the hold is full.".to_owned(),
    };
    PlayerStep::calls(vec![WantedCall::without_arguments("mine"); pulls], why)
}
