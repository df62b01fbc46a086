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
        let why = answer.refusal.as_deref().expect("it is reported");
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

/// A model is made to say nothing, unless its server demands it.
#[tokio::test]
async fn a_message_of_the_model_after_a_result_is_sent_to_those_who_demand_it() {
    let order = ChatMessage::User("go on".into());
    let before = request(tools());
    let messages: Arc<[ChatMessage]> = before.messages.iter().cloned().chain([order]).collect();
    for (status, said) in [
        (
            400,
            json!({"object": "error", "message": "Unexpected role 'user' after role 'tool'", "type": "invalid_request_message_order", "code": "3230"}),
        ),
        (
            500,
            json!({"error": {"message": "Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results."}}),
        ),
        (
            400,
            json!({"error": {"message": "Conversation roles must alternate user/assistant/user/assistant/..."}}),
        ),
    ] {
        let refused = (status, said.to_string());
        let mut served = Served::new(vec![refused.clone(), (200, YES.to_string()), refused]).await;
        let mut observed = Vec::new();
        for _ in 0..3 {
            let asked = ModelRequest {
                messages: messages.clone(),
                ..before.clone()
            };
            let (sent, answer) = served.ask_for(asked).await;
            let roles = sent["messages"].as_array().expect("messages").iter();
            let roles: Vec<String> = roles.map(|one| one["role"].to_string()).collect();
            observed.push((
                roles.join(" ").replace('"', ""),
                matches!(answer, Err(ModelFault::Adapted { .. })),
            ));
        }
        let expected = "system user assistant tool tool assistant user";
        assert_eq!(
            observed[0],
            ("system user assistant tool tool user".to_string(), true)
        );
        assert_eq!(observed[1], (expected.to_string(), false));
        assert_eq!(observed[2].0, expected, "learnt once: {said}");
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
    let mut observed = Vec::new();
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
        observed.push((
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
    assert_eq!(observed, expected);
}

#[tokio::test]
async fn a_model_that_was_there_and_is_gone_is_waited_for() {
    let gone = json!({"error": {"message": "model qwen3 not found"}}).to_string();
    let answers = vec![(404, gone.clone()), (200, YES.to_string()), (404, gone)];
    let mut served = Served::new(answers).await;
    for expected in ["permanent: HTTP 404", "\"yes\"", "transient None: HTTP 404"] {
        let read = shown(&served.ask().await.1);
        assert!(read.starts_with(expected), "{read}");
    }
}

/// Two refusals that quote the request took a tool from everybody, and streaming.
#[tokio::test]
async fn what_a_refusal_quotes_takes_no_tool_and_no_streaming_away() {
    let tools_of = |body: &Value| body["tools"].as_array().map_or(0, Vec::len);
    let quotes = ["pydantic-quote.400.json", "quoted-body.500.json"];
    let detail = json!({"detail": [{"type": "string_type", "loc": ["body", "messages", 2, "content"],
        "msg": "Input should be a valid string", "input": {"tools": ["mine"], "stream": true, "schema": "'mine'"}}]});
    let answers = quotes
        .map(sample)
        .into_iter()
        .chain([(422, detail.to_string()), (200, YES.to_string())]);
    let mut served = Served::new(answers.collect()).await;
    for _ in 0..3 {
        let (sent, answer) = served.ask().await;
        assert_eq!(tools_of(&sent), 4);
        assert!(
            !matches!(answer, Err(ModelFault::Adapted { .. })),
            "{answer:?}"
        );
    }
    assert_eq!(tools_of(&served.ask().await.0), 4);
    assert!(
        served
            .providers
            .learnt_in_words("local", "qwen3")
            .is_empty()
    );
}
