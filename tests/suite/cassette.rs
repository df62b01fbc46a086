//! Two nights' cassettes, played back through the whole program: a real model's answers, good and
//! bad, are taken one by one, stored as they were said, and carried out once.

mod player;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use serde_json::Value;
use zoea_rig::{Home, Server, http, texts, until, written};

use player::{MODEL, Player, Recorded, Said};

/// The model calls that end a turn.
const CALLS_OF_A_TURN: u64 = 10;

fn cassette(night: &str, part: &str) -> BTreeMap<String, VecDeque<Recorded>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/cassettes");
    player::read(&folder.join(format!("{night}-night.jsonl.gz")), part)
}

/// A home whose swarm plays this game with the player's answers.
fn home_of(player: &Player, galaxy: &Server, names: &[&String]) -> Home {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let myses: String = names
        .iter()
        .map(|name| format!("[[myses]]\nname = \"{name}\"\n"))
        .collect();
    let text = format!(
        "[budget]\nusd_per_day = \"unlimited\"\n[swarm]\nturn_pause = \"10ms\"\n\
         [providers.local]\nendpoint = \"{}\"\nmodel = \"{MODEL}\"\nmax_concurrency = 64\n\
         retry = [\"20ms\", \"50ms\", \"100ms\"]\n\
         [mcp]\nupstream = \"{}\"\nlogins_per_minute = 1000000\n\
         [metrics]\nlisten = \"127.0.0.1:0\"\n{myses}",
        player.url, galaxy.url
    );
    std::fs::write(home.file("zoea.toml"), text).expect("a configuration");
    home
}

/// What a conversation holds of the model's answers: their words and calls.
fn stored(rows: &[Value]) -> Vec<Said> {
    let answers = rows.iter().filter(|row| row["role"] == "assistant");
    answers
        .map(|row| Said {
            words: row["content"].as_str().unwrap_or_default().to_string(),
            calls: row["tool_calls"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|call| {
                    let arguments = &call["arguments"];
                    let arguments = match arguments.as_str() {
                        Some(text) => text.to_string(),
                        None => arguments.to_string(),
                    };
                    let name = call["name"].as_str().expect("a name");
                    (name.to_string(), arguments)
                })
                .collect(),
        })
        .collect()
}

/// The same as it is compared: arguments in one form, words without the space around them.
fn normal(said: &Said) -> Said {
    let calls = said.calls.iter().map(|(name, arguments)| {
        let arguments = match serde_json::from_str::<Value>(arguments) {
            Ok(Value::Object(object)) => Value::Object(object).to_string(),
            Ok(_) | Err(_) => arguments.clone(),
        };
        (name.clone(), arguments)
    });
    Said {
        words: said.words.trim().to_string(),
        calls: calls.collect(),
    }
}

fn is_whole(arguments: &str) -> bool {
    serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object())
}

/// The results by the row and the place of their call.
fn check_results(name: &str, rows: &[Value]) {
    let mut results = rows.iter().filter(|row| row["kind"] == "result");
    for row in rows.iter().filter(|row| row["kind"] == "call") {
        for call in row["tool_calls"].as_array().expect("calls") {
            let result = results.next().expect("each call has its result");
            assert_eq!(result["metadata"]["tool"], call["name"], "{name}: {row}");
            assert_eq!(result["tool_call_id"], call["id"], "{name}: {row}");
            let text = result["content"].as_str().expect("a text");
            if call["arguments"].is_object() {
                let ended = ["done", "failed"].map(Value::from);
                assert!(ended.contains(&call["status"]), "{name}: {call}");
            } else {
                assert_eq!(call["status"], "not_executed", "{name}: {call}");
                assert!(text.contains("not a JSON object"), "{name}: {text}");
            }
        }
    }
    assert!(
        results.next().is_none(),
        "{name}: no result without its call"
    );
}

/// The turns that answers make: words end one, and so does the limit of calls.
fn turns_of(said: &[Said]) -> u64 {
    let (mut turns, mut calls) = (0, 0);
    for answer in said {
        calls += 1;
        if answer.calls.is_empty() || calls == CALLS_OF_A_TURN {
            (turns, calls) = (turns + 1, 0);
        }
    }
    turns
}

/// The calls that left for the game, by the metrics.
fn counted_calls(home: &Home) -> f64 {
    let run = std::fs::read_to_string(home.file("run.json")).expect("a run file");
    let run: Value = serde_json::from_str(&run).expect("JSON");
    let url = run["metrics"].as_str().expect("metrics are served");
    let (_, page) = http("GET", url, &[], "");
    let lines = page.lines();
    lines
        .filter(|line| line.starts_with("zoea_tool_calls_total{"))
        .filter(|line| !line.contains("outcome=\"not_executed\""))
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok())
        .sum()
}

#[test]
fn a_real_models_first_night_is_taken_and_stored_once() {
    play("first");
}

#[test]
fn a_real_models_second_night_is_taken_stored_and_carried_out_once() {
    let carried_out = play("second");
    assert!(carried_out > 20, "{carried_out} calls changed the world");
}

/// Plays a night back. Returns how many calls changed the game's world, which is none in the first
/// night.
fn play(night: &str) -> usize {
    let answers = cassette(night, "night");
    let said: BTreeMap<String, Vec<Said>> = answers
        .iter()
        .map(|(name, all)| {
            let whole = all.iter().filter(|one| one.is_answer());
            (name.clone(), whole.map(|one| normal(&one.said())).collect())
        })
        .collect();
    let requests: BTreeMap<String, usize> = answers
        .iter()
        .map(|(name, all)| (name.clone(), all.len() + 1))
        .collect();
    let player = Player::start(answers);
    let folder = tempfile::tempdir().expect("a directory");
    let ledger = folder.path().join("ledger.jsonl");
    let galaxy = [
        "--tick",
        "5ms",
        "--ledger",
        ledger.to_str().expect("a path"),
    ];
    let galaxy = Server::galaxy(&galaxy);
    let home = home_of(&player, &galaxy, &said.keys().collect::<Vec<_>>());
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let swarm = home.fly(&["--start-swarm"]);
    until("every answer is taken", || player.is_over().then_some(()));

    let mut whole_calls = 0;
    for (name, said) in &said {
        let mysis = home.mysis(name);
        assert_eq!(mysis["state"], "running", "{mysis}");
        let rows = home.lines(&["log", name, "--limit", "0", "--json"]);
        let stored: Vec<Said> = stored(&rows).iter().map(normal).collect();
        assert_eq!(&stored, said, "{name}");
        check_results(name, &rows);
        assert_eq!(mysis["turns"], turns_of(said), "{name}");
        let calls = said.iter().flat_map(|one| &one.calls);
        whole_calls += calls.filter(|(_, arguments)| is_whole(arguments)).count();
    }
    let asked = player.asked();
    let counts: BTreeMap<String, usize> = asked
        .iter()
        .map(|(name, all)| (name.clone(), all.len()))
        .collect();
    assert_eq!(counts, requests, "each answer was asked for once");
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    let whole_calls = whole_calls as f64;
    assert_eq!(
        counted_calls(&home),
        whole_calls,
        "each whole call left once"
    );
    let events = home.lines(&["events", "--limit", "0", "--json"]);
    let is_bad = |event: &&Value| event["code"] == "errored" || event["code"] == "crash";
    assert_eq!(events.iter().find(is_bad), None);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    check_ledger(&home, &said.keys().cloned().collect(), &ledger)
}

/// What the game carried out is what conversations tell, each once. Returns how much it was.
fn check_ledger(home: &Home, names: &BTreeSet<String>, ledger: &Path) -> usize {
    let all = written(ledger);
    let done: Vec<&Value> = all.iter().filter(|line| line["ok"] == true).collect();
    let rows = names
        .iter()
        .flat_map(|name| home.lines(&["log", name, "--limit", "0", "--json"]));
    let printed = rows.filter(|row| {
        let tool = row["metadata"]["tool"].as_str().unwrap_or_default();
        row["kind"] == "result" && row["metadata"]["is_error"] == false && MUTATIONS.contains(&tool)
    });
    assert_eq!(done.len(), printed.count(), "{all:?}");
    done.len()
}

/// The calls in cassettes that change the game's world.
const MUTATIONS: [&str; 7] = ["travel", "mine", "dock", "undock", "sell", "buy", "refuel"];

/// The drill's words are drawn anew for each proof, so yesterday's answers cannot pass it.
#[test]
fn a_proof_is_not_passed_by_answers_of_another_day() {
    let player = Player::start(cassette("first", "proof"));
    let galaxy = Server::galaxy(&[]);
    let home = Home::new();
    let usual = ["setup", "--yes", "--no-start", "--provider", &player.url];
    let (out, err) = texts(&home.run(&[&usual[..], &["--game", &galaxy.url]].concat()));
    assert!(
        out.contains("verdict: cannot play: its calls are right only sometimes"),
        "{out}{err}"
    );
    assert!(err.contains("nothing was written"), "{err}");
    assert!(!home.file("zoea.toml").exists());
}
