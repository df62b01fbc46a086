//! Arguments that a request repeats in a header, because the tool's schema marks them with
//! `x-mcp-header` (2026-07-28).

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rmcp::transport::common::http_header::{
    BASE64_HEADER_PREFIX, BASE64_HEADER_SUFFIX, HEADER_MCP_PARAM_PREFIX,
};
use serde_json::{Map, Value};

const MARK: &str = "x-mcp-header";
/// The most marked arguments of a tool, and the longest name of a header in bytes.
const MAX_MARKED: usize = 32;
const MAX_NAME_BYTES: usize = 128;
/// The longest value of a header in bytes. The server refuses the request if it wants more.
const MAX_VALUE_BYTES: usize = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MirroredArgument {
    /// The keys that lead to it.
    path: Vec<String>,
    header: String,
}

impl MirroredArgument {
    pub(super) fn header_name(&self) -> String {
        format!("{HEADER_MCP_PARAM_PREFIX}{}", self.header)
    }

    /// The argument's value as text; `None` if it is absent or null.
    pub(super) fn value_in(&self, arguments: &Value) -> Option<String> {
        let mut value = arguments;
        for key in &self.path {
            value = value.get(key)?;
        }
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(truth) => truth.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        (text.len() <= MAX_VALUE_BYTES).then_some(text)
    }
}

/// The marked arguments of a schema.
///
/// # Errors
/// A mark is invalid, so the tool must not be offered.
pub(super) fn marked_arguments(
    schema: &Map<String, Value>,
) -> Result<Arc<[MirroredArgument]>, &'static str> {
    let mut found = Vec::new();
    collect(schema, &mut Vec::new(), &mut found)?;
    let all = count_marks(schema);
    if all != found.len() {
        return Err("its schema has an x-mcp-header that marks no plain argument");
    }
    let mut names: Vec<String> = found
        .iter()
        .map(|of| of.header.to_ascii_lowercase())
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.len() != found.len() || found.len() > MAX_MARKED {
        return Err("its schema has one x-mcp-header twice, or too many");
    }
    Ok(found.into())
}

/// Collects the marks that are reached through `properties` alone.
fn collect(
    schema: &Map<String, Value>,
    path: &mut Vec<String>,
    found: &mut Vec<MirroredArgument>,
) -> Result<(), &'static str> {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let Some(property) = property.as_object() else {
            continue;
        };
        path.push(name.clone());
        if let Some(mark) = property.get(MARK) {
            let header = mark.as_str().filter(|header| is_token(header));
            let header = header
                .ok_or("its schema has an invalid x-mcp-header")?
                .to_string();
            let kind = property.get("type").and_then(Value::as_str);
            if !matches!(kind, Some("string" | "integer" | "boolean")) {
                return Err("its schema marks an argument with x-mcp-header that is not plain");
            }
            let path = path.clone();
            found.push(MirroredArgument { path, header });
        }
        collect(property, path, found)?;
        path.pop();
    }
    Ok(())
}

/// The marks anywhere in a schema. Parsing has limited its depth.
fn count_marks(schema: &Map<String, Value>) -> usize {
    schema
        .iter()
        .map(|(key, value)| match (&**key, value) {
            (MARK, _) => 1,
            // Values of arguments, not schemas.
            ("default" | "const" | "enum" | "examples", _) => 0,
            // The names in these are chosen freely.
            (
                "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Value::Object(parts),
            ) => parts.values().map(count_in).sum(),
            (_, value) => count_in(value),
        })
        .sum()
}

fn count_in(value: &Value) -> usize {
    match value {
        Value::Object(schema) => count_marks(schema),
        Value::Array(items) => items.iter().map(count_in).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Whether a text can be part of the name of a header (RFC 9110).
fn is_token(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !text.is_empty() && text.len() <= MAX_NAME_BYTES && text.chars().all(is_part)
}

/// A value of a header: as it is, or in base64 where a header cannot contain it.
pub(super) fn encode(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        && value.trim_matches(' ').len() == value.len()
        && !(value.starts_with(BASE64_HEADER_PREFIX) && value.ends_with(BASE64_HEADER_SUFFIX));
    if is_plain {
        return value.to_string();
    }
    let coded = BASE64_STANDARD.encode(value);
    format!("{BASE64_HEADER_PREFIX}{coded}{BASE64_HEADER_SUFFIX}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn marks(schema: &Value) -> Result<Vec<String>, &'static str> {
        let marked = marked_arguments(schema.as_object().expect("an object"))?;
        Ok(marked.iter().map(MirroredArgument::header_name).collect())
    }

    #[test]
    fn marked_arguments_are_found_where_they_may_be_and_refused_elsewhere() {
        let plain = json!({"properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "x-mcp-header": {"type": "string"},
            "at": {"type": "object", "properties": {"tick": {"type": "integer", "x-mcp-header": "Tick"}}},
        }});
        assert_eq!(
            marks(&plain),
            Ok(vec!["Mcp-Param-Tick".into(), "Mcp-Param-Region".into()])
        );
        for wrong in [
            json!({"x-mcp-header": "Root"}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": ""}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": "two words"}}}),
            json!({"properties": {"a": {"type": "string", "x-mcp-header": 1}}}),
            json!({"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}),
            json!({"properties": {"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}}),
            json!({"properties": {
                "a": {"type": "string", "x-mcp-header": "A"},
                "b": {"type": "string", "x-mcp-header": "a"},
            }}),
        ] {
            assert!(marks(&wrong).is_err(), "{wrong}");
        }
        let data =
            json!({"properties": {"a": {"type": "object", "default": {"x-mcp-header": "A"}}}});
        assert_eq!(marks(&data), Ok(vec![]));
    }

    #[test]
    fn a_value_is_mirrored_as_the_argument_is_and_null_is_left_out() {
        let schema = json!({"properties": {"at": {"type": "object", "properties": {
            "tick": {"type": "integer", "x-mcp-header": "Tick"}}}}});
        let marked = marked_arguments(schema.as_object().unwrap()).unwrap();
        let value = |arguments: Value| marked[0].value_in(&arguments);
        assert_eq!(value(json!({"at": {"tick": 7}})).as_deref(), Some("7"));
        assert_eq!(value(json!({"at": {"tick": null}})), None);
        assert_eq!(value(json!({"at": 7})), None);
    }

    #[test]
    fn values_that_no_header_can_contain_are_coded() {
        assert_eq!(encode("us west-1"), "us west-1");
        assert_eq!(encode(" a"), "=?base64?IGE=?=");
        assert_eq!(encode("a\nb"), "=?base64?YQpi?=");
        assert_eq!(encode("ö"), "=?base64?w7Y=?=");
        assert_eq!(encode("=?base64?YQ==?="), "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
    }
}
