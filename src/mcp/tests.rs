//! Sessions with a server that says what a test wrote for it, over real HTTP.

use std::convert::Infallible;
use std::sync::Mutex;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use futures::StreamExt;
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use super::*;

/// An answer of the server: status, content type, body, and whether the body goes on for ever.
#[derive(Clone)]
struct Answer {
    status: u16,
    kind: &'static str,
    body: String,
    hangs: bool,
}

/// What a request looked like.
#[derive(Clone, Debug)]
struct Seen {
    method: String,
    session: Option<String>,
    version: Option<String>,
    token: Option<String>,
    last_event: Option<String>,
    body: Value,
}

type Script = dyn Fn(&Seen) -> Answer + Send + Sync;

struct Server {
    endpoint: Endpoint,
    seen: Arc<Mutex<Vec<Seen>>>,
    _serving: AbortOnDropHandle<()>,
}

type Stage = (Arc<Mutex<Vec<Seen>>>, Arc<Script>);

impl Server {
    async fn start(script: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Server {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let stage: Stage = (seen.clone(), Arc::new(script));
        let router = Router::new().fallback(answer).with_state(stage);
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.expect("a port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("it serves");
        });
        Server {
            endpoint: Endpoint {
                url: url.into(),
                token: Some("sesame".into()),
                http: crate::http::client().expect("a client"),
            },
            seen,
            _serving: AbortOnDropHandle::new(serving),
        }
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("not poisoned").clone()
    }

    fn methods(&self) -> Vec<String> {
        let said = |seen: Seen| {
            let method = seen.body["method"].as_str();
            method.unwrap_or(&seen.method).to_string()
        };
        self.seen().into_iter().map(said).collect()
    }
}

async fn answer(State((seen, script)): State<Stage>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let header = |name: &str| {
        let value = parts.headers.get(name)?.to_str().expect("text");
        Some(value.to_string())
    };
    let mut what = Seen {
        method: parts.method.to_string(),
        session: header("mcp-session-id"),
        version: header("mcp-protocol-version"),
        token: header("authorization"),
        last_event: header("last-event-id"),
        body: Value::Null,
    };
    let body = axum::body::to_bytes(body, 1 << 20).await;
    what.body = serde_json::from_slice(&body.expect("a body")).unwrap_or_default();
    seen.lock().expect("not poisoned").push(what.clone());
    let answer = script(&what);
    let body = futures::stream::iter([Ok::<_, Infallible>(answer.body)]);
    let body = if answer.hangs {
        Body::from_stream(body.chain(futures::stream::pending()))
    } else {
        Body::from_stream(body)
    };
    Response::builder()
        .status(answer.status)
        .header("content-type", answer.kind)
        .header("mcp-session-id", "s-1")
        .body(body)
        .expect("a response")
}

fn json(value: &Value) -> Answer {
    Answer {
        status: 200,
        kind: "application/json",
        body: value.to_string(),
        hangs: false,
    }
}

fn events(body: &str) -> Answer {
    Answer {
        status: 200,
        kind: "text/event-stream",
        body: body.to_string(),
        hangs: false,
    }
}

fn accepted() -> Answer {
    Answer {
        status: 202,
        ..events("")
    }
}

fn result(seen: &Seen, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": result})
}

fn said(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// What every server answers before it comes to what a test is about.
fn usual(seen: &Seen) -> Answer {
    if seen.body["method"] != "initialize" {
        return accepted();
    }
    json(&result(
        seen,
        &json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "test", "version": "1"},
        }),
    ))
}

async fn call(session: &Session, limit: Duration) -> Result<String, Failure> {
    let params = CallToolRequestParams::new("mine");
    let result = session.call(params, limit).await?;
    let text = result.content[0].as_text().expect("text");
    Ok(text.text.clone())
}

const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_session_is_opened_and_keeps_to_its_id_version_and_token() {
    let server = Server::start(|seen| match seen.body["method"].as_str() {
        Some("tools/call") => json(&result(seen, &said("ore"))),
        _ => usual(seen),
    })
    .await;
    let session = Session::open(server.endpoint.clone()).await.expect("open");
    assert_eq!(call(&session, LONG).await.expect("a result"), "ore");
    assert_eq!(
        server.methods(),
        ["initialize", "notifications/initialized", "tools/call"]
    );
    let seen = server.seen();
    assert_eq!((&seen[0].session, &seen[0].version), (&None, &None));
    for later in &seen[1..] {
        assert_eq!(later.session.as_deref(), Some("s-1"));
        assert_eq!(later.version.as_deref(), Some("2025-06-18"));
    }
    assert!(
        seen.iter()
            .all(|seen| seen.token.as_deref() == Some("Bearer sesame"))
    );
    let again = Session::resumed(server.endpoint.clone(), session.pass().clone());
    assert_eq!(call(&again, LONG).await.expect("a result"), "ore");
    assert_eq!(server.methods().len(), 4, "nothing but the call was sent");
}

#[tokio::test]
async fn a_list_in_pages_is_read_to_its_end_and_an_endless_one_is_not() {
    let page = |seen: &Seen, next: Option<&str>| {
        let tool =
            json!({"name": format!("t{}", seen.body["id"]), "inputSchema": {"type": "object"}});
        let mut page = json!({"tools": [tool]});
        if let Some(next) = next {
            page["nextCursor"] = next.into();
        }
        json(&result(seen, &page))
    };
    let server = Server::start(move |seen| match seen.body["method"].as_str() {
        Some("tools/list") if seen.body["params"]["cursor"] == "2" => page(seen, None),
        Some("tools/list") => page(seen, Some("2")),
        _ => usual(seen),
    })
    .await;
    let session = Session::open(server.endpoint.clone()).await.expect("open");
    assert_eq!(session.tools().await.expect("tools").len(), 2);

    let endless = Server::start(move |seen| match seen.body["method"].as_str() {
        Some("tools/list") => page(seen, Some("on")),
        _ => usual(seen),
    })
    .await;
    let session = Session::open(endless.endpoint.clone()).await.expect("open");
    let failure = session.tools().await.expect_err("no end");
    assert!(failure.to_string().contains("no end"), "{failure}");
}

#[tokio::test]
async fn a_stream_that_breaks_off_goes_on_after_its_last_event() {
    let server = Server::start(|seen| {
        if seen.method == "GET" {
            let answer = json!({"jsonrpc": "2.0", "id": 2, "result": said("ore")});
            return events(&format!("id: 8\ndata: {answer}\n\n"));
        }
        match seen.body["method"].as_str() {
            Some("tools/call") => events("retry: 1\nid: 7\ndata:\n\n"),
            _ => usual(seen),
        }
    })
    .await;
    let session = Session::open(server.endpoint.clone()).await.expect("open");
    assert_eq!(call(&session, LONG).await.expect("a result"), "ore");
    let last = server.seen().pop().expect("a request");
    assert_eq!(last.last_event.as_deref(), Some("7"));
    assert_eq!(last.session.as_deref(), Some("s-1"));
}

#[tokio::test]
async fn a_stream_that_cannot_go_on_is_a_lost_answer() {
    let server = Server::start(|seen| match seen.body["method"].as_str() {
        Some("tools/call") => events("data:\n\n"),
        _ => usual(seen),
    })
    .await;
    let session = Session::open(server.endpoint.clone()).await.expect("open");
    let failure = call(&session, LONG).await.expect_err("no answer");
    assert!(matches!(failure, Failure::Broken(_)), "{failure}");

    let gone = Server::start(|seen| {
        if seen.method == "GET" {
            return events("retry: 1\n\n");
        }
        match seen.body["method"].as_str() {
            Some("tools/call") => events("retry: 1\nid: 7\ndata:\n\n"),
            _ => usual(seen),
        }
    })
    .await;
    let session = Session::open(gone.endpoint.clone()).await.expect("open");
    let failure = call(&session, LONG).await.expect_err("no answer");
    assert!(matches!(failure, Failure::Broken(_)), "{failure}");
    let asked = gone
        .seen()
        .iter()
        .filter(|seen| seen.method == "GET")
        .count();
    assert_eq!(asked, 4);
}

#[tokio::test]
async fn what_a_server_asks_meanwhile_is_answered() {
    let server = Server::start(|seen| match seen.body["method"].as_str() {
        Some("tools/call") => {
            let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
            let roots = json!({"jsonrpc": "2.0", "id": "r", "method": "roots/list"});
            let note = json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": 1, "progress": 1}});
            let answer = result(seen, &said("ore"));
            events(&format!(
                "data: {ping}\n\ndata: {roots}\n\ndata: {note}\n\ndata: {answer}\n\n"
            ))
        }
        _ => usual(seen),
    })
    .await;
    let session = Session::open(server.endpoint.clone()).await.expect("open");
    assert_eq!(call(&session, LONG).await.expect("a result"), "ore");
    let seen = server.seen();
    let [.., pong, refusal] = seen.as_slice() else {
        panic!("{seen:?}");
    };
    assert_eq!(
        pong.body,
        json!({"jsonrpc": "2.0", "id": "p", "result": {}})
    );
    assert_eq!(refusal.body["id"], "r");
    assert_eq!(refusal.body["error"]["code"], -32601);
}

#[tokio::test]
async fn an_error_without_an_id_answers_the_request() {
    let error = json!({"jsonrpc": "2.0", "id": null,
        "error": {"code": -32000, "message": "Bad Request: No valid session ID provided"}});
    for in_stream in [false, true] {
        let error = error.clone();
        let server = Server::start(move |seen| match seen.body["method"].as_str() {
            Some("tools/call") if in_stream => events(&format!("data: {error}\n\n")),
            Some("tools/call") => Answer {
                status: 400,
                ..json(&error)
            },
            _ => usual(seen),
        })
        .await;
        let session = Session::open(server.endpoint.clone()).await.expect("open");
        let failure = call(&session, LONG).await.expect_err("refused");
        assert!(matches!(failure, Failure::Refused(_)), "{failure}");
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled() {
    let server = Server::start(|seen| match seen.body["method"].as_str() {
        Some("tools/call") => Answer {
            hangs: true,
            ..events(": wait\n\n")
        },
        _ => usual(seen),
    })
    .await;
    let session = Session::open(server.endpoint.clone()).await.expect("open");
    let failure = call(&session, Duration::from_millis(50)).await;
    assert!(matches!(failure, Err(Failure::TooLate(_))), "{failure:?}");
    let last = server.seen().pop().expect("a request");
    assert_eq!(last.body["method"], "notifications/cancelled");
    assert_eq!(last.body["params"]["requestId"], 2);
}

#[tokio::test]
async fn a_failure_never_shows_the_url() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await;
    let address = listener.expect("a port").local_addr().expect("an address");
    let endpoint = Endpoint {
        url: format!("http://{address}/mcp?key=hunter2").into(),
        token: None,
        http: crate::http::client().expect("a client"),
    };
    let failure = Session::open(endpoint)
        .await
        .err()
        .expect("nobody is there");
    assert!(!failure.to_string().contains("hunter2"), "{failure}");
}
