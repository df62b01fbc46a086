//! The parts that portable schemas are put together from.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

const MAX_TOLD_VALUES: usize = 32;

pub(super) type Schema = Map<String, Value>;

pub(super) fn parts_of<'a>(schema: &'a Schema, key: &str) -> impl Iterator<Item = &'a Schema> {
    let parts = schema.get(key).and_then(Value::as_array);
    parts.into_iter().flatten().filter_map(Value::as_object)
}

pub(super) fn description(schema: &Schema) -> Option<String> {
    let text = schema.get("description")?.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_string())
}

/// The types that a schema names, without `null`, or that its members imply.
pub(super) fn types_of(schema: &Schema) -> Vec<&str> {
    const KNOWN: [&str; 6] = ["string", "number", "integer", "boolean", "object", "array"];
    let named: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => vec![],
    };
    let mut types: Vec<&str> = Vec::new();
    for kind in KNOWN {
        if named.iter().any(|named| named.eq_ignore_ascii_case(kind)) {
            types.push(kind);
        }
    }
    if types.is_empty() {
        let holds = |keys: &[&str]| keys.iter().any(|key| schema.contains_key(*key));
        let implied = [
            (
                &[
                    "properties",
                    "additionalProperties",
                    "patternProperties",
                    "required",
                ][..],
                "object",
            ),
            (&["items", "prefixItems", "minItems", "maxItems"], "array"),
            (&["pattern", "minLength", "maxLength", "format"], "string"),
            (
                &[
                    "minimum",
                    "maximum",
                    "exclusiveMinimum",
                    "exclusiveMaximum",
                    "multipleOf",
                ],
                "number",
            ),
        ];
        let implied = implied.into_iter().find(|(keys, _)| holds(keys));
        types.extend(implied.map(|(_, kind)| kind));
    }
    types
}

pub(super) fn is_null(schema: &Value) -> bool {
    schema["type"] == "null" || schema.get("const").is_some_and(Value::is_null)
}

/// The schema of a choice between values; `None` if it is none. Texts are listed. Other values are
/// told in words, because some servers take no list of them.
pub(super) fn choice(schema: &Schema) -> Option<Value> {
    let values: Vec<&Value> = match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), _) => values.iter().collect(),
        (_, Some(value)) => vec![value],
        (Some(_) | None, None) => return None,
    };
    let values: Vec<&Value> = values
        .into_iter()
        .filter(|value| !value.is_null() && value.as_str() != Some(""))
        .collect();
    let text = description(schema);
    let texts: Option<Vec<&str>> = values.iter().map(|value| value.as_str()).collect();
    if let Some(mut texts) = texts.filter(|texts| !texts.is_empty()) {
        let mut seen = BTreeSet::new();
        texts.retain(|text| seen.insert(*text));
        return Some(described(json!({"type": "string", "enum": texts}), text));
    }
    let kind = |is_it: fn(&Value) -> bool| !values.is_empty() && values.iter().all(|of| is_it(of));
    let written = match () {
        () if kind(|of| of.is_i64() || of.is_u64()) => json!({"type": "integer"}),
        () if kind(Value::is_number) => json!({"type": "number"}),
        () if kind(Value::is_boolean) => json!({"type": "boolean"}),
        () => any_value(None),
    };
    if values.is_empty() {
        return Some(described(written, text));
    }
    let listed: Vec<String> = values
        .iter()
        .take(MAX_TOLD_VALUES)
        .map(ToString::to_string)
        .collect();
    let listed = match listed.as_slice() {
        [one] => format!("always {one}"),
        all => format!("one of {}", all.join(", ")),
    };
    let listed = match text {
        Some(text) => format!("{} ({listed})", text.trim_end_matches('.')),
        None => listed,
    };
    Some(described(written, Some(listed)))
}

/// A choice between schemas: equal ones are one. It has no other member, because some servers take
/// none beside it.
pub(super) fn one_of(schemas: Vec<Value>) -> Value {
    let mut different: Vec<Value> = Vec::new();
    for schema in schemas {
        // A choice inside of a choice is the same choice.
        let inner = match schema.get("anyOf").and_then(Value::as_array) {
            Some(inner) => inner.clone(),
            None => vec![schema],
        };
        for schema in inner {
            if !different.contains(&schema) {
                different.push(schema);
            }
        }
    }
    let choices: Option<Vec<&Value>> = different
        .iter()
        .map(|schema| schema.get("enum")?.as_array())
        .try_fold(Vec::new(), |mut all, texts| {
            all.extend(texts?);
            Some(all)
        });
    if let Some(texts) = choices.filter(|texts| !texts.is_empty()) {
        return json!({"type": "string", "enum": texts});
    }
    match different.len() {
        0 => any_value(None),
        1 => different.remove(0),
        _ => json!({ "anyOf": different }),
    }
}

/// A schema with a description in place of its own. Where it is a choice, its first part gets it
/// before its own.
pub(super) fn described(mut schema: Value, text: Option<String>) -> Value {
    let Some(text) = text else {
        return schema;
    };
    let own = schema["anyOf"][0]["description"].as_str();
    let text = match own {
        Some(own) => format!("{text} ({own})"),
        None => text,
    };
    let place = match schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        Some(parts) => parts.first_mut(),
        None => Some(&mut schema),
    };
    if let Some(Value::Object(members)) = place {
        members.insert("description".to_string(), text.into());
    }
    schema
}

/// Any value that is neither an object nor a list.
pub(super) fn plain_value() -> Value {
    let plain = ["string", "number", "boolean"].map(|kind| json!({ "type": kind }));
    json!({ "anyOf": plain })
}

pub(super) fn any_value(text: Option<String>) -> Value {
    let mut any = plain_value();
    if let Some(parts) = any["anyOf"].as_array_mut() {
        parts.push(json!({"type": "object"}));
        parts.push(json!({"type": "array", "items": plain_value()}));
    }
    described(any, text)
}
