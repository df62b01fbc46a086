//! Reads JSON selectively: parts that are not needed are checked, but not kept.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Number, Value};

#[derive(Clone, Copy)]
pub(super) enum JsonSelection<S> {
    Whole,
    Selected(S),
    Absent,
}

pub(super) trait JsonSelector: Copy {
    fn entry(self, key: &str) -> JsonSelection<Self>;
    fn element(self) -> JsonSelection<Self>;
}

impl<S: JsonSelector> JsonSelection<S> {
    fn element(self) -> Self {
        match self {
            Self::Selected(selector) => selector.element(),
            Self::Whole | Self::Absent => Self::Whole,
        }
    }

    fn entry(self, key: &str) -> Self {
        match self {
            Self::Selected(selector) => selector.entry(key),
            Self::Whole | Self::Absent => Self::Whole,
        }
    }
}

impl<'de, S: JsonSelector> DeserializeSeed<'de> for JsonSelection<S> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self {
            Self::Whole => Value::deserialize(deserializer),
            Self::Selected(_) => deserializer.deserialize_any(self),
            Self::Absent => IgnoredAny::deserialize(deserializer).map(|_| Value::Null),
        }
    }
}

impl<'de, S: JsonSelector> Visitor<'de> for JsonSelection<S> {
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
        let mut fields = Map::new();
        while let Some(key) = entries.next_key_seed(SelectedKey(self))? {
            let value = entries.next_value_seed(key.part)?;
            if let Some(key) = key.kept {
                fields.insert(key, value);
            }
        }
        Ok(Value::Object(fields))
    }
}

/// Reads a key, and copies it only if its value is kept.
struct SelectedKey<S>(JsonSelection<S>);

struct KeySelection<S> {
    kept: Option<String>,
    part: JsonSelection<S>,
}

impl<'de, S: JsonSelector> DeserializeSeed<'de> for SelectedKey<S> {
    type Value = KeySelection<S>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<KeySelection<S>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<S: JsonSelector> Visitor<'_> for SelectedKey<S> {
    type Value = KeySelection<S>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<KeySelection<S>, E> {
        let part = self.0.entry(key);
        let kept = match part {
            JsonSelection::Absent => None,
            JsonSelection::Whole | JsonSelection::Selected(_) => Some(key.to_owned()),
        };
        Ok(KeySelection { kept, part })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Keeps `whole` as it is, leaves out `absent`, and decides on the parts of the rest.
    #[derive(Clone, Copy)]
    struct Coarse;

    impl JsonSelector for Coarse {
        fn entry(self, key: &str) -> JsonSelection<Self> {
            match key {
                "whole" => JsonSelection::Whole,
                "absent" => JsonSelection::Absent,
                _ => JsonSelection::Selected(self),
            }
        }

        fn element(self) -> JsonSelection<Self> {
            JsonSelection::Selected(self)
        }
    }

    fn sift(text: &str) -> serde_json::Result<Value> {
        JsonSelection::Selected(Coarse).deserialize(&mut serde_json::Deserializer::from_str(text))
    }

    #[test]
    fn only_what_is_absent_is_missing() {
        let absent = json!({"absent": [1], "n": -1});
        let value = json!({"a": [absent, null, 0.5], "whole": absent, "b": {"c": "x", "absent": true}, "d": 7, "e": false});
        let expected = json!({"a": [{"n": -1}, null, 0.5], "whole": absent, "b": {"c": "x"}, "d": 7, "e": false});
        assert_eq!(sift(&value.to_string()).unwrap(), expected);
    }

    #[test]
    fn what_is_absent_must_be_json_all_the_same() {
        assert!(sift(r#"{"absent": [1,}"#).is_err());
    }
}
