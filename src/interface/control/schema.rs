//! The control tools as MCP lists them, and calls as MCP clients write them.

use std::sync::{Arc, LazyLock};

use rmcp::model::Tool;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Number, Value, json};
use zoea_settings::bounds::MAX_INTEGER;

use super::call::ControlCall;
use super::hints;

/// All tools in MCP's form.
static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    let schema = settings
        .into_generator()
        .into_root_schema_for::<ControlCall>();
    let variants = schema.get("oneOf").and_then(Value::as_array);
    let variants = variants.into_iter().flatten();
    variants.filter_map(to_tool).collect()
});

/// Converts a variant's schema, `{description, properties: {NAME: parameters}}`, to a tool.
fn to_tool(variant: &Value) -> Option<Tool> {
    let (name, parameters) = variant["properties"].as_object()?.iter().next()?;
    let members = parameters["properties"].as_object().into_iter().flatten();
    let properties: Map<String, Value> = members
        .map(|(name, schema)| (name.clone(), to_property(schema)))
        .collect();
    let required = parameters.get("required").cloned();
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required.unwrap_or_else(|| json!([])),
        "additionalProperties": false,
    });
    let about = to_line(&variant["description"]);
    let schema = schema.as_object().cloned().unwrap_or_default();
    let tool = Tool::new(name.clone(), about, Arc::new(schema));
    Some(hints::described(tool, variant))
}

/// Converts the schema of a parameter. `null` is left out, because it means the same as an absent
/// parameter, and so are the formats of numbers, which only Rust knows. A choice is one of its words.
fn to_property(schema: &Value) -> Value {
    let is_said = |kind: &&Value| **kind != "null" && kind["type"] != "null";
    let choices = ["oneOf", "anyOf"]
        .iter()
        .find_map(|key| schema[*key].as_array());
    let choices: Vec<&Value> = choices.into_iter().flatten().filter(is_said).collect();
    let mut property = match choices.first() {
        Some(choice) if choice["const"].is_null() => to_property(choice),
        Some(_) => {
            let words: Vec<&Value> = choices.iter().map(|choice| &choice["const"]).collect();
            json!({"type": "string", "enum": words})
        }
        None => schema.clone(),
    };
    let mut kinds = schema["type"].as_array().into_iter().flatten();
    if let Some(kind) = kinds.find(is_said) {
        property["type"] = kind.clone();
    }
    if let Some(members) = property.as_object_mut() {
        members.remove("format");
        members.remove("default");
    }
    if let Some(usual) = schema.get("default").filter(|usual| !usual.is_null()) {
        property["default"] = usual.clone();
    }
    if schema.get("description").is_some() {
        property["description"] = to_line(&schema["description"]).into();
    }
    property
}

fn to_line(comment: &Value) -> String {
    comment.as_str().unwrap_or_default().replace('\n', " ")
}

impl ControlCall {
    /// All tools in MCP's form.
    pub(super) fn list_tools() -> &'static [Tool] {
        &TOOLS
    }

    /// Whether the tool of this name changes nothing.
    pub(super) fn only_reads(name: &str) -> bool {
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        let hints = tool.and_then(|tool| tool.annotations.as_ref());
        hints.and_then(|hints| hints.read_only_hint) == Some(true)
    }

    /// Parses a client's call.
    pub(super) fn parse(name: &str, arguments: &Map<String, Value>) -> Result<ControlCall, String> {
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        let tool = tool.ok_or_else(|| format!("there is no tool called {name}"))?;
        let given = arguments.iter().filter(|(_, value)| !value.is_null());
        let given: Map<String, Value> = given
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let given = read_arguments(tool, arguments.keys(), given)?;
        let call = json!({name: given});
        serde_json::from_value(call).map_err(|error| format!("{name}: {error}"))
    }

    /// The tool's name and the given arguments, in the form that goes to another process.
    pub(super) fn to_request(&self) -> (String, Map<String, Value>) {
        let call = serde_json::to_value(self).unwrap_or_default();
        let request = call.as_object().and_then(|call| call.iter().next());
        let Some((name, Value::Object(arguments))) = request else {
            return Default::default();
        };
        let mut arguments = arguments.clone();
        arguments.retain(|_, value| !value.is_null());
        (name.clone(), arguments)
    }
}

/// Reads a call's arguments in the types of their parameters. The errors name tools and parameters, which serde's
/// would not.
fn read_arguments<'a>(
    tool: &Tool,
    mut names: impl Iterator<Item = &'a String>,
    given: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let properties = &tool.input_schema["properties"];
    let called = &tool.name;
    if let Some(name) = names.find(|name| properties.get(name).is_none()) {
        return Err(format!("{called} has no parameter `{name}`"));
    }
    let required = tool.input_schema["required"]
        .as_array()
        .into_iter()
        .flatten();
    let mut required = required.filter_map(Value::as_str);
    if let Some(name) = required.find(|name| !given.contains_key(*name)) {
        return Err(format!("{called} needs a parameter `{name}`"));
    }
    let read = |(name, value): (String, Value)| {
        let property = &properties[&name];
        let (read, wanted) = match property["type"].as_str() {
            Some("integer") => (
                number(&value).and_then(|number| whole_number(&number)),
                format!("a whole number from 0 to {MAX_INTEGER}"),
            ),
            Some("number") => (
                number(&value).map(Value::Number),
                format!(
                    "a number from {} to {}",
                    property["minimum"], property["maximum"]
                ),
            ),
            Some("boolean") => (
                Some(value).filter(Value::is_boolean),
                "true or false".to_string(),
            ),
            Some("object") => (
                Some(value).filter(Value::is_object),
                "an object".to_string(),
            ),
            Some(_) | None => (Some(value).filter(Value::is_string), "a text".to_string()),
        };
        match read {
            Some(value) => Ok((name, value)),
            None => Err(format!("`{name}` is {wanted}")),
        }
    };
    given.into_iter().map(read).collect()
}

/// A number. Some clients write `"1"`, too.
fn number(value: &Value) -> Option<Number> {
    match value.as_str() {
        Some(text) => serde_json::from_str(text).ok(),
        None => value.as_number().cloned(),
    }
}

/// A whole number. Some clients write `1.0`, too.
fn whole_number(number: &Number) -> Option<Value> {
    let whole = number.as_u64().or_else(|| {
        let number = number.as_f64().filter(|number| number.fract() == 0.0)?;
        format!("{number:.0}").parse().ok()
    });
    whole.filter(|whole| *whole <= MAX_INTEGER).map(Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, arguments: Value) -> Result<ControlCall, String> {
        ControlCall::parse(name, arguments.as_object().unwrap())
    }

    #[test]
    fn a_tool_is_told_by_its_variant() {
        let tools = ControlCall::list_tools();
        let tool = tools.iter().find(|tool| tool.name == "send_message");
        let tool = tool.unwrap();
        let about =
            "A direct message to one Mysis; no_gain: the watch on progress expects no gain of it.";
        assert_eq!(tool.description.as_deref(), Some(about));
        let schema = Value::Object(tool.input_schema.as_ref().clone());
        assert_eq!(schema["required"], json!(["name", "text"]));
        assert_eq!(schema["properties"]["no_gain"]["type"], "boolean");
        let long = tools.iter().filter_map(|tool| tool.description.as_ref());
        assert!(long.into_iter().all(|about| !about.contains('\n')));
        let bare = tools.iter().find(|tool| tool.name == "reload").unwrap();
        let schema = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
        assert_eq!(Value::Object(bare.input_schema.as_ref().clone()), schema);
    }

    #[test]
    fn a_call_reads_as_it_was_written() {
        let whole = json!({"name": "alpha", "limit": 3, "after_seq": 7});
        let call = parse("read_log", whole.clone()).unwrap();
        let (name, arguments) = call.to_request();
        assert_eq!(
            (name.as_str(), Value::Object(arguments)),
            ("read_log", whole)
        );
        let call = parse("create_mysis", json!({"name": "alpha", "provider": null}));
        let (_, arguments) = call.unwrap().to_request();
        assert_eq!(
            Value::Object(arguments),
            json!({"name": "alpha", "start": false})
        );
    }

    #[test]
    fn what_is_wrong_with_a_call_is_said_in_its_words() {
        for (tool, arguments, said) in [
            ("fly", json!({}), "there is no tool called fly"),
            (
                "start_mysis",
                json!({"name": "a", "force": null}),
                "start_mysis has no parameter `force`",
            ),
            (
                "send_message",
                json!({"name": "a", "text": null}),
                "send_message needs a parameter `text`",
            ),
            ("report", json!({"day": 3}), "`day` is a text"),
            (
                "get_books",
                json!({"days": -1}),
                "`days` is a whole number from 0 to 9007199254740991",
            ),
            (
                "broadcast",
                json!({"text": "mine", "no_gain": "no"}),
                "`no_gain` is true or false",
            ),
            (
                "answer_question",
                json!({"name": "a", "values": "ore=iron"}),
                "`values` is an object",
            ),
            (
                "configure_mysis",
                json!({"name": "a", "temperature": "hot"}),
                "`temperature` is a number from 0 to 2",
            ),
            (
                "wait",
                json!({"until": "idle", "timeout": "soon"}),
                "`timeout` is a number from 0 to 60",
            ),
            (
                "read_events",
                json!({"wait": true}),
                "`wait` is a number from 0 to 60",
            ),
            (
                "read_events",
                json!({"limit": 1.5}),
                "`limit` is a whole number from 0 to 9007199254740991",
            ),
        ] {
            assert_eq!(parse(tool, arguments).unwrap_err(), said);
        }
    }

    #[test]
    fn every_number_says_its_range() {
        for tool in ControlCall::list_tools() {
            let properties = tool.input_schema["properties"].as_object().unwrap();
            for (name, property) in properties {
                let has_range = property["minimum"].is_number() && property["maximum"].is_number();
                assert!(property["type"] != "number" || has_range, "{name}");
            }
        }
    }

    #[test]
    fn a_number_may_be_a_text_and_a_whole_one_may_have_a_point() {
        for (limit, wait) in [
            (json!(7), json!(5)),
            (json!(7.0), json!(5.0)),
            (json!("7"), json!("5")),
            (json!("7.0"), json!("5.0")),
        ] {
            let call = parse("read_events", json!({"limit": limit, "wait": wait}));
            let ControlCall::ReadEvents(asked) = call.unwrap() else {
                panic!("another call");
            };
            assert_eq!((asked.limit, asked.wait), (Some(7), Some(5.0)));
        }
        for limit in [
            json!(""),
            json!(" "),
            json!("7x"),
            json!("-1"),
            json!(-1.0),
            json!(1e300),
            json!([7]),
        ] {
            assert!(
                parse("read_events", json!({"limit": limit})).is_err(),
                "{limit}"
            );
        }
    }
}
