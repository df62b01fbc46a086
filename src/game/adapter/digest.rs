//! Digests: any tool's result in a few words.

use serde_json::{Map, Value};

/// The longest digest in bytes, where nothing else is asked for.
pub const MAX_DIGEST_BYTES: usize = 320;

/// Larger results are not parsed, because something like a map cannot be summarised in a few words.
const MAX_DIGESTED_BYTES: usize = 64 << 10;

const MAX_WORD_CHARS: usize = 40;

const MAX_NAMED_ELEMENTS: usize = 4;

/// The most important members, wherever they are.
const IMPORTANT_KEYS: [&str; 20] = [
    "credits",
    "docked_at_base",
    "docked_at",
    "docked",
    "current_system",
    "current_poi",
    "system",
    "poi",
    "location",
    "in_transit",
    "fuel",
    "max_fuel",
    "hull",
    "max_hull",
    "shield",
    "cargo_used",
    "cargo_capacity",
    "used",
    "capacity",
    "name",
];

/// A digest of a result by its form alone, on one line, within so many bytes.
pub fn digest_text(text: &str, most: usize) -> String {
    if text.len() > MAX_DIGESTED_BYTES {
        return format!("{} bytes, too much for a summary", text.len());
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => digest_value(&value, most),
        Err(_) => join_facts(vec![(0, one_line(text, most))], most),
    }
}

pub fn digest_members(members: &Map<String, Value>, most: usize) -> String {
    join_facts(object_facts(members), most)
}

fn digest_value(value: &Value, most: usize) -> String {
    match value.as_object() {
        Some(members) => digest_members(members, most),
        None => join_facts(vec![(0, said(value).unwrap_or_default())], most),
    }
}

/// As many facts as fit, the most important first.
fn join_facts(mut facts: Vec<(usize, String)>, most: usize) -> String {
    facts.sort_by_key(|(rank, _)| *rank);
    let mut digest = String::new();
    for (_, fact) in facts {
        let comma = if digest.is_empty() { "" } else { ", " };
        if !fact.is_empty() && digest.len() + comma.len() + fact.len() <= most {
            digest.push_str(comma);
            digest.push_str(&fact);
        }
    }
    digest
}

/// The members of an object and of nested objects, with their rank.
fn object_facts(members: &Map<String, Value>) -> Vec<(usize, String)> {
    let mut facts = Vec::new();
    for (key, value) in members {
        match value.as_object() {
            Some(inner) => facts.extend(inner.iter().filter_map(|(inner_key, value)| {
                member_fact(inner_key, &format!("{key}.{inner_key}"), value)
            })),
            None => facts.extend(member_fact(key, key, value)),
        }
    }
    facts
}

fn member_fact(key: &str, path: &str, value: &Value) -> Option<(usize, String)> {
    let rank = IMPORTANT_KEYS.iter().position(|first| *first == key);
    let rank = rank.unwrap_or(IMPORTANT_KEYS.len());
    Some((rank, format!("{path} {}", said(value)?)))
}

/// What a value other than an object says; `None` if it means nothing to a reader.
fn said(value: &Value) -> Option<String> {
    match value.as_array() {
        Some(list) => Some(describe_list(list)),
        None => value_word(value),
    }
}

fn describe_list(list: &[Value]) -> String {
    let names: Vec<String> = list
        .iter()
        .take(MAX_NAMED_ELEMENTS)
        .filter_map(element_label)
        .collect();
    match (list.len(), names.is_empty()) {
        (0, _) => "none".to_string(),
        (count, true) => format!("{count}"),
        (count, false) => format!("{count} ({})", names.join("; ")),
    }
}

fn element_label(element: &Value) -> Option<String> {
    let Value::Object(members) = element else {
        return value_word(element);
    };
    let name = ["name", "item_id", "id", "username", "title", "type"]
        .into_iter()
        .find_map(|key| members.get(key).and_then(value_word))?;
    let quantity = members.get("quantity").and_then(Value::as_u64);
    Some(match quantity {
        Some(quantity) => format!("{name} x{quantity}"),
        None => name,
    })
}

/// A value in one word; `None` if it means nothing to a reader.
fn value_word(value: &Value) -> Option<String> {
    match value {
        Value::Bool(is_so) => Some(if *is_so { "yes" } else { "no" }.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if !text.trim().is_empty() && !is_code(text) => {
            Some(one_line(text, MAX_WORD_CHARS))
        }
        Value::String(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whether a text is a long hexadecimal id, a colour, or a time of day, to which a model has nothing to compare.
fn is_code(text: &str) -> bool {
    let is_hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let is_id = text.len() >= 24 && is_hex(text);
    let is_colour = |digits: &str| digits.len() == 6 && is_hex(digits);
    let is_day = |day: &str| day.len() == 10 && day.split('-').map(str::len).eq([4, 2, 2]);
    let is_time = text
        .split_once('T')
        .is_some_and(|(day, time)| is_day(day) && time.contains(':'));
    is_id || is_time || text.strip_prefix('#').is_some_and(is_colour)
}

fn one_line(text: &str, longest: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ");
    let mut end = line.floor_char_boundary(longest.min(line.len()));
    if end < line.len() {
        end = line.floor_char_boundary(end.saturating_sub('…'.len_utf8()));
        return format!("{}…", &line[..end]);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_text(text: &str) -> String {
        super::digest_text(text, MAX_DIGEST_BYTES)
    }

    #[test]
    fn what_matters_most_stands_first() {
        let status = r#"{"player":{"id":"7b1f0c52e9d84a6f93c1d07a5be2f418","clan_tag":"","credits":104,
            "current_system":"sol"},"ship":{"fuel":97,"max_fuel":100,"name":"Ardent"}}"#;
        assert_eq!(
            digest_text(status),
            "player.credits 104, player.current_system sol, ship.fuel 97, ship.max_fuel 100, ship.name Ardent"
        );
    }

    #[test]
    fn what_means_nothing_to_a_model_is_left_out() {
        let player = r##"{"created_at":"2026-03-11T18:00:10Z","primary_color":"#ffffff","name":"Rex",
            "motto":"#1 in T-shirts: 2026-03-11","id":"7b1f0c52e9d84a6f93c1d07a5be2f418"}"##;
        assert_eq!(
            digest_text(player),
            "name Rex, motto #1 in T-shirts: 2026-03-11"
        );
    }

    #[test]
    fn lists_are_counted_and_named() {
        let cargo = r#"{"capacity":50,"items":[{"item_id":"iron_ore","quantity":12},{"item_id":"copper_ore","quantity":3}],"used":15}"#;
        assert_eq!(
            digest_text(cargo),
            "used 15, capacity 50, items 2 (iron_ore x12; copper_ore x3)"
        );
        assert_eq!(digest_text("[]"), "none");
    }

    #[test]
    fn whatever_comes_the_digest_is_one_short_line() {
        let long = format!(r#"{{"a":"{}","b":{{"c":[[1],[2]]}}}}"#, "x ".repeat(5000));
        for text in [
            "",
            "no json\nat all",
            "null",
            "\u{0}\u{1}",
            &long,
            &"é".repeat(40_000),
        ] {
            let digest = digest_text(text);
            assert!(
                digest.len() <= MAX_DIGEST_BYTES && !digest.contains('\n'),
                "{digest}"
            );
        }
    }
}
