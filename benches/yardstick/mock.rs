//! A model that thinks for 200 ms and a game with one tool. It keeps the newest requests, which the
//! floor sends again.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

const THINKING: Duration = Duration::from_millis(200);
const RESULT: usize = 2000;

/// What the servers count and keep.
#[derive(Default)]
struct Seen {
    turns: AtomicU64,
    requests: Mutex<Requests>,
    /// When each Mysis asked its model first, by its name.
    asked: Mutex<BTreeMap<String, Instant>>,
}

/// The newest requests of a turn, as they came.
#[derive(Clone, Default)]
pub(crate) struct Requests {
    /// The one that is answered with a call.
    pub(crate) first: Value,
    /// The one with the call's result, which is answered with words.
    pub(crate) second: Value,
    /// The call of the tool.
    pub(crate) call: Value,
}

/// The model server and the game server.
pub(crate) struct Mock {
    seen: Arc<Seen>,
    address: std::net::SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

impl Mock {
    pub(crate) fn start() -> Mock {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let seen = Arc::new(Seen::default());
        let router = Router::new()
            .route("/v1/chat/completions", post(model))
            .route("/mcp", post(game))
            .route("/v1/traces", post(async || StatusCode::OK))
            .with_state(seen.clone());
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind(("127.0.0.1", 0)))
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move { axum::serve(listener, router).await });
        Mock {
            seen,
            address,
            _runtime: runtime,
        }
    }

    /// The number of turns that ended with words.
    pub(crate) fn turns(&self) -> u64 {
        self.seen.turns.load(Ordering::Relaxed)
    }

    /// Counts anew who asks.
    pub(crate) fn forget_who_asked(&self) {
        self.seen.asked.lock().clear();
    }

    /// When those that have asked since did so first, in order.
    pub(crate) fn first_asked(&self) -> Vec<Instant> {
        let mut asked: Vec<Instant> = self.seen.asked.lock().values().copied().collect();
        asked.sort();
        asked
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> std::net::SocketAddr {
        self.address
    }

    /// The requests of a turn.
    pub(crate) fn requests(&self) -> Requests {
        self.seen.requests.lock().clone()
    }

    /// The configuration. `more` turns on options: `streamed` answers, `traced` turns.
    pub(crate) fn configuration(&self, myses: usize, more: &[String]) -> String {
        let address = self.address;
        let wants = |word: &str| more.iter().any(|wanted| wanted == word);
        let mut text = format!(
            "[budget]\nusd_per_day = \"unlimited\"\n\
             [swarm]\nmax_myses = 10000\ndefault_provider = \"mock\"\n\
             [providers.mock]\nendpoint = \"http://{address}/v1\"\nmodel = \"mock\"\n\
             max_concurrency = 10000\nstream = {}\n\
             [mcp]\nupstream = \"http://{address}/mcp\"\nlogins_per_minute = 1000000\n",
            wants("streamed")
        );
        if wants("traced") {
            let _ = write!(text, "[traces]\nendpoint = \"http://{address}\"\n");
        }
        for number in 0..myses {
            let _ = write!(text, "[[myses]]\nname = \"m{number}\"\n");
        }
        text
    }
}

impl Seen {
    /// Notes who asks. Each request says the name of its Mysis.
    fn note_who_asks(&self, request: &Value) {
        let messages = request["messages"].as_array().into_iter().flatten();
        let name = messages
            .filter_map(|message| message["content"].as_str())
            .find_map(|text| text.split_once("You are m")?.1.split_once(", a Mysis"));
        let name = name.expect("a request names its Mysis").0.to_string();
        self.asked.lock().entry(name).or_insert_with(Instant::now);
    }
}

async fn model(State(seen): State<Arc<Seen>>, Json(request): Json<Value>) -> Response {
    seen.note_who_asks(&request);
    tokio::time::sleep(THINKING).await;
    let is_answered = request["messages"]
        .as_array()
        .and_then(|messages| messages.last())
        .is_some_and(|message| message["role"] == "tool");
    let is_streamed = request["stream"] == true;
    let message = if is_answered {
        seen.turns.fetch_add(1, Ordering::Relaxed);
        seen.requests.lock().second = request;
        json!({"role": "assistant", "content": "I looked around and all is well."})
    } else {
        seen.requests.lock().first = request;
        let call = json!({"id": "call_1", "type": "function",
            "function": {"name": "look", "arguments": "{\"where\":\"here\"}"}});
        json!({"role": "assistant", "content": null, "tool_calls": [call]})
    };
    let usage = json!({"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520});
    if is_streamed {
        return pieces(message, &usage);
    }
    Json(json!({
        "id": "x", "object": "chat.completion", "created": 1, "model": "mock",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage,
    }))
    .into_response()
}

/// The same answer as a stream with one piece for each token.
fn pieces(mut message: Value, usage: &Value) -> Response {
    let mut body = String::new();
    let mut send = |delta: &Value, finish: Option<&str>| {
        let piece = json!({
            "id": "x", "object": "chat.completion.chunk", "created": 1, "model": "mock",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        });
        let _ = write!(body, "data: {piece}\n\n");
    };
    if let Some(calls) = message["tool_calls"].as_array_mut() {
        calls[0]["index"] = json!(0);
    }
    let words = message["content"].take();
    send(&message, None);
    for word in words.as_str().unwrap_or_default().split_inclusive(' ') {
        send(&json!({"content": word}), None);
    }
    for _ in 0..20 {
        send(&json!({"reasoning_content": "hm "}), None);
    }
    send(&json!({}), Some("stop"));
    let end = json!({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "mock",
        "choices": [], "usage": usage});
    let _ = write!(body, "data: {end}\n\ndata: [DONE]\n\n");
    ([("content-type", "text/event-stream")], body).into_response()
}

async fn game(
    State(seen): State<Arc<Seen>>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Response {
    let id = &request["id"];
    let result = match request["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "mock", "version": "1"},
        }),
        Some("tools/list") => json!({"tools": [{
            "name": "look",
            "description": "Look around.",
            "inputSchema": {"type": "object", "properties": {"where": {"type": "string"}}},
        }]}),
        Some("tools/call") => {
            seen.requests.lock().call = request.clone();
            json!({"content": [{"type": "text", "text": "x".repeat(RESULT)}]})
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let session = headers
        .get("mcp-session-id")
        .and_then(|value| value.to_str().ok())
        .unwrap_or("session")
        .to_string();
    let answer = Json(json!({"jsonrpc": "2.0", "id": id, "result": result}));
    ([("mcp-session-id", session)], answer).into_response()
}
