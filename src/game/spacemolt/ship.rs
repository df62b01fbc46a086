//! Names: what a screen calls the ship, its place and its goods, as the newest result names them.

use serde_json::{Map, Value};
use zoea_game::reading::ShipNames;
use zoea_text::clean::one_line;

use crate::standing::gauge;

/// The longest name that is kept, in bytes.
const MAX_NAME_BYTES: usize = 200;

pub(crate) fn names(command: &str, facts: &Map<String, Value>) -> ShipNames {
    let mut names = ShipNames::default();
    if let Some(Value::Object(player)) = facts.get("player") {
        names.system = player.get("current_system").and_then(name);
        names.poi = player.get("current_poi").and_then(name);
        let base = player.get("docked_at_base");
        if names.poi.is_some() || base.is_some() {
            names.base = Some(base.and_then(name));
        }
    }
    let ship = facts.get("ship").and_then(Value::as_object);
    if let Some(ship) = ship {
        let is_ship = ship.contains_key("max_hull");
        names.ship = ship.get("name").filter(|_| is_ship).and_then(name);
        names.shield = gauge(ship, "shield", "max_shield");
    }
    let goods = ship.and_then(|ship| ship.get("cargo"));
    let goods = goods
        .or_else(|| facts.get("cargo"))
        .and_then(Value::as_array);
    names.hold = goods.map(|goods| goods.iter().filter_map(item).collect());
    read_place(command, facts, &mut names);
    names
}

fn read_place(command: &str, facts: &Map<String, Value>, names: &mut ShipNames) {
    let text = |key: &str| facts.get(key).and_then(name);
    let named = |key: &str| facts.get(key)?.get("name").and_then(name);
    match command {
        "travel" | "jump" => {
            if let Some(poi) = text("poi") {
                names.poi = Some(poi);
                names.base = Some(None);
            }
            names.system = text("system").or(names.system.take());
        }
        "dock" => names.base = Some(text("base")),
        "undock" => names.base = Some(None),
        "get_system" => {
            names.system = named("system").or(names.system.take());
            names.poi = named("poi").or(names.poi.take());
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
