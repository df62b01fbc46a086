//! A small game that asks the operator whenever somebody docks: an MCP server over HTTP, with
//! sessions (2025-11-25) or without (2026-07-28).

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

use serde_json::{Value, json};

use crate::answering::{listen, read_request, respond};

pub struct AskingGame {
    pub url: String,
    state: Arc<GameState>,
}

struct GameState {
    /// The parameters of the question.
    question: Value,
    is_stateless: bool,
    last: AtomicU64,
    /// The calls that wait for an answer on their stream.
    waiting: Mutex<BTreeMap<String, mpsc::Sender<Value>>>,
    answers: Mutex<Vec<Value>>,
    capabilities: Mutex<Value>,
}

impl AskingGame {
    /// One with sessions that asks so.
    pub fn with_sessions(question: Value) -> AskingGame {
        AskingGame::start(question, false)
    }

    /// One without sessions.
    pub fn stateless(question: Value) -> AskingGame {
        AskingGame::start(question, true)
    }

    fn start(question: Value, is_stateless: bool) -> AskingGame {
        let state = Arc::new(GameState {
            question,
            is_stateless,
            last: AtomicU64::new(0),
            waiting: Mutex::default(),
            answers: Mutex::default(),
            capabilities: Mutex::default(),
        });
        let serving = state.clone();
        let address = listen(move |stream| serving.serve(&stream));
        let url = format!("http://{address}/mcp");
        AskingGame { url, state }
    }

    /// The answers so far: action and content.
    pub fn answers(&self) -> Vec<Value> {
        self.state.answers.lock().clone()
    }

    /// What the client says that it can.
    pub fn capabilities(&self) -> Value {
        self.state.capabilities.lock().clone()
    }
}

impl GameState {
    fn serve(&self, stream: &TcpStream) -> Option<()> {
        let (head, body) = read_request(stream)?;
        if !head.starts_with("POST") {
            return say(stream, 405, "text/plain", "");
        }
        let body: Value = serde_json::from_slice(&body).ok()?;
        self.answer(stream, &body)
    }

    fn answer(&self, stream: &TcpStream, body: &Value) -> Option<()> {
        let result = |result: Value| {
            let answer = json!({"jsonrpc": "2.0", "id": body["id"], "result": result});
            say(stream, 200, "application/json", &answer.to_string())
        };
        match body["method"].as_str() {
            None => {
                let id = body["id"].as_str().unwrap_or_default();
                if let Some(call) = self.waiting.lock().remove(id) {
                    // A call that is gone waits no longer.
                    let _ = call.send(body["result"].clone());
                }
                say(stream, 202, "text/plain", "")
            }
            Some("server/discover") if self.is_stateless => result(json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}}, "ttlMs": 60_000, "cacheScope": "public",
            })),
            Some("initialize") if !self.is_stateless => {
                *self.capabilities.lock() = body["params"]["capabilities"].clone();
                result(
                    json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "asking", "version": "1"}}),
                )
            }
            Some("tools/list") => {
                let tool = |name: &str| {
                    json!({"name": name, "description": format!("Does {name}."),
                    "inputSchema": {"type": "object", "properties": {}}})
                };
                let tools = ["mine", "dock", "undock", "get_status"].map(tool);
                result(json!({"resultType": "complete", "tools": tools}))
            }
            Some("tools/call") if body["params"]["name"] == "dock" => match self.is_stateless {
                true => result(self.ask_in_place_of_a_result(&body["params"])),
                false => self.ask_on_the_stream(stream, body),
            },
            Some("tools/call") => result(said(&json!({"message": "Done."}))),
            Some(method) if method.starts_with("notifications/") => {
                say(stream, 202, "text/plain", "")
            }
            Some(_) => {
                let error = json!({"code": -32601, "message": "unknown method"});
                let answer = json!({"jsonrpc": "2.0", "id": body["id"], "error": error});
                say(stream, 200, "application/json", &answer.to_string())
            }
        }
    }

    fn ask_on_the_stream(&self, mut stream: &TcpStream, body: &Value) -> Option<()> {
        let id = format!("q{}", self.last.fetch_add(1, Ordering::Relaxed));
        let (answer, answered) = mpsc::channel();
        self.waiting.lock().insert(id.clone(), answer);
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        let asked = json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create",
            "params": self.question});
        write!(stream, "{head}data: {asked}\n\n").ok()?;
        stream.flush().ok()?;
        let answer = answered.recv().ok()?;
        let result = self.docked(answer);
        let done = json!({"jsonrpc": "2.0", "id": body["id"], "result": result});
        write!(stream, "data: {done}\n\n").ok()?;
        stream.flush().ok()
    }

    fn ask_in_place_of_a_result(&self, params: &Value) -> Value {
        let capabilities = "io.modelcontextprotocol/clientCapabilities";
        *self.capabilities.lock() = params["_meta"][capabilities].clone();
        let state = &params["requestState"];
        if let Some(answer) = params["inputResponses"].get("how") {
            assert!(
                state
                    .as_str()
                    .is_some_and(|state| state.starts_with("state "))
            );
            return self.docked(answer.clone());
        }
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        json!({"resultType": "input_required", "requestState": format!("state {number}"),
            "inputRequests": {"how": {"method": "elicitation/create", "params": self.question}}})
    }

    fn docked(&self, answer: Value) -> Value {
        let action = answer["action"].clone();
        self.answers.lock().push(answer);
        said(&json!({"message": "Docked.", "operator": action}))
    }
}

fn said(answer: &Value) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": answer.to_string()}]})
}

fn say(stream: &TcpStream, status: u16, kind: &str, body: &str) -> Option<()> {
    let headers = format!("content-type: {kind}\r\nmcp-session-id: s-1\r\nconnection: close\r\n");
    respond(stream, status, &headers, body)
}
