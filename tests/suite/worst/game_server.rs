//! The worst answers of a game server.

use serde_json::{Value, json};

use super::server::{Answer, MB, list, streamed, whole};

/// The answer of a game server to the list of tools, or to a call.
pub(super) fn of_a_game(name: &str, id: &Value, cursor: usize) -> Answer {
    const EIGHT: usize = 8 * MB - 64 * 1024;
    let result = |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{rest}"#);
    match name {
        "lists of 2 MB" => whole({
            let tool = format!(
                r#"{{"name":"t{}","inputSchema":{{"type":"object","x":"{}"}}}}"#,
                cursor,
                "x".repeat(2000)
            );
            let next = format!(r#"],"nextCursor":"{}"}}}}"#, cursor + 1);
            list(&result(r#""tools":["#), (&tool, 2 * MB), &next)
        }),
        "a schema of objects" => whole(list(
            &result(r#""tools":[{"name":"mine","inputSchema":{"type":"object","x":["#),
            (r#"{"a":0}"#, EIGHT),
            "]}}]}}",
        )),
        "tools that are none" => whole(list(&result(r#""tools":["#), ("{}", EIGHT), "]}}")),
        "a long result" => whole((
            result(r#""content":[{"type":"text","text":""#),
            ("ore ".repeat(1024), EIGHT / 4096),
            "\"}]}}".to_string(),
        )),
        "pieces of a result" => whole(list(
            &result(r#""content":["#),
            (r#"{"type":"text","text":"a"}"#, EIGHT),
            "]}}",
        )),
        "a result of objects" => whole(list(
            &result(r#""structuredContent":{"x":["#),
            (r#"{"a":0}"#, EIGHT),
            "]}}}",
        )),
        "objects in a text" => whole(list(
            &result(r#""content":[{"type":"text","text":"{\"systems\":["#),
            (r#"{\"a\":0}"#, EIGHT),
            "]}\"}]}}",
        )),
        "a refusal in many words" => whole((
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":""#),
            ("ore ".repeat(1024), EIGHT / 4096),
            "\"}}".to_string(),
        )),
        "events of somebody else" => streamed((
            String::new(),
            (
                format!(
                    "data: {}\n\n",
                    json!({"jsonrpc": "2.0", "method": "notifications/message",
                        "params": {"data": "x".repeat(MB)}})
                ),
                100,
            ),
            String::new(),
        )),
        "an event without end" => streamed((
            "data: ".to_string(),
            ("{\"a\":".repeat(1024), 20_000),
            String::new(),
        )),
        other => panic!("{other}"),
    }
}

pub(super) const OF_LISTS: [&str; 3] = [
    "lists of 2 MB",
    "a schema of objects",
    "tools that are none",
];
pub(super) const OF_CALLS: [&str; 7] = [
    "a long result",
    "pieces of a result",
    "a result of objects",
    "objects in a text",
    "a refusal in many words",
    "events of somebody else",
    "an event without end",
];
