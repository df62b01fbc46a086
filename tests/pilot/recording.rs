//! The record and the statistics.

use std::path::Path;

use serde_json::{Value, json};
use zoea_pilot::PilotOptions;

use crate::served::{LIMIT, Served, calling, talking, with_faults};

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn a_line_is_there_when_the_answer_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.jsonl");
    let served = Served::start(PilotOptions {
        record: Some(path.clone()),
        keeps_bodies: true,
        ..with_faults(&["null-usage@0"])
    })
    .await;
    let (_, answer) = served.ask(&calling()).await;
    let line = lines(&path).remove(0);
    assert_eq!(line["n"], 1);
    assert_eq!(line["agent"], "alpha");
    assert_eq!(
        (&line["messages"], &line["status"], &line["valid"]),
        (&json!(2), &json!(200), &json!(true))
    );
    assert_eq!(line["bytes"], calling().to_string().len());
    assert_eq!(line["usage"], answer["usage"]);
    assert_eq!(line["tool_calls"][0]["name"], "register");
    assert_eq!(line["body"], calling());
    assert!(
        line.get("refusal").is_none() && line.get("fault").is_none() && line.get("reply").is_none()
    );

    served.ask(&talking()).await;
    served.ask(&json!({"model": "m"})).await;
    let lines = lines(&path);
    assert!(lines[1]["reply"].as_str().unwrap().contains("alpha"));
    assert_eq!(
        lines[2]["refusal"],
        "messages: Missing required parameter: 'messages'."
    );
    assert_eq!(
        (&lines[2]["valid"], &lines[2]["status"]),
        (&json!(false), &json!(400))
    );
    served.end().await;
}

#[tokio::test]
async fn the_books_agree_with_what_clients_were_told() {
    let served = Served::start(with_faults(&[
        "odd-usage@0.3",
        "http-500@0.2",
        "no-usage@0.2",
    ]))
    .await;
    let (mut tokens_in, mut tokens_out) = (0, 0);
    for n in 0..60 {
        let mut body = if n % 2 == 0 { calling() } else { talking() };
        body["user"] = json!(n.to_string());
        let (_, answer) = served.ask(&body).await;
        let usage = &answer["usage"];
        if let (Some(read), Some(written)) = (
            usage["prompt_tokens"].as_u64(),
            usage["completion_tokens"].as_u64(),
        ) {
            tokens_in += read;
            tokens_out += written;
        }
    }
    let stats = served.get("/stats").await;
    assert_eq!(
        (&stats["tokens_in"], &stats["tokens_out"]),
        (&json!(tokens_in), &json!(tokens_out))
    );
    assert_eq!(stats["requests"], 60);
    let statuses: u64 = stats["statuses"]
        .as_object()
        .unwrap()
        .values()
        .filter_map(Value::as_u64)
        .sum();
    assert_eq!(statuses, 60);
    served.end().await;
}

#[tokio::test]
async fn callers_are_told_apart_and_their_keys_not_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.jsonl");
    let served = Served::start(PilotOptions {
        record: Some(path.clone()),
        ..with_faults(&[])
    })
    .await;
    let mut named = talking();
    named["user"] = json!("mysis-7");
    let mut beta = talking();
    beta["messages"][0]["content"] = json!("You are beta.\nMuch changes here.");
    for body in [talking(), beta, named] {
        served
            .post(&body)
            .bearer_auth("top-secret")
            .send()
            .await
            .unwrap();
    }
    served.post(&talking()).send().await.unwrap();
    let callers: Vec<String> = lines(&path)
        .iter()
        .map(|line| line["caller"].as_str().unwrap().to_owned())
        .collect();
    let apart: std::collections::BTreeSet<&String> = callers.iter().collect();
    assert_eq!(apart.len(), 4, "{callers:?}");
    assert!(callers[2].ends_with("user:mysis-7"));
    assert!(
        !std::fs::read_to_string(&path)
            .unwrap()
            .contains("top-secret")
    );
    served.end().await;
}

#[tokio::test]
async fn a_caller_who_goes_away_is_booked_as_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.jsonl");
    let served = Served::start(PilotOptions {
        record: Some(path.clone()),
        ..with_faults(&["hang"])
    })
    .await;
    let asking = tokio::spawn(served.post(&calling()).send());
    let stats = |field: &'static str, value: Value| {
        let served = &served;
        async move {
            let reached = async {
                while served.get("/stats").await[field] != value {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(LIMIT, reached).await.unwrap();
        }
    };
    stats("in_flight", json!(1)).await;
    asking.abort();
    stats("statuses", json!({"499": 1})).await;
    let line = lines(&path).remove(0);
    assert_eq!(
        (&line["status"], &line["fault"], &line["agent"]),
        (&json!(499), &json!("hang"), &json!("alpha"))
    );
    assert_eq!(
        (&line["usage"], &line["tool_calls"]),
        (&json!(null), &json!([]))
    );
    served.end().await;
}

#[tokio::test]
async fn a_record_that_cannot_be_written_stops_the_server_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = PilotOptions {
        record: Some(folder.path().join("no/such/folder")),
        ..PilotOptions::default()
    };
    let error = zoea_pilot::serve(listener, options, Default::default())
        .await
        .unwrap_err();
    assert!(error.to_string().starts_with("open record "), "{error}");
}
