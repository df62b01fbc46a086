//! The parrot: a model server and a game that put a given text into every field of every answer
//! that such servers give, and keep the requests.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Json, Router};
use serde_json::{Value, json};

use zoea_rig::Home;

/// The time without requests after which the test fails.
const STANDSTILL: Duration = Duration::from_secs(120);

/// How long a Mysis may be silent before it is ordered to ask at once.
const HURRY: Duration = Duration::from_millis(100);

/// The text for a place in a round.
pub(crate) type Say = Arc<dyn Fn(&str, usize) -> String + Send + Sync>;

/// The number of shapes of a model's answer in one round. An answer comes between two failures.
const MODEL_SHAPES: usize = 18;

/// The number of shapes of a game's answer to a call.
const GAME_SHAPES: usize = 16;

/// Both servers, and the other receivers: the collector of traces and the webhook of alerts.
pub(crate) struct Parrot {
    state: Arc<Kept>,
    pub(crate) address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

struct Kept {
    say: Say,
    rounds: usize,
    /// The number of requests for each way of answering: whole, in pieces.
    asked: Mutex<[usize; 2]>,
    places: Mutex<BTreeSet<String>>,
    /// The received requests with their paths; calls of `login` are kept apart.
    brought: Mutex<Vec<(String, String)>>,
    logins: Mutex<Vec<String>>,
    /// The answer to `register`.
    registered: String,
}

impl Parrot {
    pub(crate) fn start(rounds: usize, registered: &str, say: Say) -> Parrot {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let state = Arc::new(Kept {
            say,
            rounds,
            asked: Mutex::default(),
            places: Mutex::default(),
            brought: Mutex::default(),
            logins: Mutex::default(),
            registered: registered.to_string(),
        });
        let router = Router::new()
            .route("/{way}/chat/completions", any(model))
            .route("/mcp", any(game))
            .fallback(any(other))
            .with_state(state.clone());
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move { axum::serve(listener, router).await });
        Parrot {
            state,
            address,
            _runtime: runtime,
        }
    }

    /// Waits until all texts were sent in both ways, as long as there is progress.
    pub(crate) fn speak_out(&self, home: &Home) {
        self.speak_in(home, &[0, 1]);
    }

    /// Waits until all texts were sent in these ways, as long as there is progress. A Mysis that
    /// waits because it wrote words alone is told to ask at once.
    pub(crate) fn speak_in(&self, home: &Home, ways: &[usize]) {
        let needed = self.state.rounds * MODEL_SHAPES;
        let (mut known, mut since) = ([0, 0], Instant::now());
        let (mut hurried, mut at_last_look) = (since, known);
        loop {
            let asked = self.asked();
            if ways.iter().all(|way| asked[*way] > needed) {
                return;
            }
            if asked != known {
                (known, since) = (asked, Instant::now());
            }
            if since.elapsed() > STANDSTILL {
                let log = home.ok(&["log", "alpha", "--kind", "host"]);
                panic!("{asked:?} of {needed}\n{}\n{log}", home.ok(&["status"]));
            }
            if hurried.elapsed() > HURRY {
                if ways.iter().any(|way| asked[*way] == at_last_look[*way]) {
                    for name in ["alpha", "beta"] {
                        let params = json!({"name": "retry_mysis", "arguments": {"name": name}});
                        let _ = home.ask_control("tools/call", &params.to_string());
                    }
                }
                (hurried, at_last_look) = (Instant::now(), asked);
            }
            #[expect(
                clippy::disallowed_methods,
                reason = "a pause between two looks; the condition decides"
            )]
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The number of requests so far.
    pub(crate) fn asked(&self) -> [usize; 2] {
        *self.state.asked.lock()
    }

    /// The places in which the text was sent.
    pub(crate) fn places(&self) -> BTreeSet<String> {
        self.state.places.lock().clone()
    }

    /// The arguments of logins.
    pub(crate) fn logins(&self) -> Vec<String> {
        self.state.logins.lock().clone()
    }

    /// All received requests without logins.
    pub(crate) fn brought(&self) -> Vec<(String, String)> {
        self.state.brought.lock().clone()
    }
}

impl Kept {
    fn say(&self, place: &str, round: usize) -> String {
        self.places.lock().insert(place.to_string());
        (self.say)(place, round)
    }
}

async fn other(State(kept): State<Arc<Kept>>, request: axum::extract::Request) -> Response {
    let path = request.uri().path().to_string();
    let body = axum::body::to_bytes(request.into_body(), usize::MAX).await;
    let body = String::from_utf8_lossy(&body.unwrap_or_default()).into_owned();
    kept.brought.lock().push((path, body));
    StatusCode::OK.into_response()
}

/// Two paths lead here, so that each provider gets all shapes in its own way of answering.
async fn model(State(kept): State<Arc<Kept>>, Path(way): Path<String>, body: String) -> Response {
    let asked: Value = serde_json::from_str(&body).expect("a request");
    let is_streamed = asked["stream"] == true;
    kept.brought.lock().push(("model".to_string(), body));
    let step = {
        let mut asked = kept.asked.lock();
        let counter = &mut asked[usize::from(way == "streamed")];
        *counter += 1;
        *counter - 1
    };
    let round = step / MODEL_SHAPES;
    if round >= kept.rounds {
        return whole(
            StatusCode::OK,
            json!({"choices": [{"message": {"content": "done"}}]}),
        );
    }
    let way = if is_streamed { "streamed" } else { "whole" };
    let say = |place: &str| kept.say(&format!("model {way}: {place}"), round);
    let error = |place: &str| {
        json!({"error": {
            "message": say(&format!("{place} message")), "type": say(&format!("{place} type")),
            "code": say(&format!("{place} code")), "param": say(&format!("{place} param")),
            "metadata": {"raw": say(&format!("{place} raw"))},
        }})
    };
    match step % MODEL_SHAPES {
        1 => whole(StatusCode::INTERNAL_SERVER_ERROR, error("error 500")),
        3 => text(StatusCode::SERVICE_UNAVAILABLE, say("error 503 text")),
        5 => {
            let headers = [
                ("retry-after", "0".to_string()),
                ("x-request-id", visible(&say("header x-request-id"))),
            ];
            let body = Json(json!({"message": say("error 429 message")}));
            (StatusCode::TOO_MANY_REQUESTS, headers, body).into_response()
        }
        7 => text(StatusCode::OK, say("unreadable body")),
        9 => whole(
            StatusCode::OK,
            json!({"choices": [], "model": say("empty model")}),
        ),
        11 => whole(StatusCode::OK, error("error in place of an answer")),
        13 if is_streamed => {
            let begun = chunk(&say, json!({"content": say("cut content")}), Value::Null);
            events(&[begun.to_string(), error("error in a stream").to_string()])
        }
        13 => text(StatusCode::BAD_GATEWAY, long(&say("error 502 long text"))),
        15 => whole(StatusCode::UNAUTHORIZED, error("error 401")),
        17 => whole(
            StatusCode::BAD_REQUEST,
            json!({"detail": say("error 400 detail")}),
        ),
        shape => {
            let wants_calls = matches!(shape, 0 | 8);
            let calls = if wants_calls {
                calls(&say, round, step)
            } else {
                Vec::new()
            };
            answer(&say, is_streamed, calls)
        }
    }
}

/// Long words in front move the text across every boundary at which a reader may cut.
fn long(said: &str) -> String {
    let edges = (540..640).step_by(7);
    let texts: Vec<String> = edges
        .map(|edge| format!("{}{said}", "x".repeat(edge)))
        .collect();
    texts[said.len() % texts.len()].clone()
}

fn visible(text: &str) -> String {
    text.chars().filter(|c| (' '..='~').contains(c)).collect()
}

/// Calls of every tool whose answer has a shape of its own, and some odd calls.
fn calls(say: &dyn Fn(&str) -> String, round: usize, step: usize) -> Vec<Value> {
    let call = |place: usize, name: String, arguments: String| {
        json!({
            "index": place, "id": format!("{step}-{place}-{}", say("call id")),
            "type": say("call type"),
            "function": {"name": name, "arguments": arguments},
        })
    };
    let gossip = |shape: usize| {
        json!({"shape": shape, "round": round, "said": say("call argument"),
               say("call argument key"): [{"deep": say("deep call argument")}]})
        .to_string()
    };
    let mut calls: Vec<Value> = (0..GAME_SHAPES)
        .map(|shape| call(shape, "gossip".to_string(), gossip(shape)))
        .collect();
    let next = calls.len();
    calls.push(call(next, say("call name"), gossip(0)));
    calls.push(call(
        next + 1,
        "gossip".to_string(),
        say("call arguments that are not JSON"),
    ));
    let login = json!({"username": say("login name"), "password": say("login password")});
    calls.push(call(next + 2, "login".to_string(), login.to_string()));
    let register = json!({"username": "Quill", "note": say("register argument")});
    calls.push(call(next + 3, "register".to_string(), register.to_string()));
    calls
}

fn answer(say: &dyn Fn(&str) -> String, is_streamed: bool, calls: Vec<Value>) -> Response {
    let mut message = json!({
        "role": "assistant", "content": say("content"), "reasoning_content": say("reasoning"),
        "refusal": say("refusal"), "annotations": [{"text": say("annotation")}],
    });
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    if !is_streamed {
        let usage = json!({"prompt_tokens": 1, "completion_tokens": 1, "note": say("usage note")});
        return whole(
            StatusCode::OK,
            json!({
                "id": say("answer id"), "object": "chat.completion", "created": 1,
                "model": say("model name"), "system_fingerprint": say("fingerprint"),
                "provider": say("provider name"), "usage": usage,
                "choices": [{"index": 0, "message": message, "finish_reason": say("finish reason")}],
            }),
        );
    }
    let mut lines = Vec::new();
    for field in ["reasoning_content", "content"] {
        let text = message[field].as_str().unwrap_or_default().to_string();
        for piece in pieces(&text, 3) {
            lines.push(chunk(say, json!({ field: piece }), Value::Null).to_string());
        }
    }
    for call in calls {
        let arguments = call["function"]["arguments"]
            .as_str()
            .unwrap_or_default()
            .to_string();
        let (index, mut first) = (call["index"].clone(), call);
        first["function"]["arguments"] = json!("");
        lines.push(chunk(say, json!({"tool_calls": [first]}), Value::Null).to_string());
        for piece in pieces(&arguments, 4) {
            let delta = json!({"index": index, "function": {"arguments": piece}});
            lines.push(chunk(say, json!({"tool_calls": [delta]}), Value::Null).to_string());
        }
    }
    lines.push(chunk(say, json!({}), json!(say("finish reason"))).to_string());
    lines.push("[DONE]".to_string());
    events(&lines)
}

fn chunk(say: &dyn Fn(&str) -> String, delta: Value, reason: Value) -> Value {
    json!({
        "id": say("answer id"), "object": "chat.completion.chunk", "model": say("model name"),
        "system_fingerprint": say("fingerprint"),
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    })
}

/// A text in `count` pieces, cut anywhere.
fn pieces(text: &str, count: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let size = letters.len().div_ceil(count).max(1);
    letters
        .chunks(size)
        .map(|piece| piece.iter().collect())
        .collect()
}

fn whole(status: StatusCode, body: Value) -> Response {
    (status, Json(body)).into_response()
}

fn text(status: StatusCode, body: String) -> Response {
    (status, body).into_response()
}

fn events(lines: &[String]) -> Response {
    let body: String = lines
        .iter()
        .map(|line| format!("data: {line}\n\n"))
        .collect();
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

async fn game(State(kept): State<Arc<Kept>>, headers: HeaderMap, body: String) -> Response {
    let Ok(request) = serde_json::from_str::<Value>(&body) else {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    };
    let params = &request["params"];
    let is_login = request["method"] == "tools/call" && params["name"] == "login";
    let listed = format!("{headers:?} {body}");
    if is_login {
        kept.logins.lock().push(params["arguments"].to_string());
    } else {
        kept.brought.lock().push(("game".to_string(), listed));
    }
    let round = params["arguments"]["round"].as_u64().unwrap_or(0);
    let round = usize::try_from(round).unwrap_or(0).min(kept.rounds - 1);
    let say = |place: &str| kept.say(&format!("game: {place}"), round);
    let result = match request["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": say("server name"), "version": say("server version"),
                           "title": say("server title")},
            "instructions": say("instructions"),
        }),
        Some("tools/list") => json!({"tools": tools(&kept)}),
        Some("tools/call") => {
            let shape = match params["name"].as_str() {
                Some("gossip") => params["arguments"]["shape"].as_u64().unwrap_or(0),
                Some("register") => {
                    let text = json!({"type": "text", "text": kept.registered});
                    return result_of(&request, json!({"content": [text]}));
                }
                _ => 0,
            };
            return called(&request, shape, &say);
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    result_of(&request, result)
}

fn tools(kept: &Kept) -> Vec<Value> {
    let schema = |said: String| {
        json!({"type": "object", "description": said,
               "properties": {"round": {"type": "integer", "description": said},
                              "password": {"type": "string"}, "username": {"type": "string"}}})
    };
    let mut tools: Vec<Value> = (0..kept.rounds)
        .map(|round| {
            let say = |place: &str| kept.say(&format!("game tool: {place}"), round);
            json!({"name": format!("t{round}_{}", say("name")), "title": say("title"),
                   "description": say("description"), "inputSchema": schema(say("schema")),
                   "annotations": {"title": say("annotation")}})
        })
        .collect();
    for name in ["gossip", "login", "register"] {
        tools
            .push(json!({"name": name, "description": name, "inputSchema": schema(String::new())}));
    }
    tools
}

fn result_of(request: &Value, result: Value) -> Response {
    let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
    ([("mcp-session-id", "transport")], Json(answer)).into_response()
}

fn called(request: &Value, shape: u64, say: &dyn Fn(&str) -> String) -> Response {
    let text = |place: &str| json!({"type": "text", "text": say(place)});
    let content = |blocks: Value| json!({"content": blocks});
    let refused = |code: i32| {
        let error = json!({"code": code, "message": say("error message"),
                           "data": {"why": say("error data")}});
        Json(json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).into_response()
    };
    let result = match shape {
        0 => content(json!([text("text")])),
        1 => content(json!([text("first text"), text("second text")])),
        2 => json!({"content": [], "structuredContent": {"a": [{"b": say("structured alone")}],
                    say("structured key"): 1}}),
        3 => {
            json!({"content": [text("text beside")], "structuredContent": {"a": say("structured")}})
        }
        4 => json!({"content": [text("error text")], "isError": true}),
        5 => return refused(-32602),
        6 => return (StatusCode::INTERNAL_SERVER_ERROR, say("HTTP 500")).into_response(),
        7 => return (StatusCode::BAD_REQUEST, say("HTTP 400")).into_response(),
        8 => content(json!([{"type": "image", "data": "AAAA", "mimeType": say("image type")}])),
        9 => content(json!([{"type": "resource", "resource":
            {"uri": "a:b", "text": say("resource text"), "mimeType": say("resource type")}}])),
        10 => content(json!([{"type": "resource", "resource":
            {"uri": format!("a:{}", visible(&say("resource address"))), "blob": "AAAA"}}])),
        11 => content(json!([{"type": "resource_link", "name": say("link name"),
            "uri": format!("a:{}", visible(&say("link address"))),
            "description": say("link description")}])),
        12 => content(json!([{"type": "audio", "data": "AAAA", "mimeType": say("audio type")}])),
        13 => return (StatusCode::OK, say("no JSON")).into_response(),
        14 => {
            let log = json!({"jsonrpc": "2.0", "method": "notifications/message",
                             "params": {"level": "error", "logger": say("logger"),
                                        "data": say("log message")}});
            let answer = json!({"jsonrpc": "2.0", "id": request["id"],
                                "result": content(json!([text("text behind a notice")]))});
            return events(&[log.to_string(), answer.to_string()]);
        }
        _ => {
            let listed = json!({"session_id": "game-session-of-parrot", "password": say("password"),
                              "message": say("JSON member"), say("JSON key"): true});
            let mut result = content(json!([{"type": "text", "text": listed.to_string()}]));
            result["_meta"] = json!({"note": say("meta")});
            result
        }
    };
    result_of(request, result)
}
