//! Repairs a JSON object that was cut off, as far as it can be read.

use std::fmt;

use serde::Deserialize;
use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Map, Value};

/// Facts of a game result. The fields that no part of the situation uses are checked, but not kept.
struct GameFacts(Value);

#[derive(Deserialize)]
#[serde(field_identifier)]
enum FactName {
    #[serde(
        rename = "modules",
        alias = "skills",
        alias = "skill_xp",
        alias = "stats",
        alias = "class",
        alias = "resources",
        alias = "description",
        alias = "dialog",
        alias = "rewards",
        alias = "giver",
        alias = "position",
        alias = "online_players",
        alias = "buy_orders",
        alias = "sell_orders",
        alias = "name",
        alias = "fills",
        alias = "captains_log",
        alias = "pending_trades",
        alias = "release_info"
    )]
    Unused,
    Used(String),
}

struct FactVisitor;

impl<'de> Deserialize<'de> for GameFacts {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FactVisitor)
    }
}

impl<'de> Visitor<'de> for FactVisitor {
    type Value = GameFacts;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<GameFacts, E> {
        Ok(GameFacts(Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<GameFacts, E> {
        Ok(GameFacts(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<GameFacts, E> {
        Ok(GameFacts(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<GameFacts, E> {
        Ok(GameFacts(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<GameFacts, E> {
        Ok(GameFacts(value.into()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<GameFacts, E> {
        Ok(GameFacts(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<GameFacts, A::Error> {
        let mut list = Vec::new();
        while let Some(GameFacts(element)) = elements.next_element()? {
            list.push(element);
        }
        Ok(GameFacts(Value::Array(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<GameFacts, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = entries.next_key()? {
            match name {
                FactName::Used(name) => {
                    let GameFacts(value) = entries.next_value()?;
                    fields.insert(name, value);
                }
                FactName::Unused => {
                    entries.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(GameFacts(Value::Object(fields)))
    }
}

/// The object at the start of the text, and whether it is whole. Text after it is ignored.
pub(super) fn read_object(text: &str) -> Option<(Value, bool)> {
    let mut values = Deserializer::from_str(text).into_iter::<GameFacts>();
    let (value, whole) = match values.next()? {
        Ok(GameFacts(value)) => (value, true),
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
        .map(|GameFacts(value)| value)
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

    #[test]
    fn what_is_not_used_is_left_out_and_must_be_json_all_the_same() {
        let unused = json!({"stats": [1], "n": -1});
        let value =
            json!({"a": [unused, null, 0.5], "b": {"c": "x", "rewards": true}, "d": 7, "e": false});
        let expected = json!({"a": [{"n": -1}, null, 0.5], "b": {"c": "x"}, "d": 7, "e": false});
        assert_eq!(read_object(&value.to_string()), Some((expected, true)));
        assert!(serde_json::from_str::<GameFacts>(r#"{"stats": [1,}"#).is_err());
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
