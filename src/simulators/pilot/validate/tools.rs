//! The list of tools that a request offers, and the fields about their use.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{RequestRefusal, is_function_name};

const MAX_OFFERED_TOOLS: usize = 512;

/// Checks the fields about the use of tools, given the names of the tools, if there are any.
pub(super) fn check_use<N: AsRef<str>>(
    body: &Map<String, Value>,
    names: Option<&[N]>,
) -> Result<(), RequestRefusal> {
    check_choice(body.get("tool_choice"), names)?;
    match body.get("parallel_tool_calls") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Bool(_)) if names.is_some() => Ok(()),
        Some(Value::Bool(_)) => Err(RequestRefusal::at(
            "parallel_tool_calls",
            "'parallel_tool_calls' is only allowed when 'tools' are specified.",
        )),
        Some(_) => Err(RequestRefusal::at(
            "parallel_tool_calls",
            "'parallel_tool_calls' must be a boolean.",
        )),
    }
}

/// Checks the value of `tools`. Returns the names of the tools; none where the value is absent.
pub(crate) fn tool_names(tools: Option<&Value>) -> Result<Option<Vec<&str>>, RequestRefusal> {
    let tools = match tools {
        None | Some(Value::Null) => return Ok(None),
        Some(tools) => tools,
    };
    let tools = tools
        .as_array()
        .ok_or_else(|| RequestRefusal::at("tools", "'tools' must be an array."))?;
    if tools.is_empty() {
        return Err(RequestRefusal::at(
            "tools",
            "[] is too short: leave 'tools' out where there are none.",
        ));
    }
    if tools.len() > MAX_OFFERED_TOOLS {
        return Err(RequestRefusal::at(
            "tools",
            format!(
                "'tools' has {} entries; at most {MAX_OFFERED_TOOLS} are allowed.",
                tools.len()
            ),
        ));
    }
    let mut known = HashSet::with_capacity(tools.len());
    let mut names = Vec::with_capacity(tools.len());
    for (index, tool) in tools.iter().enumerate() {
        let name = tool_name(tool, index)?;
        names.push(name);
        if !known.insert(name) {
            return Err(RequestRefusal::at(
                format!("tools.[{index}].function.name"),
                format!("Two tools have the name '{name}'."),
            ));
        }
    }
    Ok(Some(names))
}

fn tool_name(tool: &Value, index: usize) -> Result<&str, RequestRefusal> {
    let refuse =
        |field: &str, reason: &str| RequestRefusal::at(format!("tools.[{index}]{field}"), reason);
    let tool = tool
        .as_object()
        .ok_or_else(|| refuse("", "A tool must be an object."))?;
    if tool.get("type").and_then(Value::as_str) != Some("function") {
        return Err(refuse(".type", "A tool must have the type 'function'."));
    }
    let function = tool
        .get("function")
        .and_then(Value::as_object)
        .ok_or_else(|| refuse(".function", "A tool needs a 'function' object."))?;
    for (field, is_right) in [
        ("description", Value::is_string as fn(&Value) -> bool),
        ("parameters", Value::is_object),
        ("strict", Value::is_boolean),
    ] {
        if let Some(value) = function.get(field)
            && !is_right(value)
            && !(field == "strict" && value.is_null())
        {
            return Err(refuse(
                &format!(".function.{field}"),
                &format!("'{field}' of a function is of the wrong type."),
            ));
        }
    }
    function
        .get("name")
        .and_then(Value::as_str)
        .filter(|name| is_function_name(name))
        .ok_or_else(|| {
            refuse(
                ".function.name",
                "A function name must match the pattern '^[a-zA-Z0-9_-]{1,64}$'.",
            )
        })
}

fn check_choice<N: AsRef<str>>(
    choice: Option<&Value>,
    names: Option<&[N]>,
) -> Result<(), RequestRefusal> {
    let choice = match choice {
        None | Some(Value::Null) => return Ok(()),
        Some(choice) => choice,
    };
    let Some(names) = names else {
        return Err(RequestRefusal::at(
            "tool_choice",
            "'tool_choice' is only allowed when 'tools' are specified.",
        ));
    };
    if let Some(word) = choice.as_str() {
        return if ["none", "auto", "required"].contains(&word) {
            Ok(())
        } else {
            Err(RequestRefusal::at(
                "tool_choice",
                format!(
                    "Invalid value: '{word}'. Supported values are: 'none', 'auto', and 'required'."
                ),
            ))
        };
    }
    let wanted = choice["function"]["name"].as_str();
    let is_offered = names.iter().any(|name| Some(name.as_ref()) == wanted);
    if choice["type"] == "function" && is_offered {
        return Ok(());
    }
    Err(RequestRefusal::at(
        "tool_choice",
        "'tool_choice' must be a string or name a function of 'tools'.",
    ))
}
