//! Brief tools: a tool's description and schema, cut to what a model needs for a call.
//!
//! The server judges arguments, so a bound or a default that is left out loses nothing: names,
//! types, values to choose from and what is required stay. Everything else would be paid for with
//! every request.

use std::borrow::Cow;

use serde_json::{Map, Value};
use zoea_spacemolt::commands;

/// The most bytes of a tool's description, and of the description of a parameter that is required.
const TOOL_BYTES: usize = 120;
const REQUIRED_BYTES: usize = 64;
/// The most bytes of the description of another parameter. A longer one is left out.
const OPTIONAL_BYTES: usize = 40;
/// The most bytes of the words about an action in a description that lists actions.
const ACTION_BYTES: usize = 48;

/// A deeper part of a schema is left out.
const MAX_DEPTH: usize = 12;

pub const ACTIONS_LINE: &str = "Actions:";

/// The parameters that the runtime itself gives to a tool with actions.
const RUNTIME_PARAMETERS: [&str; 1] = ["session_id"];

/// Words that say nothing about a parameter.
const EMPTY_WORDS: [&str; 14] = [
    "", "a", "an", "the", "of", "to", "for", "from", "your", "optional", "id", "uuid", "filter",
    "by",
];

/// What stays of a schema as it is.
const KEPT: [&str; 4] = ["type", "enum", "const", "$ref"];
/// What stays with the schema, or the schemas in a list, in it.
const NESTED: [&str; 5] = ["items", "prefixItems", "anyOf", "oneOf", "allOf"];
/// What stays with the schemas by name in it.
const NAMED: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];

/// The schema of a tool in brief, as compact JSON; `None` if it is not a JSON object.
pub fn brief_arguments(tool: &str, schema: &str) -> Option<String> {
    let schema = serde_json::from_str::<Map<String, Value>>(schema).ok()?;
    let mut schema = brief_schema(&schema, 0);
    shorten_parameters(&mut schema, tool);
    if commands::is_grouped(tool)
        && let Some(Value::Object(all)) = schema.get_mut("properties")
    {
        all.retain(|name, _| !RUNTIME_PARAMETERS.contains(&name.as_str()));
    }
    Some(Value::Object(schema).to_string())
}

/// The first sentence; of a description that lists actions also the list, with the parameters of
/// each.
pub fn brief_description(text: &str) -> String {
    let Some((about, listed)) = text.split_once(&format!("\n{ACTIONS_LINE}\n")) else {
        return first_sentence(text, TOOL_BYTES).into_owned();
    };
    let mut brief = first_sentence(about, TOOL_BYTES).into_owned();
    brief.push('\n');
    brief.push_str(ACTIONS_LINE);
    for line in listed.lines() {
        brief.push('\n');
        let (call, words) = line.split_once(" — ").unwrap_or((line, ""));
        brief.push_str(call.trim_end());
        // Notes that an action has the name that it had in the first interface say nothing.
        if !words.is_empty() && !words.starts_with("v1:") {
            brief.push_str(" — ");
            brief.push_str(&first_sentence(words, ACTION_BYTES));
        }
    }
    brief
}

/// The first sentence of a text in one line, cut at a word if it is longer than this.
pub fn first_sentence(text: &str, most: usize) -> Cow<'_, str> {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default().trim_end();
    let end = line.find(". ").map_or(line.len(), |dot| dot + 1);
    let sentence = &line[..end];
    if sentence.len() <= most {
        let is_end = |c: char| c == '.' || c.is_whitespace();
        return Cow::Borrowed(sentence.trim_end_matches(is_end));
    }
    let room = most.saturating_sub('…'.len_utf8());
    let cut = &sentence[..sentence.floor_char_boundary(room)];
    let cut = cut.rfind(' ').map_or(cut, |space| &cut[..space]);
    let cut = cut.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')');
    Cow::Owned(format!("{cut}…"))
}

fn brief_schema(schema: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    let mut brief = Map::new();
    if depth > MAX_DEPTH {
        let kind = schema.get("type").cloned();
        brief.extend(kind.map(|kind| ("type".to_string(), kind)));
        return brief;
    }
    for (key, value) in schema {
        let kept = match (key.as_str(), value) {
            (key, value) if KEPT.contains(&key) => value.clone(),
            ("required", Value::Array(names)) if !names.is_empty() => value.clone(),
            (key, value) if NESTED.contains(&key) => brief_nested(value, depth + 1),
            // A map of anything is described by what its values are.
            ("additionalProperties", Value::Object(_)) => brief_nested(value, depth + 1),
            (key, Value::Object(named)) if NAMED.contains(&key) => {
                let named = named.iter();
                let named = named.map(|(name, of)| (name.clone(), brief_nested(of, depth + 1)));
                Value::Object(named.collect())
            }
            // The tool's description says what its arguments are together, and values to choose from
            // say what is meant.
            ("description", Value::String(_)) if depth > 0 && !has_choice(schema) => value.clone(),
            _ => continue,
        };
        brief.insert(key.clone(), kept);
    }
    brief
}

fn shorten_parameters(schema: &mut Map<String, Value>, tool: &str) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let required = required.as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|of| of == name));
    let Some(Value::Object(parameters)) = schema.get_mut("properties") else {
        return;
    };
    for (name, parameter) in parameters {
        shorten_descriptions(parameter, &format!("{tool}_{name}"), is_required(name));
    }
}

/// Shortens a description, and those inside of it. One whose words are all in the names is left out.
fn shorten_descriptions(schema: &mut Value, names: &str, is_required: bool) {
    match schema {
        Value::Object(members) => {
            for (key, inner) in members.iter_mut() {
                match NAMED.contains(&key.as_str()) {
                    true => inner
                        .as_object_mut()
                        .into_iter()
                        .flatten()
                        .for_each(|(name, of)| {
                            shorten_descriptions(of, &format!("{names}_{name}"), false)
                        }),
                    false => shorten_descriptions(inner, names, is_required),
                }
            }
            // The names of properties are not reached here, so this is a text about the schema.
            if let Some(Value::String(text)) = members.get("description") {
                match short_description(text, names, is_required) {
                    Some(short) => members.insert("description".to_string(), Value::String(short)),
                    None => members.remove("description"),
                };
            }
        }
        Value::Array(schemas) => schemas
            .iter_mut()
            .for_each(|schema| shorten_descriptions(schema, names, is_required)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn short_description(text: &str, names: &str, is_required: bool) -> Option<String> {
    let short = match is_required {
        true => first_sentence(text, REQUIRED_BYTES).into_owned(),
        false => {
            let text = text.split(" (").next().unwrap_or_default();
            let short = first_sentence(text, OPTIONAL_BYTES);
            (!short.ends_with('…')).then(|| short.into_owned())?
        }
    };
    let names = names.to_lowercase();
    let is_known = |word: &str| {
        let word = word.to_lowercase();
        EMPTY_WORDS.contains(&word.as_str()) || names.contains(&word)
    };
    let mut words = short.split(|c: char| !c.is_alphanumeric());
    (!words.all(is_known)).then_some(short)
}

fn has_choice(schema: &Map<String, Value>) -> bool {
    schema.contains_key("enum") || schema.contains_key("const")
}

fn brief_nested(value: &Value, depth: usize) -> Value {
    match value {
        Value::Object(schema) => Value::Object(brief_schema(schema, depth)),
        Value::Array(schemas) => {
            let schemas = schemas.iter().map(|schema| brief_nested(schema, depth));
            Value::Array(schemas.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema_of(schema: &Value) -> Value {
        let brief = brief_arguments("spacemolt_x", &schema.to_string()).unwrap();
        serde_json::from_str(&brief).unwrap()
    }

    #[test]
    fn a_schema_keeps_names_types_choices_and_what_is_required() {
        let whole = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "Buy", "description": "All of it.", "type": "object",
            "additionalProperties": false, "required": ["title", "side"],
            "properties": {
                "title": {"type": "string", "title": "Title", "examples": ["ore"], "maxLength": 9,
                    "description": "The item. It may be anything (see the market)."},
                "count": {"type": "integer", "description": "The count (of x)."},
                "note": {"type": "string", "description": "seen by all (of them)"},
                "goods_of_others": {"type": "string", "description": "A text that is far too long for what it has to say"},
                "side": {"type": "string", "enum": ["buy", "sell"], "default": "buy",
                    "description": "buy or sell"},
                "goods": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
                "many": {"type": "array", "items": {"anyOf": [
                    {"type": "string", "format": "uuid"}, {"$ref": "#/$defs/x"}]}},
                "session_id": {"type": "string"}
            },
            "$defs": {"x": {"type": "number", "exclusiveMinimum": 0}}
        });
        let brief = json!({
            "type": "object", "required": ["title", "side"],
            "properties": {
                "title": {"type": "string", "description": "The item"},
                "count": {"type": "integer"},
                "note": {"type": "string", "description": "seen by all"},
                "goods_of_others": {"type": "string"},
                "side": {"type": "string", "enum": ["buy", "sell"]},
                "goods": {"type": "object", "additionalProperties": {"type": "integer"}},
                "many": {"type": "array", "items": {"anyOf": [
                    {"type": "string"}, {"$ref": "#/$defs/x"}]}}
            },
            "$defs": {"x": {"type": "number"}}
        });
        assert_eq!(schema_of(&whole), brief);
        assert_eq!(schema_of(&brief), brief, "what is brief stays");
    }

    #[test]
    fn a_schema_that_is_no_object_has_no_brief_form() {
        assert_eq!(brief_arguments("mine", "[1,"), None);
        assert_eq!(brief_arguments("mine", "true"), None);
    }

    #[test]
    fn a_description_is_its_first_sentence_within_bounds() {
        for (text, brief) in [
            ("Mine ore. Needs a laser.", "Mine ore"),
            ("Mine ore\nor ice", "Mine ore"),
            ("Costs 1.5 credits", "Costs 1.5 credits"),
            ("", ""),
        ] {
            assert_eq!(brief_description(text), brief);
        }
        let long = first_sentence("one two (three) four", 19);
        assert_eq!(long, "one two (three)…");
        let listed =
            "Core play. More.\nActions:\n  mine — one pull. Then wait\n  jump(id) — v1: jump";
        let brief = "Core play\nActions:\n  mine — one pull\n  jump(id)";
        assert_eq!(brief_description(listed), brief);
        assert_eq!(brief_description(brief), brief);
    }

    proptest! {
        #[test]
        fn any_text_is_cut_within_its_bound(text in "\\PC{0,60}", most in 4_usize..40) {
            let brief = first_sentence(&text, most);
            prop_assert!(brief.len() <= most, "{brief}");
            prop_assert_eq!(first_sentence(&brief, most), brief.clone(), "it stays");
        }
    }
}
