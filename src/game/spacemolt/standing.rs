//! Standing: what the result of a call tells of a player's money, place and ship.
//!
//! Everything is optional, and what a result does not tell is `None`. Results tell it in three ways: a
//! state with sections (`player`, `ship`), members of an action's own outcome, and the outcome
//! itself, as that of `dock`.

mod hold;

use serde_json::{Map, Value};
use zoea_game::standing::{Deal, Gauge, Standing, Transfer};

use super::commands;

/// The highest amount that is believed. A sum of such amounts cannot overflow.
const MAX_AMOUNT: i64 = 1_000_000_000_000_000;
const MAX_PLACE_BYTES: usize = 64;

/// The transfer that a call makes if it is executed; `None` if it makes none.
pub(crate) fn transfer(command: &str, tool: &str, arguments: &str) -> Option<Transfer> {
    let (key, sign) = match command {
        "deposit_credits" | "faction_deposit_credits" => ("amount", -1),
        "withdraw_credits" | "faction_withdraw_credits" => ("amount", 1),
        "send_gift" => ("credits", -1),
        "trade_offer" => return Some(Transfer::Offer),
        "trade_accept" => return Some(Transfer::Unknown),
        _ => return None,
    };
    let given = match serde_json::from_str(arguments) {
        Ok(Value::Object(given)) => commands::to_first(tool, given).1,
        Ok(_) | Err(_) => return Some(Transfer::Unknown),
    };
    let amount = match given.get(key) {
        // A gift of goods.
        None | Some(Value::Null) if command == "send_gift" => return None,
        // The second interface takes "5" for 5.
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(value) => value.as_i64(),
        None => None,
    };
    let amount = amount.filter(|amount| (0..=MAX_AMOUNT).contains(amount));
    Some(amount.map_or(Transfer::Unknown, |amount| Transfer::Amount(sign * amount)))
}

/// Reads the facts of a good result, as `super::results::read_facts` returns them.
pub(crate) fn read(command: &str, read_only: bool, facts: &Map<String, Value>) -> Standing {
    let mut standing = Standing::default();
    if !read_only {
        standing.deal = deal(facts);
        standing.goods = hold::change(command, facts);
        read_outcome(command, facts, &mut standing);
        let tells_added = standing.fuel_added.is_some();
        standing.has_other_fuel = hold::may_change_fuel(command) && !tells_added;
    }
    read_place(command, facts, &mut standing);
    read_player(facts, &mut standing);
    read_ship(facts, &mut standing);
    standing.sizes = hold::sizes(facts, standing.cargo.now);
    standing
}

/// What follows from a call that may have been carried out and whose result tells nothing.
pub(crate) fn unread(command: &str, read_only: bool) -> Standing {
    if read_only {
        return Standing::default();
    }
    Standing {
        goods: hold::change_by(command),
        has_other_fuel: hold::may_change_fuel(command),
        ..Standing::default()
    }
}

/// The credits that an action earned and spent, according to its result; `None` if that tells of
/// neither.
pub(crate) fn deal(facts: &Map<String, Value>) -> Option<Deal> {
    let sum = |keys: &[&str]| {
        let amounts = keys.iter().filter_map(|key| amount(facts, key));
        amounts.reduce(i64::saturating_add)
    };
    let earned = sum(&["total_earned", "credits_earned"]);
    let spent = sum(&["total_cost", "cost", "listing_fee", "total_escrowed"]);
    (earned.is_some() || spent.is_some()).then(|| Deal {
        earned: earned.unwrap_or(0),
        spent: spent.unwrap_or(0),
    })
}

fn read_outcome(command: &str, facts: &Map<String, Value>, standing: &mut Standing) {
    let is_so = |key: &str| facts.get(key).and_then(Value::as_bool) == Some(true);
    match command {
        "dock" => standing.docked = Some(true),
        // A docked ship is undocked first.
        "undock" | "travel" | "jump" | "mine" => standing.docked = Some(false),
        _ if is_so("auto_docked") => standing.docked = Some(true),
        _ if is_so("auto_undocked") => standing.docked = Some(false),
        _ => {}
    }
    match command {
        "travel" | "jump" => {
            standing.system = place(facts.get("system_id"));
            standing.poi = place(facts.get("poi_id"));
            if command == "jump" && standing.poi.is_none() {
                standing.poi = place(facts.get("poi"));
            }
        }
        "refuel" => {
            standing.fuel = gauge(facts, "fuel_now", "fuel_max");
            standing.fuel_added = level(facts, "fuel");
        }
        "repair" => standing.hull = gauge(facts, "hull", "max_hull"),
        "jettison" => {
            standing.cargo.now = level(facts, "cargo_used");
            standing.cargo_free = level(facts, "cargo_space");
        }
        "deposit_items" | "withdraw_items" => {
            standing.cargo_free = level(facts, "cargo_space");
        }
        "trade_accept" => standing.credits = amount(facts, "your_credits"),
        _ => {}
    }
}

/// What is told by a look at the surroundings, which shows the ship's own.
fn read_place(command: &str, facts: &Map<String, Value>, standing: &mut Standing) {
    let section = |name: &str| facts.get(name).and_then(Value::as_object);
    let poi = section("poi").filter(|_| matches!(command, "get_poi" | "get_system"));
    if let Some(poi) = poi {
        standing.poi = place(poi.get("id"));
        standing.system = place(poi.get("system_id"));
    }
    if let Some(system) = section("system").filter(|_| command == "get_system") {
        standing.system = place(system.get("id"));
    }
}

fn read_player(facts: &Map<String, Value>, standing: &mut Standing) {
    let Some(Value::Object(player)) = facts.get("player") else {
        return;
    };
    standing.credits = amount(player, "credits").or(standing.credits);
    let Some(system) = place(player.get("current_system")) else {
        standing.poi = place(player.get("current_poi")).or(standing.poi.take());
        return;
    };
    standing.system = Some(system);
    standing.poi = place(player.get("current_poi"));
    // A docked ship's base is named beside its place.
    let base = player.get("docked_at_base").and_then(Value::as_str);
    standing.docked = Some(base.is_some_and(|base| !base.is_empty()));
}

fn read_ship(facts: &Map<String, Value>, standing: &mut Standing) {
    if let Some(Value::Object(ship)) = facts.get("ship") {
        standing.fuel = gauge(ship, "fuel", "max_fuel").or(standing.fuel);
        standing.hull = gauge(ship, "hull", "max_hull").or(standing.hull);
        standing.cargo = gauge(ship, "cargo_used", "cargo_capacity").or(standing.cargo);
    }
    // What has no capacity is no hold.
    if facts.contains_key("cargo") && facts.contains_key("capacity") {
        standing.cargo = standing.cargo.or(gauge(facts, "used", "capacity"));
    }
}

pub(crate) fn gauge(facts: &Map<String, Value>, now: &str, most: &str) -> Gauge {
    Gauge {
        now: level(facts, now),
        most: level(facts, most),
    }
}

fn level(facts: &Map<String, Value>, key: &str) -> Option<u32> {
    u32::try_from(facts.get(key)?.as_i64()?).ok()
}

fn amount(facts: &Map<String, Value>, key: &str) -> Option<i64> {
    let amount = facts.get(key)?.as_i64()?;
    (0..=MAX_AMOUNT).contains(&amount).then_some(amount)
}

/// The id of a place. A display name is none.
pub(crate) fn place(value: Option<&Value>) -> Option<String> {
    let id = value?.as_str()?;
    let is_id = !id.is_empty()
        && id.len() <= MAX_PLACE_BYTES
        && id
            .chars()
            .all(|c| c.is_alphanumeric() && !c.is_uppercase() || matches!(c, '_' | '-' | '.'));
    is_id.then(|| id.to_string())
}

#[cfg(test)]
mod tests;
