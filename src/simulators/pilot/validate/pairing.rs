//! The pairing of tool calls and results: each call is answered once, right after its message, and
//! no result lacks a call.

use serde_json::Value;

use super::RequestRefusal;

pub(super) fn check_pairing(messages: &[Value]) -> Result<(), RequestRefusal> {
    let mut open: Vec<&str> = Vec::new();
    let mut answered: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if let Some(id) = message["tool_call_id"].as_str() {
            match_result(id, index, &mut open, &mut answered)?;
            continue;
        }
        check_all_answered(&open, index)?;
        answered.clear();
        open = call_ids(message);
    }
    check_all_answered(&open, messages.len())
}

fn call_ids(message: &Value) -> Vec<&str> {
    message["tool_calls"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|call| call["id"].as_str())
        .collect()
}

fn match_result<'a>(
    id: &'a str,
    index: usize,
    open: &mut Vec<&'a str>,
    answered: &mut Vec<&'a str>,
) -> Result<(), RequestRefusal> {
    let Some(place) = open.iter().position(|call| *call == id) else {
        return Err(if answered.contains(&id) {
            RequestRefusal::at(
                format!("messages.[{index}].tool_call_id"),
                format!("The tool call '{id}' has been answered already."),
            )
        } else {
            RequestRefusal::at(
                format!("messages.[{index}].role"),
                format!(
                    "messages with role 'tool' must be a response to a preceding message with 'tool_calls': \
                     the message before holds no call '{id}'."
                ),
            )
        });
    };
    answered.push(open.remove(place));
    Ok(())
}

fn check_all_answered(open: &[&str], index: usize) -> Result<(), RequestRefusal> {
    if open.is_empty() {
        return Ok(());
    }
    Err(RequestRefusal::at(
        format!("messages.[{index}].role"),
        format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: {}",
            open.join(", ")
        ),
    ))
}
