//! Faults over HTTP: each one has its effect and is counted.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::served::{LIMIT, Served, calling, message, talking, with_faults};

#[tokio::test]
async fn http_errors_come_in_place_of_the_answer() {
    for (fault, status, code) in [
        ("http-429:7", 429, json!("rate_limit_exceeded")),
        ("http-429", 429, json!("rate_limit_exceeded")),
        ("http-500", 500, json!(null)),
        ("http-503", 503, json!(null)),
        ("http-401", 401, json!("invalid_api_key")),
        ("context-length:10", 400, json!("context_length_exceeded")),
        ("outage:0s,1h", 503, json!(null)),
    ] {
        let served = Served::start(with_faults(&[fault])).await;
        let response = served.post(&talking()).send().await.unwrap();
        assert_eq!(response.status(), status, "{fault}");
        let retry = response
            .headers()
            .get("retry-after")
            .map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(
            retry.as_deref(),
            (fault == "http-429:7").then_some("7"),
            "{fault}"
        );
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["error"]["code"], code, "{fault}");
        let kind = fault.split(':').next().unwrap();
        assert_eq!(served.get("/faults").await, json!({kind: 1}));
        let stats = served.get("/stats").await;
        assert_eq!(
            (&stats["refused"], &stats["tokens_in"]),
            (&json!(0), &json!(0)),
            "{fault}"
        );
        served.end().await;
    }
}

#[tokio::test]
async fn what_some_servers_refuse_is_refused_where_it_is_sent() {
    let mut with_result = calling();
    let messages = with_result["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "call_0001", "type": "function", "function": {"name": "mine", "arguments": "{}"}}]}));
    messages.push(json!({"role": "tool", "tool_call_id": "call_0001", "content": "ore"}));
    let mut without_system = talking();
    without_system["messages"].as_array_mut().unwrap().remove(0);
    for (fault, refused, taken, words) in [
        (
            "no-system",
            talking(),
            without_system,
            "System role not supported",
        ),
        ("no-tools", calling(), talking(), "does not support tools"),
        (
            "no-tool-role",
            with_result,
            calling(),
            "Only user and assistant roles",
        ),
    ] {
        let served = Served::start(with_faults(&[fault])).await;
        let (status, body) = served.ask(&refused).await;
        assert_eq!(status, 400, "{fault}");
        assert!(
            body["error"]["message"].as_str().unwrap().contains(words),
            "{body}"
        );
        assert_eq!(served.ask(&taken).await.0, 200, "{fault}");
        assert_eq!(served.get("/faults").await, json!({fault: 1}));
        served.end().await;
    }
}

#[tokio::test]
async fn calls_are_written_and_long_requests_read_in_part() {
    let served = Served::start(with_faults(&["text-calls", "cut-prompt:60"])).await;
    let (_, completion) = served.ask(&calling()).await;
    let message = message(&completion);
    assert!(message.get("tool_calls").is_none(), "{message}");
    let text = message["content"].as_str().unwrap();
    assert!(
        text.contains("<tool_call>\n{\"name\": \"register\""),
        "{text}"
    );
    assert_eq!(completion["usage"]["prompt_tokens"], 60);
    assert_eq!(completion["choices"][0]["finish_reason"], "stop");
    served.end().await;
}

#[tokio::test]
async fn a_fault_without_an_occasion_neither_strikes_nor_counts() {
    let served = Served::start(with_faults(&[
        "context-length:100000",
        "outage:1h,1h",
        "args-object",
        "http-500@0",
    ]))
    .await;
    assert_eq!(served.ask(&talking()).await.0, 200);
    let expected = json!({"context-length": 0, "outage": 0, "args-object": 0, "http-500": 0});
    assert_eq!(served.get("/faults").await, expected);
    served.end().await;
}

#[tokio::test]
async fn bodies_may_be_no_json() {
    for (fault, status, text) in [
        ("text-429", 429, "Too Many Requests\n"),
        ("garbage", 200, "<html>"),
    ] {
        let served = Served::start(with_faults(&[fault])).await;
        let response = served.post(&talking()).send().await.unwrap();
        assert_eq!(response.status(), status);
        assert!(response.text().await.unwrap().starts_with(text));
        served.end().await;
    }
}

#[tokio::test]
async fn answers_are_spoilt_as_by_a_bad_model() {
    let call = |answer: &Value| message(answer)["tool_calls"][0].clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    type Check = (
        &'static str,
        fn(&Value, &dyn Fn(&Value) -> Value, &dyn Fn(&Value) -> String) -> bool,
    );
    let checks: [Check; 8] = [
        ("empty-reply", |answer, _, _| {
            message(answer)["content"] == "" && message(answer).get("tool_calls").is_none()
        }),
        ("empty-id", |answer, call, _| call(answer)["id"] == ""),
        ("repeated-id", |answer, call, _| {
            call(answer)["id"] == "call_0"
        }),
        ("unknown-tool", |answer, call, text| {
            !["register", "get_status"].contains(&text(&call(answer)["function"]["name"]).as_str())
        }),
        ("channel-token", |answer, call, text| {
            text(&call(answer)["function"]["name"]).contains("<|")
        }),
        ("bad-json-args", |answer, call, text| {
            serde_json::from_str::<Value>(&text(&call(answer)["function"]["arguments"])).is_err()
        }),
        ("cut-args", |answer, _, _| {
            answer["choices"][0]["finish_reason"] == "length"
        }),
        ("args-object", |answer, call, _| {
            call(answer)["function"]["arguments"]["username"] == "alpha"
        }),
    ];
    for (fault, is_spoilt) in checks {
        let served = Served::start(with_faults(&[fault])).await;
        let (status, answer) = served.ask(&calling()).await;
        assert_eq!(status, 200);
        assert!(is_spoilt(&answer, &call, &text), "{fault}: {answer}");
        assert_eq!(served.get("/faults").await, json!({fault: 1}));
        served.end().await;
    }
}

#[tokio::test]
async fn several_quirks_can_come_together() {
    let served = Served::start(with_faults(&["think-tags", "parts-content", "no-usage"])).await;
    let (_, answer) = served.ask(&talking()).await;
    assert!(
        message(&answer)["content"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("<think>")
    );
    assert!(answer.get("usage").is_none());
    assert_eq!(served.get("/stats").await["tokens_in"], 0);
    served.end().await;
}

#[tokio::test]
async fn a_dropped_answer_ends_in_the_middle() {
    let served = Served::start(with_faults(&["drop"])).await;
    let mut streaming = calling();
    streaming["stream"] = json!(true);
    for body in [calling(), streaming] {
        let response = served.post(&body).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(response.bytes().await.is_err());
    }
    assert_eq!(served.get("/faults").await, json!({"drop": 2}));
    assert_eq!(served.get("/stats").await["tokens_in"], 0);
    served.end().await;
}

#[tokio::test]
async fn slow_and_hanging_answers_come_late_but_whole() {
    for fault in ["slow:150ms", "hang:150ms"] {
        let served = Served::start(with_faults(&[fault])).await;
        let begun = Instant::now();
        let (status, answer) = served.ask(&calling()).await;
        assert!(begun.elapsed() >= Duration::from_millis(140), "{fault}");
        assert_eq!(
            (status, &answer["object"]),
            (200, &json!("chat.completion"))
        );
        served.end().await;
    }
}

#[tokio::test]
async fn a_trickling_answer_is_cut_by_the_shutdown() {
    let served = Served::start(with_faults(&["slow:1h"])).await;
    let response = tokio::time::timeout(LIMIT, served.post(&calling()).send())
        .await
        .unwrap()
        .unwrap();
    served.end().await;
    assert!(response.bytes().await.is_err());
}

#[tokio::test]
async fn strikes_follow_from_the_seed_and_the_caller() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let served = Served::start(with_faults(&["http-500@0.4", "http-429@0.2"])).await;
        let mut statuses = Vec::new();
        for user in ["a", "b"] {
            for _ in 0..20 {
                let mut body = talking();
                body["user"] = json!(user);
                statuses.push(served.ask(&body).await.0);
            }
        }
        runs.push(statuses);
        served.end().await;
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0][..20], runs[0][20..]);
    assert!(
        [200, 429, 500]
            .iter()
            .all(|status| runs[0].contains(status)),
        "{:?}",
        runs[0]
    );
}
