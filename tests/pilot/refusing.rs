//! Refusals over HTTP: invalid requests, wrong keys, bodies that are too long, and arbitrary bytes.

use std::sync::OnceLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use zoea_pilot::{PilotOptions, Strictness, validate};

use crate::served::{Served, calling, talking, with_faults};

#[tokio::test]
async fn a_bad_request_is_refused_with_reason_and_place() {
    let served = Served::start(with_faults(&[])).await;
    let mut unpaired = calling();
    unpaired["messages"][1] = json!({"role": "tool", "tool_call_id": "x", "content": "y"});
    let mut hot = calling();
    hot["temperature"] = json!(3);
    for (body, param, reason) in [
        (json!({"messages": []}).to_string(), json!("model"), "model"),
        (
            json!({"model": "m", "messages": []}).to_string(),
            json!("messages"),
            "too short",
        ),
        (
            unpaired.to_string(),
            json!("messages"),
            "at least one user message",
        ),
        (hot.to_string(), json!("temperature"), "from 0 to 2"),
        ("{\"model\":".to_owned(), json!(null), "could not parse"),
        ("[]".to_owned(), json!(null), "must be a JSON object"),
        (String::new(), json!(null), "could not parse"),
    ] {
        let response = served.post_text(body.clone()).send().await.unwrap();
        assert_eq!(response.status(), 400, "{body}");
        let error = response.json::<Value>().await.unwrap()["error"].clone();
        assert_eq!(error["type"], "invalid_request_error");
        assert_eq!(error["param"], param, "{body}");
        assert!(
            error["message"].as_str().unwrap().contains(reason),
            "{error}"
        );
    }
    let stats = served.get("/stats").await;
    assert_eq!(stats["refused"], 7);
    assert_eq!(stats["statuses"], json!({"400": 7}));
    assert!(
        stats["reasons"][3]
            .as_str()
            .unwrap()
            .starts_with("temperature: "),
        "{stats}"
    );
    served.end().await;
}

#[tokio::test]
async fn what_openai_would_take_is_refused_unless_it_is_told_otherwise() {
    let served = Served::start(with_faults(&[])).await;
    assert_eq!(served.ask(&talking()).await.0, 200);
    let mut late = talking();
    late["messages"].as_array_mut().unwrap().rotate_left(1);
    late["messages"]
        .as_array_mut()
        .unwrap()
        .push(json!({"role": "user", "content": "?"}));
    assert_eq!(served.ask(&late).await.0, 400);
    let mut stray = talking();
    stray["messages"][1]["reasoning_content"] = json!("hm");
    assert_eq!(
        served.ask(&stray).await.1["error"]["param"],
        "messages.[1].reasoning_content"
    );
    served.end().await;
    let lenient = Served::start(PilotOptions {
        strictness: Strictness::OpenAi,
        ..with_faults(&[])
    })
    .await;
    for body in [late, stray] {
        assert_eq!(lenient.ask(&body).await.0, 200);
    }
    lenient.end().await;
}

#[tokio::test]
async fn a_missing_or_wrong_key_is_refused() {
    let served = Served::start(PilotOptions {
        api_key: Some("secret".to_owned()),
        ..with_faults(&[])
    })
    .await;
    let (status, body) = served.ask(&talking()).await;
    assert_eq!(
        (status, &body["error"]["code"]),
        (401, &json!("invalid_api_key"))
    );
    for (key, status) in [("wrong", 401), ("secret", 200)] {
        let response = served
            .post(&talking())
            .bearer_auth(key)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), status);
    }
    assert_eq!(
        served.get("/v1/models").await["error"]["code"],
        "invalid_api_key"
    );
    assert_eq!(served.get("/health").await["status"], "ok");
    served.end().await;
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused() {
    let served = Served::start(with_faults(&[])).await;
    let response = served.post_text(" ".repeat((8 << 20) + 1)).send().await;
    // The server may close the connection before the whole body is sent.
    if let Ok(response) = response {
        assert_eq!(response.status(), 413);
    }
    assert_eq!(served.get("/stats").await["statuses"], json!({"413": 1}));
    served.end().await;
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "user",
            "tool",
            "assistant",
            "system",
            "auto",
            "function",
            "mine",
            "{}"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(
                "(role|content|id|type|function|name|arguments|tool_calls|tool_call_id|messages|tools|model)",
                inner,
                0..6
            )
            .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A valid request with something in the wrong place.
fn spoilt() -> impl Strategy<Value = Value> {
    let field = prop::sample::select(vec![
        "messages",
        "tools",
        "tool_choice",
        "max_tokens",
        "stream",
        "user",
        "model",
        "temperature",
    ]);
    (anything(), field, 0usize..3).prop_map(|(value, field, place)| {
        let mut body = calling();
        match place {
            0 => body[field] = value,
            1 => body["messages"].as_array_mut().unwrap().insert(1, value),
            _ => body["tools"][0]["function"][field] = value,
        }
        body
    })
}

/// One server and one runtime for all cases.
fn shared() -> &'static (tokio::runtime::Runtime, Served) {
    static SHARED: OnceLock<(tokio::runtime::Runtime, Served)> = OnceLock::new();
    SHARED.get_or_init(|| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let served = runtime.block_on(Served::start(with_faults(&[])));
        (runtime, served)
    })
}

proptest! {
    #[test]
    fn whatever_is_asked_is_answered_or_refused(body in prop_oneof![anything(), spoilt()]) {
        let (runtime, served) = shared();
        let status = runtime.block_on(async { served.post(&body).send().await.unwrap().status().as_u16() });
        let expected = if validate(&body).is_ok() { 200 } else { 400 };
        prop_assert_eq!(status, expected);
    }
}
