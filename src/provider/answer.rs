//! Answers: reading what a model server says, in whatever form it says it.

use actors::domain::bounds::{self, MAX_ARGUMENTS_BYTES, MAX_REFUSAL_BYTES, MAX_TAKEN_BYTES};
use actors::domain::model::{ModelAnswer, ModelFault, RequestedCall, TokenUsage};
use serde_json::Value;

use super::failure;
use super::json::{as_text, first_element, for_each_element, member, member_at, pick};

/// Calls of one answer that are looked at: more than are made, so that the operator hears of them.
pub(super) const MAX_CALLS_READ: usize = 16 * bounds::MAX_CALLS;
/// Parts of a text that are looked at.
const MAX_PARTS_READ: usize = 4096;
/// Where servers put reasoning.
const REASONING_KEYS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];
/// Arguments beyond this stay as they were written.
const MAX_COMPACTED_BYTES: usize = 64 << 10;

/// Reads an answer. Nonsense inside it is no fault; only an answer without any choice is one.
pub(super) fn parse_answer(body: &str) -> Result<ModelAnswer, ModelFault> {
    let [error, choices, spent, model] = pick(body, ["error", "choices", "usage", "model"]);
    if let Some(error) = error {
        return Err(embedded_refusal(error, body));
    }
    let Some(choice) = choices.and_then(first_element) else {
        return Err(ModelFault::Empty {
            text: "the answer holds no choice".to_string(),
            usage: spent.and_then(parse_usage),
        });
    };
    let [message, finish_reason] = pick(choice, ["message", "finish_reason"]);
    let message = message.unwrap_or("null");
    let content = member(message, "content").unwrap_or("null");
    let (said, thought) = without_thoughts(&text_of(content));
    let reasoning = REASONING_KEYS
        .into_iter()
        .map(|key| member(message, key).map(text_of).unwrap_or_default())
        .chain([thoughts_of(content)])
        .find(|text| !text.trim().is_empty())
        .or(thought);
    Ok(ModelAnswer {
        text: bounds::bounded_text(said, MAX_TAKEN_BYTES),
        reasoning: reasoning.map(|text| bounds::bounded_text(text, MAX_TAKEN_BYTES)),
        calls: parse_calls(message),
        finish_reason: finish_reason.and_then(as_text).map(bounds::bounded_name),
        usage: spent.and_then(parse_usage),
        model: model.and_then(as_text).map(bounds::bounded_name),
        doubt: None,
    })
}

/// Some servers put a failure into an answer of status 200.
fn embedded_refusal(error: &str, body: &str) -> ModelFault {
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
    failure::refusal_fault(status, shown, None)
}

/// A text, or the text parts of a list.
pub(super) fn text_of(content: &str) -> String {
    if let Some(text) = as_text(content) {
        return text;
    }
    join_parts(content, |part| {
        as_text(part).or_else(|| member(part, "text").and_then(as_text))
    })
}

/// The texts of the parts of a list, as many as anybody could want.
fn join_parts(parts: &str, text_of: impl Fn(&str) -> Option<String>) -> String {
    let (mut joined, mut count) = (String::new(), 0);
    for_each_element(parts, |part| {
        joined += &text_of(part).unwrap_or_default();
        count += 1;
        count < MAX_PARTS_READ
    });
    joined
}

/// The thoughts among the parts of a content.
pub(super) fn thoughts_of(content: &str) -> String {
    join_parts(content, |part| member(part, "thinking").map(text_of))
}

/// The first of the places of reasoning in which there is some.
pub(super) fn reasoning_of(message: &str) -> Option<String> {
    let places = REASONING_KEYS.into_iter();
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
fn parse_calls(message: &str) -> Vec<RequestedCall> {
    let [listed, old] = pick(message, ["tool_calls", "function_call"]);
    let mut calls = Vec::new();
    let mut room = MAX_ARGUMENTS_BYTES;
    let mut take = |json: &str| {
        let call = parse_call(json, room);
        room = room.saturating_sub(call.arguments.len());
        calls.push(call);
        calls.len() < MAX_CALLS_READ
    };
    for_each_element(listed.unwrap_or("[]"), &mut take);
    if let Some(old) = old.filter(|old| old.starts_with('{'))
        && listed.and_then(first_element).is_none()
    {
        take(old);
    }
    calls
}

fn parse_call(call: &str, room: usize) -> RequestedCall {
    let [id, function] = pick(call, ["id", "function"]);
    let [name, written] = pick(function.unwrap_or(call), ["name", "arguments"]);
    let name_of =
        |json: Option<&str>| bounds::bounded_name(json.and_then(as_text).unwrap_or_default());
    RequestedCall {
        id: name_of(id),
        name: name_of(name),
        arguments: bounds::bounded_arguments(
            written.map_or("{}".to_string(), arguments_text),
            room,
        ),
    }
}

/// Arguments as text; some servers send the object itself.
pub(super) fn arguments_text(arguments: &str) -> String {
    if let Some(text) = as_text(arguments) {
        return text;
    }
    if arguments.len() > MAX_COMPACTED_BYTES {
        return arguments.to_string();
    }
    let compact = serde_json::from_str::<Value>(arguments).map(|value| value.to_string());
    compact.unwrap_or_else(|_| arguments.to_string())
}

fn parse_usage(usage: &str) -> Option<TokenUsage> {
    let count = |path: &[&str]| member_at(usage, path).and_then(parse_tokens);
    let input = count(&["prompt_tokens"]).or_else(|| count(&["input_tokens"]));
    let output = count(&["completion_tokens"]).or_else(|| count(&["output_tokens"]));
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(TokenUsage {
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
fn parse_tokens(json: &str) -> Option<u64> {
    let written = as_text(json);
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
        parse_answer(&body.to_string()).unwrap()
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
        let call = |id: &str, name: &str, arguments: &str| RequestedCall {
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
            parse_answer(&body.to_string()).unwrap().usage
        };
        assert_eq!(usage_of(Value::Null), None);
        assert_eq!(usage_of(json!({})), None);
        assert_eq!(usage_of(json!("many")), None);
        assert_eq!(
            usage_of(json!({"prompt_tokens": 7, "completion_tokens": null,
                "prompt_tokens_details": {"cached_tokens": 3}})),
            Some(TokenUsage {
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
                parse_answer(&body.to_string()),
                Err(ModelFault::Empty { .. })
            ));
        }
        let denied = json!({"error": {"message": "no credit", "code": 401}});
        assert!(matches!(
            parse_answer(&denied.to_string()),
            Err(ModelFault::Permanent { .. })
        ));
        let busy = json!({"error": {"message": "busy"}, "choices": []});
        assert!(matches!(
            parse_answer(&busy.to_string()),
            Err(ModelFault::Transient { .. })
        ));
    }

    #[test]
    fn usage_of_any_size_is_a_number() {
        let input = |told: &str| {
            let body = format!(r#"{{"choices": [{{}}], "usage": {{"prompt_tokens": {told}}}}}"#);
            parse_answer(&body).unwrap().usage.map(|usage| usage.input)
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
