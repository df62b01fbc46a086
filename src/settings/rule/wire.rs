//! Rules for what goes to a provider as it stands: members of a request's body, and headers.

use serde_json::{Map, Number, Value};
use toml::de::DeValue;

use super::Rule;

/// The members of a body that are ours to write.
const OWN_MEMBERS: [&str; 5] = ["model", "messages", "tools", "stream", "stream_options"];
/// The headers that belong to the transport.
const OWN_HEADERS: [&str; 5] = [
    "host",
    "content-type",
    "content-length",
    "transfer-encoding",
    "connection",
];

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

/// A table of headers, each with the name under which its value is found.
pub(crate) fn header_sources() -> Rule<Vec<(String, String)>> {
    let allowed = "a table of header names, each with the name of the variable, or of the entry \
                   under \"secrets\" in credentials.json, that holds its value";
    Rule::new(allowed, |value| {
        let headers = value.as_table().ok_or("no table")?;
        let mut taken = Vec::new();
        for (name, value) in headers {
            let name = name.get_ref().to_ascii_lowercase();
            if !is_header_name(&name) || OWN_HEADERS.contains(&name.as_str()) {
                return Err("a table with a name that is no header of yours".to_string());
            }
            // The value is not shown: it may be the secret itself.
            let source = value.get_ref().as_str().filter(|source| !source.is_empty());
            let source = source.ok_or("a table with a value that is no name")?;
            taken.push((name, source.to_string()));
        }
        Ok(taken)
    })
}

/// Whether a text is a token of HTTP.
fn is_header_name(text: &str) -> bool {
    const SIGNS: &str = "!#$%&'*+-.^_`|~";
    let is_fit = |sign: char| sign.is_ascii_alphanumeric() || SIGNS.contains(sign);
    !text.is_empty() && text.chars().all(is_fit)
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
