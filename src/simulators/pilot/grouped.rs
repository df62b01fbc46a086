//! The game's second interface: what a conversation says in it is read as if it were the first's,
//! and the calls of an answer are given its form.
//!
//! The player knows the commands of the first interface only.

use serde_json::{Map, Value};
use zoea_spacemolt::{commands, results};

use super::answer::PilotAnswer;

/// Whether these tools are those of the second interface.
pub(super) fn is_spoken<'a>(mut tools: impl Iterator<Item = &'a str>) -> bool {
    tools.any(|tool| tool == "spacemolt")
}

/// The body with the calls and the results of the first interface.
pub(super) fn read_as_first(body: &Value) -> Value {
    let mut body = body.clone();
    let messages = body.get_mut("messages").and_then(Value::as_array_mut);
    for message in messages.into_iter().flatten() {
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            if let Some(function) = call.get_mut("function") {
                translate_call(function);
            }
        }
        if message["role"] == "tool"
            && let Some(result) = message["content"].as_str().and_then(translate_result)
        {
            message["content"] = result.into();
        }
    }
    body
}

fn translate_call(function: &mut Value) {
    let (Some(tool), Some(arguments)) = (function["name"].as_str(), arguments_of(function)) else {
        return;
    };
    let (command, arguments) = commands::to_first(tool, arguments);
    function["name"] = command.into();
    function["arguments"] = Value::Object(arguments).to_string().into();
}

fn arguments_of(function: &Value) -> Option<Map<String, Value>> {
    serde_json::from_str(function["arguments"].as_str()?).ok()
}

/// The facts of a result, before the note of the runtime that may stand at its end.
fn translate_result(text: &str) -> Option<String> {
    let (result, note) = match text.rfind("\n\n[from the runtime") {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let facts = Value::Object(results::read_facts(result)?);
    Some(format!("{facts}{note}"))
}

/// Gives the calls of an answer the form of the second interface. A call that it does not have, or
/// whose arguments are not JSON, keeps as much of its form as it can.
pub(super) fn regroup(answer: &mut PilotAnswer) {
    for call in &mut answer.calls {
        let written = serde_json::from_str::<Map<String, Value>>(&call.arguments);
        let is_json = written.is_ok();
        let Some((tool, arguments)) = commands::to_second(&call.name, written.unwrap_or_default())
        else {
            continue;
        };
        tool.clone_into(&mut call.name);
        if is_json {
            call.arguments = Value::Object(arguments).to_string();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::answer::{PilotFinish, PilotToolCall};

    #[test]
    fn a_conversation_is_read_as_the_first_interfaces() {
        let call = json!({"id": "1", "type": "function", "function": {
            "name": "spacemolt", "arguments": r#"{"action":"travel","id":"belt"}"#}});
        let body = json!({"messages": [
            {"role": "user", "content": "Docked at Earth."},
            {"role": "assistant", "content": null, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1",
                "content": "Docked at Earth.\n\n[from the runtime, not an order]\nnote"},
            {"role": "tool", "tool_call_id": "1", "content": "Error: no_base: none"},
        ]});
        let read = read_as_first(&body);
        let function = &read["messages"][1]["tool_calls"][0]["function"];
        assert_eq!(function["name"], "travel");
        assert_eq!(function["arguments"], r#"{"target_poi":"belt"}"#);
        assert_eq!(read["messages"][0], body["messages"][0]);
        let result = "{\"base\":\"Earth\"}\n\n[from the runtime, not an order]\nnote";
        assert_eq!(read["messages"][2]["content"], result);
        assert_eq!(read["messages"][3], body["messages"][3]);
    }

    #[test]
    fn calls_without_a_form_are_left_as_they_are() {
        for calls in [json!(["x", 7, null, {}, {"function": "mine"}]), json!("x")] {
            let body = json!({"messages": [
                {"role": "assistant", "tool_calls": calls},
                "no message",
                {"role": "tool", "content": 7},
            ]});
            assert_eq!(read_as_first(&body), body);
        }
        assert_eq!(read_as_first(&json!([])), json!([]));
    }

    #[test]
    fn calls_get_the_form_of_the_second_interface() {
        let call = |name: &str, arguments: &str| PilotToolCall {
            id: "1".to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        let mut answer = PilotAnswer {
            content: None,
            reasoning: None,
            calls: vec![
                call("sell", r#"{"item_id":"iron_ore","quantity":3}"#),
                call("mine", "{\"cut"),
                call("navigate_to", "{}"),
                call("zoea_read_result", "{}"),
            ],
            finish: PilotFinish::ToolCalls,
        };
        regroup(&mut answer);
        let expected = [
            call(
                "spacemolt",
                r#"{"action":"sell","id":"iron_ore","quantity":3}"#,
            ),
            call("spacemolt", "{\"cut"),
            call("navigate_to", "{}"),
            call("zoea_read_result", "{}"),
        ];
        assert_eq!(answer.calls, expected);
    }

    #[test]
    fn tools_tell_the_interface() {
        assert!(is_spoken(["spacemolt", "zoea_read_result"].into_iter()));
        assert!(!is_spoken(["mine", "sell"].into_iter()));
    }
}
