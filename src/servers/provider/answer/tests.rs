//! Tests of how answers are read and put together.

mod repeats;

use actors::domain::model::RequestedCall;
use serde_json::{Value, json};

use super::calls::MAX_CALLS_READ;
use super::*;

fn read(body: &str) -> Result<ModelAnswer, ModelFault> {
    ReceivedAnswer::from_body(body).into_model_answer(&Redactor::default())
}

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
fn a_secret_is_found_though_it_came_in_several_pieces() {
    let secrets = Redactor::new(["sesame-4711".into()]);
    let call = |arguments: &str| json!([{"index": 0, "function": {"arguments": arguments}}]);
    let mut answer = ReceivedAnswer::default();
    for (text, arguments) in [("say sesa", "{\"key\":\"ses"), ("me-4711!", "ame-4711\"}")] {
        let delta = json!({"content": text, "reasoning": text, "tool_calls": call(arguments)});
        answer.add(&json!({"choices": [{"delta": delta}]}).to_string());
    }
    let answer = answer.into_model_answer(&secrets).unwrap();
    assert_eq!(answer.text, "say [redacted]!");
    assert_eq!(answer.reasoning.as_deref(), Some("say [redacted]!"));
    assert_eq!(answer.calls[0].arguments, "{\"key\":\"[redacted]\"}");
    let refused = r#"{"error": {"message": "no such key: sesame-4711"}}"#;
    let fault = ReceivedAnswer::from_body(refused).into_model_answer(&secrets);
    let text = fault.unwrap_err().text().to_string();
    assert_eq!(text, "HTTP 500: no such key: [redacted]");
}

#[test]
fn pieces_of_two_calls_are_told_apart_also_where_indexes_are_floats_or_texts() {
    for [one, two] in [
        [json!(0), json!(1)],
        [json!(0.0), json!(1.0)],
        [json!("0"), json!("1")],
    ] {
        let mut answer = ReceivedAnswer::default();
        for (index, arguments) in [
            (&one, "{\"a\":"),
            (&two, "{\"b\":"),
            (&one, "1}"),
            (&two, "2}"),
        ] {
            let piece = json!({"index": index, "function": {"name": "", "arguments": arguments}});
            let delta = json!({"tool_calls": [piece]});
            answer.add(&json!({"choices": [{"delta": delta}]}).to_string());
        }
        let answer = answer.into_model_answer(&Redactor::default()).unwrap();
        let arguments: Vec<&str> = answer.calls.iter().map(|call| &*call.arguments).collect();
        assert_eq!(arguments, ["{\"a\":1}", "{\"b\":2}"], "{one}");
    }
}

#[test]
fn an_end_that_names_no_reason_is_none() {
    let mut answer = ReceivedAnswer::default();
    for none in ["null", "", "None"] {
        let piece = json!({"delta": {"content": "Off."}, "finish_reason": none, "native_finish_reason": none});
        answer.add(&json!({"choices": [piece]}).to_string());
        assert!(!answer.is_finished(), "{none}");
    }
    answer.add(&json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}).to_string());
    assert!(answer.is_finished());
    let answer = answer.into_model_answer(&Redactor::default()).unwrap();
    assert_eq!(answer.text, "Off.Off.Off.");
    assert_eq!(answer.finish_reason.as_deref(), Some("stop"));
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
        Some(TokenUsage {
            input: 7,
            output: 0,
            cached: 3
        })
    );
}

#[test]
fn a_cost_is_read_in_every_form_in_which_servers_state_it() {
    let cost_of = |usage: Value| {
        let body = json!({"choices": [{"message": {}}], "usage": usage});
        read(&body.to_string()).unwrap().stated_cost
    };
    for (usage, micros) in [
        (json!({"cost": 0.00123}), Some(1230)),
        (json!({"cost": "0.00123"}), Some(1230)),
        (
            json!({"cost": {"total_cost": 0.006, "request_cost": 0.005}}),
            Some(6000),
        ),
        (json!({"estimated_cost": 0.000_042}), Some(42)),
        (
            json!({"cost": 0.001, "is_byok": true, "cost_details": {"upstream_inference_cost": 0.02}}),
            Some(21_000),
        ),
        (
            json!({"cost": 0.001, "is_byok": false, "cost_details": {"upstream_inference_cost": 0.001}}),
            Some(1000),
        ),
        (json!({"cost": null}), None),
        (json!({"cost": -1}), None),
        (json!({"cost": "NaN"}), None),
        (json!({"cost": 1e300}), Some(u64::MAX)),
    ] {
        assert_eq!(cost_of(usage.clone()), micros, "{usage}");
    }
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
    let input = |text: &str| {
        let body = format!(r#"{{"choices": [{{}}], "usage": {{"prompt_tokens": {text}}}}}"#);
        read(&body).unwrap().usage.map(|usage| usage.input)
    };
    for (text, read) in [
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
        assert_eq!(input(text), read, "{text}");
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
            ("[no id: 4194304 bytes]", "[no name: 4194304 bytes]")
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
