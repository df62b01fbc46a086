//! The whole program with model servers that answer oddly: what they say costs what it must, and no
//! more is done than the model meant.

mod model;

use std::time::Duration;

use serde_json::{Value, json};
use zoea_rig::{Home, Process, Server, until};

use model::{OddModel, Said, calls, end, piece, words};

/// A Mysis with an order, whose model this is.
fn flown(model: &OddModel) -> (Home, Process, Server) {
    let galaxy = Server::galaxy(&[]);
    let home = Home::new();
    home.configure(&model.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["send", "alpha", "Look at your ship."]);
    let swarm = home.fly(&["--start-swarm"]);
    (home, swarm, galaxy)
}

fn rows(home: &Home) -> Vec<Value> {
    home.lines(&["log", "alpha", "--limit", "200", "--json"])
}

/// The turn ended with these words of the model.
fn said(home: &Home, text: &str) -> Option<Vec<Value>> {
    let rows = rows(home);
    let is_it = |row: &Value| row["role"] == "assistant" && row["content"] == text;
    rows.iter().any(is_it).then_some(rows)
}

#[test]
fn a_call_that_a_server_sends_again_is_made_once() {
    const NAME: &str = "get_status";
    let whole = |index| piece(index, "call_1", NAME, "{}");
    let forms = move || {
        let thrice = piece(0, "call_1", NAME, "{}{}{}");
        let mut cumulative = vec![calls(&[piece(0, "call_1", NAME, "{")])];
        cumulative.push(calls(&[
            json!({"index": 0, "function": {"arguments": "{}"}}),
        ]));
        let again = json!({"delta": {"tool_calls": [whole(1)]}, "finish_reason": "tool_calls"});
        vec![
            vec![calls(&[whole(0)]), calls(&[whole(1)]), end("tool_calls")],
            vec![calls(&[whole(0), whole(1)]), end("tool_calls")],
            vec![calls(&[whole(0)]), again],
            vec![calls(&[whole(0)]), calls(&[whole(0)]), end("tool_calls")],
            vec![calls(&[thrice]), end("tool_calls")],
            [cumulative, vec![end("tool_calls")]].concat(),
        ]
    };
    let count = forms().len();
    let model = OddModel::start(move |number, _| match forms().into_iter().nth(number) {
        Some(choices) => Said::Stream(choices),
        None => words("All seen."),
    });
    let (home, _swarm, _galaxy) = flown(&model);
    let rows = until("the turn ends", || said(&home, "All seen."));
    let results = rows.iter().filter(|row| row["role"] == "tool");
    assert_eq!(results.count(), count, "{rows:#?}");
    assert!(model.requests().len() > count);
}

/// The last result of a call that the model saw.
fn last_result(request: &Value) -> &str {
    let messages = request["messages"].as_array().expect("messages").iter();
    let mut results = messages.rev().filter(|message| message["role"] == "tool");
    let text = results.next().and_then(|result| result["content"].as_str());
    text.unwrap_or_default()
}

#[test]
fn an_answer_that_goes_wrong_is_told_to_the_model_within_the_turn_and_paid() {
    let pause = Duration::from_millis(1);
    let line = |delta: Value| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
    let model = OddModel::start(move |number, _| match number {
        0 => Said::Stream(vec![end("function_call_filter: MALFORMED_FUNCTION_CALL")]),
        1 => {
            let endless = std::iter::repeat(line(json!({"content": "\n"})));
            Said::Endless(Box::new(endless), pause)
        }
        2 => {
            let whole = piece(0, "call_1", "get_status", "{\"note\": \"");
            let more = json!({"index": 0, "function": {"arguments": "ore and "}});
            let more = std::iter::repeat(line(json!({"tool_calls": [more]})));
            let all = std::iter::once(line(json!({"tool_calls": [whole]}))).chain(more);
            Said::Endless(Box::new(all), pause)
        }
        _ => words("All seen."),
    });
    let (home, _swarm, _galaxy) = flown(&model);
    let rows = until("the turn ends", || said(&home, "All seen."));
    let requests = model.requests();
    for (number, code) in [
        (1, "malformed_call"),
        (2, "endless_answer"),
        (3, "endless_answer"),
    ] {
        let printed = last_result(&requests[number]);
        assert!(
            printed.starts_with(&format!("Error: {code}: ")),
            "{printed}"
        );
    }
    let is_failure = |row: &&Value| {
        row["role"] == "host"
            && row["content"]
                .as_str()
                .is_some_and(|text| text.contains("retry"))
    };
    assert_eq!(rows.iter().filter(is_failure).count(), 0, "{rows:#?}");
    let books = home.json(&["books", "--json"]);
    assert!(books.to_string().contains("tokens_out"), "{books}");
    let alpha = home.mysis("alpha");
    assert!(
        alpha["tokens_out"]
            .as_u64()
            .is_some_and(|tokens| tokens > 400),
        "{alpha:#}"
    );
}

#[test]
fn a_server_that_reads_a_long_prompt_is_waited_for_while_it_gives_signs_of_life() {
    let model = OddModel::start(|number, _| match number {
        0 => {
            let comments = std::iter::repeat_n(": still reading\n\n".to_string(), 40);
            let said =
                json!({"choices": [{"delta": {"content": "All seen."}, "finish_reason": "stop"}]});
            let said = format!("data: {said}\n\ndata: [DONE]\n\n");
            Said::Endless(Box::new(comments.chain([said])), Duration::from_millis(50))
        }
        _ => words("Again."),
    });
    let galaxy = Server::galaxy(&[]);
    let home = Home::new();
    // The key `timeout` belongs to the provider, which stands before the game.
    home.configure(&model.url, &galaxy.url, "");
    let file = home.file("zoea.toml");
    let text = std::fs::read_to_string(&file).expect("a configuration");
    let text = text.replace(
        "max_concurrency = 64",
        "max_concurrency = 64\ntimeout = \"1s\"",
    );
    std::fs::write(&file, text).expect("a configuration");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["send", "alpha", "Look at your ship."]);
    let _swarm = home.fly(&["--start-swarm"]);
    until("the answer is there", || said(&home, "All seen."));
    let first = &model.requests()[0]["messages"];
    let again = model
        .requests()
        .iter()
        .filter(|asked| asked["messages"] == *first)
        .count();
    assert_eq!(again, 1, "its work was not lost");
}

/// The question of `doctor` has the shape of every request: servers refuse one without a system message.
#[test]
fn the_question_of_doctor_begins_with_a_system_message() {
    let model = OddModel::start(|_, _| words("yes"));
    let galaxy = Server::galaxy(&[]);
    let home = Home::new();
    home.configure(&model.url, &galaxy.url, "");
    home.run(&["doctor"]);
    let requests = model.requests();
    assert!(!requests.is_empty(), "it asked nothing");
    for asked in requests {
        let messages = asked["messages"].as_array().expect("messages").iter();
        let roles: Vec<&Value> = messages.clone().map(|one| &one["role"]).collect();
        assert_eq!(roles, ["system", "user"], "{asked}");
        let is_said = |one: &Value| one["content"].as_str().is_some_and(|text| !text.is_empty());
        assert!(messages.into_iter().all(is_said), "{asked}");
    }
}
