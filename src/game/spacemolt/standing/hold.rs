//! The hold and the tank: what a call did to the goods and the fuel of a ship, where its result does not tell the
//! level.

use serde_json::{Map, Value};
use zoea_game::standing::GoodsChange;

/// The most kinds of goods of a hold that are read.
const MAX_KINDS: usize = 64;

/// The actions that leave goods where they are. Any other one may have moved some.
const KEEPS_GOODS: [&str; 29] = [
    "buy_insurance",
    "captains_log_add",
    "captains_log_delete",
    "chat",
    "cloak",
    "decline_mission",
    "deposit_credits",
    "distress_signal",
    "dock",
    "faction_deposit_credits",
    "faction_submit_intel",
    "faction_submit_trade_intel",
    "faction_withdraw_credits",
    "get_notifications",
    "jump",
    "login",
    "login_link",
    "login_link_poll",
    "logout",
    "name_ship",
    "repair",
    "scan",
    "set_colors",
    "set_home_base",
    "set_status",
    "survey_system",
    "travel",
    "undock",
    "withdraw_credits",
];

/// The actions that may change the fuel, or the ship with its tank.
const CHANGES_FUEL: [&str; 15] = [
    "attack",
    "battle",
    "buy_listed_ship",
    "commission_ship",
    "hunt",
    "jump",
    "refit_ship",
    "refuel",
    "scrap_ship",
    "self_destruct",
    "sell_ship_to_order",
    "switch_ship",
    "tow_wreck",
    "travel",
    "use_item",
];

pub(super) fn may_change_fuel(command: &str) -> bool {
    CHANGES_FUEL.contains(&command)
}

/// What an action did to the goods if nothing more is known of it.
pub(super) fn change_by(command: &str) -> GoodsChange {
    match keeps_goods(command) {
        true => GoodsChange::None,
        false => GoodsChange::Unknown,
    }
}

pub(super) fn change(command: &str, facts: &Map<String, Value>) -> GoodsChange {
    match keeps_goods(command) {
        true => GoodsChange::None,
        false => read_change(command, facts).unwrap_or(GoodsChange::Unknown),
    }
}

fn keeps_goods(command: &str) -> bool {
    KEEPS_GOODS.contains(&command) || command.starts_with("forum_")
}

fn read_change(command: &str, facts: &Map<String, Value>) -> Option<GoodsChange> {
    let number = |key: &str| facts.get(key)?.as_i64();
    let (item, units) = match command {
        "mine" => ("resource_id", number("quantity")?),
        // What nobody bought may stand on the market instead.
        "sell" if !facts.contains_key("auto_listed") => ("item_id", -number("quantity_sold")?),
        "buy" => ("item_id", units_for_hold(facts)?),
        "deposit_items" | "jettison" => ("item_id", -number("quantity")?),
        "withdraw_items" => ("item_id", number("quantity")?),
        "use_item" => ("item_id", -number("quantity_used")?),
        "refuel" => return is_from_station(facts).then_some(GoodsChange::None),
        _ => return None,
    };
    let item = facts.get(item)?.as_str()?.to_string();
    Some(GoodsChange::Moved { item, units })
}

/// The units of a purchase that came into the hold; `None` if its result does not tell where they went.
fn units_for_hold(facts: &Map<String, Value>) -> Option<i64> {
    match facts.get("delivered_to_cargo") {
        Some(units) => units.as_i64(),
        None => facts.contains_key("delivered_to_storage").then_some(0),
    }
}

/// Whether a tank was filled by a station, which costs credits, and not from cells in the hold.
fn is_from_station(facts: &Map<String, Value>) -> bool {
    match facts.get("source").and_then(Value::as_str) {
        Some(source) => source == "station",
        None => facts.get("cost").and_then(Value::as_i64) > Some(0),
    }
}

/// The sizes of a unit of the goods that a result shows in the hold. They are believed only if the goods come to the
/// used space that it tells.
pub(super) fn sizes(facts: &Map<String, Value>, used: Option<u32>) -> Vec<(String, u32)> {
    let shown = used.zip(shown_sizes(facts));
    shown
        .filter(|(used, (_, sum))| used == sum)
        .map(|(_, (sizes, _))| sizes)
        .unwrap_or_default()
}

/// The sizes of a unit of the goods in the hold, and the space that all of them use.
fn shown_sizes(facts: &Map<String, Value>) -> Option<(Vec<(String, u32)>, u32)> {
    let of_ship = || facts.get("ship")?.get("cargo");
    let rows = facts.get("cargo").or_else(of_ship)?.as_array()?;
    if rows.len() > MAX_KINDS {
        return None;
    }
    let mut sum = 0_u32;
    let mut sizes = Vec::with_capacity(rows.len());
    for row in rows {
        let number = |key: &str| u32::try_from(row.get(key)?.as_i64()?).ok();
        let (size, quantity) = (number("size")?, number("quantity")?);
        sum = sum.checked_add(size.checked_mul(quantity)?)?;
        sizes.push((row.get("item_id")?.as_str()?.to_string(), size));
    }
    Some((sizes, sum))
}
