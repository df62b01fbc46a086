//! Repairs a JSON object that was cut off, as far as it can be read.

use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::{Deserializer, Value};

use crate::selective_json::{JsonSelection, JsonSelector};

/// Facts of a game result, without those that no part of the situation uses.
struct RepairedJson(Value);

#[derive(Clone, Copy)]
struct FactSelector;

impl JsonSelector for FactSelector {
    fn entry(self, key: &str) -> JsonSelection<Self> {
        match key {
            "modules" | "skills" | "skill_xp" | "stats" | "class" | "resources" | "description"
            | "dialog" | "rewards" | "giver" | "position" | "online_players" | "buy_orders"
            | "sell_orders" | "name" | "fills" | "captains_log" | "pending_trades"
            | "release_info" => JsonSelection::Absent,
            _ => JsonSelection::Selected(self),
        }
    }

    fn element(self) -> JsonSelection<Self> {
        JsonSelection::Selected(self)
    }
}

impl<'de> Deserialize<'de> for RepairedJson {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        JsonSelection::Selected(FactSelector)
            .deserialize(deserializer)
            .map(Self)
    }
}

/// The object at the start of the text, and whether it is whole. Text after it is ignored.
pub(super) fn read_object(text: &str) -> Option<(Value, bool)> {
    let mut values = Deserializer::from_str(text).into_iter::<RepairedJson>();
    let (value, whole) = match values.next()? {
        Ok(RepairedJson(value)) => (value, true),
        Err(error) => {
            let readable = error_offset(text, error.line(), error.column());
            (repair_json(text.get(..readable)?)?, false)
        }
    };
    let is_something = value.as_object().is_some_and(|object| !object.is_empty());
    (whole || is_something).then_some((value, whole))
}

/// The byte offset of a line and a column as serde_json counts them (both from 1, columns in
/// bytes).
fn error_offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let end = before.saturating_add(column).min(text.len());
    text.floor_char_boundary(end)
}

/// Cuts the text at the last complete value, and closes what is open there.
fn repair_json(text: &str) -> Option<Value> {
    let mut open: Vec<u8> = Vec::new();
    let mut last: Option<(usize, Vec<u8>)> = None;
    let mut in_string = false;
    let mut is_escaped = false;
    for (place, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                open.push(if byte == b'{' { b'}' } else { b']' });
                last = Some((place + 1, open.clone()));
            }
            b'}' | b']' => {
                open.pop();
                last = Some((place + 1, open.clone()));
            }
            b',' => last = Some((place, open.clone())),
            _ => {}
        }
    }
    let (end, open) = last?;
    let mut whole = text[..end].to_owned();
    whole.extend(open.iter().rev().map(|byte| char::from(*byte)));
    serde_json::from_str(&whole)
        .ok()
        .map(|RepairedJson(value)| value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_stands_before_the_cut_is_saved() {
        let text = r#"{"ship":{"title":"a \"b\", {c}","fuel":97},"cargo":[{"item_id":"iron_ore","quantity":12},{"item_id":"copper"#;
        assert_eq!(
            read_object(text),
            Some((
                json!({"ship": {"title": "a \"b\", {c}", "fuel": 97}, "cargo": [{"item_id": "iron_ore", "quantity": 12}, {}]}),
                false
            ))
        );
        assert_eq!(
            read_object("{\"a\":1,\n\"b\": [1,2\n… 300 bytes were cut …"),
            Some((json!({"a": 1, "b": [1]}), false))
        );
    }

    #[test]
    fn a_whole_object_is_whole_whatever_follows() {
        assert_eq!(read_object("{} and more"), Some((json!({}), true)));
        assert_eq!(read_object("{"), None);
    }

    proptest! {
        #[test]
        fn a_cut_anywhere_is_survived(cut in 0usize..200, note in ".{0,20}") {
            let text = r#"{"system":{"id":"sol","connections":[{"system_id":"sirius","distance":4.5e2}],"pois":[{"id":"sol_star","name":"Söl \"*\"","has_base":false}]},"poi":null}"#;
            let end = text.floor_char_boundary(cut.min(text.len()));
            let _saved = read_object(&format!("{}{note}", &text[..end]));
        }
    }
}
