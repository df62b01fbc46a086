//! Help: the tool table in the words of the real game.

use serde_json::{Map, Value, json};

use super::super::{CommandArguments, GameAnswer, GameRefusal, World};
use crate::tools::{self, GameTool};

pub(crate) fn get_commands(_: &World, _: CommandArguments) -> GameAnswer {
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

pub(crate) fn help(_: &World, arguments: CommandArguments) -> GameAnswer {
    let command = match arguments.text_or_empty("command")? {
        "" => arguments.text_or_empty("topic")?,
        command => command,
    };
    let category = arguments.text_or_empty("category")?;
    if !command.is_empty() {
        let tool = tools::find(command).ok_or_else(|| GameRefusal::unknown_command(command))?;
        return Ok(json!({ "topic": command, "commands": [tool_entry(tool)] }));
    }
    let listed: Vec<Value> = tools::all()
        .iter()
        .filter(|tool| category.is_empty() || tool.category == category)
        .map(tool_entry)
        .collect();
    let topic = if category.is_empty() {
        "commands"
    } else {
        category
    };
    Ok(json!({ "topic": topic, "commands": listed }))
}

fn tool_entry(tool: &GameTool) -> Value {
    let mut entry = json!({
        "name": tool.name,
        "category": tool.category,
        "description": tool.description,
        "format": command_format(tool),
        "is_mutation": tool.mutation,
        "requires_auth": tool.auth,
    });
    if tool.name == "mine" {
        entry["notes"] = "Needs a mining module.".into();
    }
    entry
}

/// The format of a command: `{"type": "sell", "payload": {"item_id": "<string>", ...}}`
fn command_format(tool: &GameTool) -> String {
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
