//! Servers of tools that answer in other forms than the protocol has: the program plays on, and the
//! operator reads the server's words.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

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
    let (home, swarm) = swarm_of(game, &model, "");
    (home, swarm, model)
}

fn swarm_of(game: &ScriptedServer, model: &ScriptedServer, more: &str) -> (Home, Process) {
    let home = Home::new();
    home.configure(&model.url, &game.url, more);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore."]);
    let swarm = home.fly(&["--start-swarm"]);
    (home, swarm)
}

/// The results of the first calls, as text and status.
fn results(home: &Home, count: usize) -> Vec<(String, String)> {
    until("the calls have results", || {
        let rows = home.lines(&["log", "alpha", "--kind", "result", "--limit", "0", "--json"]);
        let text =
            |row: &Value, of: &Value| of.as_str().unwrap_or_else(|| panic!("{row}")).to_string();
        let printed = rows.iter().map(|row| {
            (
                text(row, &row["content"]),
                text(row, &row["metadata"]["status"]),
            )
        });
        (rows.len() >= count).then(|| printed.collect())
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
        let mut turn = turn.lock();
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
        let mut turn = turn.lock();
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
            let mut lists = lists.lock();
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

/// A server whose tools have names and schemas that some model server refuses.
fn odd_tools() -> Value {
    let tool = |name: &str, schema: Value| json!({"name": name, "description": "Does it.", "inputSchema": schema});
    let with = |text: Value| json!({"type": "object", "properties": {"text": text}});
    json!([
        tool("ship.mine", json!({"type": "object"})),
        tool(
            "ship/mine",
            json!({"type": "object", "additionalProperties": false})
        ),
        tool("ship mine", json!({})),
        tool(&"c".repeat(80), with(json!({"description": "anything"}))),
        tool(&"c".repeat(81), with(json!(true))),
        tool(
            "7",
            with(json!({"type": ["string", "null"], "default": null}))
        ),
        tool("採掘", with(json!({"$ref": "#/$defs/x"}))),
        tool(
            "tree",
            json!({"$defs": {"x": {"properties": {"x": {"$ref": "#/$defs/x"}}}}, "$ref": "#/$defs/x"})
        ),
        tool(
            "choice",
            json!({"anyOf": [with(json!({"enum": [1, null]})), {"required": ["text"]}]})
        ),
        tool("list", with(json!({"type": "array"}))),
        tool("denied/one", json!({"type": "object"})),
    ])
}

/// Why a strict server refuses a schema.
fn objection(schema: &Value, is_root: bool) -> Option<String> {
    let Some(members) = schema.as_object() else {
        return Some(format!("no object: {schema}"));
    };
    if let Some(Value::Array(parts)) = members.get("anyOf") {
        if is_root || members.len() != 1 {
            return Some(format!("any_of with other members: {schema}"));
        }
        return parts.iter().find_map(|part| objection(part, false));
    }
    let known = [
        "type",
        "description",
        "properties",
        "required",
        "items",
        "enum",
    ];
    let odd = members.keys().find(|key| !known.contains(&key.as_str()));
    if let Some(odd) = odd {
        return Some(format!("unknown name {odd}"));
    }
    let kind = schema["type"].as_str().unwrap_or("none");
    if is_root && (kind != "object" || !schema["properties"].is_object()) {
        return Some("object schema missing properties".to_string());
    }
    if !["object", "array", "string", "number", "integer", "boolean"].contains(&kind) {
        return Some(format!("Unrecognized schema: {schema}"));
    }
    if kind == "array" {
        return objection(&schema["items"], false);
    }
    let properties = schema["properties"].as_object();
    properties
        .into_iter()
        .flatten()
        .find_map(|(_, of)| objection(of, false))
}

fn strict_refusal(request: &ScriptedRequest) -> Option<String> {
    let is_fit = |name: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        !name.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            && (1..=64).contains(&name.len())
            && name.chars().all(is_part)
    };
    let calls = request.body["messages"].as_array().into_iter().flatten();
    let calls = calls
        .filter_map(|message| message["tool_calls"].as_array())
        .flatten();
    let called = calls.filter_map(|call| call["function"]["name"].as_str());
    let mut names = request.offered();
    if names.len() > 128 {
        return Some("array too long".to_string());
    }
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Some("two tools have one name".to_string());
    }
    if let Some(name) = names.into_iter().chain(called).find(|name| !is_fit(name)) {
        return Some(format!("the name {name}"));
    }
    let tools = request.body["tools"].as_array().into_iter().flatten();
    tools
        .into_iter()
        .find_map(|tool| objection(&tool["function"]["parameters"], true))
}

/// A model that calls one tool of the game after the other, behind a server that takes only what the
/// strictest takes. What it refuses is kept.
fn strict_model() -> (ScriptedServer, Arc<Mutex<Vec<String>>>) {
    let refused = Arc::new(Mutex::new(Vec::new()));
    let (kept, turn) = (refused.clone(), Mutex::new(0_usize));
    let model = ScriptedServer::start("/v1", move |request| {
        if let Some(why) = strict_refusal(request) {
            kept.lock().push(why.clone());
            let error = json!({"error": {"message": why, "type": "invalid_request_error"}});
            return ScriptedReply::json(&error).with_status(400);
        }
        let mut turn = turn.lock();
        *turn += 1;
        let offered = request.offered();
        let of_game: Vec<&str> = offered
            .into_iter()
            .filter(|name| !name.starts_with("zoea_"))
            .collect();
        let called = of_game.get(*turn % of_game.len().max(1));
        request.calling(called.map(|name| (*name, json!({"text": {"a": 1}}))))
    });
    (model, refused)
}

#[test]
fn tools_of_any_name_and_schema_are_offered_as_the_strictest_server_takes_them() {
    let game = ScriptedServer::game(odd_tools(), |request| ScriptedReply::json(&mined(request)));
    let (model, refused) = strict_model();
    let (home, _swarm) = swarm_of(&game, &model, "deny_tools = [\"denied/*\"]\n");
    let names = odd_tools();
    let names = names.as_array().expect("a list").iter();
    let names: Vec<String> = names
        .map(|tool| tool["name"].as_str().expect("a name").to_string())
        .collect();
    let wanted: BTreeSet<&str> = names
        .iter()
        .map(|name| &**name)
        .filter(|name| *name != "denied/one")
        .collect();
    results(&home, 2 * wanted.len());
    let calls = game
        .requests()
        .into_iter()
        .filter(|it| it.method() == "tools/call");
    let calls: Vec<Value> = calls.map(|call| call.body["params"].clone()).collect();
    let called: BTreeSet<&str> = calls
        .iter()
        .filter_map(|call| call["name"].as_str())
        .collect();
    assert_eq!(called, wanted, "each by its own name");
    assert!(
        calls
            .iter()
            .all(|call| call["arguments"] == json!({"text": {"a": 1}}))
    );
    let stored = home.lines(&["log", "alpha", "--kind", "call", "--limit", "0", "--json"]);
    let stored = serde_json::to_string(&stored).expect("JSON");
    assert!(
        stored.contains("ship/mine") && !stored.contains("ship_mine"),
        "{stored}"
    );
    assert_eq!(*refused.lock(), Vec::<String>::new());
}

#[test]
fn of_many_tools_each_request_offers_as_many_as_every_server_takes() {
    let tools: Vec<Value> = (0..300)
        .map(|number| tool(&format!("work_{number}")))
        .collect();
    let game = ScriptedServer::game(tools.into(), |request| ScriptedReply::json(&mined(request)));
    let (model, refused) = strict_model();
    let (home, _swarm) = swarm_of(&game, &model, "tool_list = \"all\"\n");
    results(&home, 20);
    let offers = model.requests().into_iter();
    let offers = offers.map(|request| request.offered().join(" "));
    let offers: Vec<String> = offers.filter(|offer| offer.contains("work_0")).collect();
    assert!(offers.iter().all(|offer| offer.contains("zoea_find_tools")));
    let first: BTreeSet<&String> = offers.iter().collect();
    assert_eq!(first.len(), 1, "they stay the same");
    assert_eq!(*refused.lock(), Vec::<String>::new());
}
