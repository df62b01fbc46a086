//! Names: what a screen calls the ship, its place and its goods, as the newest result names them.

use serde_json::{Map, Value};
use zoea_game::reading::ShipNames;
use zoea_text::clean::one_line;

use crate::standing::gauge;

/// The longest name that is kept, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// What the facts of a good result name.
pub(crate) fn names(command: &str, facts: &Map<String, Value>) -> ShipNames {
    let mut told = ShipNames::default();
    if let Some(Value::Object(player)) = facts.get("player") {
        told.system = player.get("current_system").and_then(name);
        told.poi = player.get("current_poi").and_then(name);
        let base = player.get("docked_at_base");
        if told.poi.is_some() || base.is_some() {
            told.base = Some(base.and_then(name));
        }
    }
    let ship = facts.get("ship").and_then(Value::as_object);
    if let Some(ship) = ship {
        let is_ship = ship.contains_key("max_hull");
        told.ship = ship.get("name").filter(|_| is_ship).and_then(name);
        told.shield = gauge(ship, "shield", "max_shield");
    }
    let goods = ship.and_then(|ship| ship.get("cargo"));
    let goods = goods
        .or_else(|| facts.get("cargo"))
        .and_then(Value::as_array);
    told.hold = goods.map(|goods| goods.iter().filter_map(item).collect());
    read_place(command, facts, &mut told);
    told
}

/// What follows from the command's own result.
fn read_place(command: &str, facts: &Map<String, Value>, told: &mut ShipNames) {
    let text = |key: &str| facts.get(key).and_then(name);
    let named = |key: &str| facts.get(key)?.get("name").and_then(name);
    match command {
        "travel" | "jump" => {
            if let Some(poi) = text("poi") {
                told.poi = Some(poi);
                told.base = Some(None);
            }
            told.system = text("system").or(told.system.take());
        }
        "dock" => told.base = Some(text("base")),
        "undock" => told.base = Some(None),
        "get_system" => {
            told.system = named("system").or(told.system.take());
            told.poi = named("poi").or(told.poi.take());
        }
        _ => {}
    }
}

fn name(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| !text.is_empty())?;
    let end = text.floor_char_boundary(MAX_NAME_BYTES);
    Some(one_line(&text[..end]))
}

fn item(item: &Value) -> Option<(String, i64)> {
    let named = item.get("name").or_else(|| item.get("item_id"))?;
    Some((name(named)?, item.get("quantity")?.as_i64()?))
}
