//! Answers: reading what a model server says, in whatever form it says it.

use actors::domain::bounds::{self, MAX_ARGUMENTS_BYTES, MAX_REFUSAL_BYTES, MAX_TAKEN_BYTES};
use actors::domain::model::{AskedCall, ModelAnswer, ModelFault, Usage};
use serde_json::Value;

use super::failure;
use super::json::{at, each, first, member, pick, text};

/// Calls of one answer that are looked at: more than are made, so that the operator hears of them.
pub(super) const MAX_CALLS_READ: usize = 16 * bounds::MAX_CALLS;
/// Parts of a text that are looked at.
const MAX_PARTS_READ: usize = 4096;
/// Where servers put reasoning.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];
/// Arguments beyond this stay as they were written.
const COMPACTED: usize = 64 << 10;

/// Reads an answer. Nonsense inside it is no fault; only an answer without any choice is one.
pub(super) fn read(body: &str) -> Result<ModelAnswer, ModelFault> {
    let [error, choices, spent, model] = pick(body, ["error", "choices", "usage", "model"]);
    if let Some(error) = error {
        return Err(told_off(error, body));
    }
    let Some(choice) = choices.and_then(first) else {
        return Err(ModelFault::Empty {
            text: "the answer holds no choice".to_string(),
            usage: spent.and_then(usage),
        });
    };
    let [message, finish_reason] = pick(choice, ["message", "finish_reason"]);
    let message = message.unwrap_or("null");
    let content = member(message, "content").unwrap_or("null");
    let (said, thought) = without_thoughts(&text_of(content));
    let reasoning = REASONING
        .into_iter()
        .map(|key| member(message, key).map(text_of).unwrap_or_default())
        .chain([thoughts_of(content)])
        .find(|text| !text.trim().is_empty())
        .or(thought);
    Ok(ModelAnswer {
        text: bounds::within(said, MAX_TAKEN_BYTES),
        reasoning: reasoning.map(|text| bounds::within(text, MAX_TAKEN_BYTES)),
        calls: calls(message),
        finish_reason: finish_reason.and_then(text).map(bounds::name),
        usage: spent.and_then(usage),
        model: model.and_then(text).map(bounds::name),
        doubt: None,
    })
}

/// Some servers put a failure into an answer of status 200.
fn told_off(error: &str, body: &str) -> ModelFault {
    let code = |key| {
        let code = member(error, key).and_then(|code| code.parse::<u16>().ok());
        code.filter(|code| (400..600).contains(code))
    };
    let status = code("code").or_else(|| code("status")).unwrap_or(500);
    let shown = if body.len() > MAX_REFUSAL_BYTES {
        &error[..error.floor_char_boundary(MAX_REFUSAL_BYTES)]
    } else {
        body
    };
    failure::refused(status, shown, None)
}

/// A text, or the text parts of a list.
pub(super) fn text_of(content: &str) -> String {
    if let Some(text) = text(content) {
        return text;
    }
    joined(content, |part| {
        text(part).or_else(|| member(part, "text").and_then(text))
    })
}

/// The texts of the parts of a list, as many as anybody could want.
fn joined(parts: &str, text_of: impl Fn(&str) -> Option<String>) -> String {
    let (mut joined, mut count) = (String::new(), 0);
    each(parts, |part| {
        joined += &text_of(part).unwrap_or_default();
        count += 1;
        count < MAX_PARTS_READ
    });
    joined
}

/// The thoughts among the parts of a content.
pub(super) fn thoughts_of(content: &str) -> String {
    joined(content, |part| member(part, "thinking").map(text_of))
}

/// The first of the places of reasoning in which there is some.
pub(super) fn reasoning_of(message: &str) -> Option<String> {
    let places = REASONING.into_iter();
    let mut texts = places.filter_map(|key| member(message, key)).map(text_of);
    texts.find(|text| !text.is_empty())
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
fn calls(message: &str) -> Vec<AskedCall> {
    let [listed, old] = pick(message, ["tool_calls", "function_call"]);
    let mut calls = Vec::new();
    let mut room = MAX_ARGUMENTS_BYTES;
    let mut take = |json: &str| {
        let call = call(json, room);
        room = room.saturating_sub(call.arguments.len());
        calls.push(call);
        calls.len() < MAX_CALLS_READ
    };
    each(listed.unwrap_or("[]"), &mut take);
    if let Some(old) = old.filter(|old| old.starts_with('{'))
        && listed.and_then(first).is_none()
    {
        take(old);
    }
    calls
}

fn call(call: &str, room: usize) -> AskedCall {
    let [id, function] = pick(call, ["id", "function"]);
    let [name, written] = pick(function.unwrap_or(call), ["name", "arguments"]);
    let name_of = |json: Option<&str>| bounds::name(json.and_then(text).unwrap_or_default());
    AskedCall {
        id: name_of(id),
        name: name_of(name),
        arguments: bounds::arguments(written.map_or("{}".to_string(), arguments), room),
    }
}

/// Arguments as text; some servers send the object itself.
pub(super) fn arguments(arguments: &str) -> String {
    if let Some(text) = text(arguments) {
        return text;
    }
    if arguments.len() > COMPACTED {
        return arguments.to_string();
    }
    let compact = serde_json::from_str::<Value>(arguments).map(|value| value.to_string());
    compact.unwrap_or_else(|_| arguments.to_string())
}

fn usage(usage: &str) -> Option<Usage> {
    let count = |path: &[&str]| at(usage, path).and_then(tokens);
    let input = count(&["prompt_tokens"]).or_else(|| count(&["input_tokens"]));
    let output = count(&["completion_tokens"]).or_else(|| count(&["output_tokens"]));
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Usage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: [
            &["prompt_tokens_details", "cached_tokens"][..],
            &["prompt_cache_hit_tokens"],
            &["cache_read_input_tokens"],
        ]
        .into_iter()
        .find_map(count)
        .unwrap_or(0),
    })
}

/// A number of tokens, also as a text or with a point; nothing below zero is one, and what is too
/// large for any count is the largest.
fn tokens(json: &str) -> Option<u64> {
    let written = text(json);
    let written = written.as_deref().unwrap_or(json).trim();
    if let Ok(count) = written.parse() {
        return Some(count);
    }
    let count: f64 = written.parse().ok().filter(|count: &f64| !count.is_nan())?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and what is too large becomes the largest"
    )]
    (count.trunc().total_cmp(&count).is_eq() && count >= 0.0).then_some(count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(message: Value) -> ModelAnswer {
        let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
        read(&body.to_string()).unwrap()
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
            let body = json!({"choices": [{"message": {}}], "usage": value});
            read(&body.to_string()).unwrap().usage
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
            assert!(matches!(
                read(&body.to_string()),
                Err(ModelFault::Empty { .. })
            ));
        }
        let denied = json!({"error": {"message": "no credit", "code": 401}});
        assert!(matches!(
            read(&denied.to_string()),
            Err(ModelFault::Permanent { .. })
        ));
        let busy = json!({"error": {"message": "busy"}, "choices": []});
        assert!(matches!(
            read(&busy.to_string()),
            Err(ModelFault::Transient { .. })
        ));
    }

    #[test]
    fn usage_of_any_size_is_a_number() {
        let input = |told: &str| {
            let body = format!(r#"{{"choices": [{{}}], "usage": {{"prompt_tokens": {told}}}}}"#);
            read(&body).unwrap().usage.map(|usage| usage.input)
        };
        for (told, read) in [
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", Some(u64::MAX)),
            ("1e300", Some(u64::MAX)),
            ("\"36893488147419103232\"", Some(u64::MAX)),
            ("12.0", Some(12)),
            ("12.5", None),
            ("-1", None),
            ("-1e300", None),
            ("\"NaN\"", None),
        ] {
            assert_eq!(input(told), read, "{told}");
        }
    }

    #[test]
    fn of_an_endless_answer_the_beginning_is_kept_and_told() {
        let long = "ore ".repeat(1 << 20);
        let call = json!({"id": long, "function": {"name": long, "arguments": long}});
        let message = json!({
            "content": long,
            "reasoning": long,
            "tool_calls": vec![call; 3],
        });
        let answer = answer(message);
        let reasoning = answer.reasoning.expect("there is some");
        for kept in [answer.text.len(), reasoning.len()] {
            assert!(
                (MAX_TAKEN_BYTES / 2..=MAX_TAKEN_BYTES).contains(&kept),
                "{kept}"
            );
        }
        assert!(answer.text.ends_with("of 4194304 bytes are not kept]"));
        for call in &answer.calls {
            assert_eq!(
                (&*call.id, &*call.name),
                ("[no name: 4194304 bytes]", &*call.id)
            );
            assert!(
                call.arguments.starts_with("[no arguments: "),
                "{}",
                call.arguments
            );
        }
        let many = vec![json!({}); 5 * MAX_CALLS_READ];
        let many = self::answer(json!({"tool_calls": many}));
        assert_eq!(many.calls.len(), MAX_CALLS_READ);
    }
}
