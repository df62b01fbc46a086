//! Tests of what servers want back with a message of their model, and of what the configuration adds
//! to requests.

use serde_json::json;

use super::*;

const SKIP: &str = "skip_thought_signature_validator";

#[tokio::test]
async fn what_a_server_wants_back_it_gets_back_in_its_place_and_nobody_else() {
    let script = ["gemini-call.200.sse", "gemini-words.200.sse"].map(sample);
    let script = script.into_iter().chain(vec![(200, YES.to_string()); 3]);
    let mut served = Served::new(script.collect()).await;
    let called = served.ask().await.1.unwrap();
    let spoken = served.ask().await.1.unwrap();
    let (sent, _) = served.ask_for(request_after(&called)).await;
    let calls = &sent["messages"][5]["tool_calls"];
    let signature = json!({"google": {"thought_signature": "EjQKMgFA"}});
    assert_eq!(calls[0]["extra_content"], signature);
    assert!(
        calls[1].get("extra_content").is_none(),
        "the first carries it"
    );
    let (sent, _) = served.ask_for(request_after(&spoken)).await;
    let signature = json!({"google": {"thought_signature": "Words=="}});
    assert_eq!(sent["messages"][5]["extra_content"], signature);
    let other = ModelRequest {
        model: "another".into(),
        ..request_after(&called)
    };
    let (sent, _) = served.ask_for(other).await;
    assert!(!sent.to_string().contains("extra_content"), "{sent}");
}

#[tokio::test]
async fn pieces_of_reasoning_details_are_joined_and_what_is_encrypted_stays_apart() {
    let script = vec![sample("openrouter-details.200.sse"), (200, YES.to_string())];
    let mut served = Served::new(script).await;
    let answer = served.ask().await.1.unwrap();
    let (sent, _) = served.ask_for(request_after(&answer)).await;
    let expected = json!([
        {"type": "reasoning.text", "text": "Fuel first.", "signature": "Ep4B",
         "format": "anthropic-claude-v1", "index": 0},
        {"type": "reasoning.encrypted", "data": "AAA=", "id": "rs_1", "index": 1},
        {"type": "reasoning.encrypted", "data": "BBB=", "id": "rs_2", "index": 1},
    ]);
    assert_eq!(sent["messages"][5]["reasoning_details"], expected);
    assert!(sent["messages"][5].get("reasoning").is_none());
}

#[tokio::test]
async fn reasoning_goes_back_where_it_is_demanded() {
    let thinks = json!({"choices": [{"finish_reason": "tool_calls", "message": {
        "content": null, "reasoning_content": "First \"ore\".",
        "tool_calls": [{"id": "c1", "function": {"name": "mine", "arguments": "{}"}}],
    }}]});
    let script = vec![
        (200, thinks.to_string()),
        sample("deepseek-reasoning.400.json"),
        (200, thinks.to_string()),
        (200, YES.to_string()),
    ];
    let mut served = Served::new(script).await;
    let before = served.ask().await.1.unwrap();
    let (sent, refused) = served.ask_for(request_after(&before)).await;
    assert!(sent["messages"][5].get("reasoning_content").is_none());
    assert!(
        matches!(refused, Err(ModelFault::Adapted { .. })),
        "{refused:?}"
    );
    let (sent, answer) = served.ask_for(request_after(&before)).await;
    assert_eq!(
        sent["messages"][5]["reasoning_content"], "First \"ore\".",
        "it came before anybody demanded it"
    );
    let (sent, _) = served.ask_for(request_after(&answer.unwrap())).await;
    assert_eq!(sent["messages"][2]["reasoning_content"], " ");
    assert_eq!(sent["messages"][5]["reasoning_content"], "First \"ore\".");
}

#[tokio::test]
async fn thoughts_that_came_as_parts_go_back_as_parts_to_the_same_model() {
    let whole_and_streamed = ["mistral-thinking-call.200.json", "mistral-thinking.200.sse"];
    let script = whole_and_streamed.map(sample).into_iter();
    let script = script.chain(vec![(200, YES.to_string()); 3]);
    let mut served = Served::new(script.collect()).await;
    let called = served.ask().await.1.unwrap();
    let spoken = served.ask().await.1.unwrap();
    for (answer, said) in [(&called, "I refuel."), (&spoken, "Off.")] {
        let (sent, _) = served.ask_for(request_after(answer)).await;
        let thought = json!([{"type": "text", "text": "Fuel first."}]);
        let expected = json!([
            {"type": "thinking", "thinking": thought, "closed": true},
            {"type": "text", "text": said},
        ]);
        assert_eq!(sent["messages"][5]["content"], expected);
    }
    let other = ModelRequest {
        model: "another".into(),
        ..request_after(&called)
    };
    let (sent, _) = served.ask_for(other).await;
    assert_eq!(sent["messages"][5]["content"], "I refuel.");
}

#[tokio::test]
async fn thoughts_between_tags_go_back_where_the_models_maker_or_the_operator_wants_it() {
    let tagged = json!("<think>\nFuel first.\n</think>\n\nOff.");
    let cases = [
        ("MiniMax-M2", None, tagged.clone()),
        ("minimax-m2", Some(false), json!("Off.")),
        ("qwen3", None, json!("Off.")),
        ("qwen3", Some(true), tagged),
    ];
    for (model, reasoning_back, expected) in cases {
        let endpoint = ProviderEndpoint {
            reasoning_back,
            ..ProviderEndpoint::default()
        };
        let script = vec![sample("minimax-think.200.sse"), (200, YES.to_string())];
        let mut served = Served::configured(script, endpoint).await;
        let named = |request| ModelRequest {
            model: model.into(),
            ..request
        };
        let (_, answer) = served.ask_for(named(request(tools()))).await;
        let after = named(request_after(&answer.unwrap()));
        let (sent, _) = served.ask_for(after).await;
        assert_eq!(sent["messages"][5]["content"], expected, "{model}");
    }
}

#[tokio::test]
async fn the_operator_can_have_reasoning_sent_back_that_nobody_demands() {
    let thinks = json!({"choices": [{"message": {"content": "Off.", "reasoning": "Fuel first."}}]});
    let endpoint = ProviderEndpoint {
        reasoning_back: Some(true),
        ..ProviderEndpoint::default()
    };
    let script = vec![(200, thinks.to_string()), (200, YES.to_string())];
    let mut served = Served::configured(script, endpoint).await;
    let answer = served.ask().await.1.unwrap();
    let (sent, _) = served.ask_for(request_after(&answer)).await;
    assert_eq!(sent["messages"][5]["reasoning"], "Fuel first.");
    assert!(
        sent["messages"][2].get("reasoning_content").is_none(),
        "no blanks"
    );
}

#[tokio::test]
async fn calls_of_others_are_marked_where_signatures_are_demanded() {
    let script = vec![
        sample("gemini-signature.400.json"),
        sample("gemini-call.200.sse"),
    ];
    let script = script.into_iter().chain([(200, YES.to_string())]);
    let mut served = Served::new(script.collect()).await;
    assert!(matches!(
        served.ask().await.1,
        Err(ModelFault::Adapted { .. })
    ));
    let (sent, answer) = served.ask().await;
    let calls = &sent["messages"][2]["tool_calls"];
    assert_eq!(
        calls[0]["extra_content"]["google"]["thought_signature"],
        SKIP
    );
    assert!(calls[1].get("extra_content").is_none());
    let (sent, _) = served.ask_for(request_after(&answer.unwrap())).await;
    let signed = &sent["messages"][5]["tool_calls"][0]["extra_content"];
    assert_eq!(signed["google"]["thought_signature"], "EjQKMgFA");
}

#[tokio::test]
async fn what_is_too_long_to_be_sent_back_is_left_out_as_a_whole() {
    let long = "x".repeat(70 << 10);
    let body = json!({"choices": [{"message": {"content": "yes",
        "extra_content": {"google": {"thought_signature": long}}}}]});
    let mut served = Served::new(vec![(200, body.to_string())]).await;
    assert_eq!(served.ask().await.1.unwrap().echo, None);
}

#[tokio::test]
async fn an_id_in_which_something_is_packed_goes_back_as_it_came() {
    let id = format!("call_1__thought__{}", "A".repeat(3000));
    let call = json!({"id": id, "function": {"name": "mine", "arguments": "{}"}});
    let body = json!({"choices": [{"message": {"content": null, "tool_calls": [call]}}]});
    let script = vec![(200, body.to_string()), (200, YES.to_string())];
    let mut served = Served::new(script).await;
    let answer = served.ask().await.1.unwrap();
    let (sent, _) = served.ask_for(request_after(&answer)).await;
    assert_eq!(sent["messages"][5]["tool_calls"][0]["id"], id);
    assert_eq!(sent["messages"][6]["tool_call_id"], id);
}

#[tokio::test]
async fn what_the_configuration_adds_is_in_each_request_and_outranks_ours() {
    let extra = json!({"temperature": 1, "reasoning": {"effort": "low"}});
    let endpoint = ProviderEndpoint {
        extra: Arc::new(extra.as_object().cloned().unwrap()),
        headers: vec![(
            HeaderName::from_static("x-title"),
            HeaderValue::from_static("our swarm"),
        )],
        ..ProviderEndpoint::default()
    };
    let served = Served::configured(vec![(200, YES.to_string())], endpoint);
    let mut served = served.await;
    let asked = served
        .providers
        .ask(request(tools()), AnswerMeter::default());
    asked.await.unwrap();
    let observed = served.observed.recv().await.unwrap();
    let body = observed.strip_prefix("our swarm").expect("the header");
    assert_eq!(body.matches("temperature").count(), 1, "{body}");
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["temperature"], 1);
    assert_eq!(body["reasoning"]["effort"], "low");
    assert_eq!(body["model"], "qwen3");
}

#[tokio::test]
async fn a_prompt_that_is_cut_without_a_word_is_told_once() {
    let body = json!({
        "choices": [{"message": {"content": "yes"}}],
        "usage": {"prompt_tokens": 4000, "completion_tokens": 96},
    });
    let mut served = Served::new(vec![(200, body.to_string()); 2]).await;
    let long = || ModelRequest {
        messages: [ChatMessage::User("ore ".repeat(12_000).into())].into(),
        ..request(tools())
    };
    let text = served.ask_for(long()).await.1.unwrap().doubt;
    let text = text.expect("it is reported");
    assert!(
        text.contains("4000 tokens") && text.contains("OLLAMA_CONTEXT_LENGTH"),
        "{text}"
    );
    assert_eq!(served.ask_for(long()).await.1.unwrap().doubt, None);
}

#[tokio::test]
async fn requests_are_marked_up_to_the_runtime_note_where_the_operator_wants_it() {
    let endpoint = ProviderEndpoint {
        marks_cache: true,
        ..ProviderEndpoint::default()
    };
    let script = vec![(200, YES.to_string())];
    let mut served = Served::configured(script, endpoint).await;
    let noted = "{\"ore\":3}\n\n[from the runtime, not an order]\nthe game is away";
    let messages = [
        ChatMessage::System("you are alpha".into()),
        ChatMessage::User("mine".into()),
        ChatMessage::User(noted.into()),
    ];
    let request = ModelRequest {
        messages: messages.into(),
        ..request(tools())
    };
    let (sent, _) = served.ask_for(request).await;
    let mark = json!({"type": "ephemeral"});
    let system = json!([{"type": "text", "text": "you are alpha", "cache_control": mark}]);
    assert_eq!(sent["messages"][0]["content"], system);
    assert_eq!(sent["messages"][1]["content"], "mine");
    let last = json!([
        {"type": "text", "text": "{\"ore\":3}", "cache_control": mark},
        {"type": "text", "text": "\n\n[from the runtime, not an order]\nthe game is away"},
    ]);
    assert_eq!(sent["messages"][2]["content"], last);
}
