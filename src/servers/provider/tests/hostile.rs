//! Hostile and broken servers: redirects, endless answers, absurd figures, and invalid keys.

use std::time::Duration;

use actors::domain::bounds::{MAX_ANSWER_BYTES, MAX_STATED_WAIT};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Response};
use serde_json::json;

use super::*;

/// The longest time that a test waits; far more than is needed.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server whose answers a function makes. It keeps the headers of its requests.
struct Host {
    url: String,
    observed: mpsc::UnboundedReceiver<HeaderMap>,
    server: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Host {
    async fn new(answer: impl Fn() -> Response<Body> + Clone + Send + Sync + 'static) -> Host {
        let (sender, observed) = mpsc::unbounded_channel();
        let app = axum::Router::new().fallback(move |headers: HeaderMap| async move {
            sender.send(headers).expect("the test listens");
            answer()
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        Host {
            url: format!("http://{}/v1", listener.local_addr().unwrap()),
            observed,
            server: tokio::spawn(async move { axum::serve(listener, app).await }),
        }
    }

    fn providers(&self, api_key: Option<&str>, is_streamed: bool) -> Providers {
        let endpoint = ProviderEndpoint {
            url: self.url.clone(),
            api_key: api_key.map(str::to_string),
            is_streamed,
            extra: Arc::default(),
            headers: Vec::new(),
            reasoning_back: None,
            marks_cache: false,
        };
        let http = zoea_http::build_client().unwrap();
        Providers::new(&http, [("local".into(), endpoint)])
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn answer(body: impl Into<Body>) -> Response<Body> {
    Response::new(body.into())
}

async fn asked(providers: &Providers) -> Result<ModelAnswer, ModelFault> {
    let answer = providers.ask(request(tools()), AnswerMeter::default());
    let answer = tokio::time::timeout(PATIENCE, answer).await;
    answer.expect("it does not take for ever")
}

/// A stream that begins with one text and then repeats another forever.
fn endless(first: String, then: String) -> Response<Body> {
    let first = futures::stream::iter([Bytes::from(first)]);
    let then = futures::stream::repeat(Bytes::from(then));
    let parts = futures::StreamExt::chain(first, then);
    answer(Body::from_stream(futures::StreamExt::map(
        parts,
        Ok::<_, std::io::Error>,
    )))
}

#[tokio::test]
async fn a_conversation_is_not_sent_on_to_another_host() {
    let mut other = Host::new(|| answer(YES)).await;
    for status in [301, 302, 303, 307, 308] {
        let target = format!("{}/chat/completions", other.url);
        let sent_on = move || {
            let moved = Response::builder().status(status);
            let moved = moved.header("location", &target);
            moved.body(Body::empty()).expect("an answer")
        };
        let mut host = Host::new(sent_on).await;
        let fault = asked(&host.providers(Some("secret-key"), false))
            .await
            .unwrap_err();
        let ModelFault::Permanent { text } = &fault else {
            panic!("asking again does not help: {fault:?}");
        };
        let origin = other.url.trim_end_matches("/v1");
        let expected = format!("HTTP {status} and sends requests on to {origin};");
        assert!(
            text.contains(&expected) && text.contains("set the address"),
            "{text}"
        );
        assert!(host.observed.recv().await.is_some());
        assert!(
            other.observed.try_recv().is_err(),
            "the other host heard of it"
        );
    }
}

#[tokio::test]
async fn without_a_key_no_header_speaks_of_one_and_a_key_that_is_none_is_no_panic() {
    let mut host = Host::new(|| answer(YES)).await;
    for (key, sent) in [
        (None, None),
        (Some(""), None),
        (Some("k-1"), Some("Bearer k-1")),
    ] {
        asked(&host.providers(key, false)).await.unwrap();
        let headers = host.observed.recv().await.expect("a request");
        let authorization = headers
            .get("authorization")
            .map(|value| value.to_str().unwrap());
        assert_eq!(authorization, sent);
        assert!(
            !headers
                .keys()
                .any(|name| name.as_str().starts_with("openai"))
        );
    }
    for key in ["a\nb", "\u{0}", "two\r\nX-Other: 1"] {
        let fault = asked(&host.providers(Some(key), false)).await.unwrap_err();
        let ModelFault::Permanent { text } = &fault else {
            panic!("{fault:?}");
        };
        assert!(
            text.contains("api_key_env") && !text.contains("X-Other"),
            "{text}"
        );
    }
    assert!(host.observed.try_recv().is_err(), "nothing was sent");
}

#[tokio::test]
async fn absurd_figures_are_not_believed_and_told_once_for_all() {
    for (text, expected) in [
        (
            json!({"prompt_tokens": u64::MAX, "completion_tokens": 2}),
            None,
        ),
        (
            json!({"prompt_tokens": 7, "completion_tokens": 1_u64 << 63}),
            Some((7, 1)),
        ),
        (
            json!({"prompt_tokens": "36893488147419103232", "completion_tokens": 1e300}),
            None,
        ),
        (
            json!({"prompt_tokens": 1e300, "completion_tokens": "2"}),
            None,
        ),
    ] {
        let body = json!({"choices": [{"message": {"content": "yes"}}], "usage": text});
        let host = Host::new(move || answer(body.to_string())).await;
        let providers = host.providers(None, false);
        let first = asked(&providers).await.unwrap();
        let usage = first.usage.expect("an estimate");
        assert!(usage.input < 1000 && usage.output < 10, "{usage:?}");
        if let Some(expected) = expected {
            assert_eq!((usage.input, usage.output), expected);
        }
        let doubt = first.doubt.expect("it is reported");
        assert!(
            doubt.contains("local says") && doubt.contains("implausible"),
            "{doubt}"
        );
        let second = asked(&providers).await.unwrap();
        assert_eq!((second.usage, second.doubt), (Some(usage), None), "once");
    }
    // An answer without a choice also reports its usage.
    let host = Host::new(|| answer(r#"{"choices":[],"usage":{"prompt_tokens":1e19}}"#)).await;
    let fault = asked(&host.providers(None, false)).await.unwrap_err();
    assert!(
        fault.usage().is_some_and(|usage| usage.input < 1000),
        "{fault:?}"
    );
}

#[tokio::test]
async fn what_has_no_end_is_given_up_at_its_bound() {
    // A body, a line of a stream, and data that is not JSON.
    for (first, then) in [
        ("{\"a\":\"", "x".repeat(1 << 16)),
        ("data: {\"a\":\"", "x".repeat(1 << 16)),
        ("data: [\n", "data: 1,\n".repeat(1 << 10)),
    ] {
        let host = Host::new(move || endless(first.to_string(), then.clone())).await;
        let fault = asked(&host.providers(None, true)).await.unwrap_err();
        let expected = format!("longer than {MAX_ANSWER_BYTES} bytes");
        assert!(fault.text().contains(&expected), "{fault:?}");
    }
    // The beginning of a refusal suffices.
    let refusal = || {
        let mut refused = endless("no such model ".to_string(), "x".repeat(1 << 16));
        *refused.status_mut() = StatusCode::BAD_REQUEST;
        refused
    };
    let host = Host::new(refusal).await;
    let fault = asked(&host.providers(None, true)).await.unwrap_err();
    assert!(
        fault.text().starts_with("HTTP 400: no such model xxx"),
        "{fault:?}"
    );
    // A pause that no header can express.
    let busy = || {
        let busy = Response::builder()
            .status(429)
            .header("retry-after", "99999999999999999999");
        busy.body(Body::empty()).expect("an answer")
    };
    let host = Host::new(busy).await;
    let fault = asked(&host.providers(None, true)).await.unwrap_err();
    let ModelFault::OutOfService { wait, .. } = fault else {
        panic!("{fault:?}");
    };
    assert_eq!(wait, MAX_STATED_WAIT);
}

#[tokio::test]
async fn an_answer_that_is_finished_is_taken_however_long_its_figures_take() {
    let words = "data: {\"choices\":[{\"delta\":{\"content\":\"yes\"}}]}\n\n";
    let stop = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    // The connection stays open, silent or with pings.
    for ping in [None, Some(": ping\n\n")] {
        let text = format!("{words}{stop}");
        let speak = move || {
            let first = futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from(text.clone()))]);
            let then = futures::stream::unfold((), move |()| async move {
                match ping {
                    None => futures::future::pending().await,
                    Some(ping) => {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        Some((Ok(Bytes::from(ping)), ()))
                    }
                }
            });
            answer(Body::from_stream(futures::StreamExt::chain(first, then)))
        };
        let host = Host::new(speak).await;
        let answer = asked(&host.providers(None, true)).await.unwrap();
        assert_eq!(answer.text, "yes");
        assert_eq!(answer.finish_reason.as_deref(), Some("stop"));
    }
}

#[tokio::test]
async fn of_streamed_parts_without_end_only_so_much_is_kept() {
    let id = "i".repeat(10_000);
    let call = |index: u64| {
        let function = json!({"name": id, "arguments": format!("{{\"n\":{index}}}")});
        json!({"index": index, "id": id, "function": function})
    };
    let chunk = |delta: Value| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
    let calls = chunk(json!({"tool_calls": [call(1), call(u64::MAX), call(3)]}));
    let more = chunk(json!({"tool_calls": [{"function": {"name": "x"}}]}));
    let names = chunk(json!({"tool_calls": [{"index": 1, "function": {"name": id}}]}));
    let stop =
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let text = [calls, more, names.repeat(50), stop.to_string()].concat();
    let host = Host::new(move || answer(text.clone())).await;
    let answer = asked(&host.providers(None, true)).await.unwrap();
    assert_eq!(answer.calls.len(), 4);
    for call in &answer.calls[..3] {
        assert_eq!(call.id, "[no id: 10000 bytes]");
        assert!(call.name.starts_with("[no name: "), "{}", call.name);
    }
    assert_eq!((&*answer.calls[3].id, &*answer.calls[3].name), ("", "x"));
}

/// Equal calls may be meant, and nothing says that they are one where their ids differ.
#[tokio::test]
async fn equal_calls_with_ids_of_their_own_are_kept_and_told_once() {
    let call = |id: &str| json!({"id": id, "function": {"name": "mine", "arguments": "{}"}});
    let body = |ids: [&str; 2]| {
        let message = json!({"tool_calls": ids.map(call)});
        (200, json!({"choices": [{"message": message}]}).to_string())
    };
    let answers = vec![body(["a", "a"]), body(["a", "b"]), body(["a", "b"])];
    let mut served = Served::new(answers).await;
    let mut read = Vec::new();
    for _ in 0..3 {
        let answer = served.ask().await.1.expect("an answer");
        let text = answer
            .doubt
            .as_deref()
            .map(|text| text.contains("mine twice"));
        read.push((answer.calls.len(), text));
    }
    assert_eq!(read, [(1, None), (2, Some(true)), (2, None)]);
}
