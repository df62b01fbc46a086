//! A swarm that runs while nothing happens: `status`, the control interface and the alerts say so.

use crate::flight::until_all_have;
use crate::receiver::Receiver;
use zoea_rig::{Home, Process, Server, until, written};

const TOLD: &str = "nothing happens: model pilot of provider pilot writes its calls as text: \"";

/// A swarm of two whose model has this fault, with a receiver of its alerts.
fn troubled_swarm(fault: &str) -> (Home, Receiver, Process, [Server; 2]) {
    let hook = Receiver::start(&[]);
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--nonsense", "0", "--fault", fault]);
    let home = Home::new();
    let alerts = format!("[alerts]\nwebhook = \"{}/hook\"\n", hook.url);
    home.configure(&pilot.url, &galaxy.url, &alerts);
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let swarm = home.fly(&["--start-swarm"]);
    (home, hook, swarm, [galaxy, pilot])
}

#[test]
fn a_model_that_writes_its_calls_as_text_is_told_of_everywhere() {
    let (home, hook, _swarm, _servers) = troubled_swarm("prose-calls");
    let text = until("status says it", || {
        let text = home.ok(&["status"]);
        text.contains(TOLD).then_some(text)
    });
    assert!(
        text.contains("--jinja") && text.contains("<tool_call>"),
        "{text}"
    );
    let printed = home.json(&["status", "--json"]);
    let silence = printed["silence"].as_str().expect("a text");
    assert!(silence.starts_with(TOLD), "{printed}");
    assert_eq!(
        (
            &printed["states"]["running"],
            printed["away"].as_array().map(Vec::len)
        ),
        (&2.into(), Some(0))
    );
    let alert = until("an alert says it", || {
        let mut brought = hook.brought().into_iter().map(|brought| brought.body);
        brought.find(|alert| alert["cause"] == "nothing_happens")
    });
    let why = alert["why"].as_str().expect("a text");
    assert!(why.starts_with(TOLD), "{alert}");
    let need = until("each Mysis' need is reported", || {
        let mut brought = hook.brought().into_iter().map(|brought| brought.body);
        brought.find(|alert| alert["cause"] == "no calls yet")
    });
    assert_eq!(need["help"], "stop");
    let is_notice = |event: &serde_json::Value| event["code"] == "nothing_happens";
    let events = home.recorded("it is recorded", is_notice);
    let noticed = events.iter().filter(|event| is_notice(event));
    assert_eq!(noticed.count(), 1, "{events:?}");
}

#[test]
fn a_model_that_leaves_its_calls_in_its_text_plays() {
    let record = tempfile::NamedTempFile::new().expect("a file");
    let record_name = record.path().display().to_string();
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[
        "--nonsense",
        "0",
        "--fault",
        "text-calls",
        "--record",
        &record_name,
        "--keep-bodies",
    ]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let mut swarm = home.fly(&["--start-swarm"]);
    until_all_have(&mut swarm, 1, &["mine", "sell"]);
    let calls = home.lines(&["log", "alpha", "--kind", "call", "--limit", "0", "--json"]);
    assert!(!calls.is_empty());
    for call in &calls {
        assert_eq!(call["metadata"]["from_text"], true, "{call}");
        let text = call["content"].as_str().unwrap_or_default();
        assert!(
            text.contains("<tool_call>"),
            "the row keeps the text: {call}"
        );
    }
    let notices = home.lines(&["log", "alpha", "--kind", "host", "--limit", "0", "--json"]);
    let printed = notices
        .iter()
        .filter(|notice| notice["metadata"]["code"] == "calls_in_text");
    assert_eq!(printed.count(), 1, "{notices:?}");
    // A search of its own messages may quote what it wrote.
    let mut said = Vec::new();
    for request in written(record.path()) {
        let messages = request["body"]["messages"].as_array().into_iter().flatten();
        let of_model = messages.filter(|message| message["role"] == "assistant");
        said.extend(of_model.map(ToString::to_string));
    }
    let holds = |text: &str| said.iter().any(|message| message.contains(text));
    assert!(holds("\"tool_calls\""), "calls are shown as calls");
    assert!(!holds("<tool_call>"), "and never as text");
}

#[test]
fn an_ordinary_swarm_never_says_it() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let mut swarm = home.fly(&["--start-swarm"]);
    until_all_have(&mut swarm, 2, &["mine", "sell"]);
    let status = home.json(&["status", "--json"]);
    assert!(status["silence"].is_null(), "{status}");
    assert!(status["myses"][0]["failing"].is_null(), "{status}");
    let events = home.ok(&["events"]);
    for words in ["nothing happens", "no tool call succeeded"] {
        assert!(!events.contains(words), "{events}");
    }
}

#[test]
fn a_swarm_whose_calls_fail_after_a_success_is_told_of_with_the_commonest_error() {
    // Where chance lets the first calls of a Mysis all fail, that is another trouble: a new swarm begins.
    let (hook, status, _swarm) = std::iter::repeat_with(|| troubled_swarm("unknown-tool@0.9"))
        .take(10)
        .find_map(|(home, hook, swarm, servers)| {
            let status = until("status says it", || {
                let status = home.json(&["status", "--json"]);
                let text = status["silence"].as_str()?;
                if text.contains("no tool call succeeded in its first ") {
                    return Some(None);
                }
                let says_it = text.starts_with("most calls fail: ");
                // The swarm's sentence stands a little longer than that of a Mysis whose call succeeds.
                let mut myses = status["myses"].as_array()?.iter();
                let is_failing = myses.any(|mysis| mysis["failing"].is_string());
                (says_it && is_failing).then_some(Some(status))
            });
            status.map(|status| (hook, status, (home, swarm, servers)))
        })
        .expect("a swarm with a success");
    let text = status["silence"].as_str().expect("a text");
    assert!(text.contains(" calls failed, most often "), "{text}");
    until("an alert says it", || {
        let mut brought = hook.brought().into_iter().map(|brought| brought.body);
        brought.find(|alert| {
            let why = alert["why"].as_str().unwrap_or_default();
            alert["cause"] == "nothing_happens" && why.starts_with("most calls fail: ")
        })
    });
}
