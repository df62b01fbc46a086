//! Answers over HTTP: their form, their repeatability, the other routes, and the end of the server.

use std::time::{Duration, Instant};

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::CreateChatCompletionResponse;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use zoea_pilot::PilotOptions;

use crate::served::{LIMIT, Served, calling, message, talking, with_faults};

#[tokio::test]
async fn an_answer_in_words_has_the_form_of_openai() {
    let served = Served::start(with_faults(&[])).await;
    let (status, answer) = served.ask(&talking()).await;
    assert_eq!(status, 200);
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["model"], "some-model");
    assert!(answer["id"].as_str().unwrap().starts_with("chatcmpl-"));
    assert!(answer["created"].as_u64().unwrap() > 1_700_000_000);
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert_eq!(message(&answer)["role"], "assistant");
    assert!(
        message(&answer)["content"]
            .as_str()
            .unwrap()
            .contains("alpha")
    );
    assert!(message(&answer)["reasoning_content"].is_string());
    assert!(message(&answer).get("tool_calls").is_none());
    let usage = &answer["usage"];
    let count = |field: &str| usage[field].as_u64().unwrap();
    assert_eq!(
        count("prompt_tokens"),
        (talking().to_string().len() as u64).div_ceil(4)
    );
    assert_eq!(
        count("total_tokens"),
        count("prompt_tokens") + count("completion_tokens")
    );
    assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], 0);
    served.end().await;
}

#[tokio::test]
async fn a_call_has_the_form_of_openai_and_its_own_client_reads_it() {
    let served = Served::start(with_faults(&[])).await;
    let config = OpenAIConfig::new()
        .with_api_base(format!("{}/v1", served.root))
        .with_api_key("k");
    let client = Client::build(served.client.clone(), config);
    let answer: CreateChatCompletionResponse = client.chat().create_byot(calling()).await.unwrap();
    let answer = serde_json::to_value(answer).unwrap();
    assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
    let call = &message(&answer)["tool_calls"][0];
    assert_eq!(call["type"], "function");
    assert_eq!(call["function"]["name"], "register");
    let arguments: Value =
        serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(
        arguments,
        json!({"username": "alpha", "empire": "nebula", "registration_code": "OFFLINE-0001"})
    );
    served.end().await;
}

#[tokio::test]
async fn the_same_request_gets_the_same_answer_from_another_server() {
    let mut answers = Vec::new();
    for _ in 0..2 {
        let served = Served::start(with_faults(&[])).await;
        for body in [calling(), talking(), calling()] {
            let (_, mut answer) = served.ask(&body).await;
            answer["created"] = json!(0);
            answers.push(answer);
        }
        served.end().await;
    }
    assert_eq!(answers[0], answers[2]);
    assert_eq!(answers[..3], answers[3..]);
}

#[tokio::test]
async fn what_was_sent_before_is_read_from_the_cache_and_counted() {
    let served = Served::start(with_faults(&[])).await;
    let mut body = calling();
    body["messages"][0]["content"] = format!("You are alpha.\n{}", "x".repeat(8000)).into();
    let mut cached = Vec::new();
    for order in ["Mine ore.", "Mine ore.", "Mine gold."] {
        body["messages"][1]["content"] = order.into();
        let (_, answer) = served.ask(&body).await;
        let usage = &answer["usage"];
        let tokens = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
        assert!(tokens < usage["prompt_tokens"].as_u64(), "{usage}");
        cached.push(tokens.unwrap());
    }
    assert_eq!(cached[0], 0);
    assert!(cached[1] > 1900, "{cached:?}");
    assert_eq!(cached[2], cached[1], "the last block is not whole");
    assert_eq!(cached[1] % 128, 0);
    let stats = served.get("/stats").await;
    assert_eq!(stats["tokens_cached"], cached.iter().sum::<u64>());
    served.end().await;
}

#[tokio::test]
async fn the_other_routes_answer() {
    let served = Served::start(with_faults(&[])).await;
    assert_eq!(served.get("/health").await, json!({"status": "ok"}));
    assert_eq!(served.get("/v1/models").await["data"][0]["id"], "pilot");
    assert_eq!(served.get("/faults").await, json!({}));
    assert_eq!(served.get("/nothing").await["error"]["code"], "unknown_url");
    assert!(served.get("/v1/chat/completions").await["error"]["message"].is_string());
    served.end().await;
}

#[tokio::test]
async fn the_answer_takes_as_long_as_it_was_told() {
    let latency = Duration::from_millis(120);
    let served = Served::start(PilotOptions {
        latency,
        ..with_faults(&[])
    })
    .await;
    let begun = Instant::now();
    served.ask(&talking()).await;
    assert!(begun.elapsed() >= latency);
    served.end().await;
}

#[tokio::test]
async fn requests_in_flight_end_soon_after_the_shutdown() {
    let served = Served::start(with_faults(&["hang"])).await;
    let hanging = tokio::spawn(served.post(&talking()).send());
    // One client never finishes its request, and one never begins it.
    let address = served.root.trim_start_matches("http://").to_owned();
    let mut half = tokio::net::TcpStream::connect(&address).await.unwrap();
    half.write_all(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 10\r\n")
        .await
        .unwrap();
    let mut silent = tokio::net::TcpStream::connect(&address).await.unwrap();
    until_in_flight(&served, 1).await;

    let begun = Instant::now();
    served.stop();
    let answer = hanging.await.unwrap().unwrap();
    served.ended().await;
    assert!(
        begun.elapsed() < Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(answer.status(), 503);
    for stream in [&mut half, &mut silent] {
        let mut rest = Vec::new();
        // The connection ends in any way.
        let _end = tokio::time::timeout(LIMIT, stream.read_to_end(&mut rest))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn dropping_the_server_cuts_its_connections() {
    let served = Served::start(with_faults(&["hang"])).await;
    let hanging = tokio::spawn(served.post(&talking()).send());
    until_in_flight(&served, 1).await;
    served.abort().await;
    assert!(hanging.await.unwrap().is_err());
}

/// Waits until the server counts this many requests in flight.
async fn until_in_flight(served: &Served, count: u64) {
    let reached = async {
        while served.get("/stats").await["in_flight"] != count {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, reached).await.unwrap();
}
