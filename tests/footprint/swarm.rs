//! A swarm that plays in step: no model answers before all Myses have asked, and no game before all
//! have called.

use std::io::Read;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::sync::watch;
use zoea_rig::{Home, Process, until};

/// The bytes of each result of the game.
const RESULT: usize = 2000;
/// How long the held bytes are looked at: the least is what stays.
const LOOKED: Duration = Duration::from_millis(300);
/// The same for Myses that are stopped, which rest after ten seconds.
const RESTED: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(30);
/// Both servers close a connection with each answer. An idle one would stay for 20 s and count as memory of a Mysis
/// that no longer uses it; how many there are depends on how busy the machine is.
const CLOSES: (&str, &str) = ("connection", "close");

/// What was counted.
pub(crate) struct Taken {
    /// Bytes held while all wait for the game.
    pub(crate) calling: usize,
    /// Bytes held while all wait for their models.
    pub(crate) waiting: usize,
    /// Bytes held when all are stopped.
    pub(crate) stopped: usize,
    /// Bytes written to the log of the database.
    pub(crate) written: usize,
}

/// Where a program in a home tells what it holds.
pub(crate) fn socket_of(home: &Path) -> PathBuf {
    home.join("held.sock")
}

/// Plays that many turns with that many Myses.
pub(crate) fn play(myses: usize, turns: usize) -> Taken {
    let servers = Servers::start();
    let home = Home::new();
    servers.configure(&home, myses);
    let _program = start(&home);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    home.ok(&["mysis", "start", "--all"]);
    let (model, game) = (&servers.seen.model, &servers.seen.game);
    model.await_all(myses);
    let before = log_bytes(&home);
    let mut calling = 0;
    for turn in 1..=turns {
        model.answer_all(myses);
        game.await_all(myses);
        if turn == turns {
            calling = least_held(&home, LOOKED);
        }
        game.answer_all(myses);
        model.await_all(myses);
        model.answer_all(myses);
        model.await_all(myses);
    }
    let waiting = least_held(&home, LOOKED);
    let written = log_bytes(&home) - before;
    home.ok(&["mysis", "stop", "--all"]);
    let stopped = least_held(&home, if myses > 1 { RESTED } else { LOOKED });
    Taken {
        calling,
        waiting,
        stopped,
        written,
    }
}

/// Starts this binary as the program.
fn start(home: &Home) -> Process {
    let own = std::env::current_exe().expect("a test binary has a path");
    let mut command = home.command_of(&own, &["run", "--headless", "--json"]);
    command.stderr(Stdio::null());
    let out = std::fs::File::create(home.file("out.jsonl")).expect("a file");
    let program = Process::spawn_into(command, out);
    until("the swarm is up", || {
        home.file("run.json").exists().then_some(())
    });
    program
}

fn least_held(home: &Home, looked: Duration) -> usize {
    let started = Instant::now();
    let mut least = usize::MAX;
    while started.elapsed() < looked {
        #[expect(clippy::disallowed_methods, reason = "a pause between two looks")]
        std::thread::sleep(PAUSE);
        least = least.min(held(home));
    }
    least
}

fn held(home: &Home) -> usize {
    let mut text = String::new();
    let mut stream = UnixStream::connect(socket_of(&home.path())).expect("the program tells");
    stream.read_to_string(&mut text).expect("an answer");
    text.parse().expect("a number")
}

/// The log of the database, which grows with each commit until its pages are moved to their places,
/// which is later than a test plays.
fn log_bytes(home: &Home) -> usize {
    let log = std::fs::metadata(home.file("zoea.db-wal")).expect("a log");
    usize::try_from(log.len()).expect("a size")
}

/// The model server and the game server.
struct Servers {
    seen: Arc<Seen>,
    address: SocketAddr,
    _runtime: tokio::runtime::Runtime,
}

#[derive(Default)]
struct Seen {
    model: Held,
    game: Held,
}

/// Requests that wait until all are there.
#[derive(Default)]
struct Held {
    waiting: AtomicUsize,
    round: watch::Sender<usize>,
}

impl Held {
    /// Waits to be answered. Returns the round.
    async fn hold(&self) -> usize {
        let mut round = self.round.subscribe();
        self.waiting.fetch_add(1, Ordering::SeqCst);
        // The sender lives as long as the server.
        let _ = round.changed().await;
        *round.borrow()
    }

    fn await_all(&self, myses: usize) {
        until("all Myses wait", || {
            (self.waiting.load(Ordering::SeqCst) == myses).then_some(())
        });
    }

    fn answer_all(&self, myses: usize) {
        self.waiting.fetch_sub(myses, Ordering::SeqCst);
        self.round.send_modify(|round| *round += 1);
    }
}

impl Servers {
    fn start() -> Servers {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let seen = Arc::new(Seen::default());
        let router = Router::new()
            .route("/v1/chat/completions", post(model))
            .route("/mcp", post(game))
            .with_state(seen.clone());
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind(("127.0.0.1", 0)))
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move { axum::serve(listener, router).await });
        Servers {
            seen,
            address,
            _runtime: runtime,
        }
    }

    fn configure(&self, home: &Home, myses: usize) {
        let address = self.address;
        let members: String = (0..myses)
            .map(|number| format!("[[myses]]\nname = \"m{number}\"\n"))
            .collect();
        home.configure(
            &format!("http://{address}/v1"),
            &format!("http://{address}/mcp"),
            &members,
        );
    }
}

async fn model(State(seen): State<Arc<Seen>>, Json(request): Json<Value>) -> Response {
    let messages = request["messages"].as_array();
    let newest = messages.and_then(|messages| messages.last());
    let is_answered = newest.is_some_and(|message| message["role"] == "tool");
    let round = seen.model.hold().await;
    let message = match is_answered {
        true => json!({"role": "assistant", "content": format!("I looked around {round} times.")}),
        false => json!({"role": "assistant", "content": null, "tool_calls": [{
            "id": format!("call_{round}"), "type": "function",
            "function": {"name": "look", "arguments": "{\"where\":\"here\"}"}}]}),
    };
    let answer = Json(json!({
        "id": "x", "object": "chat.completion", "created": 1, "model": "mock",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520},
    }));
    ([CLOSES], answer).into_response()
}

async fn game(State(seen): State<Arc<Seen>>, Json(request): Json<Value>) -> Response {
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
            let round = seen.game.hold().await;
            let text = format!("{round:04} ").repeat(RESULT / 5);
            json!({"content": [{"type": "text", "text": text}]})
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let answer = Json(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    let headers = [("mcp-session-id", "session"), CLOSES];
    (headers, answer).into_response()
}
