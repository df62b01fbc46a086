//! Reads the body of a request without its tools. They are half of its bytes, and the same in every
//! request of a caller.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

#[derive(Debug)]
pub(super) struct RequestBody<'a> {
    /// The body without its tools.
    pub(super) value: Value,
    pub(super) tools: Option<&'a RawValue>,
}

/// Reads the bytes as JSON.
///
/// # Errors
/// The bytes are not JSON.
pub(super) fn read_body(bytes: &[u8]) -> serde_json::Result<RequestBody<'_>> {
    let text = std::str::from_utf8(bytes).map_err(serde::de::Error::custom)?;
    if text.trim_ascii_start().starts_with('{') {
        return serde_json::from_str(text);
    }
    Ok(RequestBody {
        value: serde_json::from_str(text)?,
        tools: None,
    })
}

impl<'de> Deserialize<'de> for RequestBody<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RequestBodyVisitor)
    }
}

struct RequestBodyVisitor;

impl<'de> Visitor<'de> for RequestBodyVisitor {
    type Value = RequestBody<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<RequestBody<'de>, A::Error> {
        let mut fields = Map::new();
        let mut tools = None;
        while let Some(key) = entries.next_key::<String>()? {
            if key == "tools" {
                tools = Some(entries.next_value()?);
            } else {
                fields.insert(key, entries.next_value()?);
            }
        }
        Ok(RequestBody {
            value: Value::Object(fields),
            tools,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_tools_are_set_apart() {
        let text = br#" {"model": "m", "tools": [ {"a":1} ], "x": {"tools": [1]}}"#;
        let body = read_body(text).unwrap();
        assert_eq!(body.value, json!({"model": "m", "x": {"tools": [1]}}));
        assert_eq!(body.tools.map(RawValue::get), Some(r#"[ {"a":1} ]"#));
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        let deep = "[".repeat(5000);
        let deep_object = "{\"a\":".repeat(5000);
        for text in [
            "",
            "{",
            "{} {}",
            r#"{"tools":[{"function":{"parameters":{"a":}}}]}"#,
            r#"{"tools":["\u12"]}"#,
            "\u{0}",
            &deep,
            &deep_object,
        ] {
            assert!(read_body(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read_body(&[b'"', 0xff, b'"']).is_err());
    }

    #[test]
    fn other_values_are_read_as_they_are() {
        for body in [
            json!(null),
            json!(1.5),
            json!("x"),
            json!([1, {}]),
            json!({}),
            json!({"a": [null]}),
        ] {
            assert_eq!(read_body(body.to_string().as_bytes()).unwrap().value, body);
        }
    }
}
