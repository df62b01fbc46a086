//! Tests: what a collector answers, and what is made of it.

use axum::body::Bytes;
use axum::http::HeaderMap as Headers;
use axum::response::IntoResponse;
use tokio::sync::mpsc;

use super::super::otlp::{ExportTracePartialSuccess, ResourceSpans};
use super::*;

/// An answer: its status, its headers and its body.
#[derive(Clone)]
struct Answer(u16, Vec<(&'static str, &'static str)>, Vec<u8>);

const SOON: (&str, &str) = ("retry-after-ms", "5");
const QUICK: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(2)];
/// A secret that a collector may quote.
const SECRET: &str = "k3y-of-the-collector";
const NEVER: [Duration; 1] = [Duration::from_secs(3600)];

type Received = mpsc::UnboundedReceiver<(Headers, Bytes)>;

/// A collector that gives these answers, the last one again and again.
async fn collector(answers: Vec<Answer>) -> (String, Received) {
    let (notify, received) = mpsc::unbounded_channel();
    let answers = parking_lot::Mutex::new(answers);
    let answer = move |headers: Headers, body: Bytes| {
        notify.send((headers, body)).expect("the test listens");
        let mut answers = answers.lock();
        let Answer(status, headers, body) = match answers.len() {
            1 => answers[0].clone(),
            _ => answers.remove(0),
        };
        let status = axum::http::StatusCode::from_u16(status).expect("a status");
        let mut answer = (status, body).into_response();
        for (name, value) in headers {
            let value = value.parse().expect("a value");
            answer.headers_mut().insert(name, value);
        }
        async move { answer }
    };
    let answer = std::sync::Arc::new(answer);
    let app =
        axum::Router::new().fallback(move |headers: Headers, body: Bytes| answer(headers, body));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    (url, received)
}

fn sender(url: String, protocol: TraceProtocol, waits: &'static [Duration]) -> OtlpSender {
    let mut headers = HeaderMap::new();
    headers.insert("authorization", "Bearer of-tests".parse().unwrap());
    OtlpSender {
        http: zoea_http::build_client().unwrap(),
        url,
        headers,
        protocol,
        is_compressed: true,
        waits,
        secrets: Secrets::new([SECRET.into()]),
    }
}

fn request() -> ExportTraceServiceRequest {
    let spans = ResourceSpans {
        schema_url: "https://schema.test/".repeat(50),
        ..ResourceSpans::default()
    };
    ExportTraceServiceRequest {
        resource_spans: vec![spans],
    }
}

#[tokio::test]
async fn a_busy_collector_is_asked_again_when_it_wants_to_be() {
    let busy = |status| Answer(status, vec![SOON], Vec::new());
    let good = Answer(200, Vec::new(), Vec::new());
    for status in [429, 502, 503, 504] {
        let (url, mut received) = collector(vec![busy(status), good.clone()]).await;
        let sent = sender(url, TraceProtocol::Protobuf, &NEVER)
            .send(&request())
            .await;
        assert_eq!(sent, Ok(Taken::default()));
        let (headers, first) = received.recv().await.unwrap();
        let (_, again) = received.recv().await.unwrap();
        assert_eq!(first, again);
        assert_eq!(headers["authorization"], "Bearer of-tests");
        assert_eq!(headers["content-type"], "application/x-protobuf");
        assert_eq!(headers["content-encoding"], "gzip");
        assert!(first.len() < 200, "{} bytes of 1000", first.len());
    }
    let (url, mut received) = collector(vec![Answer(503, Vec::new(), Vec::new())]).await;
    let why = sender(url, TraceProtocol::Json, &QUICK)
        .send(&request())
        .await;
    assert!(why.unwrap_err().contains("503"));
    let mut tries = 0;
    while received.try_recv().is_ok() {
        tries += 1;
    }
    assert_eq!(tries, 3);
}

#[tokio::test]
async fn a_collector_that_refuses_is_not_asked_again() {
    for (status, advice) in [
        (400, "no such field"),
        (401, "headers_env"),
        (404, "endpoint"),
        (415, "protocol"),
        (500, "no such field"),
    ] {
        let said = b"\x12\x0dno such field".to_vec();
        let (url, mut received) = collector(vec![Answer(status, Vec::new(), said)]).await;
        let why = sender(url, TraceProtocol::Protobuf, &NEVER)
            .send(&request())
            .await;
        let why = why.unwrap_err();
        assert!(
            why.contains(&status.to_string()) && why.contains(advice),
            "{why}"
        );
        assert!(received.recv().await.is_some());
        assert!(received.try_recv().is_err(), "asked once");
    }
}

#[tokio::test]
async fn what_a_collector_refuses_of_a_request_is_told() {
    let partial = ExportTraceServiceResponse {
        partial_success: Some(ExportTracePartialSuccess {
            rejected_spans: 3,
            error_message: "too old".to_string(),
        }),
    };
    // The bytes by hand: field 1 of the response; in it field 1, a varint, and field 2, a text.
    let bytes = b"\x0a\x0b\x08\x03\x12\x07too old".to_vec();
    assert_eq!(partial.encode_to_vec(), bytes);
    let json = |text: &str| {
        let kind = ("content-type", "application/json; charset=utf-8");
        Answer(200, vec![kind], text.as_bytes().to_vec())
    };
    let as_text = r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#;
    let as_number = r#"{"partialSuccess":{"rejectedSpans":3,"errorMessage":"too old"}}"#;
    for answer in [
        Answer(200, Vec::new(), bytes),
        json(as_text),
        json(as_number),
    ] {
        let (url, _received) = collector(vec![answer]).await;
        let sent = sender(url, TraceProtocol::Protobuf, &NEVER)
            .send(&request())
            .await;
        let taken = Taken {
            rejected: 3,
            message: "too old".to_string(),
        };
        assert_eq!(sent, Ok(taken));
    }
    for nonsense in [
        json("{}"),
        json("no JSON"),
        Answer(200, Vec::new(), vec![0xff; 90]),
    ] {
        let (url, _received) = collector(vec![nonsense]).await;
        let sent = sender(url, TraceProtocol::Json, &NEVER)
            .send(&request())
            .await;
        assert_eq!(sent, Ok(Taken::default()));
    }
}

#[tokio::test]
async fn a_web_page_at_the_address_of_a_collector_is_no_success() {
    let html = ("content-type", "Text/HTML; charset=utf-8");
    let page = b"\n<!doctype html><title>Our app</title>".to_vec();
    for answer in [
        Answer(200, vec![html], page.clone()),
        Answer(202, Vec::new(), page[1..].to_vec()),
    ] {
        let (url, mut received) = collector(vec![answer]).await;
        let why = sender(url, TraceProtocol::Protobuf, &NEVER)
            .send(&request())
            .await;
        let why = why.unwrap_err();
        assert!(
            why.contains("[traces] endpoint") && why.contains("Our app"),
            "{why}"
        );
        assert!(received.recv().await.is_some());
        assert!(received.try_recv().is_err(), "asked once");
    }
    // What takes spans without a word may call that HTML.
    for said in ["", "ok"] {
        let (url, _received) = collector(vec![Answer(200, vec![html], said.into())]).await;
        let sent = sender(url, TraceProtocol::Json, &NEVER)
            .send(&request())
            .await;
        assert_eq!(sent, Ok(Taken::default()));
    }
}

/// A secret that is cut in the middle would not be recognised.
#[tokio::test]
async fn secrets_are_removed_from_a_collectors_words_before_those_are_cut() {
    let said = format!("{}{SECRET}", "x".repeat(590));
    let (url, _received) =
        collector(vec![Answer(400, Vec::new(), said.clone().into_bytes())]).await;
    let why = sender(url, TraceProtocol::Protobuf, &NEVER)
        .send(&request())
        .await;
    let why = why.unwrap_err();
    assert!(!why.contains("k3y"), "{why}");
    let kind = ("content-type", "application/json");
    let taken = serde_json::json!({"partialSuccess": {"rejectedSpans": 1, "errorMessage": said}});
    let answer = Answer(200, vec![kind], taken.to_string().into_bytes());
    let (url, _received) = collector(vec![answer]).await;
    let taken = sender(url, TraceProtocol::Protobuf, &NEVER)
        .send(&request())
        .await;
    let taken = taken.unwrap();
    assert!(
        taken.rejected == 1 && !taken.message.contains("k3y"),
        "{taken:?}"
    );
}
