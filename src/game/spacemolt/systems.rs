//! Systems: what the result of a look tells of systems, of the lanes between them and of their points.
//!
//! The first interface's map and its search tell where each system is in the galaxy; a look at the
//! own system, and everything that the second interface answers in text, tells names and lanes only.

use serde_json::{Map, Value};
use zoea_game::systems::{LaneFacts, PointFacts, SystemFacts};
use zoea_text::clean::one_line;

use super::standing::place;

pub const COMMANDS: &[&str] = &[
    "get_system",
    "get_map",
    "search_systems",
    "find_route",
    "get_status",
    "get_location",
    "get_state",
];
pub const MAX_SYSTEMS: usize = 1_000;
const MAX_LANES: usize = 32;
const MAX_POINTS: usize = 64;
const MAX_NAME_CHARS: usize = 40;
const MAX_COORDINATE: f64 = 1e9;

/// Reads the facts of a good result, as [`super::results::read_facts`] returns them.
pub fn read(command: &str, facts: &Map<String, Value>) -> Vec<SystemFacts> {
    match command {
        "get_system" => {
            let system = facts.get("system").and_then(Value::as_object);
            system.map(own_system).unwrap_or_default()
        }
        "get_map" | "search_systems" => match facts.get("systems") {
            Some(Value::Array(systems)) => systems
                .iter()
                .take(MAX_SYSTEMS)
                .filter_map(|system| map_entry(system.as_object()?))
                .collect(),
            Some(_) | None => map_entry(facts).into_iter().collect(),
        },
        "find_route" => route(facts),
        "get_status" | "get_location" | "get_state" => surroundings(facts).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn own_system(system: &Map<String, Value>) -> Vec<SystemFacts> {
    let Some(own) = system_of(system, "id") else {
        return Vec::new();
    };
    let points = system.get("pois").and_then(Value::as_array);
    let points = points.map(|points| {
        let read = points.iter().filter_map(|poi| point(poi.as_object()?));
        read.take(MAX_POINTS).collect()
    });
    let connections = system.get("connections").and_then(Value::as_array);
    let connections = connections.into_iter().flatten().take(MAX_LANES);
    let mut systems: Vec<SystemFacts> = connections.filter_map(named_system).collect();
    systems.push(SystemFacts { points, ..own });
    systems
}

fn map_entry(system: &Map<String, Value>) -> Option<SystemFacts> {
    system_of(system, "system_id")
}

/// What an object tells of a system whose id stands there.
fn system_of(system: &Map<String, Value>, id: &str) -> Option<SystemFacts> {
    Some(SystemFacts {
        id: place(system.get(id))?,
        name: name(system.get("name")),
        position: position(system),
        lanes: lanes(system.get("connections")),
        is_whole: system.get("connections").is_some_and(Value::is_array),
        points: None,
    })
}

/// The systems of a route. There is a lane from each to the next.
fn route(facts: &Map<String, Value>) -> Vec<SystemFacts> {
    let stops = facts.get("route").and_then(Value::as_array);
    let stops = stops.into_iter().flatten().take(MAX_SYSTEMS);
    let mut systems: Vec<SystemFacts> = stops.filter_map(named_system).collect();
    let next: Vec<String> = systems.iter().skip(1).map(|stop| stop.id.clone()).collect();
    for (system, to) in systems.iter_mut().zip(next) {
        system.lanes.push(LaneFacts { to, length: None });
    }
    systems
}

/// The system of the ship, as a state tells it beside other things.
fn surroundings(facts: &Map<String, Value>) -> Option<SystemFacts> {
    let location = facts.get("location")?.as_object()?;
    Some(SystemFacts {
        name: name(location.get("system_name")),
        position: None,
        ..map_entry(location)?
    })
}

/// A system of which a result tells the name alone.
fn named_system(system: &Value) -> Option<SystemFacts> {
    Some(SystemFacts {
        id: place(system.get("system_id"))?,
        name: name(system.get("name")),
        ..SystemFacts::default()
    })
}

fn lanes(connections: Option<&Value>) -> Vec<LaneFacts> {
    let connections = connections.and_then(Value::as_array);
    let lanes = connections.into_iter().flatten().filter_map(lane);
    lanes.take(MAX_LANES).collect()
}

fn lane(connection: &Value) -> Option<LaneFacts> {
    let id = match connection {
        Value::Object(connection) => connection.get("system_id"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Some(connection)
        }
    };
    let length = connection.get("distance").and_then(Value::as_f64);
    Some(LaneFacts {
        to: place(id)?,
        length: length.filter(|length| *length > 0.0 && *length <= MAX_COORDINATE),
    })
}

fn point(poi: &Map<String, Value>) -> Option<PointFacts> {
    let has_base = poi.get("has_base").and_then(Value::as_bool);
    let base = place(poi.get("base_id"));
    Some(PointFacts {
        id: place(poi.get("id")),
        name: name(poi.get("name")).or_else(|| place(poi.get("id")))?,
        kind: place(poi.get("type")),
        has_base: has_base == Some(true) || base.is_some(),
        base,
    })
}

fn position(system: &Map<String, Value>) -> Option<(f64, f64)> {
    let position = system.get("position")?;
    let coordinate = |name: &str| {
        let value = position.get(name)?.as_f64()?;
        (value.abs() <= MAX_COORDINATE).then_some(value)
    };
    Some((coordinate("x")?, coordinate("y")?))
}

/// A display name, made safe for a screen and short.
fn name(value: Option<&Value>) -> Option<String> {
    let name: String = value?.as_str()?.chars().take(MAX_NAME_CHARS).collect();
    let name = one_line(&name).trim().to_string();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests;
