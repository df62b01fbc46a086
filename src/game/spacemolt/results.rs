//! Results: one form for what both interfaces answer, with the fields of the first.
//!
//! There is one reader for each form of an answer: the first interface's JSON, which is taken as it
//! is; the second's objects, whose sections get the first's names; and the second's text
//! (`dashboard`). What none of them understands is not known, and never "nothing".

use serde_json::{Map, Value};
use zoea_game::lines::without_headings;

use super::dashboard;

/// The facts of a result; `None` if its form is not known.
pub fn read_facts(text: &str) -> Option<Map<String, Value>> {
    let text = without_headings(text);
    if !text.starts_with('{') {
        return dashboard::read(text);
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(facts)) => Some(with_first_names(facts)),
        Ok(_) | Err(_) => None,
    }
}

/// The tick that a result tells. The text is not parsed, because results can be large.
pub fn tick(text: &str) -> Option<i64> {
    const IN_JSON: &str = r#""current_tick""#;
    if let Some((_, rest)) = text.split_once(IN_JSON) {
        let rest = rest.trim_start().strip_prefix(':')?;
        return leading_number(rest.trim_start());
    }
    // Only at the beginning of a line: other players' words stand behind something.
    let mut lines = text.lines().rev();
    lines.find_map(|line| leading_number(line.strip_prefix("current_tick=")?))
}

fn leading_number(text: &str) -> Option<i64> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
}

/// An object of the second interface with the first's names: a state in sections, or what an action
/// changed in it, with the first interface's own result as `details`.
fn with_first_names(mut facts: Map<String, Value>) -> Map<String, Value> {
    let details = match facts.get("details") {
        Some(Value::Object(_)) => facts.remove("details"),
        Some(_) | None => None,
    };
    let is_state = facts.get("location").is_some_and(Value::is_object);
    if details.is_none() && !is_state {
        return facts;
    }
    if let Some(Value::Object(location)) = facts.get("location").cloned() {
        let player = facts
            .entry("player")
            .or_insert_with(|| Value::Object(Map::new()));
        for (here, there) in [
            ("system_id", "current_system"),
            ("poi_id", "current_poi"),
            ("docked_at", "docked_at_base"),
        ] {
            if let (Some(player), Some(value)) = (player.as_object_mut(), location.get(here)) {
                player.insert(there.to_string(), value.clone());
            }
        }
    }
    if let (Some(cargo @ Value::Array(_)), Some(Value::Object(ship))) =
        (facts.get("cargo").cloned(), facts.get_mut("ship"))
    {
        ship.entry("cargo").or_insert(cargo);
    }
    if let Some(Value::Object(missions)) = facts.get("missions")
        && let Some(active) = missions.get("active").cloned()
    {
        facts.insert("missions".to_string(), active);
    }
    if let Some(Value::Object(details)) = details {
        for (key, value) in details {
            facts.entry(key).or_insert(value);
        }
    }
    facts
}

#[cfg(test)]
mod tests;
