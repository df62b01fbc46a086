//! A completion as a stream of server-sent events, in small pieces.

use serde_json::{Map, Value, json};

const PIECE_BYTES: usize = 24;

/// The events of the completion, each with its blank line. The last one is `[DONE]`.
pub(crate) fn stream_events(completion: &Value, include_usage: bool) -> Vec<String> {
    let mut events = Vec::new();
    if completion["error"].is_object() {
        events.push(event_text(completion));
    } else if let Some(choice) = completion.pointer("/choices/0") {
        for delta in deltas(&choice["message"]) {
            let choice =
                json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": null});
            events.push(event_text(&chunk_json(
                completion,
                json!([choice]),
                include_usage,
            )));
        }
        let last = json!({"index": 0, "delta": {}, "logprobs": null, "finish_reason": choice["finish_reason"]});
        events.push(event_text(&chunk_json(
            completion,
            json!([last]),
            include_usage,
        )));
    } else {
        events.push(event_text(&chunk_json(
            completion,
            json!([]),
            include_usage,
        )));
    }
    if let (true, Some(usage)) = (include_usage, completion.get("usage")) {
        let mut last = chunk_json(completion, json!([]), include_usage);
        last["usage"] = usage.clone();
        events.push(event_text(&last));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn event_text(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn chunk_json(completion: &Value, choices: Value, include_usage: bool) -> Value {
    let mut chunk = json!({
        "id": completion["id"],
        "object": "chat.completion.chunk",
        "created": completion["created"],
        "model": completion["model"],
        "system_fingerprint": completion["system_fingerprint"],
        "choices": choices,
    });
    if include_usage {
        chunk["usage"] = Value::Null;
    }
    chunk
}

/// The message in pieces: role, reasoning, words, calls.
fn deltas(message: &Value) -> Vec<Value> {
    let mut deltas =
        vec![json!({"role": "assistant", "content": message["content"].is_string().then_some("")})];
    for field in ["reasoning_content", "reasoning", "content"] {
        let whole = &message[field];
        if !whole.is_null() {
            let delta = |piece| Value::Object(Map::from_iter([(field.to_owned(), piece)]));
            deltas.extend(split_pieces(whole).map(delta));
        }
    }
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    for (index, call) in calls.enumerate() {
        let function = &call["function"];
        deltas.push(json!({"tool_calls": [{
            "index": index,
            "id": call["id"],
            "type": "function",
            "function": {"name": function["name"], "arguments": ""},
        }]}));
        deltas.extend(split_pieces(&function["arguments"]).map(
            |piece| json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}),
        ));
    }
    deltas
}

/// A text in pieces. A value that is no text stays whole.
fn split_pieces(value: &Value) -> impl Iterator<Item = Value> {
    let mut rest = value.as_str();
    let mut whole = rest.is_none().then(|| value.clone());
    std::iter::from_fn(move || {
        if let Some(whole) = whole.take() {
            return Some(whole);
        }
        let text = rest.filter(|text| !text.is_empty())?;
        let (piece, behind) = text.split_at(text.floor_char_boundary(PIECE_BYTES));
        rest = Some(behind);
        Some(Value::from(piece))
    })
}
