//! The worst input that a model server, a game server and a client of the control interface can
//! send: none of it takes more than 64 MB beside the program's usual memory. The system's own
//! figures are measured.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use zoea_rig::{Home, Process, http, until};

/// The memory in kB that no input may take beside the program at rest.
const MAX_TAKEN_KB: u64 = 64 << 10;

const MB: usize = 1 << 20;

/// An answer: written to the connection until the other side closes it, if necessary.
type Answer = Box<dyn Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync>;

/// A server that answers each request body as a function says. Returns its address.
fn hostile(answer: impl Fn(&Value) -> Answer + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || {
                let mut stream = stream;
                if let Some(body) = request(&stream) {
                    // The client closes the connection when it has read enough.
                    let _ = answer(&body)(&mut stream);
                }
            });
        }
    });
    format!("http://{address}")
}

/// The body of a request.
fn request(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim().to_lowercase();
        if let Some(told) = line.strip_prefix("content-length:") {
            length = told.trim().parse().ok()?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap_or(Value::Null))
}

fn head(status: u16, kind: &str) -> String {
    format!("HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n")
}

/// An answer in pieces: the first one, a repeated one, and the last one.
fn pieces(head: String, first: String, (piece, times): (String, usize), last: String) -> Answer {
    Box::new(move |stream| {
        stream.write_all(head.as_bytes())?;
        stream.write_all(first.as_bytes())?;
        for _ in 0..times {
            stream.write_all(piece.as_bytes())?;
        }
        stream.write_all(last.as_bytes())
    })
}

/// A list of the same repeated element, of this many bytes.
fn list(
    first: &str,
    (element, bytes): (&str, usize),
    last: &str,
) -> (String, (String, usize), String) {
    let piece = format!("{element},").repeat(1024);
    let times = bytes / piece.len();
    (
        first.to_string(),
        (piece, times),
        format!("{element}{last}"),
    )
}

fn whole((first, piece, last): (String, (String, usize), String)) -> Answer {
    pieces(head(200, "application/json"), first, piece, last)
}

fn streamed((first, piece, last): (String, (String, usize), String)) -> Answer {
    pieces(head(200, "text/event-stream"), first, piece, last)
}

fn text(status: u16, body: &Value) -> Answer {
    let none = (String::new(), 0);
    pieces(
        head(status, "application/json"),
        body.to_string(),
        none,
        String::new(),
    )
}

fn words() -> Answer {
    let message = json!({"role": "assistant", "content": "All well."});
    text(
        200,
        &json!({"choices": [{"message": message, "finish_reason": "stop"}]}),
    )
}

fn wants(tool: &str) -> Answer {
    let call = json!({"id": "c", "function": {"name": tool, "arguments": "{}"}});
    let message = json!({"content": null, "tool_calls": [call]});
    text(
        200,
        &json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]}),
    )
}

/// The answer of a model server to the first request. Later ones are normal.
fn of_a_model(name: &str) -> Answer {
    const EIGHT: usize = 8 * MB - 64 * 1024;
    let message = |rest: &str| format!(r#"{{"choices":[{{"message":{{{rest}"#);
    let end = r#"}}],"usage":{"prompt_tokens":9}}"#;
    let delta = |delta: &Value| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
    let done =
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    match name {
        "32 MB of objects" => whole(list(r#"{"x":["#, (r#"{"a":0}"#, 32 * MB), "]}")),
        "objects beside the answer" => whole(list(
            r#"{"choices":[{"message":{"content":"yes"}}],"x":["#,
            (r#"{"a":0}"#, EIGHT),
            "]}",
        )),
        "a long text" => whole((
            message(r#""content":""#),
            ("ore \\n\\u00e9".repeat(1024), EIGHT / (10 * 1024) - 40),
            format!("\"{end}"),
        )),
        "a thought in a text" => whole((
            message(r#""content":"<think>"#),
            ("ore ".repeat(1024), EIGHT / 4096),
            format!("</think>yes\"{end}"),
        )),
        "parts of a text" => whole(list(
            &message(r#""content":["#),
            ("\"a\"", EIGHT),
            &format!("]{end}"),
        )),
        "parts that are objects" => whole(list(
            &message(r#""content":["#),
            (r#"{"text":"a","x":[{"a":0}]}"#, EIGHT),
            &format!("]{end}"),
        )),
        "empty calls" => whole(list(
            &message(r#""tool_calls":["#),
            ("{}", EIGHT),
            &format!("]{end}"),
        )),
        "calls that are none" => whole(list(
            &message(r#""tool_calls":["#),
            ("0", EIGHT),
            &format!("]{end}"),
        )),
        "calls with long ids" => {
            let call = json!({"id": "i".repeat(30_000), "function": {"name": "n".repeat(30_000)}});
            whole(list(
                &message(r#""tool_calls":["#),
                (&call.to_string(), EIGHT),
                &format!("]{end}"),
            ))
        }
        "ten thousand calls" => whole(list(
            &message(r#""tool_calls":["#),
            (
                r#"{"id":"c","function":{"name":"mine","arguments":"{}"}}"#,
                540_000,
            ),
            &format!("]{end}"),
        )),
        "an object as arguments" => whole(list(
            &message(r#""tool_calls":[{"function":{"name":"mine","arguments":{"x":["#),
            (r#"{"a":0}"#, EIGHT),
            &format!("]}}}}]{end}"),
        )),
        "objects in a text of arguments" => whole(list(
            &message(r#""tool_calls":[{"function":{"name":"mine","arguments":"{\"x\":["#),
            (r#"{\"a\":0}"#, 120 * 1024),
            &format!("]}}\"}}}}]{end}"),
        )),
        "an error that is no error" => {
            whole(list(r#"{"error":{"x":["#, (r#"{"a":0}"#, EIGHT), "]}}"))
        }
        "a usage of objects" => whole(list(
            r#"{"choices":[{"message":{"content":"yes"}}],"usage":{"x":["#,
            (r#"{"a":0}"#, EIGHT),
            "]}}",
        )),
        "a refusal of 64 MB" => {
            let (first, piece, last) = list(r#"{"error":{"x":["#, (r#"{"a":0}"#, 64 * MB), "]}}");
            pieces(head(500, "application/json"), first, piece, last)
        }
        "a stream of words" => streamed((
            String::new(),
            (delta(&json!({"content": "ore ".repeat(1024)})), 25_000),
            done.to_string(),
        )),
        "a stream of thoughts" => streamed((
            String::new(),
            (delta(&json!({"reasoning": "ore ".repeat(1024)})), 25_000),
            done.to_string(),
        )),
        "a stream of calls" => streamed((
            String::new(),
            (
                delta(
                    &json!({"tool_calls": [{"id": "i".repeat(8000), "function": {"name": "n"}}]}),
                ),
                12_000,
            ),
            done.to_string(),
        )),
        "a stream of arguments" => streamed((
            delta(&json!({"tool_calls": [{"id": "i", "function": {"name": "mine"}}]})),
            (
                delta(&json!({"tool_calls": [{"function": {"arguments": "[0],".repeat(1000)}}]})),
                25_000,
            ),
            done.to_string(),
        )),
        "an event of objects" => streamed(list(
            r#"data: {"choices":[],"x":["#,
            (r#"{"a":0}"#, EIGHT),
            &format!("]}}\n\n{done}"),
        )),
        "lines that mean nothing" => streamed((
            String::new(),
            ("data: [{},{},{},{}\n".repeat(1024), 4000),
            done.to_string(),
        )),
        "one line without end" => streamed((
            "data: ".to_string(),
            ("{\"a\":".repeat(1024), 20_000),
            done.to_string(),
        )),
        other => panic!("{other}"),
    }
}

const OF_MODELS: [&str; 22] = [
    "32 MB of objects",
    "objects beside the answer",
    "a long text",
    "a thought in a text",
    "parts of a text",
    "parts that are objects",
    "empty calls",
    "calls that are none",
    "calls with long ids",
    "ten thousand calls",
    "an object as arguments",
    "objects in a text of arguments",
    "an error that is no error",
    "a usage of objects",
    "a refusal of 64 MB",
    "a stream of words",
    "a stream of thoughts",
    "a stream of calls",
    "a stream of arguments",
    "an event of objects",
    "lines that mean nothing",
    "one line without end",
];

/// The answer of a game server to the list of tools, or to a call.
fn of_a_game(name: &str, id: &Value, cursor: usize) -> Answer {
    const EIGHT: usize = 8 * MB - 64 * 1024;
    let result = |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{rest}"#);
    match name {
        "lists of 2 MB" => whole({
            let tool = format!(
                r#"{{"name":"t{}","inputSchema":{{"type":"object","x":"{}"}}}}"#,
                cursor,
                "x".repeat(2000)
            );
            let next = format!(r#"],"nextCursor":"{}"}}}}"#, cursor + 1);
            list(&result(r#""tools":["#), (&tool, 2 * MB), &next)
        }),
        "a schema of objects" => whole(list(
            &result(r#""tools":[{"name":"mine","inputSchema":{"type":"object","x":["#),
            (r#"{"a":0}"#, EIGHT),
            "]}}]}}",
        )),
        "tools that are none" => whole(list(&result(r#""tools":["#), ("{}", EIGHT), "]}}")),
        "a long result" => whole((
            result(r#""content":[{"type":"text","text":""#),
            ("ore ".repeat(1024), EIGHT / 4096),
            "\"}]}}".to_string(),
        )),
        "pieces of a result" => whole(list(
            &result(r#""content":["#),
            (r#"{"type":"text","text":"a"}"#, EIGHT),
            "]}}",
        )),
        "a result of objects" => whole(list(
            &result(r#""structuredContent":{"x":["#),
            (r#"{"a":0}"#, EIGHT),
            "]}}}",
        )),
        "objects in a text" => whole(list(
            &result(r#""content":[{"type":"text","text":"{\"systems\":["#),
            (r#"{\"a\":0}"#, EIGHT),
            "]}\"}]}}",
        )),
        "a refusal in many words" => whole((
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":""#),
            ("ore ".repeat(1024), EIGHT / 4096),
            "\"}}".to_string(),
        )),
        "events of somebody else" => streamed((
            String::new(),
            (
                format!(
                    "data: {}\n\n",
                    json!({"jsonrpc": "2.0", "method": "notifications/message",
                        "params": {"data": "x".repeat(MB)}})
                ),
                100,
            ),
            String::new(),
        )),
        "an event without end" => streamed((
            "data: ".to_string(),
            ("{\"a\":".repeat(1024), 20_000),
            String::new(),
        )),
        other => panic!("{other}"),
    }
}

const OF_LISTS: [&str; 3] = [
    "lists of 2 MB",
    "a schema of objects",
    "tools that are none",
];
const OF_CALLS: [&str; 7] = [
    "a long result",
    "pieces of a result",
    "a result of objects",
    "objects in a text",
    "a refusal in many words",
    "events of somebody else",
    "an event without end",
];

/// The servers' next bad answer, and the number of model requests since.
#[derive(Default)]
struct Stage {
    worst: Mutex<Option<&'static str>>,
    /// The tool that the model calls next.
    tool: Mutex<Option<&'static str>>,
    asked: AtomicUsize,
}

impl Stage {
    fn worst_of(&self, names: &[&str]) -> Option<&'static str> {
        let worst = self.worst.lock().expect("nobody panics");
        worst.filter(|name| names.contains(name))
    }

    /// A model server that gives its bad answer once.
    fn model(self: &Arc<Stage>) -> String {
        let stage = self.clone();
        hostile(move |_| {
            stage.asked.fetch_add(1, Ordering::SeqCst);
            if let Some(name) = stage.worst_of(&OF_MODELS) {
                *stage.worst.lock().expect("nobody panics") = None;
                return of_a_model(name);
            }
            let tool = stage.tool.lock().expect("nobody panics").take();
            tool.map_or_else(words, wants)
        })
    }

    /// A game server that gives its bad answer whenever it is asked for.
    fn game(self: &Arc<Stage>) -> String {
        let stage = self.clone();
        hostile(move |asked| {
            let id = &asked["id"];
            let result =
                |result: Value| text(200, &json!({"jsonrpc": "2.0", "id": id, "result": result}));
            let cursor = asked["params"]["cursor"].as_str();
            let cursor = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
            match asked["method"].as_str() {
                Some("initialize") => result(json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "worst", "version": "1"},
                })),
                Some("tools/list") => match stage.worst_of(&OF_LISTS) {
                    Some(name) => of_a_game(name, id, cursor),
                    None => result(json!({"tools": [
                        {"name": "mine", "inputSchema": {"type": "object"}},
                        {"name": "get_map", "inputSchema": {"type": "object"}},
                    ]})),
                },
                Some("tools/call") => match stage.worst_of(&OF_CALLS) {
                    Some(name) => of_a_game(name, id, 0),
                    None => result(json!({"content": [{"type": "text", "text": "ore"}]})),
                },
                _ => text(202, &json!({})),
            }
        })
    }
}

/// A memory figure of a process in kilobytes.
fn memory(pid: u32, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find(|line| line.starts_with(what));
    let mut words = line.expect("it is counted").split_whitespace();
    words.find_map(|word| word.parse().ok()).expect("a number")
}

/// A running program, its memory at rest, and the additional memory of each input.
struct Measured {
    home: Home,
    swarm: Process,
    stage: Arc<Stage>,
    rest_kb: u64,
    taken: Vec<(u64, String)>,
}

impl Measured {
    /// Starts the program in a home that `furnish` prepares.
    fn start(furnish: impl FnOnce(&Home)) -> Measured {
        let stage = Arc::new(Stage::default());
        let home = Home::new();
        let (model, game) = (stage.model(), stage.game());
        home.configure(&format!("{model}/v1"), &format!("{game}/mcp"), "");
        furnish(&home);
        // Nobody reads its output.
        let mut command = Command::new("sh");
        let path = home.path();
        command
            .env_remove("ZOEA_MCP_ENDPOINT")
            .args(["-c", "exec \"$0\" \"$@\" >/dev/null"])
            .args([env!("CARGO_BIN_EXE_zoea"), "--home"])
            .arg(path)
            .args(["run", "--headless"]);
        let swarm = home.launch(command);
        let mut measured = Measured {
            home,
            swarm,
            stage,
            rest_kb: 0,
            taken: Vec::new(),
        };
        // After a usual turn its usual memory is allocated.
        measured.play("usual", Some("mine"), 2);
        measured.taken.clear();
        measured.rest_kb = memory(measured.swarm.pid(), "VmRSS:");
        measured.reset_peak();
        measured
    }

    /// Restarts the count of the peak.
    fn reset_peak(&self) {
        let file = format!("/proc/{}/clear_refs", self.swarm.pid());
        fs::write(file, "5").expect("the peak can be reset");
    }

    /// A new Mysis plays until the model got `asks` requests, or until no more will come.
    fn play(&mut self, name: &'static str, tool: Option<&'static str>, asks: usize) {
        self.home.ok(&["mysis", "create", "alpha"]);
        *self.stage.worst.lock().expect("nobody panics") = Some(name);
        *self.stage.tool.lock().expect("nobody panics") = tool;
        self.stage.asked.store(0, Ordering::SeqCst);
        self.home.ok(&["send", "alpha", "mine"]);
        until(&format!("{name} is dealt with"), || {
            let is_asked = self.stage.asked.load(Ordering::SeqCst) >= asks;
            (is_asked || self.home.mysis("alpha")["state"] == "errored").then_some(())
        });
        self.note(format!(
            "{name}{}",
            tool.map_or(String::new(), |tool| format!(" ({tool})"))
        ));
        self.home.ok(&["mysis", "delete", "alpha", "--yes"]);
    }

    fn note(&mut self, name: String) {
        let peak = memory(self.swarm.pid(), "VmHWM:");
        self.taken.push((peak.saturating_sub(self.rest_kb), name));
        self.reset_peak();
    }

    /// A client of the control interface sends an order with these arguments.
    fn order(&mut self, name: &str, arguments: &str) {
        self.call(name, "send_message", arguments);
    }

    /// A client of the control interface calls a tool. Returns the answer.
    fn call(&mut self, name: &str, tool: &str, arguments: &str) -> String {
        let run = fs::read_to_string(self.home.file("run.json")).expect("it runs");
        let run: Value = serde_json::from_str(&run).expect("JSON");
        let token = fs::read_to_string(self.home.file("control.token")).expect("a token");
        let body = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":\
             {{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}"
        );
        let bearer = format!("Authorization: Bearer {}", token.trim());
        let usual = [
            &*bearer,
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            "MCP-Protocol-Version: 2025-06-18",
        ];
        let url = run["control"].as_str().expect("an address");
        let (_, answer) = http("POST", url, &usual, &body);
        self.note(format!("control: {name}"));
        answer
    }

    /// The rows in a tool's answer, which must not be too large.
    fn rows(&mut self, name: &str, tool: &str, arguments: &Value) -> Vec<Value> {
        let answer = self.call(name, tool, &arguments.to_string());
        // Its text is JSON within JSON.
        assert!(answer.len() < 10 * MB, "{name}: {} bytes", answer.len());
        let begin = answer.find('{').expect("JSON");
        let end = answer.rfind('}').expect("JSON");
        let answer: Value = serde_json::from_str(&answer[begin..=end]).expect("JSON");
        let text = answer["result"]["content"][0]["text"].as_str();
        serde_json::from_str(text.expect("a text")).expect("rows")
    }

    /// The memory of each input, the largest first. Too much for any input fails the test.
    #[expect(
        clippy::print_stdout,
        reason = "what was measured is for the reader of a passing run, too"
    )]
    fn judge(self) {
        let Measured {
            mut taken, rest_kb, ..
        } = self;
        taken.sort();
        let lines = taken
            .iter()
            .rev()
            .map(|(kb, name)| format!("{kb:>8} KB  {name}"));
        let lines = lines.collect::<Vec<_>>().join("\n");
        println!("{rest_kb} KB at rest\n{lines}");
        assert!(
            taken.iter().all(|(kb, _)| *kb <= MAX_TAKEN_KB),
            "{rest_kb} KB at rest\n{lines}"
        );
    }
}

/// The number of rows in the long conversation, and the length of each: together more than any
/// input may take.
const ROWS: i64 = 160;
const ROW_BYTES: usize = 250 << 10;

/// Stores a Mysis with a long conversation in a home.
fn put_long_conversation(home: &Home) {
    let (id, at) = ("0000000000000007", "2026-03-11T18:42:07.042Z");
    let mysis = json!({"record": "mysis", "id": id, "name": "long", "provider": "pilot",
        "state": "idle", "notes_after": 0, "created_at": at});
    let row = |seq: i64| {
        let text = "ore ".repeat(ROW_BYTES / 4);
        json!({"record": "row", "mysis_id": id, "seq": seq, "at": at, "turn": 0, "kind": "audit",
            "content": text, "metadata": {}})
    };
    let rows = (1..=ROWS).map(|seq| row(seq).to_string());
    let lines: Vec<String> = [mysis.to_string()].into_iter().chain(rows).collect();
    let file = home.file("long.jsonl");
    fs::write(&file, lines.join("\n")).expect("a file");
    home.ok(&["import", file.to_str().expect("text")]);
}

/// The places of rows.
fn places(rows: &[Value]) -> Vec<i64> {
    let places = rows.iter().map(|row| row["seq"].as_i64().expect("a place"));
    places.collect()
}

#[test]
fn however_long_a_conversation_is_it_is_read_and_written_out_in_pieces() {
    let mut measured = Measured::start(put_long_conversation);
    let all: Vec<i64> = (1..=ROWS).collect();
    let page = |measured: &mut Measured, key: &str, from: i64| {
        let asked = json!({"name": "long", "limit": 0, key: from});
        places(&measured.rows(key, "read_log", &asked))
    };
    let whole = json!({"name": "long", "limit": 0});
    let newest = places(&measured.rows("a whole log", "read_log", &whole));
    assert!(newest.len() > 1 && newest.len() < all.len(), "{newest:?}");
    assert_eq!(newest.last(), Some(&ROWS));
    let mut backwards = newest;
    while backwards[0] > 1 {
        let mut older = page(&mut measured, "before_seq", backwards[0]);
        assert!(!older.is_empty());
        older.extend(backwards);
        backwards = older;
    }
    assert_eq!(backwards, all);
    let mut forwards = Vec::new();
    loop {
        let last = forwards.last().copied().unwrap_or(0);
        let newer = page(&mut measured, "after_seq", last);
        if newer.is_empty() {
            break;
        }
        forwards.extend(newer);
    }
    assert_eq!(forwards, all);
    let both = json!({"name": "long", "after_seq": 1, "before_seq": 9}).to_string();
    let answer = measured.call("both", "read_log", &both);
    assert!(answer.contains("not both"), "{answer}");

    let search = json!({"query": "ore", "in": "messages,reasoning,missions", "limit": 0});
    let found = places(&measured.rows("a search", "search", &search));
    assert!(found.len() > 1 && found.len() < all.len(), "{found:?}");
    assert_eq!(found.last(), Some(&ROWS));
    for format in ["jsonl", "md"] {
        let file = measured.home.file(&format!("out.{format}"));
        let asked = json!({"file": file, "mysis": "long", "format": format});
        let answer = measured.call(format, "export", &asked.to_string());
        assert!(answer.contains("160"), "{answer}");
        let written = fs::metadata(file).expect("a file").len();
        assert!(written > 39 * MB as u64, "{written}");
    }
    // A command sends as many requests as it needs.
    let limit = ROWS.to_string();
    let shown = measured
        .home
        .lines(&["log", "long", "--limit", &limit, "--json"]);
    assert_eq!(places(&shown), all);
    measured.note("a command".to_string());
    measured.judge();
}

#[test]
fn no_input_of_a_server_or_a_client_takes_more_than_64_mb() {
    let mut measured = Measured::start(|_| {});
    for name in OF_MODELS {
        measured.play(name, None, 2);
    }
    for name in OF_LISTS {
        measured.play(name, None, 1);
    }
    for name in OF_CALLS {
        measured.play(name, Some("mine"), 2);
    }
    measured.play("objects in a text", Some("get_map"), 2);
    let eight = 8 * MB - 1024;
    let (first, (piece, times), last) = list("[", (r#"{"a":0}"#, eight), "]");
    measured.order("objects", &format!("{first}{}{last}", piece.repeat(times)));
    let text = "ä".repeat(eight / 2 - 100);
    measured.order(
        "a long text",
        &json!({"name": "alpha", "text": text}).to_string(),
    );
    let escaped = "\\u00e4".repeat(MB);
    measured.order(
        "a text in escapes",
        &format!(r#"{{"name":"alpha","text":"{escaped}"}}"#),
    );
    measured.order("lists in lists", &"[".repeat(eight));

    assert!(measured.taken.len() >= 20);
    measured.judge();
}
