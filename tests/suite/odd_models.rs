//! The whole program with model servers that answer oddly: what they say costs what it must, and no
//! more is done than the model meant.

mod model;

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
    assert_eq!(
        model.heard().len(),
        count + 1,
        "no request was needed twice"
    );
}
