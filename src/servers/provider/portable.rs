//! Schemas of tools as every model server takes them, made before any refuses (docs/REQUEST-SHAPE.md,
//! "Schemas of tools").
//!
//! Only what the strictest server knows stays: types, properties, what is required, items, texts to
//! choose from, alternatives, and descriptions. References are replaced by what they mean. Names and
//! the values that the server of the tool takes stay as they are, because the arguments go to that
//! server as the model wrote them.

mod parts;

use serde_json::{Map, Value, json};

use parts::{
    Schema, any_value, choice, described, description, is_null, one_of, parts_of, plain_value,
    types_of,
};

/// The deepest part that is described. A deeper one is any value.
const MAX_DEPTH: usize = 12;
/// The most parts of a schema. References may make a small schema large.
const MAX_PARTS: usize = 500;
const ALTERNATIVES: [&str; 2] = ["anyOf", "oneOf"];

/// The schema of a tool's arguments in a form that every server takes; `None` if it is no object.
pub(super) fn portable_schema(text: &str) -> Option<Value> {
    let schema: Value = serde_json::from_str(text).ok()?;
    let root = schema.as_object()?;
    let mut writer = SchemaWriter {
        root,
        parts: 0,
        open: Vec::new(),
    };
    Some(Value::Object(writer.arguments(root)))
}

struct SchemaWriter<'a> {
    /// The whole, which references point into.
    root: &'a Map<String, Value>,
    parts: usize,
    /// What the references mean that are being followed. Inside of itself a schema is any value.
    open: Vec<&'a Schema>,
}

impl<'a> SchemaWriter<'a> {
    /// The arguments of a tool: always an object with properties.
    fn arguments(&mut self, schema: &'a Schema) -> Schema {
        let mut members = ObjectMembers::default();
        self.collect(schema, 0, &mut members);
        let mut written = members.write();
        written
            .entry("properties")
            .or_insert_with(|| Value::Object(Map::new()));
        if let Some(text) = description(schema) {
            written.insert("description".to_string(), text.into());
        }
        written
    }

    /// The properties of an object and of all that it is made of.
    fn collect(&mut self, schema: &'a Schema, depth: usize, members: &mut ObjectMembers) {
        self.parts += 1;
        if depth > MAX_DEPTH || self.parts > MAX_PARTS {
            return;
        }
        if let Some(Value::Object(properties)) = schema.get("properties") {
            for (name, property) in properties {
                if !members.properties.contains_key(name) {
                    let written = self.part(property, depth + 1);
                    members.properties.insert(name.clone(), written);
                }
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        members.require(required.into_iter().flatten().filter_map(Value::as_str));
        if let Some(meant) = self.meant_by(schema).filter(|meant| !self.is_open(meant)) {
            self.open.push(meant);
            self.collect(meant, depth + 1, members);
            self.open.pop();
        }
        for part in parts_of(schema, "allOf") {
            self.collect(part, depth + 1, members);
        }
        for key in ALTERNATIVES {
            let mut common: Option<Vec<String>> = None;
            for part in parts_of(schema, key) {
                let mut of_part = ObjectMembers::default();
                self.collect(part, depth + 1, &mut of_part);
                common = Some(match common {
                    None => of_part.required,
                    Some(before) => before
                        .into_iter()
                        .filter(|name| of_part.required.contains(name))
                        .collect(),
                });
                for (name, property) in of_part.properties {
                    members.properties.entry(name).or_insert(property);
                }
            }
            members.require(common.iter().flatten().map(String::as_str));
        }
    }

    fn part(&mut self, schema: &'a Value, depth: usize) -> Value {
        self.parts += 1;
        let Value::Object(schema) = schema else {
            return any_value(None);
        };
        let text = description(schema);
        if depth > MAX_DEPTH || self.parts > MAX_PARTS {
            return any_value(text);
        }
        match self.meant_by(schema) {
            Some(meant) if self.is_open(meant) => any_value(text),
            Some(meant) => {
                self.open.push(meant);
                let written = self.whole_part(meant, depth + 1);
                self.open.pop();
                described(written, text)
            }
            None => self.whole_part(schema, depth),
        }
    }

    /// A part that is no reference, unless it is one to a reference.
    fn whole_part(&mut self, schema: &'a Schema, depth: usize) -> Value {
        if self.meant_by(schema).is_some() {
            return any_value(description(schema));
        }
        if let Some(choice) = choice(schema) {
            return choice;
        }
        let text = description(schema);
        let types = types_of(schema);
        let is_object = types == ["object"] || (types.is_empty() && schema.contains_key("allOf"));
        let alternatives: Vec<&'a Value> = ALTERNATIVES
            .into_iter()
            .filter_map(|key| schema.get(key)?.as_array())
            .flatten()
            .collect();
        if !alternatives.is_empty() && !is_object {
            let written = alternatives.into_iter().filter(|part| !is_null(part));
            let written: Vec<Value> = written.map(|part| self.part(part, depth + 1)).collect();
            return described(one_of(written), text);
        }
        let written = match types.as_slice() {
            [] if schema.contains_key("allOf") => match self.first_plain(schema, depth) {
                Some(plain) => plain,
                None => self.object(schema, depth),
            },
            [] => any_value(None),
            types => {
                let written = types.iter().map(|kind| match *kind {
                    "object" => self.object(schema, depth),
                    "array" => self.list(schema, depth),
                    kind => json!({ "type": kind }),
                });
                one_of(written.collect())
            }
        };
        described(written, text)
    }

    /// Of all that a value has to be, the first part that is no object.
    fn first_plain(&mut self, schema: &'a Schema, depth: usize) -> Option<Value> {
        let parts = schema.get("allOf")?.as_array()?.iter();
        let written: Vec<Value> = parts.map(|part| self.part(part, depth + 1)).collect();
        let is_plain = |part: &Value| !matches!(part["type"].as_str(), Some("object"));
        let mut plain = written.iter().filter(|part| is_plain(part));
        let is_known = |part: &&Value| part.get("type").is_some();
        plain
            .clone()
            .find(is_known)
            .or_else(|| plain.next())
            .cloned()
    }

    fn object(&mut self, schema: &'a Schema, depth: usize) -> Value {
        let mut members = ObjectMembers::default();
        self.collect(schema, depth, &mut members);
        let values = ["additionalProperties", "patternProperties"].map(|key| schema.get(key));
        let values = match values {
            [Some(values @ Value::Object(_)), _] => Some(values),
            [_, Some(Value::Object(patterns))] => patterns.values().next(),
            [Some(_) | None, Some(_) | None] => None,
        };
        let is_map = members.properties.is_empty();
        let written = Value::Object(members.write());
        match values.filter(|_| is_map) {
            Some(values) => {
                let value = self.part(values, depth + 1);
                let kind = value["type"].as_str().unwrap_or("any");
                described(
                    written,
                    Some(format!("any names, each with a value: {kind}")),
                )
            }
            None => written,
        }
    }

    fn list(&mut self, schema: &'a Schema, depth: usize) -> Value {
        let listed = ["items", "prefixItems"].map(|key| schema.get(key));
        let items = match listed {
            [Some(items @ Value::Object(_)), _] => self.part(items, depth + 1),
            [Some(Value::Array(parts)), _] | [_, Some(Value::Array(parts))] => {
                let written = parts.iter().map(|part| self.part(part, depth + 1));
                one_of(written.collect())
            }
            [Some(_) | None, Some(_) | None] => plain_value(),
        };
        json!({"type": "array", "items": items})
    }

    fn is_open(&self, schema: &Schema) -> bool {
        self.open.iter().any(|open| std::ptr::eq(*open, schema))
    }

    /// What a reference points to; `None` if there is none, or nothing there.
    fn meant_by(&self, schema: &Schema) -> Option<&'a Schema> {
        let path = schema.get("$ref").or_else(|| schema.get("$dynamicRef"))?;
        let path = path.as_str()?.strip_prefix('#')?;
        let mut meant: Option<&'a Value> = None;
        for step in path.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            meant = match meant {
                None => self.root.get(&step),
                Some(Value::Object(members)) => members.get(&step),
                Some(Value::Array(items)) => items.get(step.parse::<usize>().ok()?),
                Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => None,
            };
            meant?;
        }
        match path.trim_matches('/').is_empty() {
            true => Some(self.root),
            false => meant?.as_object(),
        }
    }
}

#[derive(Default)]
struct ObjectMembers {
    properties: Schema,
    required: Vec<String>,
}

impl ObjectMembers {
    fn require<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            if !self.required.iter().any(|known| known == name) {
                self.required.push(name.to_string());
            }
        }
    }

    fn write(self) -> Schema {
        let ObjectMembers {
            properties,
            mut required,
        } = self;
        required.retain(|name| properties.contains_key(name));
        let mut written = Map::new();
        written.insert("type".to_string(), "object".into());
        if !properties.is_empty() {
            written.insert("properties".to_string(), properties.into());
        }
        if !required.is_empty() {
            written.insert("required".to_string(), required.into());
        }
        written
    }
}

#[cfg(test)]
mod tests;
