//! Reads the body of a request without the schemas of its tools, which are half of its bytes and which a pilot never reads.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Number, Value};

/// Reads the bytes as JSON. Every `tools[*].function.parameters` that is an object comes back as an empty one.
///
/// # Errors
/// The bytes are no JSON.
pub(super) fn read(bytes: &[u8]) -> serde_json::Result<Value> {
    let text = std::str::from_utf8(bytes).map_err(serde::de::Error::custom)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let body = Place::Body.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(body)
}

/// Where in the body a value stands, as far as it matters.
#[derive(Clone, Copy)]
enum Place {
    Body,
    Tools,
    Tool,
    Function,
    Parameters,
    Elsewhere,
}

impl Place {
    fn entry(self, key: &str) -> Self {
        match (self, key) {
            (Self::Body, "tools") => Self::Tools,
            (Self::Tool, "function") => Self::Function,
            (Self::Function, "parameters") => Self::Parameters,
            _ => Self::Elsewhere,
        }
    }

    fn element(self) -> Self {
        match self {
            Self::Tools => Self::Tool,
            Self::Body | Self::Tool | Self::Function | Self::Parameters | Self::Elsewhere => {
                Self::Elsewhere
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Place {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self {
            Self::Elsewhere => Value::deserialize(deserializer),
            Self::Body | Self::Tools | Self::Tool | Self::Function | Self::Parameters => {
                deserializer.deserialize_any(self)
            }
        }
    }
}

impl<'de> Visitor<'de> for Place {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element_seed(self.element())? {
            list.push(element);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        if let Self::Parameters = self {
            while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Value::Object(Map::new()));
        }
        let mut fields = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self.entry(&key))?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_schemas_are_left_out() {
        let body = json!({
            "model": "m", "n": 1, "minus": -1, "half": 0.5, "is": true, "nothing": null,
            "parameters": {"kept": [{"function": {"parameters": {"kept": 1}}}]},
            "tools": [
                {"type": "function", "function": {"name": "a", "parameters": {"type": "object", "properties": {"x": {}}}}},
                {"type": "function", "function": {"name": "b", "parameters": [{"wrong": 1}]}},
                "odd",
            ],
        });
        let mut expected = body.clone();
        expected["tools"][0]["function"]["parameters"] = json!({});
        assert_eq!(read(body.to_string().as_bytes()).unwrap(), expected);
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        for text in [
            "",
            "{",
            "{} {}",
            r#"{"tools":[{"function":{"parameters":{"a":}}}]}"#,
            "\u{0}",
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read(&[b'"', 0xff, b'"']).is_err());
        let deep = "[".repeat(5000);
        assert!(read(deep.as_bytes()).is_err());
    }

    #[test]
    fn other_values_are_read_as_they_are() {
        for body in [
            json!(null),
            json!(1),
            json!(-1),
            json!(1.5),
            json!("x"),
            json!([1, {}]),
            json!(false),
        ] {
            assert_eq!(read(body.to_string().as_bytes()).unwrap(), body);
        }
    }
}
