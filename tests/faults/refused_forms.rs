//! Forms of requests that a model server refuses, and windows of use: what is learnt of them costs what it
//! must, for all of the swarm.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use zoea_rig::odd_model::{OddModel, Oddity, Request};
use zoea_rig::{Home, Process, Server, until};

use crate::refused::swarm_on;

const NAMES: [&str; 4] = ["nova-a", "nova-b", "nova-c", "nova-d"];

fn body_of(request: &Request) -> Value {
    serde_json::from_str(&request.body).expect("JSON")
}

fn tools_in(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools
        .filter_map(|tool| tool["function"]["name"].as_str())
        .collect()
}

fn has_calls(body: &Value) -> bool {
    let mut messages = body["messages"].as_array().into_iter().flatten();
    messages.any(|message| message.get("tool_calls").is_some())
}

/// Waits until all of them go on, and asserts that they run, with all tools but these, in pieces.
fn assert_all_play(home: &Home, model: &OddModel, without: &[&str]) {
    let since = model.now();
    until("all of them play", || {
        let served = model.served_since(since);
        let all = ["a", "b", "c", "d"];
        let plays = |name: &&str| served.get(*name).is_some_and(|count| *count > 3);
        all.iter().all(plays).then_some(())
    });
    let first = body_of(&model.requests()[0]);
    let later = model.requests().into_iter();
    for request in later.filter(|one| one.at > since && !one.who.is_empty() && !one.is_refused) {
        let body = body_of(&request);
        assert_eq!(body["stream"], true, "streaming stays");
        let tools = tools_in(&body);
        for tool in tools_in(&first) {
            assert_eq!(tools.contains(&tool), !without.contains(&tool), "{tool}");
        }
    }
    for name in NAMES {
        assert_eq!(home.mysis(name)["state"], "running", "{name}");
    }
}

/// Kills the program, starts it anew, and asserts that nothing is refused any more.
fn assert_known_after_a_kill(
    (home, swarm): (&Home, Process),
    model: &OddModel,
    (without, doubts): (&[&str], usize),
) {
    swarm.signal("-KILL");
    swarm.wait();
    let before = model.requests().len();
    let _swarm = home.fly(&["--resume"]);
    assert_all_play(home, model, without);
    let later = &model.requests()[before..];
    let refused = later.iter().filter(|one| one.is_refused).count();
    assert!(refused <= doubts, "{refused}: it is known after a kill");
    assert!(!tools_in(&body_of(later.last().expect("requests"))).is_empty());
}

/// What a server that failed taught is soon doubted once.
fn doubts(oddity: &Oddity) -> usize {
    usize::from(matches!(oddity, Oddity::Status(500, ..)))
}

fn refused(words: &str) -> Oddity {
    Oddity::status(400, words)
}

/// What pydantic says, with the input that it quotes.
fn quoting(body: &Value) -> Oddity {
    let call = &body["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .find_map(|message| message["tool_calls"].get(0).cloned())
        .unwrap_or_default()["function"];
    let text = format!(
        "1 validation error for ChatCompletionRequest\nmessages.2.tool_calls.0.function.arguments\n  \
         Input should be a valid dictionary [type=dict_type, input_value={{'name': {}, 'arguments': \
         '{{}}'}}, input_type=str]",
        call["name"].to_string().replace('"', "'")
    );
    let error = json!({"object": "error", "message": text, "type": "BadRequest", "code": 400});
    Oddity::Status(400, error.to_string(), "")
}

/// Servers that refuse a form, in words that no list holds and with statuses that say nothing.
fn in_unknown_words() -> [Oddity; 3] {
    [
        refused("nope"),
        Oddity::Status(422, "nope".into(), ""),
        Oddity::status(500, "internal error"),
    ]
}

#[test]
fn a_tool_that_is_refused_in_unknown_words_costs_that_tool_only_also_after_a_kill() {
    let galaxy = Server::galaxy(&[]);
    std::thread::scope(|scope| {
        for oddity in in_unknown_words() {
            let galaxy = &galaxy;
            scope.spawn(move || assert_tool_left_out(galaxy, &oddity));
        }
    });
}

fn assert_tool_left_out(galaxy: &Server, oddity: &Oddity) {
    let doubts = doubts(oddity);
    let judged = oddity.clone();
    let model = OddModel::judging(Box::new(move |body, _| {
        let body: Value = serde_json::from_str(body).ok()?;
        tools_in(&body).contains(&"travel").then(|| judged.clone())
    }));
    let (home, swarm) = swarm_on(&model, galaxy, "");
    let refused = model.requests().iter().filter(|one| one.is_refused).count();
    // What may pass is first tried again as ever.
    let times = if doubts == 0 { 1 } else { 3 };
    let most = NAMES.len() * times + 7;
    assert!(refused <= most, "{oddity:?}: {refused} refused requests");
    assert_all_play(&home, &model, &["travel"]);
    assert_known_after_a_kill((&home, swarm), &model, (&["travel"], doubts));
}

#[test]
fn calls_in_messages_that_are_refused_cost_no_tool_and_no_streaming_also_after_a_kill() {
    let galaxy = Server::galaxy(&[]);
    std::thread::scope(|scope| {
        for words in [None, Some(refused("nope"))] {
            let galaxy = &galaxy;
            scope.spawn(move || {
                let model = OddModel::judging(Box::new(move |body, _| {
                    let body: Value = serde_json::from_str(body).ok()?;
                    let words = || words.clone().unwrap_or_else(|| quoting(&body));
                    has_calls(&body).then(words)
                }));
                let (home, swarm) = swarm_on(&model, galaxy, "");
                let refused = model.requests().iter().filter(|one| one.is_refused).count();
                assert!(refused <= NAMES.len() + 2, "{refused} refused requests");
                assert_all_play(&home, &model, &[]);
                assert_known_after_a_kill((&home, swarm), &model, (&[], 0));
            });
        }
    });
}

#[test]
fn a_refusal_that_quotes_the_request_once_for_each_mysis_takes_nothing_from_anybody() {
    let galaxy = Server::galaxy(&[]);
    for status in [400, 500] {
        let hit = parking_lot::Mutex::new(Vec::new());
        let model = OddModel::judging(Box::new(move |text, _| {
            let body: Value = serde_json::from_str(text).ok()?;
            let (_, name) = text.split_once("nova-")?;
            let name = name[..1].to_string();
            let mut hit = hit.lock();
            if !has_calls(&body) || hit.contains(&name) {
                return None;
            }
            hit.push(name);
            match status {
                400 => Some(quoting(&body)),
                _ => Some(Oddity::status(500, &format!("failed on {text}"))),
            }
        }));
        let (home, _swarm) = swarm_on(&model, &galaxy, "");
        assert_all_play(&home, &model, &[]);
    }
}

/// Words of servers whose model takes no longer request, of which the last ones say nothing.
fn too_long() -> Vec<Oddity> {
    let raw = |status, body: &str| Oddity::Status(status, body.into(), "");
    vec![
        refused(
            "Invalid request: Your request exceeded model token limit: 2500 (requested: 269030)",
        ),
        refused("prompt too long; exceeded max context length by 540451 tokens (ref: 1)"),
        raw(
            422,
            r#"{"error":"`inputs` must have less than 4096 tokens"}"#,
        ),
        raw(500, r#"{"error":{"message":"CUDA error: out of memory"}}"#),
        raw(400, ""),
        raw(400, r#"{"error":{"message":"nope"}}"#),
    ]
}

#[test]
fn a_request_that_is_too_long_is_shortened_and_the_size_is_known_to_all_and_after_a_kill() {
    let galaxy = Server::galaxy(&[]);
    std::thread::scope(|scope| {
        for oddity in too_long() {
            let galaxy = &galaxy;
            scope.spawn(move || assert_shortened(galaxy, oddity));
        }
    });
}

/// So many bytes more than those of the requests before are too long.
const ROOM_BYTES: usize = 8_000;

fn assert_shortened(galaxy: &Server, oddity: Oddity) {
    let name = format!("{oddity:?}");
    let doubts = doubts(&oddity);
    let most = Arc::new(AtomicUsize::new(usize::MAX));
    let limit = most.clone();
    let model = OddModel::judging(Box::new(move |body, _| {
        (body.len() > limit.load(Ordering::Relaxed)).then(|| oddity.clone())
    }));
    let (home, swarm) = swarm_on(&model, galaxy, "");
    let longest = model.requests().iter().map(|one| one.bytes).max();
    most.store(longest.unwrap_or_default() + ROOM_BYTES, Ordering::Relaxed);
    let before = model.requests().len();
    let refused = |from: usize| {
        let later = model.requests().into_iter().skip(from);
        later.filter(|one| one.is_refused).count()
    };
    home.ok(&["send", "nova-a", &"Look at every asteroid. ".repeat(2500)]);
    until("it was refused", || (refused(before) > 0).then_some(()));
    until("it plays on", || {
        let own = model.requests_of("a").into_iter();
        let served = own.rev().take_while(|one| !one.is_refused);
        (served.count() > 3).then_some(())
    });
    assert!(refused(before) <= 4, "{name}: {}", refused(before));
    let before = model.requests().len();
    let since = model.now();
    home.ok(&["send", "nova-b", &"Look at every wreck. ".repeat(2500)]);
    until("the other one plays on", || {
        (model.served_since(since).get("b").copied() > Some(3)).then_some(())
    });
    assert!(refused(before) <= doubts, "{name}: it is known");
    swarm.signal("-KILL");
    swarm.wait();
    let before = model.requests().len();
    let since = model.now();
    let _swarm = home.fly(&["--resume"]);
    home.ok(&["send", "nova-a", &"Look at every comet. ".repeat(2500)]);
    until("both play", || {
        let served = model.served_since(since);
        let plays = |who| served.get(who).is_some_and(|count| *count > 3);
        (plays("a") && plays("b")).then_some(())
    });
    assert!(refused(before) <= doubts, "{name}: after a kill");
}

/// How long the windows of use last here.
const WINDOW: Duration = Duration::from_secs(3);

/// What servers say whose account has used up what it may use for now, with the time of its end.
fn windows() -> Vec<Oddity> {
    let raw = |status, body: &str| Oddity::Status(status, body.into(), "");
    let week = r#"{"error":{"message":"you have reached your weekly usage limit","type":"rate_limit_error"}}"#;
    vec![
        raw(
            429,
            r#"{"error":{"code":"1308","message":"Usage limit reached for 5 hour. Your limit will reset in 3 seconds"}}"#,
        ),
        raw(
            403,
            r#"{"error":{"message":"Key limit exceeded (daily limit), resets in 3s","code":403}}"#,
        ),
        raw(
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access in 3 seconds."}}"#,
        ),
        raw(
            500,
            r#"{"error":{"message":"Budget has been exceeded!","reset_in_seconds":3}}"#,
        ),
        Oddity::Status(429, week.into(), "retry-after: 3\r\n"),
    ]
}

#[test]
fn where_a_window_of_use_is_over_few_ask_one_need_says_so_and_all_go_on_at_its_end() {
    let galaxy = Server::galaxy(&[]);
    std::thread::scope(|scope| {
        for oddity in windows() {
            let galaxy = &galaxy;
            scope.spawn(move || assert_window(galaxy, oddity));
        }
    });
}

fn assert_window(galaxy: &Server, oddity: Oddity) {
    let name = format!("{oddity:?}");
    // From a request on, until the time that the server states.
    let begins_at = Arc::new(AtomicUsize::new(usize::MAX));
    let (from, over) = (begins_at.clone(), std::sync::OnceLock::new());
    let model = OddModel::judging(Box::new(move |_, number| {
        let is_begun = number >= from.load(Ordering::Relaxed);
        let began: &Instant = is_begun.then(|| over.get_or_init(Instant::now))?;
        (began.elapsed() < WINDOW).then(|| oddity.clone())
    }));
    let (home, _swarm) = swarm_on(&model, galaxy, "circuit_wait = \"1s\"\n");
    begins_at.store(0, Ordering::Relaxed);
    until("it is known", || {
        let status = home.json(&["status", "--json"]);
        let away = status["away"].as_array().expect("a list");
        let [away] = &away[..] else {
            return None;
        };
        assert_eq!(away["needs_operator"], true, "{name}: {away}");
        Some(())
    });
    let since = model.now();
    until("all go on by themselves", || {
        let served = model.served_since(since);
        let all = ["a", "b", "c", "d"];
        let goes_on = |who: &&str| served.get(*who).is_some_and(|count| *count > 2);
        all.iter().all(goes_on).then_some(())
    });
    let refused = model.requests().into_iter().filter(|one| one.is_refused);
    let refused = refused.count();
    assert!(refused <= NAMES.len(), "{name}: {refused} calls");
    for name in NAMES {
        assert_eq!(home.mysis(name)["state"], "running");
    }
}
