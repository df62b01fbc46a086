//! The registration code. It is put into calls of `register` on their way to the game, and nowhere
//! else.
//!
//! No model is asked for the code, so no model can reveal it. The stored form of a call does not
//! contain it.

use std::sync::Arc;

use actors::ports::LinkCall;
use serde_json::Value;

use zoea_mcp::ListedTool;
use zoea_spacemolt::commands;

/// The command that needs the code.
const REGISTER: &str = "register";
/// The tool that has it as an action, among others that may need a code of their own.
const ACCOUNT_TOOL: &str = "spacemolt_auth";
const CODE_ARGUMENT: &str = "registration_code";

/// The call that the game gets. The code replaces whatever the model wrote in its place.
pub(super) fn with_code(mut call: LinkCall, code: &Arc<str>) -> LinkCall {
    if commands::command(&call.tool, &call.arguments) == REGISTER {
        let code = Value::String(code.to_string());
        call.arguments.insert(CODE_ARGUMENT.to_string(), code);
    }
    call
}

/// The tool that a model sees.
pub(super) fn without_code(tool: ListedTool) -> ListedTool {
    if &*tool.name == ACCOUNT_TOOL {
        let without = tool.description.replace(
            "register(username, empire, registration_code)",
            "register(username, empire)",
        );
        return ListedTool {
            description: without.into(),
            ..tool
        };
    }
    if &*tool.name != REGISTER {
        return tool;
    }
    let Ok(mut schema) = serde_json::from_str::<Value>(&tool.schema) else {
        return tool;
    };
    let properties = schema.get_mut("properties");
    if let Some(properties) = properties.and_then(Value::as_object_mut) {
        properties.remove(CODE_ARGUMENT);
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name != CODE_ARGUMENT);
    }
    ListedTool {
        schema: schema.to_string().into(),
        ..tool
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn the_code_takes_the_place_of_what_a_model_wrote_in_that_tool_alone() {
        let sent = |tool: &str, arguments: Value| {
            let call = LinkCall {
                tool: tool.into(),
                arguments: arguments.as_object().unwrap().clone(),
                call_id: "1".to_string(),
                timeout: Duration::ZERO,
                context: None,
                takes_task: false,
            };
            with_code(call, &"REG-7".into()).arguments[CODE_ARGUMENT].clone()
        };
        let own = || json!({"username": "Quill", "registration_code": "mine"});
        assert_eq!(sent("register", own()), "REG-7");
        let action = json!({"action": "register", "username": "Quill"});
        assert_eq!(sent("spacemolt_auth", action), "REG-7");
        assert_eq!(sent("mine", own()), "mine");
    }

    #[test]
    fn a_model_is_not_asked_for_the_code() {
        let seen = |name: &str| {
            let schema = json!({
                "properties": {"username": {"type": "string"}, "registration_code": {"type": "string"}},
                "required": ["username", "registration_code"],
            });
            without_code(ListedTool {
                name: name.into(),
                description: "".into(),
                schema: schema.to_string().into(),
                read_only_hint: None,
                annotations: "".into(),
            })
            .schema
        };
        let without =
            json!({"properties": {"username": {"type": "string"}}, "required": ["username"]});
        assert_eq!(*seen("register"), *without.to_string());
        assert!(seen("check_code").contains("registration_code"));
    }
}
