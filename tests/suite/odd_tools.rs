//! Servers of tools that answer in other forms than the protocol has: the program plays on, and the
//! operator reads the server's words.

use std::sync::Mutex;

use serde_json::{Value, json};
use zoea_rig::{Home, Process, ScriptedReply, ScriptedRequest, ScriptedServer, until};

/// A form in which a game answers a call.
type Form = fn(&ScriptedRequest) -> ScriptedReply;

fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("Does {name}."),
        "inputSchema": {"type": "object", "properties": {}}})
}

fn mined(request: &ScriptedRequest) -> Value {
    request.answer(&json!({"content": [{"type": "text", "text": "5 ore"}]}))
}

/// A swarm of one, whose model calls the first of these tools that is offered.
fn swarm(
    game: &ScriptedServer,
    wanted: &'static [&'static str],
) -> (Home, Process, ScriptedServer) {
    let model = ScriptedServer::model(wanted);
    let home = Home::new();
    home.configure(&model.url, &game.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore."]);
    let swarm = home.fly(&["--start-swarm"]);
    (home, swarm, model)
}

/// The results of the first calls, as text and status.
fn results(home: &Home, count: usize) -> Vec<(String, String)> {
    until("the calls have results", || {
        let rows = home.lines(&["log", "alpha", "--kind", "result", "--limit", "0", "--json"]);
        let text =
            |row: &Value, of: &Value| of.as_str().unwrap_or_else(|| panic!("{row}")).to_string();
        let told = rows.iter().map(|row| {
            (
                text(row, &row["content"]),
                text(row, &row["metadata"]["status"]),
            )
        });
        (rows.len() >= count).then(|| told.collect())
    })
}

#[test]
fn an_answer_that_came_is_the_result_in_whatever_form_it_came() {
    let forms: [(&str, Form); 14] = [
        ("another event", |it| {
            ScriptedReply::of(
                "text/event-stream",
                format!(
                    "event: ping\ndata: ping\n\nevent: message\ndata: {}\n\n",
                    mined(it)
                ),
            )
        }),
        ("an event without a name", |it| {
            ScriptedReply::of(
                "text/event-stream",
                format!("data: ping\n\ndata: {}\n\n", mined(it)),
            )
        }),
        ("a list", |it| {
            ScriptedReply::of("text/event-stream", format!("data: [{}]\n\n", mined(it)))
        }),
        ("a list in one piece", |it| {
            ScriptedReply::json(&json!([
            {"jsonrpc": "2.0", "method": "notifications/message"}, {"jsonrpc": "2.0", "id": 9999, "result": {}}, mined(it)]))
        }),
        ("a byte order mark", |it| {
            ScriptedReply::of("application/json", format!("\u{feff}{}", mined(it)))
        }),
        ("marks in events", |it| {
            ScriptedReply::of(
                "text/event-stream",
                format!("\u{feff}data: \u{feff}{}\n\n", mined(it)),
            )
        }),
        ("capitals", |it| {
            ScriptedReply::of("Application/JSON; Charset=UTF-8", mined(it).to_string())
        }),
        ("plain text", |it| {
            ScriptedReply::of("text/plain", mined(it).to_string())
        }),
        ("no media type", |it| {
            ScriptedReply::of("", mined(it).to_string())
        }),
        ("an id as text", |it| {
            let mut answer = mined(it);
            answer["id"] = answer["id"].to_string().into();
            ScriptedReply::json(&answer)
        }),
        ("an id with a fraction", |it| {
            let mut answer = mined(it);
            answer["id"] = answer["id"].as_f64().into();
            ScriptedReply::json(&answer)
        }),
        ("unknown annotations", |it| {
            it.result(&json!({"content": [{"type": "text", "text": "5 ore",
            "annotations": {"audience": ["system"], "priority": "high"}}]}))
        }),
        ("a bare text", |it| it.result(&json!({"content": "5 ore"}))),
        ("a status of a failure", |it| {
            ScriptedReply::json(&mined(it)).with_status(500)
        }),
    ];
    let turn = Mutex::new(0_usize);
    let game = ScriptedServer::game(json!([tool("mine")]), move |request| {
        let mut turn = turn.lock().expect("unpoisoned");
        *turn += 1;
        forms[(*turn - 1) % forms.len()].1(request)
    });
    let (home, _swarm, _model) = swarm(&game, &["mine"]);
    for (number, (text, status)) in results(&home, forms.len())
        .iter()
        .take(forms.len())
        .enumerate()
    {
        assert_eq!(
            (&**text, &**status),
            ("5 ore", "done"),
            "{}",
            forms[number].0
        );
    }
    assert_eq!(game.count("tools/list"), 1);
}

#[test]
fn what_can_be_read_of_an_odd_result_is_read() {
    let forms: [(&str, Form); 5] = [
        ("pilot \u{fffd}", |it| {
            let text = mined(it).to_string().replace("5 ore", "pilot \\ud83d");
            ScriptedReply::of("application/json", text)
        }),
        ("pilot \u{fffd}", |it| {
            let text = mined(it)
                .to_string()
                .replace("5 ore", "pilot ?")
                .into_bytes();
            let text = text
                .into_iter()
                .map(|byte| if byte == b'?' { 0xff } else { byte });
            ScriptedReply::of("application/json", text.collect::<Vec<u8>>())
        }),
        (r#"{"ore":5}"#, |it| {
            it.result(&json!({"structuredContent": {"ore": 5}}))
        }),
        ("Error: refused: the hold is full (E_FULL)", |it| {
            ScriptedReply::json(
                &it.error(&json!({"code": "E_FULL", "message": "the hold is full"})),
            )
        }),
        ("Error: refused: the hold is full", |it| {
            ScriptedReply::json(&it.error(&json!({"message": "the hold is full"})))
        }),
    ];
    let turn = Mutex::new(0_usize);
    let game = ScriptedServer::game(json!([tool("mine")]), move |request| {
        let mut turn = turn.lock().expect("unpoisoned");
        *turn += 1;
        forms[(*turn - 1) % forms.len()].1(request)
    });
    let (home, _swarm, _model) = swarm(&game, &["mine"]);
    for ((wanted, _), (text, _)) in forms.iter().zip(results(&home, forms.len())) {
        assert_eq!(text, *wanted);
    }
}

#[test]
fn a_game_whose_tools_come_later_is_played_then() {
    let lists = Mutex::new(0_usize);
    let game = ScriptedServer::start("/mcp", move |request| match request.method() {
        "tools/list" => {
            let mut lists = lists.lock().expect("unpoisoned");
            *lists += 1;
            let tools = match *lists {
                ..=2 => json!([]),
                _ => json!([tool("mine")]),
            };
            request.result(&json!({"tools": tools, "nextCursor": ""}))
        }
        "tools/call" => ScriptedReply::json(&mined(request)),
        _ => request.usual(),
    });
    let (home, _swarm, _model) = swarm(&game, &["mine"]);
    assert_eq!(results(&home, 1)[0].0, "5 ore");
    assert_eq!(game.count("tools/list"), 3);
}
