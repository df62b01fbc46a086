//! Schemas as servers of tools write them, and what strict model servers take.

use serde_json::json;

use super::*;

fn portable(schema: &Value) -> Value {
    portable_schema(&schema.to_string()).expect("an object")
}

/// What a property becomes.
fn property(schema: Value) -> Value {
    let written = portable(&json!({"type": "object", "properties": {"p": schema}}));
    check(&written, "whole");
    written["properties"]["p"].clone()
}

/// What the strictest server takes: each part has one known type or alternatives alone, and nothing
/// but the members that belong to it.
fn check(schema: &Value, place: &str) {
    let members = schema
        .as_object()
        .unwrap_or_else(|| panic!("{place}: {schema}"));
    if let Some(parts) = members.get("anyOf") {
        assert_eq!(members.len(), 1, "{place}: {schema}");
        let parts = parts.as_array().expect("a list");
        assert!(parts.len() > 1, "{place}: {schema}");
        return parts.iter().for_each(|part| check(part, place));
    }
    let kind = schema["type"]
        .as_str()
        .unwrap_or_else(|| panic!("{place}: {schema}"));
    let allowed: &[&str] = match kind {
        "object" => &["type", "description", "properties", "required"],
        "array" => &["type", "description", "items"],
        "string" => &["type", "description", "enum"],
        "number" | "integer" | "boolean" => &["type", "description"],
        other => panic!("{place}: a type {other}"),
    };
    for (key, value) in members {
        assert!(
            allowed.contains(&key.as_str()),
            "{place}: {key} in {schema}"
        );
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    check(property, &format!("{place}.{name}"));
                }
            }
            ("items", items) => check(items, &format!("{place}[]")),
            ("enum", Value::Array(texts)) => {
                assert!(
                    !texts.is_empty()
                        && texts
                            .iter()
                            .all(|text| text.as_str().is_some_and(|text| !text.is_empty())),
                    "{place}"
                );
            }
            ("required", Value::Array(names)) => {
                assert!(
                    names.iter().all(|name| schema["properties"]
                        .get(name.as_str().expect("a name"))
                        .is_some()),
                    "{place}: {schema}"
                );
            }
            ("type" | "description", Value::String(_)) => {}
            (key, value) => panic!("{place}: {key} is {value}"),
        }
    }
    assert_eq!(kind == "array", members.contains_key("items"), "{place}");
}

#[test]
fn the_arguments_of_a_tool_are_always_an_object_with_properties() {
    let empty = json!({"type": "object", "properties": {}});
    for schema in [
        json!({}),
        json!({"type": "object"}),
        json!({"type": "object", "additionalProperties": false}),
        json!({"type": "object", "properties": null}),
        json!({"type": ["object", "null"], "properties": []}),
        json!({"$schema": "x", "$id": "y", "title": "Z"}),
        json!({"type": "string"}),
        json!({"required": ["a"]}),
    ] {
        assert_eq!(portable(&schema), empty, "{schema}");
    }
    assert_eq!(portable_schema("true"), None);
    assert_eq!(portable_schema("{"), None);
}

#[test]
fn alternatives_of_all_arguments_are_one_object_with_what_all_of_them_require() {
    let schema = json!({
        "anyOf": [
            {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a", "b"]},
            {"$ref": "#/$defs/other"},
        ],
        "allOf": [{"properties": {"d": {"type": "boolean"}}, "required": ["d"]}],
        "$defs": {"other": {"properties": {"a": {"type": "string"}, "c": {}}, "required": ["a"]}},
    });
    let written = portable(&schema);
    check(&written, "whole");
    assert_eq!(written["required"], json!(["d", "a"]));
    let properties = written["properties"].as_object().expect("properties");
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
}

#[test]
fn each_part_has_a_type_or_alternatives() {
    let text = json!({"type": "string"});
    for (schema, written) in [
        (
            json!({"type": "string", "minLength": 1, "format": "uuid", "default": "x", "examples": ["y"]}),
            text.clone(),
        ),
        (json!({"type": ["string", "null"]}), text.clone()),
        (json!({"type": "string", "nullable": true}), text.clone()),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}),
            text.clone(),
        ),
        (json!({"pattern": "^a"}), text.clone()),
        (json!({"type": "STRING"}), text.clone()),
        (json!({"minimum": 0}), json!({"type": "number"})),
        (
            json!({"const": "buy"}),
            json!({"type": "string", "enum": ["buy"]}),
        ),
        (
            json!({"enum": ["buy", "sell", "", null, "buy"]}),
            json!({"type": "string", "enum": ["buy", "sell"]}),
        ),
        (
            json!({"oneOf": [{"const": "buy"}, {"const": "sell", "title": "Sell"}]}),
            json!({"type": "string", "enum": ["buy", "sell"]}),
        ),
        (
            json!({"enum": [1, 2]}),
            json!({"type": "integer", "description": "one of 1, 2"}),
        ),
        (
            json!({"const": true, "description": "Yes."}),
            json!({"type": "boolean", "description": "Yes (always true)"}),
        ),
        (
            json!({"type": ["string", "integer"], "description": "An id."}),
            json!({"anyOf": [{"type": "string", "description": "An id."}, {"type": "integer"}]}),
        ),
        (
            json!({"type": "array"}),
            json!({"type": "array", "items": plain_value()}),
        ),
        (
            json!({"type": "array", "items": true}),
            json!({"type": "array", "items": plain_value()}),
        ),
        (
            json!({"items": {"type": "integer"}}),
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]}),
            json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}}),
        ),
        (json!({"type": "object"}), json!({"type": "object"})),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"type": "object", "description": "any names, each with a value: integer"}),
        ),
        (
            json!({"type": "object", "patternProperties": {"^x": {"type": "string"}}}),
            json!({"type": "object", "description": "any names, each with a value: string"}),
        ),
        (
            json!({"type": "object", "properties": {"größe": {"type": "number"}, "type": {"type": "string"}}, "required": ["type", "gone"]}),
            json!({"type": "object", "properties": {"größe": {"type": "number"}, "type": {"type": "string"}}, "required": ["type"]}),
        ),
        (
            json!({"allOf": [{"type": "string"}, {"minLength": 3}]}),
            text,
        ),
    ] {
        assert_eq!(property(schema.clone()), written, "{schema}");
    }
    for any in [
        json!(true),
        json!(false),
        json!({}),
        json!({"title": "Anything"}),
        json!({"type": "null"}),
        json!({"type": "whatever"}),
        json!({"not": {"type": "string"}}),
        json!({"enum": []}),
        json!({"$ref": "#/gone"}),
        json!({"$ref": "https://example.org/other.json"}),
        json!({"if": {"type": "string"}, "then": {"minLength": 1}}),
        json!(7),
        json!(null),
    ] {
        assert_eq!(property(any.clone()), any_value(None), "{any}");
    }
    let answer = property(json!({"description": "anything"}));
    assert_eq!(answer, any_value(Some("anything".to_string())));
}

#[test]
fn references_are_replaced_by_what_they_mean_and_end() {
    let schema = json!({
        "type": "object",
        "properties": {
            "one": {"$ref": "#/$defs/node", "description": "The first."},
            "self": {"$ref": "#"},
            "loop": {"$ref": "#/$defs/loop"},
            "old": {"$ref": "#/definitions/a~1b"},
        },
        "definitions": {"a/b": {"type": "integer"}},
        "$defs": {
            "loop": {"$ref": "#/$defs/loop"},
            "node": {"type": "object", "properties": {
                "name": {"type": "string"}, "next": {"$ref": "#/$defs/node"},
                "all": {"type": "array", "items": {"$ref": "#/$defs/node"}}}},
        },
    });
    let written = portable(&schema);
    check(&written, "whole");
    let one = &written["properties"]["one"];
    assert_eq!(one["description"], "The first.");
    assert_eq!(one["properties"]["name"], json!({"type": "string"}));
    assert_eq!(one["properties"]["next"], any_value(None));
    assert_eq!(written["properties"]["old"], json!({"type": "integer"}));
    assert_eq!(written["properties"]["loop"], any_value(None));
    assert!(written.to_string().len() < 4000, "{written}");
}

#[test]
fn a_schema_that_grows_without_end_does_not() {
    let names: Vec<String> = (0..30).map(|number| format!("d{number}")).collect();
    let all: Map<String, Value> = names
        .iter()
        .map(|name| (name.clone(), json!({"$ref": format!("#/$defs/{name}")})))
        .collect();
    let defs: Map<String, Value> = names.iter().map(|name| (name.clone(), json!({"type": "object", "properties": all, "allOf": [{"$ref": "#/$defs/d1"}, {"$ref": "#/$defs/d2"}]}))).collect();
    let written = portable(&json!({"type": "object", "properties": all, "$defs": defs}));
    check(&written, "whole");
    let size = written.to_string().len();
    assert!(size < 256 << 10, "{size}");
    let mut deep = json!({"type": "string"});
    for _ in 0..60 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    check(&portable(&deep), "deep");
}

#[test]
fn what_is_portable_stays() {
    for text in [
        zoea_tools(),
        json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}),
    ] {
        let once = portable(&text);
        assert_eq!(portable(&once), once);
    }
}

fn zoea_tools() -> Value {
    json!({"type": "object", "required": ["id"], "properties": {
        "id": {"type": "string", "description": "The id"}, "count": {"type": "integer"},
        "side": {"type": "string", "enum": ["buy", "sell"]}, "any": {}, "list": {"type": "array", "items": {"type": "object"}},
        "goods": {"type": "object", "additionalProperties": {"type": "integer"}}}})
}
