//! Reads members of untrusted JSON without building a tree. Members are found in the text and the
//! rest is skipped, so an answer takes little more memory than it has bytes.

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The values of these members of an object, the last one of each name. There are none if it is no
/// object. A `null` counts as absent.
pub fn pick<'a, const N: usize>(json: &'a str, keys: [&str; N]) -> [Option<&'a str>; N] {
    pick_with_nulls(json, keys).map(|value| value.filter(|value| *value != "null"))
}

/// The same, where a `null` is a value.
pub fn pick_with_nulls<'a, const N: usize>(json: &'a str, keys: [&str; N]) -> [Option<&'a str>; N] {
    let mut found = [None; N];
    if json.trim_ascii_start().starts_with('{') {
        let members = MembersVisitor {
            keys: &keys,
            found: &mut found,
        };
        let mut reader = serde_json::Deserializer::from_str(json);
        // An error in the middle is ignored, because the caller has checked that the text is JSON.
        let _ = reader.deserialize_map(members);
    }
    found
}

pub fn member<'a>(json: &'a str, key: &str) -> Option<&'a str> {
    let [found] = pick(json, [key]);
    found
}

pub fn member_at<'a>(json: &'a str, path: &[&str]) -> Option<&'a str> {
    path.iter().try_fold(json, |json, key| member(json, key))
}

/// Calls `take` with each element of a list until it returns false. If this is no list, does
/// nothing.
pub fn for_each_element<'a>(json: &'a str, take: impl FnMut(&'a str) -> bool) {
    if json.trim_ascii_start().starts_with('[') {
        let mut reader = serde_json::Deserializer::from_str(json);
        let _ = reader.deserialize_seq(ElementsVisitor(take));
    }
}

pub fn first_element(json: &str) -> Option<&str> {
    let mut found = None;
    for_each_element(json, |element| {
        found = Some(element);
        false
    });
    found
}

/// The value of a string; `None` for another value.
pub fn as_text(json: &str) -> Option<String> {
    json.trim_ascii_start()
        .starts_with('"')
        .then(|| serde_json::from_str(json).ok())
        .flatten()
}

pub fn is_object(json: &str) -> bool {
    json.trim_ascii_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(json).is_ok()
}

struct MembersVisitor<'f, 'a, const N: usize> {
    keys: &'f [&'f str; N],
    found: &'f mut [Option<&'a str>; N],
}

/// A key. It is copied only if it contains escapes.
#[derive(Deserialize)]
struct MemberKey<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a, const N: usize> Visitor<'a> for MembersVisitor<'_, 'a, N> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(MemberKey(key)) = map.next_key()? {
            match self.keys.iter().position(|known| *known == key) {
                Some(place) => {
                    let value: &RawValue = map.next_value()?;
                    self.found[place] = Some(value.get());
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

struct ElementsVisitor<F>(F);

impl<'a, F: FnMut(&'a str) -> bool> Visitor<'a> for ElementsVisitor<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(element) = list.next_element::<&RawValue>()? {
            if !(self.0)(element.get()) {
                // Ends the parsing early. The error's text is never read.
                return Err(serde::de::Error::custom("that is enough"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_found_and_nothing_else_is_built() {
        let json = r#" {"a": 1, "b": {"c": [1, "x"]}, "a": "two", "d": null, "\u0065": true} "#;
        let [a, b, d, e, f] = pick(json, ["a", "b", "d", "e", "f"]);
        assert_eq!((a, b), (Some(r#""two""#), Some(r#"{"c": [1, "x"]}"#)));
        assert_eq!((d, e, f), (None, Some("true"), None));
        assert_eq!(
            member_at(json, &["b", "c"]).and_then(first_element),
            Some("1")
        );
        assert_eq!(member_at(json, &["a", "c"]), None);
        let mut elements = Vec::new();
        for_each_element("[1, [2], {}, 4, 5]", |element| {
            elements.push(element);
            elements.len() < 3
        });
        assert_eq!(elements, ["1", "[2]", "{}"]);
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        let mut lengths = Vec::new();
        for_each_element(&format!("[1,{deep},\"x\"]"), |element| {
            lengths.push(element.len());
            true
        });
        assert_eq!(lengths, [1, 10_000, 3], "however deep they are");
        for odd in ["", "null", "3", "[]", "{", "\"{}\""] {
            assert_eq!(member(odd, "a"), None, "{odd}");
            assert_eq!(first_element(odd), None, "{odd}");
        }
        assert_eq!(as_text(r#""a\"b""#).as_deref(), Some("a\"b"));
        assert_eq!((as_text("3"), as_text("null")), (None, None));
        assert!(is_object(" {\"a\":1}") && !is_object("{") && !is_object("[]"));
    }
}
