//! A conversation that its model server refuses, while all others are served.

use std::time::Duration;

use serde_json::Value;

use zoea_rig::odd_model::{OddModel, Oddity};
use zoea_rig::{Home, Process, Server, until};

const NAMES: [&str; 4] = ["nova-a", "nova-b", "nova-c", "nova-d"];

/// The ways in which servers refuse one conversation by what looks like a failure of their own.
fn failures() -> Vec<(&'static str, Oddity)> {
    let waits = "retry-after: 2\r\n";
    let refused = r#"{"error":{"message":"request refused","code":"x"}}"#;
    vec![
        (
            "500",
            Oddity::status(500, "sensitive words detected (request id: 1)"),
        ),
        (
            "502",
            Oddity::Status(502, "<html>bad gateway</html>".into(), ""),
        ),
        ("429", Oddity::status(429, "request refused")),
        (
            "429 with a wait",
            Oddity::Status(429, refused.into(), waits),
        ),
        ("cut", Oddity::Cut),
        ("error in a piece", Oddity::ErrorInPiece),
    ]
}

/// A swarm that plays on this model, with `more` in the provider's section.
pub(crate) fn swarm_on(model: &OddModel, galaxy: &Server, more: &str) -> (Home, Process) {
    let home = Home::new();
    home.configure(&model.url, &galaxy.url, "");
    let file = home.file("zoea.toml");
    let text = std::fs::read_to_string(&file).expect("a configuration");
    let text = text.replace("model = \"pilot\"\n", &format!("model = \"odd\"\n{more}"));
    std::fs::write(file, text).expect("a configuration");
    for name in NAMES {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let swarm = home.fly(&["--start-swarm"]);
    until("all of them play", || {
        let mut served = model.served_since(Duration::ZERO);
        // Fixed texts name nobody.
        served.remove("");
        (served.len() == NAMES.len() && served.values().all(|count| *count > 2)).then_some(())
    });
    (home, swarm)
}

#[test]
fn what_one_conversation_gets_stops_no_other_one_and_takes_nothing_from_it() {
    let galaxy = Server::galaxy(&[]);
    for (name, oddity) in failures() {
        let model = OddModel::poisoned(oddity);
        let spare = OddModel::poisoned(Oddity::Cut);
        let more = format!(
            "fallback = \"spare\"\n[providers.spare]\nendpoint = \"{}\"\nmodel = \"odd\"\n",
            spare.url
        );
        let (home, swarm) = swarm_on(&model, &galaxy, &more);
        home.ok(&["send", "nova-a", "Rex says POISON"]);
        until("it is refused", || {
            let mut refused = model.requests_of("a").into_iter();
            refused.any(|request| request.is_refused).then_some(())
        });
        let since = model.now();
        assert_plays_on(&model, name);
        until("the others go on", || {
            let served = model.served_since(since);
            let others = ["b", "c", "d"];
            let goes_on = |name: &&str| served.get(*name).is_some_and(|count| *count > 20);
            others.iter().all(goes_on).then_some(())
        });
        assert_eq!(spare.requests().len(), 0, "{name}: no fallback is used");
        let later = model.requests().into_iter();
        let later = later.filter(|request| request.at > since && request.who != "a");
        for request in later {
            let body: Value = serde_json::from_str(&request.body).expect("JSON");
            assert_eq!(body["stream"], true, "{name}: streaming stays");
            assert!(request.tools > 1, "{name}: tools stay");
        }
        let status = home.json(&["status", "--json"]);
        assert_eq!(status["away"], Value::Array(Vec::new()), "{name}");
        drop(swarm);
        let log = std::fs::read_to_string(home.file("zoea.log")).expect("a log");
        assert!(!log.contains("circuit_open"), "{name}: no circuit opened");
    }
}

/// Waits until the refused Mysis plays on, and counts its requests up to the first that is served and
/// about its conversation.
fn assert_plays_on(model: &OddModel, name: &str) {
    let spent = until("it plays on", || {
        let all = model.requests();
        let first = all.iter().position(|request| request.is_refused)?;
        let own = all[first..]
            .iter()
            .filter(|one| one.who == "a" || one.who.is_empty());
        let place = own
            .clone()
            .position(|one| one.who == "a" && !one.is_refused)?;
        let later = own.skip(place).filter(|one| !one.is_refused).count();
        (later > 3).then_some(place + 1)
    });
    assert!(spent <= 5, "{name}: {spent} requests until it plays again");
}

/// What servers say of a conversation that their filter of contents refuses, and of which no list of ours
/// holds a word.
fn refusals() -> Vec<(&'static str, Oddity)> {
    let raw = |status, body: &str| Oddity::Status(status, body.into(), "");
    vec![
        ("DeepSeek", Oddity::status(400, "Content Exists Risk")),
        (
            "DashScope",
            Oddity::status(400, "Input text data may contain inappropriate content."),
        ),
        (
            "Azure",
            Oddity::status(400, "The response was filtered due to the prompt"),
        ),
        (
            "OpenAI",
            Oddity::status(400, "Invalid prompt: your prompt was flagged"),
        ),
        ("OpenRouter", Oddity::status(403, "Input was flagged")),
        (
            "xAI",
            raw(
                403,
                r#"{"code":"no permission","error":"Content violates usage guidelines."}"#,
            ),
        ),
        ("plain text", raw(422, "nope")),
        ("nothing at all", raw(400, "")),
        ("a filter's end", Oddity::Finish("content_filter")),
        ("an unknown end", Oddity::Finish("SAFETY")),
    ]
}

#[test]
fn a_refused_text_is_held_back_whatever_the_server_says_and_its_mysis_plays_on() {
    let galaxy = Server::galaxy(&[]);
    for (name, oddity) in refusals() {
        let model = OddModel::poisoned(oddity);
        let (home, swarm) = swarm_on(&model, &galaxy, "");
        home.ok(&["send", "nova-a", "Rex says POISON"]);
        assert_plays_on(&model, name);
        let log = home.lines(&["log", "nova-a", "--limit", "0", "--json"]);
        let printed = log
            .iter()
            .find(|row| row["metadata"]["code"] == "not_delivered");
        let printed = printed.expect("the operator is told")["content"].to_string();
        assert!(printed.contains("Rex says POISON"), "{name}: {printed}");
        assert!(
            log.iter().any(|row| row["content"] == "Rex says POISON"),
            "{name}: the row stays"
        );
        // The next one that gets it is not refused any more, also after a restart.
        drop(swarm);
        let before = model.requests().len();
        let _swarm = home.fly(&["--resume"]);
        home.ok(&["send", "nova-b", "Rex says POISON"]);
        until("both play", || {
            let later = &model.requests()[before..];
            let served = |who: &str| later.iter().filter(|one| one.who == who).count();
            (served("a") > 3 && served("b") > 3).then_some(())
        });
        let later = &model.requests()[before..];
        let refused = later.iter().filter(|request| request.is_refused).count();
        assert_eq!(refused, 0, "{name}");
        for name in NAMES {
            assert_eq!(home.mysis(name)["state"], "running");
        }
    }
}

#[test]
fn minutes_without_its_model_are_an_outage_and_no_fault_of_anybody() {
    let galaxy = Server::galaxy(&[]);
    for (name, status, text) in [
        ("LM Studio", 400, "No models loaded. Please load a model"),
        ("a proxy", 404, "404 page not found"),
        (
            "Cloudflare",
            403,
            "<!DOCTYPE html><title>Just a moment...</title>",
        ),
        ("a router", 400, "please try again later"),
    ] {
        let away = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (is_away, text) = (away.clone(), text.to_string());
        let model = OddModel::judging(Box::new(move |_, _| {
            let is_away = is_away.load(std::sync::atomic::Ordering::Relaxed);
            is_away.then(|| Oddity::Status(status, text.clone(), ""))
        }));
        let (home, swarm) = swarm_on(&model, &galaxy, "circuit_wait = \"300ms\"\n");
        away.store(true, std::sync::atomic::Ordering::Relaxed);
        until("it is known to be away", || {
            let away = home.json(&["status", "--json"])["away"].clone();
            (!away.as_array().expect("a list").is_empty()).then_some(())
        });
        let asked = model.now();
        away.store(false, std::sync::atomic::Ordering::Relaxed);
        until("all go on", || {
            let served = model.served_since(asked);
            let all = ["a", "b", "c", "d"];
            let goes_on = |who: &&str| served.get(*who).is_some_and(|count| *count > 2);
            all.iter().all(goes_on).then_some(())
        });
        for mysis in NAMES {
            assert_eq!(home.mysis(mysis)["state"], "running", "{name}");
            let log = home.lines(&["log", mysis, "--limit", "0", "--json"]);
            let held = |row: &&Value| row["metadata"]["code"] == "held_back";
            assert_eq!(
                log.iter().filter(held).count(),
                0,
                "{name}: nothing is blamed"
            );
        }
        drop(swarm);
    }
}

#[test]
fn an_order_that_is_held_back_is_a_need_until_the_operator_acts_and_can_be_forgotten() {
    let galaxy = Server::galaxy(&[]);
    let model = OddModel::poisoned(Oddity::status(400, "Content Exists Risk"));
    let (home, swarm) = swarm_on(&model, &galaxy, "");
    let need = || home.mysis("nova-a")["not_delivered"].clone();
    let order = |text: &str| {
        let asked = model.requests_of("a").len();
        home.ok(&["send", "nova-a", text]);
        until("it is asked again", || {
            let later = &model.requests_of("a")[asked..];
            later.iter().any(|one| !one.is_refused).then_some(())
        });
    };
    let poison = "Rex says \u{1b}[31mPOISON";
    home.ok(&["send", "nova-a", poison]);
    let why = until("it is reported", || need().as_str().map(str::to_string));
    assert!(why.contains("your message was not delivered"), "{why}");
    let page = home.ok(&["status"]);
    assert!(
        page.contains("not delivered: nova-a: your message"),
        "{page}"
    );
    let is_need = |event: &Value| event["kind"] == "need" && event["code"] == "not delivered";
    let events = home.recorded("it is recorded", is_need);
    assert_eq!(events.iter().filter(|event| is_need(event)).count(), 1);

    // It is listed, with and without a running program.
    let listed = |checks: &Value| {
        let checks = checks["checks"].as_array().expect("checks").clone();
        let held = checks.into_iter().filter(|one| one["name"] == "held back");
        held.map(|one| one["detail"].as_str().expect("a text").to_string())
            .collect::<Vec<_>>()
    };
    let held = home.json(&["held", "--json"]);
    let id = held[0]["id"].as_str().expect("an id").to_string();
    assert!(why.contains(&format!("zoea held forget {id}")), "{why}");
    assert_eq!(held[0]["mysis"], "nova-a");
    let line = listed(&home.json(&["doctor", "--json"])).join("\n");
    for part in [
        &*id,
        "POISON",
        "Content Exists Risk",
        "1 without it was served",
        "odd",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(!line.contains('\u{1b}'), "{line:?}");

    // Another message is an answer to the need.
    order("go on");
    assert_eq!(need(), Value::Null);
    let (_, text) = home.fails(&["held", "forget", "nothing"]);
    assert!(text.contains("`zoea held` lists them"), "{text}");
    let refused = || model.requests().iter().filter(|one| one.is_refused).count();
    let before = refused();
    home.ok(&["held", "forget", &id]);

    // The message still stands in the conversation: the next request tries it, and it is held back as before.
    until("it is tried again", || (refused() > before).then_some(()));
    assert_eq!(need(), Value::Null, "it is no order in force");
    home.ok(&["send", "nova-a", poison]);
    until("it is reported again", || need().is_string().then_some(()));
    assert_eq!(refused(), before + 1, "one request tried it");
    drop(swarm);
    assert_eq!(listed(&home.json(&["doctor", "--json"])).len(), 1);
    home.ok(&["held", "forget", "all"]);
    assert_eq!(home.json(&["held", "--json"]), serde_json::json!([]));
}
