//! Servers of tools that forget sessions, and say so in their own ways.

use parking_lot::Mutex;
use std::collections::BTreeMap;

use serde_json::{Value, json};
use zoea_rig::{Home, Process, ScriptedReply, ScriptedRequest, ScriptedServer, until};

/// The calls after which a session is lost.
const CALLS: usize = 3;

/// How a server says that it does not know a session.
type Refusal = fn(&ScriptedRequest) -> ScriptedReply;

fn tools() -> Value {
    json!([{"name": "mine", "description": "Mines.", "inputSchema": {"type": "object", "properties": {}}}])
}

fn error(request: &ScriptedRequest, code: i64, message: &str) -> ScriptedReply {
    ScriptedReply::json(&request.error(&json!({"code": code, "message": message})))
}

/// A game that forgets each session after some calls, whatever is asked in it then, or only where a
/// tool is called.
fn forgetful(refusal: Refusal, forgets_all: bool) -> ScriptedServer {
    let calls: Mutex<BTreeMap<Option<String>, usize>> = Mutex::default();
    ScriptedServer::start("/mcp", move |request| {
        let mut calls = calls.lock();
        let made = calls.entry(request.session.clone()).or_default();
        let is_call = request.method() == "tools/call";
        let is_lost = *made >= CALLS && (is_call || forgets_all);
        match request.method() {
            "initialize" => request.usual(),
            _ if is_lost => refusal(request),
            "tools/list" => request.result(&json!({"tools": tools()})),
            "tools/call" => {
                *made += 1;
                request.result(&json!({"content": [{"type": "text", "text": "5 ore"}]}))
            }
            _ => request.usual(),
        }
    })
}

fn swarm(game: &ScriptedServer) -> (Home, Process, ScriptedServer) {
    let model = ScriptedServer::model(&["mine"]);
    let home = Home::new();
    home.configure(&model.url, &game.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore."]);
    let swarm = home.fly(&["--start-swarm"]);
    (home, swarm, model)
}

fn results(home: &Home) -> Vec<String> {
    let rows = home.lines(&["log", "alpha", "--kind", "result", "--limit", "0", "--json"]);
    let text = |row: &Value| row["content"].as_str().expect("a text").to_string();
    rows.iter().map(text).collect()
}

#[test]
fn a_lost_session_is_opened_anew_however_the_server_says_it() {
    let refusals: [(&str, Refusal); 7] = [
        ("410", |_| {
            ScriptedReply::of("text/plain", "gone").with_status(410)
        }),
        ("400 alone", |_| ScriptedReply::of("", "").with_status(400)),
        ("500", |it| {
            error(it, -32000, "Internal error").with_status(500)
        }),
        ("200", |it| error(it, -32000, "Session not found")),
        ("200 with a text as code", |it| {
            ScriptedReply::json(
                &it.error(&json!({"code": "E_SESSION", "message": "no such session"})),
            )
        }),
        ("302", |_| ScriptedReply::of("", "").with_status(302)),
        ("418", |_| ScriptedReply::of("", "").with_status(418)),
    ];
    // Each has a program of its own, and most of the time is spent in waits.
    std::thread::scope(|scope| {
        for (name, refusal) in refusals {
            scope.spawn(move || {
                for forgets_all in [true, false] {
                    plays_on(name, refusal, forgets_all);
                }
            });
        }
    });
}

fn plays_on(name: &str, refusal: Refusal, forgets_all: bool) {
    let game = forgetful(refusal, forgets_all);
    let (home, _swarm, _model) = swarm(&game);
    let results = until("the game is played in several sessions", || {
        let results = results(&home);
        (game.count("initialize") >= 3 && results.len() > 6).then_some(results)
    });
    let good = results.iter().filter(|text| *text == "5 ore").count();
    let bad = results.len() - good;
    assert!(
        bad <= 2 * game.count("initialize"),
        "{name}, {forgets_all}: {results:?}"
    );
    assert!(good > bad, "{name}, {forgets_all}: {results:?}");
}

#[test]
fn words_that_say_nothing_of_the_session_are_tried_by_a_new_one() {
    let refusals: [(&str, Refusal); 5] = [
        ("words", |it| error(it, -32000, "unknown client")),
        ("a page", |_| ScriptedReply::of("text/html", "<html>")),
        ("nothing", |_| ScriptedReply::of("", "").with_status(202)),
        ("503", |_| ScriptedReply::of("", "").with_status(503)),
        ("a result", |it| {
            let text = json!([{"type": "text", "text": "Session expired. Please reconnect."}]);
            it.result(&json!({"content": text, "isError": true}))
        }),
    ];
    std::thread::scope(|scope| {
        for (name, refusal) in refusals {
            // A server that forgets only for calls says to all other questions that it knows the session.
            for forgets_all in [true, false] {
                // One that is away only for calls is no other than one that is away.
                let is_tried = name != "503" || forgets_all;
                is_tried.then(|| scope.spawn(move || finds_out(name, refusal, forgets_all)));
            }
        }
    });
}

fn finds_out(name: &str, refusal: Refusal, forgets_all: bool) {
    let game = forgetful(refusal, forgets_all);
    let (home, _swarm, _model) = swarm(&game);
    let what = format!("several sessions: {name}, {forgets_all}");
    until(&what, || {
        let results = results(&home).into_iter();
        let good = results.filter(|text| *text == "5 ore").count();
        (good > 2 * CALLS).then_some(())
    });
    if name == "503" {
        // It says that a call did not reach it, so that this is made again.
        return;
    }
    // Nothing is made again.
    let requests = game.requests().into_iter();
    let calls = requests.filter(|it| it.method() == "tools/call");
    let mut ids: Vec<String> = calls
        .map(|it| it.body["params"]["_meta"]["zoea/call"].to_string())
        .collect();
    let made = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(made, ids.len(), "{what}");
}

#[test]
fn refusals_of_the_game_open_one_session_for_a_trial_at_most_and_are_told() {
    let game = ScriptedServer::game(tools(), |it| error(it, -32000, "not enough fuel"));
    let (home, _swarm, _model) = swarm(&game);
    until("some calls were refused", || {
        (results(&home).len() >= 12).then_some(())
    });
    let (sessions, lists) = (game.count("initialize"), game.count("tools/list"));
    assert!(
        sessions <= 3 && lists <= 3,
        "{sessions} sessions, {lists} lists"
    );
    let printed = results(&home).pop().expect("a result");
    assert_eq!(printed, "Error: refused: not enough fuel (-32000)");
}

#[test]
fn a_lost_answer_costs_no_list_of_tools_and_two_in_a_row_one_session_for_a_trial() {
    for in_a_row in [1, 6] {
        let calls = Mutex::new(0);
        let game = ScriptedServer::game(tools(), move |request| {
            let mut calls = calls.lock();
            *calls += 1;
            match *calls % (in_a_row + 1) {
                0 => request.result(&json!({"content": [{"type": "text", "text": "5 ore"}]})),
                _ => ScriptedReply::of("application/json", "{"),
            }
        });
        let (home, _swarm, _model) = swarm(&game);
        until("some calls were lost", || {
            (results(&home).len() >= 6).then_some(())
        });
        assert!(results(&home)[0].starts_with("outcome unknown"));
        let asked = (game.count("initialize"), game.count("tools/list"));
        let allowed = if in_a_row == 1 { 1 } else { 2 };
        assert!(asked.0 <= allowed && asked.1 <= allowed, "{asked:?}");
    }
}

#[test]
fn a_server_that_refuses_all_calls_in_new_sessions_too_is_away() {
    let game = ScriptedServer::game(tools(), |_| ScriptedReply::of("", "").with_status(500));
    let (home, _swarm, _model) = swarm(&game);
    let printed = until("it is reported", || {
        let events = home.lines(&["events", "--json", "--limit", "0"]);
        let text = |event: &Value| event["text"].as_str().unwrap_or_default().to_string();
        let mut texts = events.iter().map(text);
        texts.find(|text| text.contains("refuses all calls, in a new session, too"))
    });
    assert!(printed.contains("HTTP 500"), "{printed}");
    assert!(
        game.count("tools/call") <= 6,
        "{} calls",
        game.count("tools/call")
    );
}
