//! Help: the tool table in the game's own words.

use serde_json::{Map, Value, json};

use super::super::{Answer, Arguments, Refusal, World};
use crate::tools::{self, Tool};

pub(crate) fn commands(_: &World, _: Arguments) -> Answer {
    let commands: Vec<Value> = tools::all()
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "category": tool.category,
                "description": tool.description,
            })
        })
        .collect();
    Ok(json!({ "commands": commands }))
}

pub(crate) fn help(_: &World, arguments: Arguments) -> Answer {
    let command = match arguments.text_or_empty("command")? {
        "" => arguments.text_or_empty("topic")?,
        command => command,
    };
    let category = arguments.text_or_empty("category")?;
    if !command.is_empty() {
        let tool = tools::find(command).ok_or_else(|| Refusal::unknown_command(command))?;
        return Ok(json!({ "topic": command, "commands": [entry(tool)] }));
    }
    let listed: Vec<Value> = tools::all()
        .iter()
        .filter(|tool| category.is_empty() || tool.category == category)
        .map(entry)
        .collect();
    let topic = if category.is_empty() {
        "commands"
    } else {
        category
    };
    Ok(json!({ "topic": topic, "commands": listed }))
}

fn entry(tool: &Tool) -> Value {
    let mut entry = json!({
        "name": tool.name,
        "category": tool.category,
        "description": tool.description,
        "format": format(tool),
        "is_mutation": tool.mutation,
        "requires_auth": tool.auth,
    });
    if tool.name == "mine" {
        entry["notes"] = "Needs a mining module.".into();
    }
    entry
}

/// `{"type": "sell", "payload": {"item_id": "<string>", ...}}`
fn format(tool: &Tool) -> String {
    let properties = tool
        .input_schema
        .get("properties")
        .and_then(Value::as_object);
    let payload: Map<String, Value> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            let kind = schema.get("type").and_then(Value::as_str).unwrap_or("any");
            (name.clone(), format!("<{kind}>").into())
        })
        .collect();
    if payload.is_empty() {
        format!("{{\"type\": \"{}\"}}", tool.name)
    } else {
        let payload = Value::Object(payload);
        format!("{{\"type\": \"{}\", \"payload\": {payload}}}", tool.name)
    }
}
