//! Myses that have nothing to do: what they cost, how that is shown, and what wakes them.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;

use serde_json::{Value, json};
use zoea_rig::postgres;
use zoea_rig::{Home, Process, ScriptedReply, ScriptedRequest, ScriptedServer, until};

/// A game with one tool, which works.
fn game() -> ScriptedServer {
    let tools = json!([{"name": "mine", "description": "Mines.",
        "inputSchema": {"type": "object", "properties": {}}}]);
    ScriptedServer::game(tools, |request| {
        request.result(&json!({"content": [{"type": "text", "text": "5 ore"}]}))
    })
}

/// A model that mines once, then says that it is done: by the tool where it has it, else in words. It
/// mines again where an order says `more`.
fn model() -> ScriptedServer {
    model_behind(Gate::default())
}

/// The same, which says that it is done once the gate is open.
fn model_behind(gate: Gate) -> ScriptedServer {
    ScriptedServer::start("/v1", move |request| {
        let message = match (called(request, "mine"), has_tool(request, "zoea_done")) {
            (mined, _) if mined < 1 + usize::from(last_order(request).contains("more")) => {
                call("mine", "{}")
            }
            (_, true) if called(request, "zoea_done") == 0 => {
                gate.pass();
                call("zoea_done", r#"{"summary": "5 ore are mined"}"#)
            }
            _ => json!({"role": "assistant", "content": "The task is done."}),
        };
        answer(&message)
    })
}

/// Keeps an answer until it is opened.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn close(&self, is_closed: bool) {
        let (state, changed) = &*self.0;
        *state.lock() = is_closed;
        changed.notify_all();
    }

    fn pass(&self) {
        let (state, changed) = &*self.0;
        changed.wait_while(&mut state.lock(), |is_closed| *is_closed);
    }
}

fn messages(request: &ScriptedRequest) -> Vec<Value> {
    request.body["messages"]
        .as_array()
        .cloned()
        .unwrap_or_default()
}

fn called(request: &ScriptedRequest, tool: &str) -> usize {
    let messages = messages(request);
    let calls = messages
        .iter()
        .filter_map(|message| message["tool_calls"].as_array());
    calls
        .flatten()
        .filter(|call| call["function"]["name"] == tool)
        .count()
}

fn has_tool(request: &ScriptedRequest, name: &str) -> bool {
    let tools = request.body["tools"].as_array();
    tools
        .into_iter()
        .flatten()
        .any(|tool| tool["function"]["name"] == name)
}

/// The last words of the operator.
fn last_order(request: &ScriptedRequest) -> String {
    let messages = messages(request);
    let mut users = messages
        .iter()
        .rev()
        .filter(|message| message["role"] == "user");
    users
        .next()
        .map_or_else(String::new, |message| message["content"].to_string())
}

fn call(name: &str, arguments: &str) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [{
        "id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}]})
}

fn answer(message: &Value) -> ScriptedReply {
    ScriptedReply::json(&json!({
        "id": "c", "object": "chat.completion", "model": "pilot",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }))
}

fn swarm(broadcast: &[&str]) -> (Home, Process, [ScriptedServer; 2]) {
    swarm_with("", broadcast)
}

/// The same with this section of the configuration.
fn swarm_with(store: &str, broadcast: &[&str]) -> (Home, Process, [ScriptedServer; 2]) {
    swarm_on(model(), store, broadcast)
}

fn swarm_on(
    model: ScriptedServer,
    store: &str,
    broadcast: &[&str],
) -> (Home, Process, [ScriptedServer; 2]) {
    let game = game();
    let home = Home::new();
    home.configure(&model.url, &game.url, store);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(broadcast);
    let swarm = home.fly(&["--start-swarm"]);
    (home, swarm, [game, model])
}

fn until_it_does(home: &Home, activity: &str) -> Value {
    until(activity, || {
        let mysis = home.mysis("alpha");
        (mysis["activity"] == activity).then_some(mysis)
    })
}

#[test]
fn one_that_writes_words_alone_waits_and_is_woken_by_an_order() {
    let (home, _swarm, [_game, model]) = swarm(&["broadcast", "Mine once."]);
    let mysis = until_it_does(&home, "waiting");
    assert_eq!(mysis["state"], "running");
    assert!(mysis["activity_until"].is_string(), "{mysis}");
    // Until then it was asked four times: twice in the turn that played.
    let asked = model.requests().len();
    assert_eq!(asked, 4);
    home.ok(&["send", "alpha", "mine more"]);
    until("it is asked at once and plays", || {
        let requests = model.requests();
        let last = requests.last()?;
        (requests.len() > asked + 1 && called(last, "mine") == 2).then_some(())
    });
    let requests = model.requests();
    assert!(
        requests
            .iter()
            .all(|request| !has_tool(request, "zoea_done"))
    );
}

/// The section for a database on the tests' server, if there is one.
fn on_a_server() -> Option<String> {
    let url = postgres::database()?;
    Some(format!("[store]\ndatabase_url = \"{url}\"\n"))
}

/// When it is asked again, to the minute.
fn until_when(mysis: &Value) -> String {
    let at = mysis["activity_until"].as_str().unwrap_or_default();
    at[..16.min(at.len())].to_string()
}

#[test]
fn one_whose_mission_is_done_is_left_alone_over_a_kill_and_woken_by_an_order() {
    for store in [Some(String::new()), on_a_server()].iter().flatten() {
        is_left_alone_over_a_kill(store);
    }
}

fn is_left_alone_over_a_kill(store: &str) {
    let (home, swarm, [_game, model]) = swarm_with(store, &["broadcast", "--ends", "Mine once."]);
    let mysis = until_it_does(&home, "done");
    assert_eq!(
        (&mysis["state"], model.requests().len()),
        (&json!("running"), 2)
    );
    let events = home.recorded("it is recorded", |event| event["code"] == "done");
    let done = events
        .iter()
        .find(|event| event["code"] == "done")
        .expect("an event");
    assert_eq!(done["text"], "the mission is done: 5 ore are mined");
    swarm.signal("-KILL");
    swarm.wait();
    let _again = home.fly(&["--resume"]);
    let again = until_it_does(&home, "done");
    assert_eq!(again["state"], "running");
    assert_eq!(
        until_when(&again),
        until_when(&mysis),
        "no sooner and no later"
    );
    assert_eq!(model.requests().len(), 2);
    home.ok(&["send", "alpha", "mine more"]);
    until("it is asked at once and plays", || {
        let requests = model.requests();
        (called(requests.last()?, "mine") == 2).then_some(())
    });
}

/// How a Mysis comes to another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Drained,
    Killed,
}

impl Move {
    /// Moves the Mysis from this process, which is called so.
    fn make(self, home: &Home, process: &Process, name: &str) {
        match self {
            Move::Drained => drop(home.ok(&["processes", "drain", name])),
            Move::Killed => process.signal("-KILL"),
        }
    }
}

/// Starts a second process. Returns its home, and the name of the first one.
fn second_process(
    first: &Home,
    store: &str,
    [game, model]: &[ScriptedServer; 2],
) -> (Home, Process, String) {
    let second = Home::new();
    second.configure(&model.url, &game.url, store);
    let process = second.fly(&[]);
    let here = until("both know each other", || {
        let process = first.json(&["status", "--json"])["process"].clone();
        process.as_str().map(str::to_string)
    });
    (second, process, here)
}

fn until_done_elsewhere(second: &Home, here: &str) -> Value {
    until("it is done in the other process", || {
        let mysis = second.mysis("alpha");
        let process = mysis["process"].as_str();
        let is_there = process.is_some_and(|process| process != here);
        (is_there && mysis["activity"] == "done").then_some(mysis)
    })
}

fn said_done(home: &Home) -> usize {
    let log = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
    let done = log.iter().filter(|row| row["metadata"]["code"] == "done");
    done.count()
}

#[test]
fn one_whose_mission_is_done_stays_so_where_another_process_takes_it() {
    for how in [Move::Drained, Move::Killed] {
        let Some(store) = on_a_server() else {
            return;
        };
        stays_done_elsewhere(&store, how);
    }
}

fn stays_done_elsewhere(store: &str, how: Move) {
    let (first, one, servers) = swarm_with(store, &["broadcast", "--ends", "Mine once."]);
    let model = &servers[1];
    let mysis = until_it_does(&first, "done");
    let (second, _two, here) = second_process(&first, store, &servers);
    how.make(&first, &one, &here);
    let moved = until_done_elsewhere(&second, &here);
    assert_eq!(moved["state"], "running", "{how:?}");
    assert_eq!(
        until_when(&moved),
        until_when(&mysis),
        "no sooner and no later: {how:?}"
    );
    assert_eq!(model.requests().len(), 2, "it is not asked: {how:?}");
    drop(one);
    second.ok(&["send", "alpha", "mine more"]);
    until("it is asked at once and plays", || {
        let requests = model.requests();
        (called(requests.last()?, "mine") == 2).then_some(())
    });
    assert_eq!(said_done(&second), 1, "it said so once: {how:?}");
}

#[test]
fn one_that_says_that_it_is_done_while_it_moves_is_done_once() {
    for how in [Move::Drained, Move::Killed] {
        let Some(store) = on_a_server() else {
            return;
        };
        is_done_while_it_moves(&store, how);
    }
}

fn is_done_while_it_moves(store: &str, how: Move) {
    let gate = Gate::default();
    gate.close(true);
    let model = model_behind(gate.clone());
    let broadcast = ["broadcast", "--ends", "Mine once."];
    let (first, one, servers) = swarm_on(model, store, &broadcast);
    let [game, model] = &servers;
    until("it is asked whether it is done", || {
        let requests = model.requests();
        (called(requests.last()?, "mine") == 1).then_some(())
    });
    let (second, _two, here) = second_process(&first, store, &servers);
    how.make(&first, &one, &here);
    gate.close(false);
    let moved = until_done_elsewhere(&second, &here);
    assert_eq!(moved["state"], "running", "{how:?}");
    assert_eq!(said_done(&second), 1, "it said so once: {how:?}");
    let mined = game.requests().into_iter();
    let mined = mined.filter(|request| request.method() == "tools/call");
    assert_eq!(mined.count(), 1, "{how:?}");
}
