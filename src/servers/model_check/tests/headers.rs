//! The configured headers of a server go with every request to it, and to nobody else.

use axum::extract::Request;
use axum::http::header::LOCATION;

use super::*;

const HEADER: &str = "a-secret-of-the-team";

/// What a server heard: the path of each request, its key and its configured header.
type ReceivedRequests = Arc<Mutex<Vec<(String, String, String)>>>;

fn note(requests: &ReceivedRequests, request: &Request) {
    let text = |name: &str| {
        let value = request.headers().get(name);
        value
            .map_or("", |value| value.to_str().expect("text"))
            .to_string()
    };
    let path = request.uri().path().to_string();
    let reported = (path, text("authorization"), text("x-team"));
    requests.lock().push(reported);
}

/// A server that answers every request in this way.
async fn server(
    answer: impl Fn(&str) -> Response + Clone + Send + Sync + 'static,
) -> (Served, ReceivedRequests) {
    let requests = ReceivedRequests::default();
    let noted = requests.clone();
    let app = axum::Router::new().fallback(move |request: Request| {
        note(&noted, &request);
        let response = answer(request.uri().path());
        async move { response }
    });
    (Served::app(app).await, requests)
}

fn with_header(url: &str) -> CheckTarget {
    let target = target(url);
    CheckTarget {
        endpoint: ProviderEndpoint {
            headers: vec![(
                HeaderName::from_static("x-team"),
                HeaderValue::from_static(HEADER),
            )],
            ..target.endpoint
        },
        ..target
    }
}

#[tokio::test]
async fn every_request_of_a_proof_carries_the_configured_headers() {
    let (served, requests) = server(|path: &str| match path {
        "/v1/models" => axum::Json(json!({"data": [{"id": "pilot"}]})).into_response(),
        // The server quotes what it refuses.
        _ => (StatusCode::FORBIDDEN, format!("no team {HEADER} here")).into_response(),
    })
    .await;
    let check_result = prove_quietly(&with_header(&served.url)).await;
    let text = zoea_contract::to_value(&check_result.report).to_string();
    assert!(text.contains("no team") && !text.contains(HEADER), "{text}");
    let requests = requests.lock();
    let paths = ["/v1/models", "/v1/chat/completions"];
    for path in paths {
        assert!(
            requests.iter().any(|(asked, ..)| asked == path),
            "{requests:?}"
        );
    }
    for (path, key, header) in requests.iter() {
        assert_eq!(*key, format!("Bearer {KEY}"), "{path}");
        assert_eq!(header, HEADER, "{path}");
    }
}

#[tokio::test]
async fn no_key_and_no_header_follows_a_redirect_to_another_server() {
    let (other, others) = server(|_: &str| axum::Json(json!({"data": []})).into_response()).await;
    let url = other.url.clone();
    let (served, requests) = server(move |path: &str| {
        let there = format!("{}{path}", url.trim_end_matches("/v1"));
        (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, there)]).into_response()
    })
    .await;
    let check_result = prove_quietly(&with_header(&served.url)).await;
    assert_ne!(check_result.report.verdict, CheckVerdict::Plays);
    assert!(!requests.lock().is_empty());
    assert_eq!(*others.lock(), []);
}
