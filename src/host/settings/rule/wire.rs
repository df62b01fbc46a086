//! Rules for what goes to a provider as it stands: members of a request's body.

use serde_json::{Map, Number, Value};
use toml::de::DeValue;

use super::Rule;

/// The members of a body that are ours to write.
const OWN_MEMBERS: [&str; 5] = ["model", "messages", "tools", "stream", "stream_options"];
/// A table of members for the body of a request.
pub(crate) fn body_members() -> Rule<Map<String, Value>> {
    let allowed = format!(
        "a table of members of the request, without {}",
        OWN_MEMBERS.join(", ")
    );
    Rule::new(allowed, |value| {
        let members = value.as_table().ok_or("no table")?;
        let mut taken = Map::new();
        for (key, value) in members {
            let key = key.get_ref().to_string();
            if OWN_MEMBERS.contains(&key.as_str()) {
                return Err(format!("a table with {key}"));
            }
            let value = json_of(value.get_ref());
            taken.insert(key, value.ok_or("a table with a number that JSON lacks")?);
        }
        Ok(taken)
    })
}

fn json_of(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => {
            Value::from(i64::from_str_radix(number.as_str(), number.radix()).ok()?)
        }
        DeValue::Float(number) => Value::Number(Number::from_f64(number.as_str().parse().ok()?)?),
        DeValue::Boolean(is_set) => Value::from(*is_set),
        DeValue::Datetime(date) => Value::from(date.to_string()),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| json_of(item.get_ref()));
            Value::Array(items.collect::<Option<_>>()?)
        }
        DeValue::Table(members) => {
            let members = members
                .iter()
                .map(|(key, value)| Some((key.get_ref().to_string(), json_of(value.get_ref())?)));
            Value::Object(members.collect::<Option<_>>()?)
        }
    })
}
