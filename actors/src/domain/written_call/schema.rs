//! Schemas: whether arguments fit a tool's schema, and what a text means by it.
//!
//! It knows the words of JSON Schema that tools of MCP servers use: types, properties, required
//! ones, lists and enumerations, and choices between schemas. Any other word is left to the server,
//! which checks a call itself.

use serde_json::{Map, Value};

const MAX_DEPTH: usize = 16;

/// Words of a schema that say more of an object's members than its properties do.
const MEMBER_WORDS: [&str; 9] = [
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "dependentSchemas",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "$ref",
];

/// Why arguments do not fit; `None` if they do. A schema that names its properties and says nothing
/// of others allows no others: what a tool brought has other members than what it takes.
pub(super) fn mismatch(arguments: &Map<String, Value>, schema: &Value) -> Option<String> {
    let value = Value::Object(arguments.clone());
    mismatch_at("", &value, schema, 0)
}

pub(super) fn typed_arguments(texts: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let typed = |(key, value): (String, Value)| {
        let text = value.as_str();
        let typed = text.and_then(|text| typed_value(text, &schema["properties"][&key]));
        (key, typed.unwrap_or(value))
    };
    texts.into_iter().map(typed).collect()
}

/// The value of a text; `None` if it is a text by the schema.
fn typed_value(text: &str, schema: &Value) -> Option<Value> {
    if is_of_type(&Value::from(text), schema) {
        return None;
    }
    let value: Value = match text.trim() {
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        "None" => Value::Null,
        text => serde_json::from_str(text).ok()?,
    };
    is_of_type(&value, schema).then_some(value)
}

fn mismatch_at(place: &str, value: &Value, schema: &Value, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH || !schema.is_object() {
        return None;
    }
    let named = |what: &str| match place {
        "" => format!("the arguments {what}"),
        place => format!("`{place}` {what}"),
    };
    if !is_of_type(value, schema) {
        return Some(named(&format!("must be {}", schema["type"])));
    }
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        return Some(named(&format!("must be one of {}", schema["enum"])));
    }
    for word in ["anyOf", "oneOf"] {
        let mut choices = schema[word].as_array().into_iter().flatten().peekable();
        let is_asked = choices.peek().is_some();
        let fits = |choice: &Value| mismatch_at(place, value, choice, depth + 1).is_none();
        if is_asked && !choices.any(fits) {
            return Some(named("fit none of the choices"));
        }
    }
    match value {
        Value::Object(members) => mismatch_of_members(place, members, schema, depth),
        Value::Array(items) => items.iter().enumerate().find_map(|(number, item)| {
            let place = format!("{place}[{number}]");
            mismatch_at(&place, item, &schema["items"], depth + 1)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn mismatch_of_members(
    place: &str,
    members: &Map<String, Value>,
    schema: &Value,
    depth: usize,
) -> Option<String> {
    let inner = |key: &str| match place {
        "" => key.to_string(),
        place => format!("{place}.{key}"),
    };
    let required = schema["required"].as_array().into_iter().flatten();
    let mut required = required.filter_map(Value::as_str);
    if let Some(missing) = required.find(|key| !members.contains_key(*key)) {
        return Some(format!("`{}` is missing", inner(missing)));
    }
    let is_all_named = MEMBER_WORDS.iter().all(|word| schema.get(word).is_none());
    let is_closed = match schema.get("additionalProperties") {
        Some(allowed) => *allowed == Value::Bool(false),
        None => depth == 0 && is_all_named,
    };
    members
        .iter()
        .find_map(|(key, value)| match schema["properties"].get(key) {
            Some(schema) => mismatch_at(&inner(key), value, schema, depth + 1),
            None => is_closed.then(|| format!("there is no `{}`", inner(key))),
        })
}

/// Whether a value has one of a schema's types; every value has if it names none.
fn is_of_type(value: &Value, schema: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap_or_default() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    };
    match &schema["type"] {
        Value::Array(names) => names.iter().any(is),
        name @ Value::String(_) => is(name),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => true,
    }
}
