//! The shape of the tool calls of an assistant message.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{RequestRefusal, is_function_name};

pub(super) fn check_calls(calls: &[Value], message: usize) -> Result<(), RequestRefusal> {
    let mut ids = HashSet::new();
    for (index, call) in calls.iter().enumerate() {
        let at = |field: &str| format!("messages.[{message}].tool_calls.[{index}]{field}");
        let id = id_of(call, &|field, reason| RequestRefusal::at(at(field), reason))?;
        if !ids.insert(id) {
            return Err(RequestRefusal::at(
                at(".id"),
                format!("Two tool calls of one message have the id '{id}'."),
            ));
        }
    }
    Ok(())
}

/// Builds the refusal of a field of the call, from its name and the reason.
type Refuse<'a> = &'a dyn Fn(&str, &str) -> RequestRefusal;

fn id_of<'a>(call: &'a Value, refuse: Refuse<'_>) -> Result<&'a str, RequestRefusal> {
    let call = call
        .as_object()
        .ok_or_else(|| refuse("", "A tool call must be an object."))?;
    let id = call
        .get("id")
        .and_then(Value::as_str)
        .filter(|id| !id.is_empty())
        .ok_or_else(|| refuse(".id", "A tool call needs an 'id' that is not empty."))?;
    if call.get("type").and_then(Value::as_str) != Some("function") {
        return Err(refuse(
            ".type",
            "A tool call must have the type 'function'.",
        ));
    }
    let function = call
        .get("function")
        .and_then(Value::as_object)
        .ok_or_else(|| refuse(".function", "A tool call needs a 'function' object."))?;
    if !function
        .get("name")
        .and_then(Value::as_str)
        .is_some_and(is_function_name)
    {
        return Err(refuse(
            ".function.name",
            "A function name must match the pattern '^[a-zA-Z0-9_-]{1,64}$'.",
        ));
    }
    let arguments = function
        .get("arguments")
        .and_then(Value::as_str)
        .ok_or_else(|| refuse(".function.arguments", "'arguments' must be a string."))?;
    serde_json::from_str::<Map<String, Value>>(arguments).map_err(|error| {
        refuse(
            ".function.arguments",
            &format!("'arguments' must be the text of a JSON object: {error}."),
        )
    })?;
    Ok(id)
}
