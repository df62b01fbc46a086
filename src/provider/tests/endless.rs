//! Tests of answers in which nothing new comes, and of those that their server could not read itself.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::Response;
use serde_json::json;

use super::*;

/// A server that says this and then that without an end. It counts the bytes that it could send.
async fn endless(first: &str, then: &str) -> (Providers, Arc<std::sync::atomic::AtomicUsize>) {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    let (first, then) = (first.to_string(), then.to_string());
    let speak = move || async move {
        let then = futures::stream::unfold(then, |then| async { Some((then.clone(), then)) });
        let all = futures::StreamExt::chain(futures::stream::iter([first]), then);
        let all = futures::StreamExt::map(all, move |text| {
            counted.fetch_add(text.len(), Ordering::Relaxed);
            Ok::<_, std::io::Error>(Bytes::from(text))
        });
        Response::new(Body::from_stream(all))
    };
    let app = axum::Router::new().fallback(speak);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = ProviderEndpoint {
        url: format!("http://{}/v1", listener.local_addr().unwrap()),
        is_streamed: true,
        ..ProviderEndpoint::default()
    };
    tokio::spawn(async move { axum::serve(listener, app).await });
    let http = zoea_http::build_client().unwrap();
    (Providers::new(&http, [("local".into(), endpoint)]), sent)
}

fn event(delta: Value) -> String {
    format!(
        "data: {}\n\n",
        json!({"choices": [{"index": 0, "delta": delta}]})
    )
}

#[tokio::test]
async fn an_answer_in_which_nothing_new_comes_is_cut_told_and_counted() {
    let call = |arguments: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]});
    let begun = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "mine", "arguments": "{\"n\":\""}}]});
    let endless_call = |index: u64| json!({"tool_calls": [{"index": index, "id": format!("call_{index}"), "function": {"name": "mine", "arguments": "{}"}}]});
    let cycle: String = (0..400)
        .map(|word| format!("w{} ", word * word % 997 % 23))
        .collect();
    let many: String = (0..64).map(|index| event(endless_call(index))).collect();
    let said = json!({"content": "I look around first."});
    for (first, then) in [
        (event(said.clone()), event(json!({"content": "\n"}))),
        (event(said.clone()), event(json!({"content": "go on "}))),
        (event(said.clone()), event(json!({"content": cycle}))),
        (
            event(said.clone()),
            event(json!({"reasoning_content": "wait, "})),
        ),
        (event(begun.clone()), event(call(" "))),
        (event(begun.clone()), event(call("ore, "))),
        (event(said.clone()), many),
        // In one line, and in one piece.
        (
            "data: {\"choices\":[{\"delta\":{\"content\":\"".to_string(),
            "\\n".repeat(500),
        ),
        (
            "{\"choices\":[{\"message\":{\"content\":\"".to_string(),
            "\\n".repeat(500),
        ),
    ] {
        let (providers, sent) = endless(&first, &then).await;
        let asked = providers.ask(request(tools()), AnswerMeter::default());
        let asked = tokio::time::timeout(Duration::from_secs(20), asked).await;
        let answer = asked.expect("it is cut").expect("it is an answer");
        let why = answer.refusal.as_deref().expect("it is told");
        assert!(why.starts_with("Error: endless_answer: "), "{why}");
        assert_eq!(answer.calls.len(), 1);
        assert_eq!(answer.calls[0].name, "", "nothing is made");
        assert!(answer.text.len() < 8 << 10, "{}", answer.text.len());
        let usage = answer.usage.expect("an estimate");
        assert!(usage.input > 100 && usage.output >= 80, "{usage:?}");
        // What was on its way is counted here, too.
        let sent = sent.load(std::sync::atomic::Ordering::Relaxed);
        assert!(sent < 12 << 20, "{sent} bytes of {then:.60}");
        assert!(providers.learnt("local", "qwen3").unwrap().is_streamed);
    }
}

#[tokio::test]
async fn an_answer_that_its_server_could_not_read_is_asked_for_in_another_form() {
    let (_, misread) = sample("llamacpp-peg.500.json");
    let refused = json!({"error": {"message": "Unknown parameter: tool_choice"}}).to_string();
    let answers = [
        (500, &misread),
        (500, &misread),
        (200, &YES.to_string()),
        (200, &YES.to_string()),
    ];
    let answers = answers
        .into_iter()
        .chain([(500, &misread), (400, &refused), (500, &misread)]);
    let answers = answers
        .map(|(status, text)| (status, text.clone()))
        .collect();
    let mut served = Served::new(answers).await;
    let mut heard = Vec::new();
    for expected in [
        "adapted",
        "transient",
        "\"yes\"",
        "\"yes\"",
        "adapted",
        "adapted",
        "transient",
    ] {
        let (sent, answer) = served.ask().await;
        assert!(shown(&answer).starts_with(expected), "{answer:?}");
        let temperature = sent["temperature"].as_f64().expect("a number");
        heard.push((
            sent["tool_choice"].clone(),
            sent["parallel_tool_calls"].clone(),
            (temperature * 10.0).round(),
        ));
    }
    let usual = |temperature| (Value::Null, Value::Null, temperature);
    let other = |temperature| (json!("required"), json!(false), temperature);
    let expected = [
        usual(7.0),
        other(8.0),
        other(9.0),
        usual(7.0),
        usual(7.0),
        other(8.0),
        usual(7.0),
    ];
    assert_eq!(heard, expected);
}
