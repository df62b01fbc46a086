//! Streams: the pieces together are the answer that is otherwise sent whole.

use serde_json::{Value, json};

use crate::served::{Served, calling, message, talking, with_faults};

/// The data of the events. The last one must be `[DONE]`.
fn chunks(text: &str) -> Vec<Value> {
    let mut events: Vec<&str> = text
        .split("\n\n")
        .filter(|event| !event.is_empty())
        .map(|event| event.strip_prefix("data: ").unwrap())
        .collect();
    assert_eq!(events.pop(), Some("[DONE]"));
    events
        .into_iter()
        .map(|event| serde_json::from_str(event).unwrap())
        .collect()
}

fn append(target: &mut Value, piece: &Value) {
    if let Some(piece) = piece.as_str() {
        let whole = target.as_str().unwrap_or_default().to_owned() + piece;
        *target = json!(whole);
    } else if !piece.is_null() {
        *target = piece.clone();
    }
}

/// The completion that a client assembles from the chunks.
fn assemble(chunks: &[Value]) -> Value {
    let mut message = json!({"content": null, "reasoning_content": null});
    let mut finish = Value::Null;
    let mut usage = Value::Null;
    for chunk in chunks {
        assert_eq!(chunk["object"], "chat.completion.chunk");
        if !chunk["usage"].is_null() {
            usage = chunk["usage"].clone();
        }
        let Some(choice) = chunk["choices"].get(0) else {
            continue;
        };
        let delta = &choice["delta"];
        for field in ["content", "reasoning_content"] {
            append(&mut message[field], &delta[field]);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = call["index"].as_u64().unwrap() as usize;
            if message["tool_calls"].is_null() {
                message["tool_calls"] = json!([]);
            }
            let calls = message["tool_calls"].as_array_mut().unwrap();
            if calls.len() == index {
                calls.push(json!({"id": call["id"], "type": call["type"], "function": {"name": call["function"]["name"], "arguments": ""}}));
            }
            append(
                &mut calls[index]["function"]["arguments"],
                &call["function"]["arguments"],
            );
        }
        if !choice["finish_reason"].is_null() {
            finish = choice["finish_reason"].clone();
        }
    }
    json!({"message": message, "finish": finish, "usage": usage})
}

async fn streamed(served: &Served, body: &Value, include_usage: bool) -> Vec<Value> {
    let mut body = body.clone();
    body["stream"] = json!(true);
    body["stream_options"] = json!({"include_usage": include_usage});
    let response = served.post(&body).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    chunks(&response.text().await.unwrap())
}

/// The same parts of a completion, in the form of `assemble`.
fn essence(completion: &Value) -> Value {
    let message = message(completion);
    let mut kept =
        json!({"content": message["content"], "reasoning_content": message["reasoning_content"]});
    if let Some(calls) = message.get("tool_calls") {
        kept["tool_calls"] = calls.clone();
    }
    json!({"message": kept, "finish": completion["choices"][0]["finish_reason"]})
}

#[tokio::test]
async fn a_stream_put_together_is_the_whole_answer() {
    let served = Served::start(with_faults(&[])).await;
    let mut essay = talking();
    essay["user"] = json!("an essayist");
    essay["messages"][0]["content"] = json!("You are alpha.\npersona: essayist");
    for body in [talking(), calling(), essay] {
        let (_, whole) = served.ask(&body).await;
        let chunks = streamed(&served, &body, true).await;
        let mut assembled = assemble(&chunks);
        let usage = assembled.as_object_mut().unwrap().remove("usage").unwrap();
        assert_eq!(assembled, essence(&whole));
        assert_eq!(
            usage["completion_tokens"],
            whole["usage"]["completion_tokens"]
        );
        assert!(chunks.len() > 4);
    }
    served.end().await;
}

#[tokio::test]
async fn usage_is_told_only_where_it_was_asked_for() {
    let served = Served::start(with_faults(&[])).await;
    let chunks = streamed(&served, &calling(), false).await;
    assert!(chunks.iter().all(|chunk| chunk.get("usage").is_none()));
    assert_eq!(served.get("/stats").await["tokens_in"], 0);
    let text = assemble(&streamed(&served, &calling(), true).await)["usage"].clone();
    let stats = served.get("/stats").await;
    assert_eq!(stats["tokens_in"], text["prompt_tokens"]);
    assert_eq!(stats["tokens_out"], text["completion_tokens"]);
    served.end().await;
}

#[tokio::test]
async fn odd_shapes_are_streamed_too() {
    let served = Served::start(with_faults(&[
        "args-object",
        "null-usage",
        "reasoning-field",
    ]))
    .await;
    let chunks = streamed(&served, &calling(), true).await;
    let deltas: Vec<&Value> = chunks
        .iter()
        .map(|chunk| &chunk["choices"][0]["delta"])
        .collect();
    assert!(
        deltas
            .iter()
            .any(|delta| delta["tool_calls"][0]["function"]["arguments"].is_object())
    );
    assert!(deltas.iter().any(|delta| delta["reasoning"].is_string()));
    assert!(chunks.iter().all(|chunk| chunk["usage"].is_null()));
    served.end().await;

    for (fault, expected) in [("empty-choices", json!([])), ("error-200", json!(null))] {
        let served = Served::start(with_faults(&[fault])).await;
        let chunks = streamed(&served, &calling(), false).await;
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0]["choices"], expected);
        assert_eq!(chunks[0]["error"].is_object(), fault == "error-200");
        served.end().await;
    }
}
