//! The worst answers of a model server.

use serde_json::{Value, json};

use super::server::{Answer, MB, head, list, pieces, streamed, whole};

/// The answer of a model server to the first request. Later ones are normal.
pub(super) fn of_a_model(name: &str) -> Answer {
    const EIGHT: usize = 8 * MB - 64 * 1024;
    let message = |rest: &str| format!(r#"{{"choices":[{{"message":{{{rest}"#);
    let end = r#"}}],"usage":{"prompt_tokens":9}}"#;
    let delta = |delta: &Value| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
    let done =
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    match name {
        "32 MB of objects" => whole(list(r#"{"x":["#, (r#"{"a":0}"#, 32 * MB), "]}")),
        "objects beside the answer" => whole(list(
            r#"{"choices":[{"message":{"content":"yes"}}],"x":["#,
            (r#"{"a":0}"#, EIGHT),
            "]}",
        )),
        "a long text" => whole((
            message(r#""content":""#),
            ("ore \\n\\u00e9".repeat(1024), EIGHT / (10 * 1024) - 40),
            format!("\"{end}"),
        )),
        "a thought in a text" => whole((
            message(r#""content":"<think>"#),
            ("ore ".repeat(1024), EIGHT / 4096),
            format!("</think>yes\"{end}"),
        )),
        "parts of a text" => whole(list(
            &message(r#""content":["#),
            ("\"a\"", EIGHT),
            &format!("]{end}"),
        )),
        "parts that are objects" => whole(list(
            &message(r#""content":["#),
            (r#"{"text":"a","x":[{"a":0}]}"#, EIGHT),
            &format!("]{end}"),
        )),
        "empty calls" => whole(list(
            &message(r#""tool_calls":["#),
            ("{}", EIGHT),
            &format!("]{end}"),
        )),
        "calls that are none" => whole(list(
            &message(r#""tool_calls":["#),
            ("0", EIGHT),
            &format!("]{end}"),
        )),
        "calls with long ids" => {
            let call = json!({"id": "i".repeat(30_000), "function": {"name": "n".repeat(30_000)}});
            whole(list(
                &message(r#""tool_calls":["#),
                (&call.to_string(), EIGHT),
                &format!("]{end}"),
            ))
        }
        "ten thousand calls" => whole(list(
            &message(r#""tool_calls":["#),
            (
                r#"{"id":"c","function":{"name":"mine","arguments":"{}"}}"#,
                540_000,
            ),
            &format!("]{end}"),
        )),
        "an object as arguments" => whole(list(
            &message(r#""tool_calls":[{"function":{"name":"mine","arguments":{"x":["#),
            (r#"{"a":0}"#, EIGHT),
            &format!("]}}}}]{end}"),
        )),
        "objects in a text of arguments" => whole(list(
            &message(r#""tool_calls":[{"function":{"name":"mine","arguments":"{\"x\":["#),
            (r#"{\"a\":0}"#, 120 * 1024),
            &format!("]}}\"}}}}]{end}"),
        )),
        "an error that is no error" => {
            whole(list(r#"{"error":{"x":["#, (r#"{"a":0}"#, EIGHT), "]}}"))
        }
        "a usage of objects" => whole(list(
            r#"{"choices":[{"message":{"content":"yes"}}],"usage":{"x":["#,
            (r#"{"a":0}"#, EIGHT),
            "]}}",
        )),
        "a refusal of 64 MB" => {
            let (first, piece, last) = list(r#"{"error":{"x":["#, (r#"{"a":0}"#, 64 * MB), "]}}");
            pieces(head(500, "application/json"), first, piece, last)
        }
        "a stream of words" => streamed((
            String::new(),
            (delta(&json!({"content": "ore ".repeat(1024)})), 25_000),
            done.to_string(),
        )),
        "a stream of thoughts" => streamed((
            String::new(),
            (delta(&json!({"reasoning": "ore ".repeat(1024)})), 25_000),
            done.to_string(),
        )),
        "a stream of calls" => streamed((
            String::new(),
            (
                delta(
                    &json!({"tool_calls": [{"id": "i".repeat(8000), "function": {"name": "n"}}]}),
                ),
                12_000,
            ),
            done.to_string(),
        )),
        "a stream of arguments" => streamed((
            delta(&json!({"tool_calls": [{"id": "i", "function": {"name": "mine"}}]})),
            (
                delta(&json!({"tool_calls": [{"function": {"arguments": "[0],".repeat(1000)}}]})),
                25_000,
            ),
            done.to_string(),
        )),
        "an event of objects" => streamed(list(
            r#"data: {"choices":[],"x":["#,
            (r#"{"a":0}"#, EIGHT),
            &format!("]}}\n\n{done}"),
        )),
        "lines that mean nothing" => streamed((
            String::new(),
            ("data: [{},{},{},{}\n".repeat(1024), 4000),
            done.to_string(),
        )),
        "one line without end" => streamed((
            "data: ".to_string(),
            ("{\"a\":".repeat(1024), 20_000),
            done.to_string(),
        )),
        other => panic!("{other}"),
    }
}

pub(super) const OF_MODELS: [&str; 22] = [
    "32 MB of objects",
    "objects beside the answer",
    "a long text",
    "a thought in a text",
    "parts of a text",
    "parts that are objects",
    "empty calls",
    "calls that are none",
    "calls with long ids",
    "ten thousand calls",
    "an object as arguments",
    "objects in a text of arguments",
    "an error that is no error",
    "a usage of objects",
    "a refusal of 64 MB",
    "a stream of words",
    "a stream of thoughts",
    "a stream of calls",
    "a stream of arguments",
    "an event of objects",
    "lines that mean nothing",
    "one line without end",
];
