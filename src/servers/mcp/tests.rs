//! Tests of sessions with a scripted server over real HTTP.

use std::convert::Infallible;
use std::sync::atomic::AtomicUsize;

use actors::ports::LinkAnswer;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use futures::StreamExt;
use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

use super::*;

mod asking;
mod forms;
mod lists;
mod older;
pub(crate) mod operator;
mod stateless;

/// An answer of the server: status, content type, body, and what comes after it.
struct Answer {
    status: u16,
    kind: &'static str,
    body: String,
    then: Then,
}

/// What comes after the part of a body that is there at once.
enum Then {
    End,
    /// Nothing, not even its end.
    Nothing,
    /// Whatever is sent here, until the sender is gone.
    More(mpsc::UnboundedReceiver<String>),
}

/// A request that the server received.
#[derive(Clone, Debug)]
struct Seen {
    method: String,
    session: Option<String>,
    version: Option<String>,
    token: Option<String>,
    last_event: Option<String>,
    headers: BTreeMap<String, String>,
    body: Value,
}

/// The status of an answer that never begins.
const NO_HEAD: u16 = 0;

/// The largest answer in these tests.
const MAX_BYTES: usize = 1 << 20;

type Script = dyn Fn(&Seen) -> Answer + Send + Sync;

struct Server {
    endpoint: UpstreamEndpoint,
    seen: Arc<watch::Sender<Vec<Seen>>>,
    _serving: AbortOnDropHandle<()>,
}

type Stage = (Arc<watch::Sender<Vec<Seen>>>, Arc<Script>);

fn endpoint(url: String) -> UpstreamEndpoint {
    let http = zoea_http::build_client().expect("a client");
    UpstreamEndpoint {
        max_answer_bytes: MAX_BYTES,
        ..UpstreamEndpoint::new(url, http).with_sessions()
    }
}

impl Server {
    async fn start(script: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Server {
        let seen = Arc::new(watch::Sender::new(Vec::new()));
        let stage: Stage = (seen.clone(), Arc::new(script));
        let router = Router::new().fallback(answer).with_state(stage);
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.expect("a port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("it serves");
        });
        Server {
            endpoint: UpstreamEndpoint {
                token: Some("sesame".into()),
                ..endpoint(url)
            },
            seen,
            _serving: AbortOnDropHandle::new(serving),
        }
    }

    /// A server that answers calls so, and an open session with it.
    async fn for_calls(
        call: impl Fn(&Seen) -> Answer + Send + Sync + 'static,
    ) -> (Server, ServerSession) {
        let server = Server::start(move |seen| match seen.body["method"].as_str() {
            Some("tools/call") => call(seen),
            _ => usual(seen),
        })
        .await;
        let session = server.open().await;
        (server, session)
    }

    async fn open(&self) -> ServerSession {
        let session = ServerSession::open(self.endpoint.clone()).await;
        session.expect("a session")
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.borrow().clone()
    }

    /// The first request that is so, once there is one.
    async fn until_seen(&self, is_it: impl Fn(&Seen) -> bool) -> Seen {
        let mut seen = self.seen.subscribe();
        let seen = seen.wait_for(|seen| seen.iter().any(&is_it)).await;
        let seen = seen
            .expect("a server")
            .iter()
            .find(|seen| is_it(seen))
            .cloned();
        seen.expect("it is there")
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
        headers: parts
            .headers
            .iter()
            .map(|(name, value)| {
                (
                    name.to_string(),
                    value.to_str().unwrap_or_default().to_string(),
                )
            })
            .collect(),
        body: Value::Null,
    };
    let body = axum::body::to_bytes(body, 1 << 20).await;
    what.body = serde_json::from_slice(&body.expect("a body")).unwrap_or_default();
    let answer = script(&what);
    seen.send_modify(|seen| seen.push(what));
    if answer.status == NO_HEAD {
        std::future::pending::<()>().await;
    }
    let body = futures::stream::iter([Ok::<_, Infallible>(answer.body)]);
    let body = match answer.then {
        Then::End => Body::from_stream(body),
        Then::Nothing => Body::from_stream(body.chain(futures::stream::pending())),
        Then::More(more) => {
            let more = futures::stream::unfold(more, async |mut more| {
                Some((Ok(more.recv().await?), more))
            });
            Body::from_stream(body.chain(more))
        }
    };
    let mut response = Response::builder().status(answer.status);
    if !answer.kind.is_empty() {
        response = response.header("content-type", answer.kind);
    }
    response
        .header("mcp-session-id", "s-1")
        .body(body)
        .expect("a response")
}

fn json(value: &Value) -> Answer {
    Answer {
        status: 200,
        kind: "application/json",
        body: value.to_string(),
        then: Then::End,
    }
}

fn events(body: &str) -> Answer {
    Answer {
        status: 200,
        kind: "text/event-stream",
        body: body.to_string(),
        then: Then::End,
    }
}

/// The server does not even begin to answer.
fn silence() -> Answer {
    Answer {
        status: NO_HEAD,
        ..events("")
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

/// The usual answers of a server before the part that a test is about.
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

async fn call(session: &ServerSession, limit: Duration) -> Result<String, McpFailure> {
    let params = CallToolRequestParams::new("mine");
    Ok(session.call(params, limit).await?.text)
}

const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_session_is_opened_and_keeps_to_its_id_version_and_token() {
    let (server, session) = Server::for_calls(|seen| json(&result(seen, &said("ore")))).await;
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
    let token = session.resume_token().expect("a token");
    let again = ServerSession::resume(server.endpoint.clone(), &token).expect("its own token");
    assert_eq!(call(&again, LONG).await.expect("a result"), "ore");
    assert_eq!(server.methods().len(), 4, "nothing but the call was sent");
}

#[tokio::test]
async fn a_stream_that_breaks_off_goes_on_after_its_last_event() {
    let called = AtomicI64::new(0);
    let server = Server::start(move |seen| {
        if seen.method == "GET" {
            let id = called.load(Ordering::SeqCst);
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": said("ore")});
            return events(&format!("id: 8\ndata: {answer}\n\n"));
        }
        match seen.body["method"].as_str() {
            Some("tools/call") => {
                called.store(
                    seen.body["id"].as_i64().expect("a number"),
                    Ordering::SeqCst,
                );
                events("retry: 1\nid: 7\ndata:\n\n")
            }
            _ => usual(seen),
        }
    })
    .await;
    let session = server.open().await;
    assert_eq!(call(&session, LONG).await.expect("a result"), "ore");
    let last = server.seen().pop().expect("a request");
    assert_eq!(last.last_event.as_deref(), Some("7"));
    assert_eq!(last.session.as_deref(), Some("s-1"));
}

#[tokio::test]
async fn a_stream_that_cannot_go_on_is_a_lost_answer() {
    let (_server, session) = Server::for_calls(|_| events("data:\n\n")).await;
    let failure = call(&session, LONG).await.expect_err("no answer");
    assert!(matches!(failure, McpFailure::Broken(_)), "{failure}");

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
    let session = gone.open().await;
    let failure = call(&session, LONG).await.expect_err("no answer");
    assert!(matches!(failure, McpFailure::Broken(_)), "{failure}");
    let asked = gone
        .seen()
        .iter()
        .filter(|seen| seen.method == "GET")
        .count();
    assert_eq!(asked, 4);
}

#[tokio::test]
async fn what_a_server_asks_meanwhile_is_answered() {
    let (server, session) = Server::for_calls(|seen| {
        let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
        let roots = json!({"jsonrpc": "2.0", "id": "r", "method": "roots/list"});
        let input = json!({"jsonrpc": "2.0", "id": "e", "method": "elicitation/create",
            "params": {"message": "Which ore?", "requestedSchema": {}}});
        let note = json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": 1, "progress": 1}});
        let answer = result(seen, &said("ore"));
        events(&format!(
            "data: {ping}\n\ndata: {roots}\n\ndata: {input}\n\ndata: {note}\n\ndata: {answer}\n\n"
        ))
    })
    .await;
    assert_eq!(call(&session, LONG).await.expect("a result"), "ore");
    let seen = server.seen();
    let [.., pong, refusal, declined] = seen.as_slice() else {
        panic!("{seen:?}");
    };
    assert_eq!(
        pong.body,
        json!({"jsonrpc": "2.0", "id": "p", "result": {}})
    );
    assert_eq!(refusal.body["id"], "r");
    assert_eq!(refusal.body["error"]["code"], -32601);
    assert_eq!(
        declined.body,
        json!({"jsonrpc": "2.0", "id": "e", "result": {"action": "decline"}})
    );
}

#[tokio::test]
async fn an_answer_that_the_server_does_not_take_is_no_failure_of_the_call() {
    for status in [401, 404, 429, 500, 503] {
        let server = Server::start(move |seen| match seen.body["method"].as_str() {
            Some("tools/call") => {
                let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
                let answer = result(seen, &said("ore"));
                events(&format!("data: {ping}\n\ndata: {answer}\n\n"))
            }
            None => Answer {
                status,
                ..json(&json!({"error": "no"}))
            },
            Some(_) => usual(seen),
        })
        .await;
        let session = server.open().await;
        let answer = call(&session, LONG).await;
        assert_eq!(answer.expect("a result"), "ore", "{status}");
        let last = server.seen().pop().expect("a request");
        assert_eq!(last.body["id"], "p", "{status}: the ping was answered");
    }
}

#[tokio::test]
async fn what_a_gateway_says_is_no_answer_of_the_server_even_as_json_rpc() {
    for status in [500, 502, 503, 504] {
        for code in [-32603, -32600, -32020, 0] {
            let server = Server::start(move |seen| match seen.body["method"].as_str() {
                Some("tools/call") => {
                    let error = json!({"code": code, "message": "upstream timed out"});
                    Answer {
                        status,
                        ..json(&json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error}))
                    }
                }
                _ => usual(seen),
            })
            .await;
            let session = server.open().await;
            let failure = call(&session, LONG).await.expect_err("no answer");
            let is_status =
                matches!(failure, McpFailure::Status { status: of, .. } if of == status);
            assert!(is_status, "{failure:?}");
            let text = failure.to_string();
            assert_eq!(text, format!("HTTP {status}: upstream timed out ({code})"));
        }
    }
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
        let session = server.open().await;
        let failure = call(&session, LONG).await.expect_err("refused");
        assert!(matches!(failure, McpFailure::Refused { .. }), "{failure}");
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled() {
    let (server, session) = Server::for_calls(|_| Answer {
        then: Then::Nothing,
        ..events(": wait\n\n")
    })
    .await;
    let failure = call(&session, Duration::from_millis(50)).await;
    assert!(
        matches!(failure, Err(McpFailure::TooLate(_))),
        "{failure:?}"
    );
    let mut seen = server.seen();
    let last = seen.pop().expect("a request");
    assert_eq!(last.body["method"], "notifications/cancelled");
    let called = seen.pop().expect("a call");
    assert_eq!(last.body["params"]["requestId"], called.body["id"]);
}

#[tokio::test]
async fn a_failure_never_shows_the_url() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await;
    let address = listener.expect("a port").local_addr().expect("an address");
    let endpoint = endpoint(format!("http://{address}/mcp?key=hunter2"));
    let failure = ServerSession::open(endpoint)
        .await
        .err()
        .expect("nobody is there");
    assert!(!failure.to_string().contains("hunter2"), "{failure}");
}

#[tokio::test]
async fn an_answer_to_another_request_is_not_taken_as_the_result() {
    for id in [json!(1), json!(99), json!("x"), Value::Null] {
        let (_server, session) = Server::for_calls(move |_| {
            json(&json!({"jsonrpc": "2.0", "id": id, "result": said("another's ore")}))
        })
        .await;
        let failure = call(&session, LONG).await.expect_err("another's");
        assert!(matches!(failure, McpFailure::Broken(_)), "{failure}");
    }
}

#[tokio::test]
async fn a_server_that_asks_to_be_asked_at_once_is_not() {
    let server = Server::start(|seen| match seen.body["method"].as_str() {
        Some("initialize" | "notifications/initialized" | "notifications/cancelled") => usual(seen),
        _ => events("retry: 0\nid: 7\ndata:\n\n"),
    })
    .await;
    let session = server.open().await;
    let failure = call(&session, Duration::from_secs(2)).await;
    assert!(
        matches!(failure, Err(McpFailure::TooLate(_))),
        "{failure:?}"
    );
    let seen = server.seen();
    let asked = seen.iter().filter(|seen| seen.method == "GET").count();
    assert!((2..=4).contains(&asked), "asked {asked} times in 2 s");
}

#[tokio::test]
async fn a_session_that_the_server_does_not_know_shows_by_the_status() {
    let (server, session) = Server::for_calls(|_| Answer {
        status: 404,
        ..json(&json!({"error": "gone"}))
    })
    .await;
    let failure = call(&session, LONG).await.expect_err("gone");
    assert!(matches!(failure, McpFailure::SessionGone), "{failure}");
    let without = ServerSession::new(server.endpoint.clone(), SessionMode::Sessions);
    let failure = call(&without, LONG).await.expect_err("not found");
    assert!(
        matches!(failure, McpFailure::Status { status: 404, .. }),
        "{failure}"
    );
}

async fn listing(pages: Vec<Value>) -> Result<Arc<Listing>, McpFailure> {
    listing_within(MAX_BYTES, pages).await
}

async fn listing_within(
    max_answer_bytes: usize,
    pages: Vec<Value>,
) -> Result<Arc<Listing>, McpFailure> {
    let server = Server::start(move |seen| match seen.body["method"].as_str() {
        Some("tools/list") => {
            let place = seen.body["params"]["cursor"].as_str().unwrap_or("0");
            let place: usize = place.parse().expect("a place");
            let mut page = json!({"tools": pages[place]});
            if place + 1 < pages.len() {
                page["nextCursor"] = (place + 1).to_string().into();
            }
            json(&result(seen, &page))
        }
        _ => usual(seen),
    })
    .await;
    let endpoint = UpstreamEndpoint {
        max_answer_bytes,
        ..server.endpoint.clone()
    };
    let session = ServerSession::open(endpoint).await.expect("open");
    session.tools().await
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.tools.iter().map(|tool| &*tool.name).collect()
}

#[tokio::test]
async fn a_server_with_sessions_does_not_say_how_long_a_list_is_valid() {
    let server = Server::start(|seen| match seen.body["method"].as_str() {
        Some("tools/list") => {
            let page = json!({"tools": [tool("mine")], "ttlMs": 60_000, "cacheScope": "public"});
            json(&result(seen, &page))
        }
        _ => usual(seen),
    })
    .await;
    let listing = server.open().await.tools().await.expect("tools");
    assert_eq!((names(&listing), listing.ttl), (vec!["mine"], None));
}

#[tokio::test]
async fn sessions_that_get_the_same_list_share_it() {
    let lists = Arc::new(AtomicUsize::new(0));
    let count = lists.clone();
    let server = Server::start(move |seen| match seen.body["method"].as_str() {
        Some("tools/list") => {
            let name = match count.fetch_add(1, Ordering::Relaxed) {
                0 | 1 | 3 => "mine",
                _ => "sell",
            };
            json(&result(seen, &json!({"tools": [tool(name)]})))
        }
        _ => usual(seen),
    })
    .await;
    let (one, other) = (server.open().await, server.open().await);
    let first = one.tools().await.expect("tools");
    let same = other.tools().await.expect("tools");
    assert!(Arc::ptr_eq(&first, &same));
    let changed = one.tools().await.expect("tools");
    assert_eq!(names(&changed), ["sell"]);
    assert_eq!(*other.tools().await.expect("tools").tools, *first.tools);
    assert_eq!(lists.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn a_tool_that_cannot_be_used_costs_no_other() {
    let mut deep = json!({});
    for _ in 0..100 {
        deep = json!({"properties": {"a": deep}});
    }
    let listing = listing(vec![json!([
        tool("mine"),
        {"name": "bare"},
        {"name": "odd", "inputSchema": "object"},
        {"name": "deep", "inputSchema": deep},
        {"name": 7, "inputSchema": {}},
        "no tool",
        {"name": "large", "description": "x".repeat(200_000), "inputSchema": {}},
        tool("mine"),
        {"name": "sell", "inputSchema": {}, "annotations": {"readOnlyHint": "perhaps"}},
        {"name": "look", "inputSchema": {}, "annotations": {"readOnlyHint": true}},
    ])])
    .await
    .expect("tools");
    assert_eq!(names(&listing), ["mine", "sell", "look"]);
    assert_eq!(listing.tools[2].read_only_hint, Some(true));
    let text = listing.left_out().expect("a word on the rest");
    assert!(
        text.starts_with("7 left out: bare (it has no inputSchema)"),
        "{text}"
    );
    assert!(text.ends_with("and 2 more"), "{text}");
}

#[tokio::test]
async fn a_schema_nested_beyond_what_json_readers_take_costs_no_other() {
    let mut deep = "{}".to_string();
    for _ in 0..300 {
        deep = format!("{{\"a\":{deep}}}");
    }
    let page = format!(
        r#"{{"tools":[{{"name":"deep","inputSchema":{deep}}},{{"name":"mine","inputSchema":{{}}}}]}}"#
    );
    let server = Server::start(move |seen| match seen.body["method"].as_str() {
        Some("tools/list") => Answer {
            body: format!(
                r#"{{"jsonrpc":"2.0","id":{},"result":{page}}}"#,
                seen.body["id"]
            ),
            ..json(&Value::Null)
        },
        _ => usual(seen),
    })
    .await;
    let session = server.open().await;
    let listing = session.tools().await.expect("tools");
    assert_eq!(names(&listing), ["mine"]);
}

#[tokio::test]
async fn of_too_many_tools_the_first_are_taken_and_the_rest_is_told() {
    let many: Vec<Value> = (0..5000).map(|n| tool(&format!("t{n}"))).collect();
    let one = listing(vec![many.clone().into()]).await.expect("tools");
    assert_eq!(one.tools.len(), 500);
    let text = one.left_out().expect("a word on the rest");
    assert!(text.starts_with("4500 left out"), "{text}");
    let (first, second) = many.split_at(500);
    let two = listing(vec![first.into(), second.into()]).await;
    let two = two.expect("tools");
    assert_eq!(two.tools.len(), 500);
    let text = two.left_out().expect("a word on the rest");
    assert!(text.contains("is not read"), "{text}");
}

#[tokio::test]
async fn tools_are_taken_as_long_as_all_of_them_fit_into_a_request() {
    let large = |n: usize| json!({"name": format!("t{n}"), "description": "x".repeat(100_000), "inputSchema": {}});
    let mut tools: Vec<Value> = (0..40).map(large).collect();
    tools.push(tool("mine"));
    let listing = listing_within(8 << 20, vec![tools.into()]).await;
    let listing = listing.expect("tools");
    assert_eq!(listing.tools.len(), 21, "2 MiB of them, and the small one");
    let text = listing.left_out().expect("a word on the rest");
    assert!(
        text.starts_with("20 left out: t20 (with it they are larger"),
        "{text}"
    );
}

#[tokio::test]
async fn all_pages_of_a_list_together_are_within_the_limit() {
    let page = |number: usize| -> Value {
        let tools = (0..4).map(|n| {
            json!({"name": format!("t{number}_{n}"), "description": "x".repeat(100_000),
                "inputSchema": {}})
        });
        tools.collect()
    };
    let listing = listing((0..200).map(page).collect()).await.expect("tools");
    assert_eq!(listing.tools.len(), 8, "two pages of 400 KB fit into 1 MiB");
    let text = listing.left_out().expect("a word on the rest");
    assert!(
        text.contains("page 3 cannot be used: the answer is larger"),
        "{text}"
    );
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_lost_however_it_comes() {
    for in_stream in [false, true] {
        let (_server, session) = Server::for_calls(move |seen| {
            let answer = result(seen, &said(&"x".repeat(2 * MAX_BYTES)));
            if in_stream {
                events(&format!("data: {answer}\n\n"))
            } else {
                json(&answer)
            }
        })
        .await;
        let failure = call(&session, LONG).await.expect_err("too large");
        assert!(matches!(failure, McpFailure::Broken(_)), "{failure}");
        assert!(failure.to_string().contains("larger than"), "{failure}");
    }
}

#[tokio::test]
async fn every_kind_of_content_is_told_and_an_unknown_one_costs_no_other() {
    let (_server, session) = Server::for_calls(|seen| {
        let content = json!([
            {"type": "text", "text": "ore"},
            {"type": "hologram", "beam": 7},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            3,
        ]);
        json(&result(seen, &json!({"content": content, "isError": true})))
    })
    .await;
    let result = session.call(CallToolRequestParams::new("mine"), LONG).await;
    let unknown = r#"{"beam":7,"type":"hologram"}"#;
    assert_eq!(
        result.expect("a result"),
        LinkAnswer {
            structured: None,
            text: format!("ore\n{unknown}\n[image: image/png, 3 bytes]\n3"),
            is_error: true,
        }
    );
}
