//! A server over HTTP that answers by a script: an odd game, or an odd model.

use parking_lot::Mutex;
use std::net::TcpStream;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::answering::{THINKING, header, listen, read_request, respond, think};

/// The server. It serves until the test's process ends.
pub struct ScriptedServer {
    pub url: String,
    requests: Requests,
}

type Requests = Arc<Mutex<Vec<ScriptedRequest>>>;

/// A request that was received.
#[derive(Clone, Debug)]
pub struct ScriptedRequest {
    pub session: Option<String>,
    pub body: Value,
}

/// An answer of the script.
pub struct ScriptedReply {
    pub status: u16,
    /// `name: value`, each a line.
    pub headers: Vec<String>,
    pub body: Vec<u8>,
}

impl ScriptedReply {
    pub fn json(body: &Value) -> ScriptedReply {
        ScriptedReply::of("application/json", body.to_string())
    }

    /// A body of this media type; an empty one is not named.
    pub fn of(kind: &str, body: impl Into<Vec<u8>>) -> ScriptedReply {
        let kind = (!kind.is_empty()).then(|| format!("content-type: {kind}"));
        ScriptedReply {
            status: 200,
            headers: kind.into_iter().collect(),
            body: body.into(),
        }
    }

    /// The same with another status.
    #[must_use]
    pub fn with_status(self, status: u16) -> ScriptedReply {
        ScriptedReply { status, ..self }
    }
}

impl ScriptedServer {
    /// One whose URL ends so, and that answers each request with a body by this script.
    #[must_use]
    pub fn start(
        path: &str,
        script: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> ScriptedServer {
        let requests = Requests::default();
        let seen = requests.clone();
        let address = listen(move |stream| serve(&stream, &seen, &script));
        let url = format!("http://{address}{path}");
        ScriptedServer { url, requests }
    }

    /// A game with these tools, whose calls are answered by this script. It names a new session at
    /// each `initialize`.
    #[must_use]
    pub fn game(
        tools: Value,
        call: impl Fn(&ScriptedRequest) -> ScriptedReply + Send + Sync + 'static,
    ) -> ScriptedServer {
        ScriptedServer::start("/mcp", move |request| match request.method() {
            "tools/list" => request.result(&json!({"tools": tools})),
            "tools/call" => call(request),
            _ => request.usual(),
        })
    }

    /// A game that keeps no sessions, so that each process logs in, and that answers so to the login.
    pub fn game_without_sessions(login: Value) -> ScriptedServer {
        let object = json!({"type": "object", "properties": {}});
        let tools = ["register", "login", "mine", "say"]
            .map(|name| json!({"name": name, "description": name, "inputSchema": object}));
        ScriptedServer::start("/mcp", move |request| match request.method() {
            "initialize" => request.opened(),
            "tools/list" => request.result(&json!({"tools": tools})),
            "tools/call" => {
                let text = match request.called() {
                    Some("register") => json!({"username": "rex", "password": "0123456789abcdef"}),
                    Some("login") => login.clone(),
                    _ => json!({"ok": true}),
                };
                request.result(&json!({"content": [{"type": "text", "text": text.to_string()}]}))
            }
            _ => request.usual(),
        })
    }

    /// A model that calls the first of these tools that is offered, in every answer.
    pub fn model(wanted: &'static [&'static str]) -> ScriptedServer {
        ScriptedServer::start("/v1", move |request| {
            think(THINKING);
            let offered = request.offered();
            let called = wanted.iter().find(|name| offered.contains(name));
            request.calling(called.map(|name| (*name, json!({}))))
        })
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<ScriptedRequest> {
        self.requests.lock().clone()
    }

    /// How many requests there were with this method.
    pub fn count(&self, method: &str) -> usize {
        let requests = self.requests.lock();
        requests.iter().filter(|it| it.method() == method).count()
    }
}

impl ScriptedRequest {
    /// The tools that a request to a model offers.
    pub fn offered(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        tools
            .filter_map(|tool| tool["function"]["name"].as_str())
            .collect()
    }

    /// The answer of a model that makes this call, or that sees nothing to call.
    pub fn calling(&self, call: Option<(&str, Value)>) -> ScriptedReply {
        let number = self.body["messages"].as_array().map_or(0, Vec::len);
        let (message, finish) = match call {
            Some((name, arguments)) => (
                json!({"role": "assistant", "content": null, "tool_calls": [{
                    "id": format!("call{number}"), "type": "function",
                    "function": {"name": name, "arguments": arguments.to_string()},
                }]}),
                "tool_calls",
            ),
            None => (
                json!({"role": "assistant", "content": "I see no tool."}),
                "stop",
            ),
        };
        ScriptedReply::json(&json!({
            "id": "c", "object": "chat.completion", "model": "pilot",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }))
    }

    /// Its method; empty if it has none.
    pub fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    /// The tool that a request to a game calls.
    pub fn called(&self) -> Option<&str> {
        self.body["params"]["name"].as_str()
    }

    /// The usual answer with this result.
    pub fn result(&self, result: &Value) -> ScriptedReply {
        ScriptedReply::json(&self.answer(result))
    }

    /// The message with this result.
    pub fn answer(&self, result: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result})
    }

    /// The message with this error.
    pub fn error(&self, error: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "error": error})
    }

    /// What a game without sessions answers to `initialize`.
    fn opened(&self) -> ScriptedReply {
        self.result(&json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "odd", "version": "1"},
        }))
    }

    /// What a game answers to requests that are about no tool.
    pub fn usual(&self) -> ScriptedReply {
        match self.method() {
            "initialize" => {
                let mut opened = self.opened();
                let id = &self.body["id"];
                static SESSIONS: std::sync::atomic::AtomicU64 =
                    std::sync::atomic::AtomicU64::new(1);
                let number = SESSIONS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                opened
                    .headers
                    .push(format!("mcp-session-id: s{number}-{id}"));
                opened
            }
            "ping" => self.result(&json!({})),
            _ if self.body["id"].is_null() => ScriptedReply::of("", "").with_status(202),
            _ => ScriptedReply::json(
                &self.error(&json!({"code": -32601, "message": "Method not found"})),
            ),
        }
    }
}

fn serve(
    stream: &TcpStream,
    seen: &Requests,
    script: &impl Fn(&ScriptedRequest) -> ScriptedReply,
) -> Option<()> {
    let (head, body) = read_request(stream)?;
    let reply = match head.starts_with("POST") {
        true => {
            let session = header(&head, "mcp-session-id").map(str::to_string);
            let body = serde_json::from_slice(&body).ok()?;
            let request = ScriptedRequest { session, body };
            // A request is known before its answer can be seen.
            seen.lock().push(request.clone());
            script(&request)
        }
        false => ScriptedReply::of("", "").with_status(405),
    };
    let mut headers = "connection: close\r\n".to_string();
    for header in &reply.headers {
        headers.push_str(&format!("{header}\r\n"));
    }
    respond(stream, reply.status, &headers, reply.body)
}
