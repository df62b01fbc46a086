//! Traces, as a collector gets them.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

use crate::flight::until_all_have;
use crate::otlp::{Span, spans_of};
use crate::receiver::Receiver;
use crate::watching::playing;
use zoea_rig::{Home, Process, Server, until};

/// The kinds of spans.
const INTERNAL: u64 = 1;
const CLIENT: u64 = 3;
/// The code of a status that says that the work failed.
const ERROR: u64 = 2;

/// The spans that a collector got.
fn spans(collector: &Receiver) -> Vec<Span> {
    let brought = collector.brought().into_iter();
    let requests = brought.filter(|one| one.status == 200);
    requests
        .flat_map(|one| {
            assert_eq!(one.path, "/v1/traces");
            spans_of(&one.head, &one.bytes)
        })
        .collect()
}

/// Spans of a swarm that played and shut down.
fn of_a_flight(more: &str) -> Vec<Span> {
    // A collector that is busy at first gets the spans again.
    let collector = Receiver::start(&[503]);
    let endpoint = &collector.url;
    let (_home, swarm, _galaxy, _pilot) =
        playing(&format!("[traces]\nendpoint = \"{endpoint}\"\n{more}"));
    until("spans are there", || {
        let spans = spans(&collector);
        let turns = spans.iter().filter(|span| span.parent.is_none());
        (turns.count() > 3).then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let first = &collector.brought()[0];
    assert_eq!(first.status, 503);
    let again = &collector.brought()[1];
    assert_eq!(first.bytes, again.bytes, "asked again with the same");
    spans(&collector)
}

/// Checks what every span has, and returns its operation.
fn checked<'a>(span: &'a Span, turns: &BTreeMap<&str, &Span>) -> &'a str {
    assert_eq!(
        span.schema,
        "https://opentelemetry.io/schemas/gen-ai/1.42.0"
    );
    assert_eq!(span.resource["service.name"], "zoea");
    assert_eq!(span.resource["service.version"], env!("CARGO_PKG_VERSION"));
    let instance = span.resource["service.instance.id"].as_str();
    assert_eq!(instance.map(str::len), Some(36));
    assert_eq!((span.trace.len(), span.id.len()), (32, 16));
    assert!(span.start <= span.end && span.start > 1_600_000_000_000_000_000);
    if let Some(parent) = &span.parent {
        let turn = turns.get(&**parent).expect("its turn was brought, too");
        assert_eq!(turn.trace, span.trace);
        assert!(
            turn.start <= span.start && span.end <= turn.end,
            "{span:?} {turn:?}"
        );
    }
    let said = [
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.system_instructions",
        "gen_ai.tool.definitions",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
    ];
    assert!(said.iter().all(|key| !span.has(key)), "contents: {span:?}");
    span.text("gen_ai.operation.name")
}

fn check_turn(span: &Span) {
    assert_eq!(span.kind, INTERNAL);
    let name = span.text("gen_ai.agent.name");
    assert_eq!(span.name, format!("invoke_agent {name}"));
    let id = span.text("zoea.mysis.id");
    assert_eq!(span.text("gen_ai.conversation.id"), id);
    assert!(span.number("zoea.turn") > 0);
    for removed in ["gen_ai.agent.id", "gen_ai.provider.name"] {
        assert!(!span.has(removed), "{removed}");
    }
}

fn check_chat(span: &Span) {
    assert_eq!(span.kind, CLIENT);
    let model = span.text("gen_ai.request.model");
    assert_eq!(span.name, format!("chat {model}"));
    assert_eq!(span.text("zoea.provider"), "pilot");
    assert_eq!(span.text("gen_ai.provider.name"), "pilot");
    assert_eq!(span.text("gen_ai.conversation.id").len(), 16);
    assert_eq!(span.text("server.address"), "127.0.0.1");
    assert!(span.number("server.port") > 1024);
    if span.has("error.type") {
        assert_eq!(span.status.0, ERROR);
        assert!(!span.status.1.is_empty(), "{span:?}");
        return;
    }
    assert!(span.number("gen_ai.usage.input_tokens") > 0);
    assert!(span.text("gen_ai.response.id").len() > 2);
    assert_eq!(span.text("gen_ai.response.model"), model);
    assert_eq!(span.attributes["gen_ai.request.stream"], true);
    let reasons = &span.attributes["gen_ai.response.finish_reasons"];
    assert_eq!(reasons.as_array().map(Vec::len), Some(1), "{span:?}");
    let wait = span.attributes["gen_ai.response.time_to_first_chunk"].as_f64();
    assert!(
        wait.is_some_and(|wait| wait > 0.0 && wait < 60.0),
        "{span:?}"
    );
    assert!(span.number("zoea.row") > 0);
}

fn check_tool(span: &Span) {
    let tool = span.text("gen_ai.tool.name");
    assert_eq!(span.name, format!("execute_tool {tool}"));
    assert!(span.has("gen_ai.tool.call.id"));
    assert!(span.number("zoea.row") > 0);
    let went_out = span.has("mcp.method.name");
    assert_eq!(span.kind, if went_out { CLIENT } else { INTERNAL });
    if went_out {
        assert_eq!(span.text("mcp.method.name"), "tools/call");
        assert_eq!(span.text("network.transport"), "tcp");
        assert!(
            span.text("mcp.protocol.version").starts_with("20"),
            "{span:?}"
        );
    }
    let is_done = span.text("zoea.call.status") == "done";
    assert_eq!(is_done, !span.has("error.type"));
    assert_eq!(is_done, span.status == (0, String::new()));
}

#[test]
fn a_collector_gets_a_span_for_each_turn_model_call_and_tool_call() {
    let spans = of_a_flight("");
    let turns: BTreeMap<&str, &Span> = spans
        .iter()
        .filter(|span| span.parent.is_none())
        .map(|span| (&*span.id, span))
        .collect();
    let mut operations: BTreeMap<&str, usize> = BTreeMap::new();
    for span in &spans {
        let operation = checked(span, &turns);
        match operation {
            "invoke_agent" => check_turn(span),
            "chat" => check_chat(span),
            "execute_tool" => check_tool(span),
            other => panic!("{other} is no operation"),
        }
        *operations.entry(operation).or_default() += 1;
    }
    assert_eq!(operations.len(), 3, "{operations:?}");
    assert!(operations["execute_tool"] > 2, "{operations:?}");
    assert!(spans.iter().any(|span| span.has("mcp.method.name")));
    check_links(&turns);
}

/// Every turn but the first of its Mysis follows the one before.
fn check_links(turns: &BTreeMap<&str, &Span>) {
    let mut of_myses: BTreeMap<&str, Vec<&Span>> = BTreeMap::new();
    for turn in turns.values() {
        of_myses
            .entry(turn.text("zoea.mysis.id"))
            .or_default()
            .push(turn);
    }
    assert_eq!(of_myses.len(), 2);
    for mut own in of_myses.into_values() {
        own.sort_by_key(|turn| turn.number("zoea.turn"));
        assert_eq!(own[0].links, []);
        for pair in own.windows(2) {
            let before = (pair[0].trace.clone(), pair[0].id.clone());
            assert_eq!(pair[1].links, [before]);
            assert_ne!(pair[0].trace, pair[1].trace);
        }
    }
}

#[test]
fn what_was_said_is_in_the_spans_only_for_those_who_want_it() {
    let spans = of_a_flight("contents = true\nprotocol = \"json\"\ncompression = \"none\"\n");
    let json = |span: &Span, key: &str| -> Value {
        serde_json::from_str(span.text(key)).expect("JSON in a text")
    };
    let turn = spans
        .iter()
        .find(|span| span.has("gen_ai.tool.definitions"));
    let tools = json(turn.expect("tools"), "gen_ai.tool.definitions");
    let tools = tools.as_array().expect("a list");
    let mine = tools.iter().find(|tool| tool["name"] == "mine");
    assert_eq!(mine.expect("mine")["parameters"]["type"], "object");
    let chats = spans
        .iter()
        .filter(|span| span.has("gen_ai.output.messages"));
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for chat in chats {
        let system = json(chat, "gen_ai.system_instructions");
        assert_eq!(system[0]["type"], "text");
        let input = json(chat, "gen_ai.input.messages");
        let output = json(chat, "gen_ai.output.messages");
        for message in input
            .as_array()
            .into_iter()
            .chain(output.as_array())
            .flatten()
        {
            for part in message["parts"].as_array().expect("parts") {
                let kind = part["type"].as_str().expect("a kind");
                // What the model wrote is told as a text if it is no JSON.
                let written = match &part["arguments"] {
                    Value::Object(_) => " in JSON",
                    Value::String(_) => " in words",
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => "",
                };
                let kind = format!("{} {kind}{written}", message["role"]);
                *kinds.entry(kind).or_default() += 1;
            }
        }
    }
    for kind in [
        "\"user\" text",
        "\"assistant\" tool_call in JSON",
        "\"tool\" tool_call_response",
    ] {
        assert!(kinds.contains_key(kind), "{kinds:?}");
    }
    let tool = spans.iter().find(|span| {
        span.has("gen_ai.tool.call.result") && span.text("gen_ai.tool.name") == "register"
    });
    let tool = tool.expect("a registration");
    assert!(json(tool, "gen_ai.tool.call.arguments")["username"].is_string());
    assert!(!tool.text("gen_ai.tool.call.result").is_empty());
}

/// A swarm of one Mysis with this model server and this game.
fn alone(model: &str, game: &str, more: &str) -> (Home, Process) {
    let home = Home::new();
    home.configure(model, game, more);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let swarm = home.fly(&["--start-swarm"]);
    (home, swarm)
}

#[test]
fn a_refused_model_call_is_a_span_that_says_why() {
    let collector = Receiver::start(&[]);
    let model = Receiver::start(&[401; 200]);
    let traces = format!("[traces]\nendpoint = \"{}\"\n", collector.url);
    let (_home, swarm) = alone(&format!("{}/v1", model.url), "", &traces);
    let spans = until("spans are there", || {
        let spans = spans(&collector);
        (!spans.is_empty()).then_some(spans)
    });
    let chat = spans
        .iter()
        .find(|span| span.parent.is_some())
        .expect("a chat");
    assert_eq!(chat.text("gen_ai.operation.name"), "chat");
    assert_eq!(chat.text("error.type"), "permanent");
    assert_eq!(chat.status.0, ERROR);
    assert!(chat.status.1.contains("401"), "{chat:?}");
    // Nothing told of tokens, so nothing is said of them.
    assert!(!chat.has("gen_ai.usage.input_tokens") && !chat.has("gen_ai.usage.output_tokens"));
    let turn = spans
        .iter()
        .find(|span| span.parent.is_none())
        .expect("a turn");
    assert_eq!(turn.text("error.type"), "errored");
    assert!(turn.status.1.contains("401"), "{turn:?}");
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

#[test]
fn a_model_call_that_takes_too_long_and_one_that_is_cancelled_are_spans() {
    let collector = Receiver::start(&[]);
    // A server that takes requests and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let model = format!("http://{}/v1", silent.local_addr().expect("an address"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = asked.clone();
    thread::spawn(move || {
        for stream in silent.incoming().flatten() {
            kept.lock().push(stream);
        }
    });
    let traces = format!("[traces]\nendpoint = \"{}\"\n", collector.url);
    let home = Home::new();
    home.configure(&model, "", &traces);
    let file = home.file("zoea.toml");
    let text = std::fs::read_to_string(&file).expect("a configuration");
    let usual = "retry = [\"20ms\", \"50ms\", \"100ms\"]";
    let quick = "timeout = \"300ms\"\nretry = [\"1ms\", \"1h\"]";
    std::fs::write(&file, text.replace(usual, quick)).expect("written");
    home.ok(&["mysis", "create", "alpha"]);
    let swarm = home.fly(&[]);
    home.ok(&["send", "alpha", "Are you there?"]);
    let is_asked = |times: usize| asked.lock().len() >= times;
    until("it is asked twice", || is_asked(2).then_some(()));
    home.ok(&["mysis", "stop", "alpha"]);
    let spans = until("spans are there", || {
        let spans = spans(&collector);
        (!spans.is_empty()).then_some(spans)
    });
    let kinds: Vec<&str> = spans
        .iter()
        .filter(|span| span.parent.is_some())
        .map(|span| span.text("error.type"))
        .collect();
    assert_eq!(kinds.first(), Some(&"timeout"), "{spans:?}");
    assert!(
        kinds[1..]
            .iter()
            .all(|kind| ["timeout", "aborted"].contains(kind))
    );
    let turn = spans
        .iter()
        .find(|span| span.parent.is_none())
        .expect("a turn");
    assert_eq!(turn.text("zoea.interrupted"), "stopped");
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

/// What a client writes to a server, which is passed on. Returns the address in between.
fn tapped(server: String) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let written = Arc::new(Mutex::new(Vec::new()));
    let kept = written.clone();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(&server).expect("the server is there");
            let (back_from, back_to) = (server.try_clone(), client.try_clone());
            let kept = kept.clone();
            thread::spawn(move || {
                pass_on(client, server, |bytes| {
                    kept.lock().extend_from_slice(bytes);
                })
            });
            let (from, to) = (back_from.expect("a copy"), back_to.expect("a copy"));
            thread::spawn(move || pass_on(from, to, |_| {}));
        }
    });
    (address, written)
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, mut see: impl FnMut(&[u8])) {
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        see(&buffer[..count]);
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    // The other side may be gone already.
    let _ = to.shutdown(std::net::Shutdown::Write);
}

#[test]
fn the_games_server_gets_the_span_of_each_call() {
    let collector = Receiver::start(&[]);
    let (galaxy, pilot) = (Server::galaxy(&[]), Server::pilot(&[]));
    let (address, written) = tapped(galaxy.address());
    let game = galaxy.url.replace(&galaxy.address(), &address);
    let traces = format!("[traces]\nendpoint = \"{}\"\n", collector.url);
    let (_home, mut swarm) = alone(&pilot.url, &game, &traces);
    until_all_have(&mut swarm, 1, &["mine"]);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let sent = String::from_utf8_lossy(&written.lock()).into_owned();
    let spans = spans(&collector);
    let mined = spans
        .iter()
        .find(|span| span.has("gen_ai.tool.name") && span.text("gen_ai.tool.name") == "mine");
    let mined = mined.expect("a span of the call");
    let traceparent = format!("00-{}-{}-01", mined.trace, mined.id);
    let meta = sent.find(&traceparent).expect("the server was told");
    let key = json!("traceparent").to_string();
    assert!(
        sent[..meta]
            .trim_end_matches('"')
            .ends_with(&format!("{key}:")),
        "{}",
        &sent[meta - 40..meta]
    );
}
