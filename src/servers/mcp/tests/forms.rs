//! Answers in every form that servers give them: their text is read wherever it is.

use parking_lot::Mutex;

use super::*;

/// What a call gets where the server answers it so. The server's other answers are as they should
/// be.
async fn outcome(
    form: impl Fn(&Value) -> Answer + Send + Sync + 'static,
) -> Result<String, McpFailure> {
    let server = Server::start(move |seen| match seen.body["method"].as_str() {
        Some("tools/call") => form(&result(seen, &said("ore"))),
        _ => usual(seen),
    })
    .await;
    call(&server.open().await, Duration::from_secs(20)).await
}

fn body(kind: &'static str, body: String) -> Answer {
    Answer {
        kind,
        body,
        ..events("")
    }
}

#[tokio::test]
async fn an_answer_is_found_whatever_the_media_type_says() {
    for kind in [
        "application/json",
        "Application/JSON",
        "APPLICATION/JSON ; charset=utf-8",
        "application/json-rpc",
        "text/plain",
        "text/event-stream",
        "application/octet-stream",
        "nonsense",
        "",
    ] {
        let result = outcome(move |answer| body(kind, answer.to_string())).await;
        assert_eq!(result.expect("a result"), "ore", "JSON as {kind:?}");
        let result =
            outcome(move |answer| body(kind, format!("event: message\ndata: {answer}\n\n")));
        assert_eq!(result.await.expect("a result"), "ore", "events as {kind:?}");
    }
    let result = outcome(|answer| body("TEXT/Event-Stream; x=y", format!("data: {answer}\n\n")));
    assert_eq!(result.await.expect("a result"), "ore");
}

#[tokio::test]
async fn an_answer_is_found_behind_a_mark_in_a_list_and_under_any_status() {
    let mark = "\u{feff}";
    let result = outcome(move |answer| body("application/json", format!("{mark}{answer}")));
    assert_eq!(result.await.expect("a result"), "ore");
    let result = outcome(|answer| {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}});
        let other = json!({"jsonrpc": "2.0", "id": 77, "result": {}});
        json(&json!([note, other, answer]))
    });
    assert_eq!(result.await.expect("a result"), "ore");
    for status in [201, 202, 206, 400, 404, 500, 502, 503] {
        let result = outcome(move |answer| Answer {
            status,
            ..json(answer)
        });
        assert_eq!(result.await.expect("a result"), "ore", "{status}");
        let result = outcome(move |answer| Answer {
            status,
            ..events(&format!("data: {answer}\n\n"))
        });
        assert_eq!(
            result.await.expect("a result"),
            "ore",
            "{status}, as events"
        );
    }
}

#[tokio::test]
async fn of_a_stream_only_messages_count() {
    let mark = "\u{feff}";
    for before in [
        "event: ping\ndata: ping\n\n",
        "data: ping\n\n",
        "data: {\"type\":\"ping\"}\n\n",
        "data: [DONE]\n\n",
        "data: {\n\n",
        "data: 7\n\ndata: null\n\ndata: [1]\n\n",
        "event: endpoint\ndata: /messages?session=7\n\n",
        "event: something\nid: 4\n\n",
        ": hello\n\n",
        "\u{feff}",
    ] {
        let result = outcome(move |answer| events(&format!("{before}data: {answer}\n\n")));
        assert_eq!(result.await.expect("a result"), "ore", "{before:?}");
    }
    for (form, event) in [
        ("an unknown event", "event: tick\ndata: {}\n\n"),
        ("a list", "data: [{}]\n\n"),
        ("a mark in the data", "data: \u{feff}{}\n\n"),
        ("a mark before the event", "\u{feff}data: {}\n\n"),
        (
            "two messages in one event",
            "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\ndata: {}\n\n",
        ),
        ("no end", "data: {}"),
        ("half an end", "data: {}\n"),
    ] {
        let result = outcome(move |answer| {
            let answer = answer.to_string();
            events(&event.replacen("{}", &answer, 1))
        });
        assert_eq!(result.await.expect("a result"), "ore", "{form}");
    }
    let result = outcome(move |answer| {
        let text = serde_json::to_string_pretty(answer).expect("JSON");
        let lines = text.lines().map(|line| format!("data: {line}\n"));
        events(&format!(
            "{mark}event: message\n{}\n",
            lines.collect::<String>()
        ))
    });
    assert_eq!(result.await.expect("a result"), "ore", "many lines");
}

#[tokio::test]
async fn an_answer_that_has_come_needs_no_end_of_its_body() {
    let result = outcome(|answer| Answer {
        then: Then::Nothing,
        ..json(answer)
    });
    assert_eq!(result.await.expect("a result"), "ore");
}

#[tokio::test]
async fn what_is_no_message_is_told_in_the_servers_words() {
    for (answer, words) in [
        (
            body("text/html", "<h1>Welcome</h1>".to_string()),
            "`text/html`",
        ),
        (
            body("text/html", "<h1>Welcome</h1>".to_string()),
            "<h1>Welcome</h1>",
        ),
        (body("", "try later".to_string()), "try later"),
        (
            body("application/json", "try later".to_string()),
            "try later",
        ),
        (body("application/json", String::new()), "did not answer"),
        (
            body("application/json", "{\"jsonrpc\":\"2.0\",".to_string()),
            "{\"jsonrpc\"",
        ),
        (body("application/json", "[]".to_string()), "something else"),
    ] {
        let answer = Mutex::new(Some(answer));
        let result = outcome(move |_| answer.lock().take().expect("one call"));
        let failure = result.await.expect_err("no answer");
        assert!(matches!(failure, McpFailure::Broken(_)), "{failure:?}");
        assert!(failure.to_string().contains(words), "{failure}");
    }
}

#[tokio::test]
async fn an_error_in_any_form_is_a_refusal_in_the_servers_words() {
    for (error, words) in [
        (
            json!({"code": "E_FULL", "message": "the hold is full"}),
            "the hold is full (E_FULL)",
        ),
        (json!({"message": "the hold is full"}), "the hold is full"),
        (json!("the hold is full"), "the hold is full"),
    ] {
        let result = outcome(move |answer| {
            json(&json!({"jsonrpc": "2.0", "id": answer["id"], "error": error}))
        });
        let failure = result.await.expect_err("a refusal");
        assert!(
            matches!(failure, McpFailure::Refused { code: None, .. }),
            "{failure:?}"
        );
        assert_eq!(failure.to_string(), words);
    }
}

#[tokio::test]
async fn half_a_character_costs_no_more_than_itself() {
    let result = outcome(|answer| {
        body(
            "application/json",
            answer.to_string().replace("ore", "pilot \\ud83d"),
        )
    });
    assert_eq!(result.await.expect("a result"), "pilot \u{fffd}");
    let result = outcome(|answer| {
        let answer = answer
            .to_string()
            .replace("ore", "\\udc00 ore\\ud83d\\ude80");
        events(&format!("data: {answer}\n\n"))
    });
    assert_eq!(result.await.expect("a result"), "\u{fffd} ore🚀");
}
