//! Secrets: planted in every possible source, and searched for in every byte that is stored or
//! sent.
//!
//! The model server quotes its API key in words, in reasoning and in errors. The game puts the
//! password and its session id into every answer. The operator types all of them.

use parking_lot::Mutex;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::leaks::files;
use crate::screen;
use zoea_rig::{Home, until};

const KEY: &str = "sk-planted-0a1b2c3d4e5f";
const PASSWORD: &str = "game-pass-\"1234567890|:é";
const SESSION: &str = "game-session-9f8e7d6c5b4a";
const POOLED: &str = "pool-pass-13579bdf2468";

/// A model server and a game that know the secrets and reveal all of them.
#[derive(Clone, Default)]
struct Recorder {
    asked: Arc<AtomicUsize>,
    refuses: Arc<AtomicBool>,
    bodies: Arc<Mutex<Vec<String>>>,
    logins: Arc<Mutex<Vec<Value>>>,
}

struct Servers {
    gossip: Recorder,
    address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

impl Servers {
    fn start() -> Servers {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let gossip = Recorder::default();
        let router = Router::new()
            .route("/v1/chat/completions", post(model))
            .route("/mcp", any(game))
            .with_state(gossip.clone());
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move { axum::serve(listener, router).await });
        Servers {
            gossip,
            address,
            _runtime: runtime,
        }
    }
}

async fn model(State(gossip): State<Recorder>, headers: HeaderMap, body: String) -> Response {
    let shown = headers
        .get("authorization")
        .and_then(|value| value.to_str().ok());
    let shown = shown.unwrap_or_default().to_string();
    assert_eq!(shown, format!("Bearer {KEY}"), "the server gets the key");
    gossip.bodies.lock().push(body);
    let call = |name: &str, arguments: Value| {
        json!({"role": "assistant", "content": format!("calling with {KEY}"), "tool_calls": [{
            "id": "call_1", "type": "function",
            "function": {"name": name, "arguments": arguments.to_string()},
        }]})
    };
    let message = match gossip.asked.fetch_add(1, Ordering::Relaxed) {
        0 => call("register", json!({"username": "Quill", "key": KEY})),
        1 => call("gossip", json!({"password": KEY})),
        2 => call("login", json!({"username": "x", "password": "y"})),
        _ if !gossip.refuses.load(Ordering::Relaxed) => json!({
            "role": "assistant",
            "content": format!("your key is {shown}"),
            "reasoning_content": format!("I was shown {shown}"),
        }),
        _ => {
            let error = json!({"error": {"message": format!("wrong key: {shown}"), "code": 401}});
            return (StatusCode::UNAUTHORIZED, Json(error)).into_response();
        }
    };
    Json(json!({
        "id": "x", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }))
    .into_response()
}

async fn game(State(gossip): State<Recorder>, Json(request): Json<Value>) -> Response {
    let listed = json!({
        "username": "Quill", "password": PASSWORD, "session_id": SESSION,
        "message": format!("Welcome! Your password is {PASSWORD}, your session {SESSION}."),
    });
    let tool = |name: &str| {
        json!({"name": name, "description": name, "inputSchema": {"type": "object",
            "properties": {"session_id": {"type": "string"}}}})
    };
    let text = |value: &Value| json!({"content": [{"type": "text", "text": value.to_string()}]});
    let result = match request["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "gossip", "version": "1"},
        }),
        Some("tools/list") => json!({"tools": [tool("register"), tool("login"), tool("gossip")]}),
        Some("tools/call") => {
            let mut calls = gossip.logins.lock();
            calls.push(request["params"].clone());
            text(&listed)
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let answer = Json(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    ([("mcp-session-id", "transport")], answer).into_response()
}

fn configure(home: &Home, address: SocketAddr) {
    std::fs::create_dir_all(home.path()).expect("a home");
    let text = format!(
        "[budget]\nusd_per_day = \"unlimited\"\n[swarm]\nturn_pause = \"20ms\"\ndefault_provider = \"gossip\"\n\
         [providers.gossip]\nendpoint = \"http://{address}/v1\"\nmodel = \"m\"\n\
         api_key_name = \"gossip\"\nretry = [\"10ms\"]\n\
         [mcp]\nupstream = \"http://{address}/mcp\"\nlogins_per_minute = 100000\n"
    );
    std::fs::write(home.file("zoea.toml"), text).expect("a configuration");
    let keys = json!({"providers": {"gossip": {"api_key": KEY}}});
    std::fs::write(home.file("credentials.json"), keys.to_string()).expect("credentials");
}

/// A secret in the forms in which it may be written.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let json = serde_json::to_string(secret).expect("JSON");
    let twice = serde_json::to_string(&json[1..json.len() - 1]).expect("JSON");
    let mut forms: Vec<Vec<u8>> = [secret, &json[1..json.len() - 1], &twice[1..twice.len() - 1]]
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .collect();
    forms.dedup();
    forms
}

fn holds(bytes: &[u8], secret: &[u8]) -> usize {
    bytes
        .windows(secret.len())
        .filter(|window| *window == secret)
        .count()
}

#[test]
fn no_secret_is_kept_shown_or_sent() {
    let servers = Servers::start();
    let home = Home::new();
    configure(&home, servers.address);
    home.ok(&["mysis", "create", "alpha"]);
    let mut outputs: Vec<(String, Vec<u8>)> = Vec::new();

    let mut swarm = home.fly(&["--debug"]);
    home.ok(&["send", "alpha", &format!("Use the key {KEY} and register.")]);
    until("the model has said all it has to say", || {
        (home.mysis("alpha")["account"] == "Quill"
            && servers.gossip.asked.load(Ordering::Relaxed) >= 4)
            .then_some(())
    });
    let token = std::fs::read_to_string(home.file("control.token")).expect("a token");
    let token = token.trim().to_string();
    let accounts = home.file("accounts.json");
    let pool = json!([{"username": "Brass", "password": POOLED}]);
    std::fs::write(&accounts, pool.to_string()).expect("a file");
    home.ok(&["accounts", "import", accounts.to_str().expect("text")]);
    let all = format!("{KEY} {PASSWORD} {SESSION} {POOLED} {token}");
    // The runtime knows these secrets. The session id belongs to the session.
    let known = format!("{KEY} {PASSWORD} {POOLED} {token}");
    home.ok(&["note", "alpha", &known]);
    home.ok(&["send", "alpha", &format!("Remember {known}")]);
    home.ok(&["broadcast", &format!("Everybody: {known}")]);
    until("the operator's words are sent", || {
        let bodies = servers.gossip.bodies.lock();
        let newest = bodies.last()?;
        (newest.contains("Everybody") && newest.contains("[redacted]")).then_some(())
    });
    servers.gossip.refuses.store(true, Ordering::Relaxed);
    until("the key is refused", || {
        (home.mysis("alpha")["state"] == "errored").then_some(())
    });
    home.ok(&["mysis", "create", "beta"]);
    for arguments in [
        &["mysis", "list"][..],
        &["mysis", "list", "--json"],
        &["log", "alpha", "--limit", "0"],
        &["log", "alpha", "--limit", "0", "--json"],
        &["search", "key", "--json"],
        &["search", "shown", "--in", "reasoning"],
        &["search", "Everybody", "--in", "missions"],
        &["mission", "show"],
        &["accounts", "list"],
        &["accounts", "list", "--json"],
        &["export"],
        &["export", "--format", "md"],
        &["status"],
        &["doctor"],
        &["doctor", "--json"],
    ] {
        let output = home.run(arguments);
        outputs.push((format!("stdout of {arguments:?}"), output.stdout));
        outputs.push((format!("stderr of {arguments:?}"), output.stderr));
    }
    swarm.signal("-TERM");
    let mut events = Vec::new();
    while let Some(line) = swarm.line() {
        events.extend_from_slice(line.as_bytes());
    }
    outputs.push(("events".to_string(), events));
    assert!(swarm.wait().success());

    outputs.push(("screen".to_string(), screen::of_first_mysis(&home)));
    let bodies = servers.gossip.bodies.lock().join("\n");
    assert!(bodies.contains("Remember"), "the order was sent");
    outputs.push(("requests to the model".to_string(), bodies.into_bytes()));
    files(&home.path(), &mut outputs);
    let names: Vec<&str> = outputs.iter().map(|(name, _)| name.as_str()).collect();
    for needed in ["zoea.db", "zoea.log", ".svg", ".txt"] {
        assert!(
            names.iter().any(|name| name.ends_with(needed)),
            "{needed}: {names:?}"
        );
    }
    let database = |name: &str| name.contains("zoea.db");
    let mut leaks = Vec::new();
    for secret in all.split(' ') {
        for (name, bytes) in &outputs {
            for form in forms(secret) {
                // Only the pool of accounts in the database contains passwords, each once.
                let is_pool = database(name) && (secret == PASSWORD || secret == POOLED);
                let allowed = usize::from(is_pool && form == secret.as_bytes());
                let count = holds(bytes, &form);
                if count > allowed {
                    let at = bytes.windows(form.len()).position(|window| *window == form);
                    let at = at.unwrap_or(0);
                    let around = &bytes[at.saturating_sub(80)..(at + 60).min(bytes.len())];
                    let around = String::from_utf8_lossy(around).into_owned();
                    leaks.push(format!("{secret} {count} times in {name}: {around}"));
                }
            }
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    let calls = servers.gossip.logins.lock();
    let login = calls.iter().find(|call| call["name"] == "login");
    let login = login.expect("a login went upstream");
    assert_eq!(
        login["arguments"]["password"], PASSWORD,
        "the assigned password"
    );
}
