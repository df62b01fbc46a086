//! A server over HTTP that answers by a script: an odd game, or an odd model.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

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
    #[must_use]
    pub fn json(body: &Value) -> ScriptedReply {
        ScriptedReply::of("application/json", body.to_string())
    }

    /// A body of this media type; an empty one is not named.
    #[must_use]
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
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let url = format!(
            "http://{}{path}",
            listener.local_addr().expect("an address")
        );
        let requests = Requests::default();
        let (seen, script) = (requests.clone(), Arc::new(script));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, script) = (seen.clone(), script.clone());
                // A client that is gone ends its own request only.
                std::thread::spawn(move || serve(&stream, &seen, &*script));
            }
        });
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

    /// A model that calls the first of these tools that is offered, in every answer.
    #[must_use]
    pub fn model(wanted: &'static [&'static str]) -> ScriptedServer {
        ScriptedServer::start("/v1", move |request| {
            let offered = request.offered();
            let called = wanted.iter().find(|name| offered.contains(name));
            request.calling(called.map(|name| (*name, json!({}))))
        })
    }

    /// The requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<ScriptedRequest> {
        lock(&self.requests).clone()
    }

    /// How many requests there were with this method.
    #[must_use]
    pub fn count(&self, method: &str) -> usize {
        let requests = lock(&self.requests);
        requests.iter().filter(|it| it.method() == method).count()
    }
}

impl ScriptedRequest {
    /// The tools that a request to a model offers.
    #[must_use]
    pub fn offered(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        tools
            .filter_map(|tool| tool["function"]["name"].as_str())
            .collect()
    }

    /// The answer of a model that makes this call, or that sees nothing to call.
    #[must_use]
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
    #[must_use]
    pub fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    /// The usual answer with this result.
    #[must_use]
    pub fn result(&self, result: &Value) -> ScriptedReply {
        ScriptedReply::json(&self.answer(result))
    }

    /// The message with this result.
    #[must_use]
    pub fn answer(&self, result: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result})
    }

    /// The message with this error.
    #[must_use]
    pub fn error(&self, error: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "error": error})
    }

    /// What a game answers to requests that are about no tool.
    #[must_use]
    pub fn usual(&self) -> ScriptedReply {
        match self.method() {
            "initialize" => {
                let mut opened = self.result(&json!({
                    "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "odd", "version": "1"},
                }));
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

fn lock<T>(it: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    mut stream: &TcpStream,
    seen: &Requests,
    script: &(impl Fn(&ScriptedRequest) -> ScriptedReply + ?Sized),
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut first, mut session, mut length) = (String::new(), None, 0);
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        match &*name.to_ascii_lowercase() {
            "content-length" => length = value.trim().parse().ok()?,
            "mcp-session-id" => session = Some(value.trim().to_string()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let reply = match first.starts_with("POST") {
        true => {
            let body = serde_json::from_slice(&body).ok()?;
            let request = ScriptedRequest { session, body };
            // A request is known before its answer can be seen.
            lock(seen).push(request.clone());
            script(&request)
        }
        false => ScriptedReply::of("", "").with_status(405),
    };
    let mut head = format!("HTTP/1.1 {} Odd\r\nconnection: close\r\n", reply.status);
    for header in &reply.headers {
        head.push_str(&format!("{header}\r\n"));
    }
    head.push_str(&format!("content-length: {}\r\n\r\n", reply.body.len()));
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(&reply.body).ok()?;
    stream.flush().ok()
}
