//! The login by a link and a code through the program: a person picks the character of a Mysis.

use parking_lot::Mutex;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::flight::until_all_have;
use zoea_rig::answering::{read_request, respond};
use zoea_rig::{Home, Process, Server, http, sqlite, until};

/// The setting.
const BY_LINK: &str = "login = \"link\"\n";

fn galaxy(more: &[&str]) -> Server {
    Server::galaxy(&[&["--link-interval", "1s"], more].concat())
}

/// Has the galaxy's player made by a swarm of its own, which registers as ever.
fn make_player(pilot: &Server, galaxy: &Server) -> String {
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "owner"]);
    home.ok(&["broadcast", "Mine ore."]);
    let mut swarm = home.fly(&["--start-swarm"]);
    until_all_have(&mut swarm, 1, &["register"]);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let name = home.mysis("owner")["account"].clone();
    name.as_str().expect("a player").to_string()
}

fn linked_home(pilot: &Server, upstream: &str) -> Home {
    let home = Home::new();
    home.configure(&pilot.url, upstream, BY_LINK);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    home
}

/// What the Mysis does, once it waits for a person who has not seen this code.
fn until_it_waits(home: &Home, seen: &str) -> String {
    until("it waits to be logged in", || {
        let activity = home.mysis("alpha")["activity"].as_str()?.to_string();
        let code = code_in(&activity)?;
        (code != seen).then_some(activity)
    })
}

/// The code of a need: `… enter KXRW-PLDT at http://…`.
fn code_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("enter ")?;
    Some(rest.split_whitespace().next()?.to_string())
}

/// What the person does at the page.
fn decide(galaxy: &Server, code: &str, player: &str, answer: &str) {
    let page = galaxy.url.replace("/mcp", "/link");
    let form = ["Content-Type: application/x-www-form-urlencoded"];
    let player = player.replace(' ', "+");
    let body = format!("code={code}&character={player}&answer={answer}");
    let (status, text) = http("POST", &page, &form, &body);
    assert_eq!(status, 200, "{text}");
}

fn end(swarm: Process) {
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

/// Everything that the home keeps and tells, but for the tokens of sessions.
fn everything_kept(home: &Home) -> String {
    let texts = sqlite::all_texts(&home.file("zoea.db")).into_iter();
    let texts = texts.filter(|(name, _)| !name.starts_with("kept_session."));
    let log = std::fs::read_to_string(home.file("zoea.log")).expect("a log");
    let printed = home.ok(&["status"]) + &home.ok(&["events", "--limit", "0"]);
    texts.map(|(_, text)| text + "\n").collect::<String>() + &log + &printed
}

#[test]
fn a_person_logs_a_mysis_in_and_it_plays_in_both_interfaces() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    for path in ["", "/v2"] {
        let galaxy = galaxy(&[]);
        let player = make_player(&pilot, &galaxy);
        let upstream = format!("{}{path}", galaxy.url);
        let home = linked_home(&pilot, &upstream);
        let mut swarm = home.fly(&["--start-swarm"]);
        let activity = until_it_waits(&home, "");
        assert!(
            activity.contains("/link by ") && activity.contains(" UTC"),
            "{activity}"
        );
        assert!(home.ok(&["status"]).contains(&activity));
        let printed = home.ok(&["log", "alpha", "--kind", "host"]);
        assert!(printed.contains("to log it in, enter "), "{printed}");
        let events = home.ok(&["events"]);
        assert!(events.contains("to log it in, enter "), "{events}");
        assert!(
            home.lines(&["log", "alpha", "--kind", "call", "--json"])
                .is_empty()
        );
        let code = code_in(&activity).expect("a code");
        decide(&galaxy, &code, &player, "allow");
        until_all_have(&mut swarm, 1, &["mine", "sell"]);
        assert_eq!(home.mysis("alpha")["account"], player.as_str());
        end(swarm);
        let links = home.ok(&["log", "alpha", "--kind", "host", "--limit", "0"]);
        assert_eq!(links.matches("to log it in, enter ").count(), 1, "{links}");
        assert!(links.contains("logged in by the link as "), "{links}");
        if path.is_empty() {
            // The next process resumes the session without a person.
            let mut swarm = home.fly(&["--resume"]);
            until_all_have(&mut swarm, 1, &["mine", "sell"]);
            end(swarm);
            let links = home.ok(&["log", "alpha", "--kind", "host", "--limit", "0"]);
            assert_eq!(links.matches("to log it in, enter ").count(), 1, "{links}");
        }
    }
}

#[test]
fn a_direct_message_is_answered_meanwhile_and_leaves_the_code_in_force() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let galaxy = galaxy(&[]);
    let player = make_player(&pilot, &galaxy);
    let home = linked_home(&pilot, &galaxy.url);
    let mut swarm = home.fly(&["--start-swarm"]);
    let code = code_in(&until_it_waits(&home, "")).expect("a code");
    // No tool of the game is offered: a call would wait for the person, and the message with it.
    home.ok(&["send", "alpha", "Mine ore and sell it."]);
    until("the message is answered", || {
        let rows = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
        let is_reply = |row: &Value| row["kind"] == "reply";
        rows.iter().any(is_reply).then_some(())
    });
    assert_eq!(
        code_in(&until_it_waits(&home, "")).as_ref(),
        Some(&code),
        "it waits again"
    );
    decide(&galaxy, &code, &player, "allow");
    until_all_have(&mut swarm, 1, &["mine"]);
    end(swarm);
    let links = home.ok(&["log", "alpha", "--kind", "host", "--limit", "0"]);
    assert_eq!(links.matches("to log it in, enter ").count(), 1, "{links}");
}

#[test]
fn what_the_person_denies_waits_for_the_operator_and_a_start_brings_another_link() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let galaxy = galaxy(&[]);
    let home = linked_home(&pilot, &galaxy.url);
    let swarm = home.fly(&["--start-swarm"]);
    let code = code_in(&until_it_waits(&home, "")).expect("a code");
    decide(&galaxy, &code, "", "deny");
    let errored = until("it needs the operator", || {
        let alpha = home.mysis("alpha");
        (alpha["state"] == "errored").then_some(alpha)
    });
    let reason = errored["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("denied at the link"), "{reason}");
    home.ok(&["mysis", "start", "alpha"]);
    until_it_waits(&home, &code);
    end(swarm);
}

#[test]
fn a_link_that_nobody_uses_is_replaced_and_so_is_that_of_a_program_that_is_killed() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let short = galaxy(&["--link-valid", "2s"]);
    let home = linked_home(&pilot, &short.url);
    let swarm = home.fly(&["--start-swarm"]);
    let first = code_in(&until_it_waits(&home, "")).expect("a code");
    until_it_waits(&home, &first);
    let printed = home.ok(&["log", "alpha", "--kind", "host", "--limit", "0"]);
    assert!(printed.contains("its link expired unused"), "{printed}");
    end(swarm);

    let galaxy = galaxy(&[]);
    let player = make_player(&pilot, &galaxy);
    let home = linked_home(&pilot, &galaxy.url);
    let swarm = home.fly(&["--start-swarm"]);
    let first = code_in(&until_it_waits(&home, "")).expect("a code");
    swarm.signal("-KILL");
    swarm.wait();
    let mut swarm = home.fly(&["--resume"]);
    let second = code_in(&until_it_waits(&home, &first)).expect("a code");
    decide(&galaxy, &second, &player, "allow");
    until_all_have(&mut swarm, 1, &["mine"]);
    end(swarm);
}

#[test]
fn a_freeze_asks_nothing_of_the_person_and_a_link_that_ends_in_it_is_no_one_s_fault() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let galaxy = galaxy(&["--link-valid", "4s"]);
    let home = linked_home(&pilot, &galaxy.url);
    let swarm = home.fly(&["--start-swarm"]);
    let first = code_in(&until_it_waits(&home, "")).expect("a code");
    home.ok(&["freeze"]);
    until("it is frozen", || {
        (home.mysis("alpha")["activity"] == "frozen").then_some(())
    });
    assert!(!home.ok(&["status"]).contains(&first));
    let begun = Instant::now();
    until("the link has ended", || {
        (begun.elapsed().as_secs() >= 5).then_some(())
    });
    home.ok(&["thaw"]);
    until_it_waits(&home, &first);
    let printed = home.ok(&["log", "alpha", "--kind", "host", "--limit", "0"]);
    assert!(
        printed.contains("expired while the swarm was frozen"),
        "{printed}"
    );
    assert!(!printed.contains("expired unused"), "{printed}");
    end(swarm);
}

/// What a game answers to each question whether the person has decided. The last one stays.
const ANSWERS: [&str; 3] = [
    r#"{"status":"authorization_pending","interval":1}"#,
    r#"{"status":"slow_down"}"#,
    r#"{"message":"Welcome back, Quill!","session_id":"s-7732-very-secret","player":{"username":"Quill"}}"#,
];
const DEVICE_CODE: &str = "d-5518-very-secret";

/// A game that cannot answer at first, and then says that it is asked too often.
const TROUBLED: [&str; 3] = [
    "Error: internal_error: try again",
    r#"{"status":"authorization_pending","interval":1}"#,
    "Error: rate_limited: too many requests",
];

/// The calls that a game got, with their times.
type Calls = Arc<Mutex<Vec<(Instant, Value)>>>;

const ANSWERED: &str =
    "content-type: application/json\r\nmcp-session-id: one\r\nconnection: close\r\n";

/// A game that knows the login by a link, and little else.
fn small_game(tools: &'static [&'static str], answers: &'static [&'static str]) -> (String, Calls) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let calls = Calls::default();
    let kept = calls.clone();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let request = read_request(&stream).filter(|(_, body)| !body.is_empty());
            let Some((_, body)) = request else {
                continue;
            };
            let body: Value = serde_json::from_slice(&body).unwrap_or_default();
            let answer = small_answer(&body, (tools, answers), &kept);
            let text = answer.map(|answer| answer.to_string()).unwrap_or_default();
            let status = if text.is_empty() { 202 } else { 200 };
            // The program may be gone.
            let _ = respond(&stream, status, ANSWERED, text);
        }
    });
    (url, calls)
}

fn small_answer(
    body: &Value,
    (tools, answers): (&[&str], &[&str]),
    calls: &Calls,
) -> Option<Value> {
    let id = body.get("id")?;
    let result = match body["method"].as_str()? {
        "initialize" => json!({"protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
            "serverInfo": {"name": "small", "version": "1"}}),
        "tools/list" => {
            let schema = json!({"type": "object"});
            let tool = |name| json!({"name": name, "inputSchema": schema});
            json!({"tools": tools.iter().map(tool).collect::<Vec<_>>()})
        }
        "tools/call" => {
            let mut calls = calls.lock();
            calls.push((Instant::now(), body["params"].clone()));
            let asked = of(&calls, "login_link_poll").len();
            let text = match body["params"]["name"].as_str()? {
                "login_link" => json!({"verification_uri": "https://game.example/link",
                    "user_code": "KXRW-PLDT", "device_code": DEVICE_CODE,
                    "interval": 1, "expires_in": 600})
                .to_string(),
                "login_link_poll" => answers[asked.min(answers.len()) - 1].to_string(),
                _ => r#"{"message":"Done."}"#.to_string(),
            };
            let is_error = text.starts_with("Error");
            json!({"content": [{"type": "text", "text": text}], "isError": is_error})
        }
        _ => {
            let error = json!({"code": -32601, "message": "no such method"});
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

/// The times of the calls of a tool.
fn of(calls: &[(Instant, Value)], tool: &str) -> Vec<Instant> {
    let calls = calls.iter().filter(|(_, call)| call["name"] == tool);
    calls.map(|(at, _)| *at).collect()
}

/// The tools of a game that gives links.
const LINKING: [&str; 5] = ["login", "login_link", "login_link_poll", "mine", "register"];

#[test]
fn a_game_in_trouble_keeps_its_link_and_is_asked_less_often() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let (url, calls) = small_game(&LINKING, &TROUBLED);
    let home = linked_home(&pilot, &url);
    let swarm = home.fly(&["--start-swarm"]);
    let times = |tool| of(&calls.lock(), tool);
    until("it has asked three times", || {
        (times("login_link_poll").len() == 3).then_some(())
    });
    let polls = times("login_link_poll");
    assert!((polls[1] - polls[0]).as_secs() >= 6, "{polls:?}");
    let begun = Instant::now();
    until("a while has passed", || {
        assert_eq!(times("login_link_poll").len(), 3, "for a minute");
        (begun.elapsed().as_secs() >= 5).then_some(())
    });
    assert_eq!(times("login_link").len(), 1);
    let printed = home.ok(&["log", "alpha", "--kind", "host", "--limit", "0"]);
    assert!(!printed.contains("ended its link"), "{printed}");
    end(swarm);
}

#[test]
fn the_game_sets_the_pace_and_no_secret_of_the_login_is_kept_or_told() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let (url, calls) = small_game(&LINKING, &ANSWERS);
    let home = linked_home(&pilot, &url);
    let swarm = home.fly(&["--start-swarm"]);
    let activity = until_it_waits(&home, "");
    assert!(
        activity.contains("enter KXRW-PLDT at https://game.example/link by "),
        "{activity}"
    );
    until("the game lets it in", || {
        (home.mysis("alpha")["account"] == "Quill").then_some(())
    });
    let kept = everything_kept(&home);
    assert!(kept.contains("KXRW-PLDT"), "the operator is told");
    for secret in [DEVICE_CODE, "s-7732-very-secret"] {
        assert!(!kept.contains(secret), "{secret}");
    }
    end(swarm);
    let calls = calls.lock();
    assert_eq!(of(&calls, "login_link").len(), 1);
    assert_eq!(
        of(&calls, "register").len(),
        0,
        "the model may ask; nothing is sent"
    );
    let polls = of(&calls, "login_link_poll");
    let pauses: Vec<u64> = polls
        .windows(2)
        .map(|two| (two[1] - two[0]).as_secs())
        .collect();
    assert!(
        polls.len() == 3 && pauses[0] >= 1 && pauses[1] >= 6,
        "{pauses:?}"
    );
    let asked = calls
        .iter()
        .find(|(_, call)| call["name"] == "login_link_poll");
    assert_eq!(
        asked.expect("a poll").1["arguments"],
        json!({"device_code": DEVICE_CODE})
    );
}

#[test]
fn a_server_that_knows_no_links_is_told_with_what_helps() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let (url, calls) = small_game(&["login", "mine", "register"], &ANSWERS);
    let home = linked_home(&pilot, &url);
    let swarm = home.fly(&["--start-swarm"]);
    let errored = until("it needs the operator", || {
        let alpha = home.mysis("alpha");
        (alpha["state"] == "errored").then_some(alpha)
    });
    let reason = errored["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("offers no login_link"), "{reason}");
    assert!(calls.lock().is_empty());
    end(swarm);
}
