//! Answers: reading what a model server says, in whatever form it says it.

use actors::domain::model::{AskedCall, ModelAnswer, ModelFault, Usage};
use serde_json::Value;

use super::failure;

/// Reads an answer. Nonsense inside it is no fault; only an answer without any choice is one.
pub(super) fn read(body: Value) -> Result<ModelAnswer, ModelFault> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Err(told_off(error, &body));
    }
    let Some(choice) = body.pointer("/choices/0") else {
        return Err(ModelFault::Empty {
            text: "the answer holds no choice".to_string(),
            usage: usage(&body["usage"]),
        });
    };
    let message = choice.get("message").unwrap_or(&Value::Null);
    let (text, thought) = without_thoughts(&text_of(&message["content"]));
    let reasoning = ["reasoning_content", "reasoning", "thinking"]
        .into_iter()
        .map(|key| text_of(&message[key]))
        .chain([thoughts_of(&message["content"])])
        .find(|text| !text.trim().is_empty())
        .or(thought);
    Ok(ModelAnswer {
        text,
        reasoning,
        calls: calls(message),
        finish_reason: choice["finish_reason"].as_str().map(str::to_string),
        usage: usage(&body["usage"]),
        model: body["model"].as_str().map(str::to_string),
    })
}

/// Some servers put a failure into an answer of status 200.
fn told_off(error: &Value, body: &Value) -> ModelFault {
    let status = error["code"]
        .as_u64()
        .or_else(|| error["status"].as_u64())
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code))
        .unwrap_or(500);
    failure::refused(status, &body.to_string(), None)
}

/// A text, or the text parts of a list.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part.as_str().or_else(|| part["text"].as_str()))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// The thoughts among the parts of a content.
pub(super) fn thoughts_of(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    parts.map(|part| text_of(&part["thinking"])).collect()
}

/// A text without the thoughts that some models write into it.
fn without_thoughts(text: &str) -> (String, Option<String>) {
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        let Some(start) = text.find(open) else {
            continue;
        };
        let (before, rest) = (&text[..start], &text[start + open.len()..]);
        let (thought, after) = rest.split_once(close).unwrap_or((rest, ""));
        let said = format!("{}{}", before.trim(), after.trim());
        return (said, Some(thought.trim().to_string()));
    }
    // Templates that open the thought themselves leave only its end.
    if let Some((thought, said)) = text.split_once("</think>") {
        return (said.trim().to_string(), Some(thought.trim().to_string()));
    }
    (text.to_string(), None)
}

/// The calls; a server of the first days knows one, without an id.
fn calls(message: &Value) -> Vec<AskedCall> {
    let calls = message["tool_calls"].as_array();
    let calls = calls.map_or(&[][..], Vec::as_slice);
    let old = message.get("function_call").filter(|call| call.is_object());
    let old = old.filter(|_| calls.is_empty());
    calls
        .iter()
        .chain(old)
        .map(|call| {
            let function = call.get("function").unwrap_or(call);
            AskedCall {
                id: call["id"].as_str().unwrap_or_default().to_string(),
                name: function["name"].as_str().unwrap_or_default().to_string(),
                arguments: arguments(&function["arguments"]),
            }
        })
        .collect()
}

/// Arguments as text; some servers send the object itself.
fn arguments(arguments: &Value) -> String {
    match arguments.as_str() {
        Some(text) => text.to_string(),
        None if arguments.is_null() => "{}".to_string(),
        None => arguments.to_string(),
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    let count = |path: &str| usage.pointer(path).and_then(tokens);
    let input = count("/prompt_tokens").or_else(|| count("/input_tokens"));
    let output = count("/completion_tokens").or_else(|| count("/output_tokens"));
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Usage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: [
            "/prompt_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
            "/cache_read_input_tokens",
        ]
        .into_iter()
        .find_map(count)
        .unwrap_or(0),
    })
}

/// A number of tokens, also as a text or with a point; nothing below zero is one.
fn tokens(value: &Value) -> Option<u64> {
    if let Some(text) = value.as_str() {
        return text.trim().parse().ok();
    }
    value.as_u64().or_else(|| {
        let count = value.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, not negative and below 2^53"
        )]
        (count.fract() == 0.0 && (0.0..9e15).contains(&count)).then_some(count as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(message: Value) -> ModelAnswer {
        read(json!({"choices": [{"message": message, "finish_reason": "stop"}]})).unwrap()
    }

    #[test]
    fn content_is_read_as_text_null_or_parts() {
        assert_eq!(answer(json!({"content": "hi"})).text, "hi");
        assert_eq!(answer(json!({"content": null})).text, "");
        let parts = json!({"content": [{"type": "text", "text": "a"}, {"type": "image"}, "b"]});
        assert_eq!(answer(parts).text, "ab");
    }

    #[test]
    fn reasoning_is_found_wherever_it_stands() {
        for message in [
            json!({"content": "hi", "reasoning_content": "why"}),
            json!({"content": "hi", "reasoning": "why"}),
            json!({"content": "hi", "reasoning_content": "why", "reasoning": "why"}),
            json!({"content": "<think>why</think>\n\nhi"}),
            json!({"content": "why</think>hi"}),
        ] {
            let answer = answer(message);
            assert_eq!(answer.text, "hi");
            assert_eq!(answer.reasoning.as_deref(), Some("why"));
        }
        let cut = answer(json!({"content": "<think>on and on"}));
        assert_eq!(
            (cut.text.as_str(), cut.reasoning.as_deref()),
            ("", Some("on and on"))
        );
    }

    #[test]
    fn calls_are_kept_letter_for_letter_also_odd_ones() {
        let calls = answer(json!({"content": null, "tool_calls": [
            {"id": "x", "type": "function", "function": {"name": "mine", "arguments": "{\"a\":1}"}},
            {"function": {"name": "game<|channel|>x", "arguments": {"a": 1}}},
            {"id": null, "function": {"name": null}},
            "nonsense",
        ]}))
        .calls;
        let call = |id: &str, name: &str, arguments: &str| AskedCall {
            id: id.to_string(),
            name: name.to_string(),
            arguments: arguments.to_string(),
        };
        assert_eq!(
            calls,
            [
                call("x", "mine", "{\"a\":1}"),
                call("", "game<|channel|>x", "{\"a\":1}"),
                call("", "", "{}"),
                call("", "", "{}"),
            ]
        );
    }

    #[test]
    fn usage_may_be_absent_null_or_odd() {
        let usage_of = |value: Value| {
            read(json!({"choices": [{"message": {}}], "usage": value}))
                .unwrap()
                .usage
        };
        assert_eq!(usage_of(Value::Null), None);
        assert_eq!(usage_of(json!({})), None);
        assert_eq!(usage_of(json!("many")), None);
        assert_eq!(
            usage_of(json!({"prompt_tokens": 7, "completion_tokens": null,
                "prompt_tokens_details": {"cached_tokens": 3}})),
            Some(Usage {
                input: 7,
                output: 0,
                cached: 3
            })
        );
    }

    #[test]
    fn an_answer_without_a_choice_and_an_error_in_disguise_are_faults() {
        for body in [json!({}), json!({"choices": []}), json!([]), json!(null)] {
            assert!(matches!(read(body), Err(ModelFault::Empty { .. })));
        }
        let denied = json!({"error": {"message": "no credit", "code": 401}});
        assert!(matches!(read(denied), Err(ModelFault::Permanent { .. })));
        let busy = json!({"error": {"message": "busy"}, "choices": []});
        assert!(matches!(read(busy), Err(ModelFault::Transient { .. })));
    }
}
