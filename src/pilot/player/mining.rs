//! Mining: to the belt, dig until the hold is full, to the base, sell, refuel, again.

use crate::situation::Situation;

use super::player_view::PlayerView;
use super::step::{PlayerStep, WantedCall};
use super::{looking, moving, stationing};

/// One step of the miner's round. What is in `keep` is not sold.
pub(super) fn choose_mining_step(
    cockpit: &PlayerView<'_>,
    rng: &mut fastrand::Rng,
    keep: &[&str],
) -> PlayerStep {
    if let Some(step) = looking::look_around(cockpit, rng) {
        return step;
    }
    let situation = &cockpit.situation;
    if situation.place.docked == Some(true) {
        if let Some(step) = stationing::visit_base(cockpit, rng, keep) {
            return step;
        }
    } else if situation.ship.is_crowded() {
        return moving::go_to_base(cockpit, None, "The hold is full.", rng);
    } else if must_refuel(cockpit) {
        return moving::go_to_base(cockpit, None, "The tank is low.", rng);
    }
    go_and_mine(cockpit, rng)
}

/// Whether fuel is low and a visit to a base would change that: there is money, or ore worth some.
fn must_refuel(cockpit: &PlayerView<'_>) -> bool {
    let ship = &cockpit.situation.ship;
    let is_laden = match (ship.used, ship.capacity) {
        (Some(used), Some(capacity)) => used * 2 >= capacity,
        (Some(_), None) | (None, _) => false,
    };
    ship.has_less_fuel_than(25) && (is_laden || !is_broke(cockpit))
}

/// Whether fuel runs low and there is not enough to pay for more, so that a voyage must wait until ore has been sold.
pub(super) fn must_earn(cockpit: &PlayerView<'_>) -> bool {
    cockpit.situation.ship.has_less_fuel_than(50) && is_broke(cockpit)
}

/// What a unit of fuel costs at most stations.
const FUEL_PRICE: i64 = 4;

/// Whether the credits are too few for a full tank.
fn is_broke(cockpit: &PlayerView<'_>) -> bool {
    let Situation { ship, trades, .. } = &cockpit.situation;
    let missing = match (ship.fuel, ship.max_fuel) {
        (Some(fuel), Some(most)) => most.saturating_sub(fuel),
        (Some(_), None) | (None, _) => 0,
    };
    trades.refuel_refused
        || trades
            .credits
            .is_some_and(|credits| credits < missing.saturating_mul(FUEL_PRICE))
}

fn go_and_mine(cockpit: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    let place = &cockpit.situation.place;
    if place.can_mine_here() {
        return mine_here(cockpit, rng);
    }
    if place.chart.is_none() {
        return looking::ask_for_chart(cockpit);
    }
    match place.belts().next() {
        Some(belt) => moving::travel_to(
            cockpit,
            &belt.id,
            &format!("There is room in the hold, and ore at {}.", belt.id),
        ),
        None => moving::jump_to_neighbour(
            cockpit,
            "There is nothing left to mine in this system.",
            rng,
        ),
    }
}

/// One to three pulls with the laser at once.
fn mine_here(cockpit: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    let has_room = cockpit.situation.ship.room().is_none_or(|room| room > 15);
    let pulls = if has_room && rng.u8(..5) == 0 {
        rng.usize(2..=3)
    } else {
        1
    };
    let why = match cockpit.situation.ship.room() {
        Some(room) => format!("I am at the rocks and have room for {room} more."),
        None => "I am at the rocks; I mine until the hold is full.".to_owned(),
    };
    PlayerStep::calls(vec![WantedCall::without_arguments("mine"); pulls], why)
}
