//! The control tools as a strict client reads them: their schemas by the rules of JSON Schema, Draft
//! 2020-12, and the sizes of their answers.

use serde_json::{Map, Value, json};

use zoea_rig::{Home, Process};

/// The types of the draft.
const TYPES: [&str; 7] = [
    "null", "boolean", "object", "array", "number", "string", "integer",
];

/// What is wrong with a schema. It is strict: a keyword that it does not know is a mistake, too.
fn mistakes(place: &str, schema: &Value, found: &mut Vec<String>) {
    let Some(members) = schema.as_object() else {
        if !schema.is_boolean() {
            found.push(format!("{place} is neither an object nor a boolean"));
        }
        return;
    };
    for (key, value) in members {
        let place = format!("{place}/{key}");
        let is_right = match key.as_str() {
            "type" => is_type(value),
            "enum" => value
                .as_array()
                .is_some_and(|words| is_unique(words) && !words.is_empty()),
            "required" => value
                .as_array()
                .is_some_and(|names| is_unique(names) && names.iter().all(Value::is_string)),
            "properties" => value.as_object().is_some_and(|of| {
                of.iter()
                    .for_each(|(name, of)| mistakes(&format!("{place}/{name}"), of, found));
                true
            }),
            "items" | "additionalProperties" => {
                mistakes(&place, value, found);
                true
            }
            "anyOf" => value.as_array().is_some_and(|of| {
                of.iter().for_each(|of| mistakes(&place, of, found));
                !of.is_empty()
            }),
            "description" | "title" => value.is_string(),
            "minimum" | "maximum" => value.is_number(),
            "default" => true,
            _ => false,
        };
        if !is_right {
            found.push(format!("{place}: {value}"));
        }
    }
    found.extend(contradictions(place, members));
}

/// One type: several are legal, and clients that pass the schemas on to some providers refuse them.
fn is_type(value: &Value) -> bool {
    value.as_str().is_some_and(|of| TYPES.contains(&of))
}

fn is_unique(values: &[Value]) -> bool {
    (1..values.len()).all(|at| !values[..at].contains(&values[at]))
}

/// What the draft allows and no value meets.
fn contradictions(place: &str, schema: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if schema["properties"].get(name).is_none() {
            found.push(format!("{place} requires {name}, which it does not have"));
        }
    }
    if let (Some(words), Some(usual)) = (schema.get("enum"), schema.get("default"))
        && !words.as_array().is_some_and(|words| words.contains(usual))
    {
        found.push(format!("{place} has a default outside of its enum"));
    }
    found
}

/// A client of the control interface of a program that runs in a home.
struct Client<'a>(&'a Home);

impl Client<'_> {
    fn ask(&self, method: &str, params: &Value) -> Value {
        let (status, answer) = self.0.ask_control(method, &params.to_string());
        assert_eq!(status, 200, "{answer}");
        let (begin, end) = (
            answer.find('{').expect("JSON"),
            answer.rfind('}').expect("JSON"),
        );
        let answer: Value = serde_json::from_str(&answer[begin..=end]).expect("JSON");
        answer["result"].clone()
    }

    /// The bytes of an answer's texts, the JSON in the first one, and the note after it.
    fn call(&self, tool: &str, arguments: &Value) -> (usize, Value, String) {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let texts = answer["content"].as_array().expect("contents").iter();
        let texts: Vec<&str> = texts
            .map(|text| text["text"].as_str().expect("a text"))
            .collect();
        assert_eq!(answer["isError"], false, "{texts:?}");
        let bytes = texts.iter().map(|text| text.len()).sum();
        let value = serde_json::from_str(texts[0]).expect("JSON");
        (bytes, value, texts[1..].concat())
    }
}

fn fly(home: &Home, more: &str) -> Process {
    home.configure("http://127.0.0.1:9/v1", "", more);
    home.fly(&[])
}

#[test]
fn tools_have_valid_schemas_closed_choices_titles_and_hints() {
    let home = Home::new();
    let _swarm = fly(&home, "");
    let listed = Client(&home).ask("tools/list", &json!({}));
    let tools = listed["tools"].as_array().expect("tools");
    assert!(tools.len() > 30);
    let mut found = Vec::new();
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        mistakes(name, &tool["inputSchema"], &mut found);
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        let hints = &tool["annotations"];
        assert!(hints["openWorldHint"].is_boolean(), "{name}: {hints}");
        if !name.ends_with("_terminal") {
            assert!(
                hints["readOnlyHint"].is_boolean() && tool["title"].is_string(),
                "{name}"
            );
        }
    }
    assert_eq!(found, [] as [String; 0]);
    let property = |tool: &str, name: &str| {
        let tool = tools.iter().find(|it| it["name"] == tool).expect("a tool");
        tool["inputSchema"]["properties"][name].clone()
    };
    let action = property("answer_question", "action");
    assert_eq!(action["enum"], json!(["accept", "decline", "cancel"]));
    assert_eq!(
        (&action["type"], &action["default"]),
        (&json!("string"), &json!("accept"))
    );
    assert_eq!(property("export", "format")["enum"], json!(["jsonl", "md"]));
    assert!(
        property("read_log", "kind")["enum"]
            .as_array()
            .expect("kinds")
            .len()
            > 5
    );
    let hints = |tool: &str, hint: &str| {
        let tool = tools.iter().find(|it| it["name"] == tool).expect("a tool");
        tool["annotations"][hint].clone()
    };
    assert_eq!(hints("status", "readOnlyHint"), true);
    assert_eq!(hints("delete_mysis", "destructiveHint"), true);
    assert_eq!(hints("send_message", "idempotentHint"), false);
}

#[test]
fn the_checker_of_schemas_finds_mistakes() {
    for wrong in [
        json!({"type": null}),
        json!({"type": ["string", "string"]}),
        json!({"enum": []}),
        json!({"properties": {"a": 3}}),
        json!({"properties": {"a": {"type": "uint"}}}),
        json!({"required": ["a"], "properties": {}}),
        json!({"enum": ["a"], "default": "b"}),
        json!({"whatever": true}),
    ] {
        let mut found = Vec::new();
        mistakes("", &wrong, &mut found);
        assert!(!found.is_empty(), "{wrong}");
    }
}

#[test]
fn a_thousand_myses_are_told_in_short_and_listed_in_pages_by_conditions_and_fields() {
    let home = Home::new();
    let myses = (0..1000).map(|n| format!("[[myses]]\nname = \"m{n}\"\n"));
    let _swarm = fly(&home, &myses.collect::<String>());
    let client = Client(&home);
    let (bytes, status, note) = client.call("status", &json!({}));
    assert!(bytes <= 2048, "{bytes}: {status}");
    assert_eq!(status["states"]["idle"], 1000);
    assert!(note.contains("list_myses"), "{note}");
    let (_, status, note) = client.call("status", &json!({"whole": true}));
    assert_eq!(
        (status["myses"].as_array().expect("all").len(), &*note),
        (1000, "")
    );

    let (bytes, first, note) = client.call("list_myses", &json!({}));
    assert!(
        bytes <= 8192 && note.contains("more Myses: `after` m"),
        "{bytes} {note}"
    );
    let mut names: Vec<String> = Vec::new();
    let mut asked = json!({"fields": "name,state"});
    loop {
        let (bytes, page, _) = client.call("list_myses", &asked);
        assert!(bytes <= 8192, "{bytes}");
        let page = page.as_array().expect("a page").clone();
        let Some(last) = page.last() else { break };
        assert_eq!(*last, json!({"name": last["name"], "state": "idle"}));
        asked["after"] = last["name"].clone();
        names.extend(
            page.iter()
                .map(|mysis| mysis["name"].as_str().expect("a name").to_string()),
        );
    }
    let all: Vec<String> = (0..1000).map(|n| format!("m{n}")).collect();
    assert_eq!(names, all);
    assert_eq!(first[0]["name"], "m0");
    let (_, some, note) = client.call(
        "list_myses",
        &json!({"where": "name=m99*", "fields": "name", "limit": 0}),
    );
    assert_eq!((some.as_array().expect("a list").len(), &*note), (11, ""));
    for wrong in [
        json!({"where": "colour=red"}),
        json!({"fields": "name,colour"}),
    ] {
        let answer = client.ask(
            "tools/call",
            &json!({"name": "list_myses", "arguments": wrong}),
        );
        assert_eq!(answer["isError"], true, "{answer}");
        let text = answer["content"][0]["text"].as_str().expect("a text");
        assert!(
            text.contains("colour") && text.contains("provider"),
            "{text}"
        );
    }
    // The command line shows what it always did.
    let listed = home.json(&["mysis", "list", "--json"]);
    assert_eq!(listed.as_array().expect("a list").len(), 1000);
    let status = home.json(&["status", "--json"]);
    assert_eq!(status["myses"].as_array().expect("a list").len(), 1000);
}

#[test]
fn logs_and_searches_are_short_unless_a_limit_asks_for_whole_rows() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    for n in 0..40 {
        home.ok(&["send", "alpha", &format!("{n} {}", "ore ".repeat(2000))]);
    }
    let _swarm = fly(&home, "");
    let client = Client(&home);
    let (bytes, rows, note) = client.call("read_log", &json!({"name": "alpha"}));
    assert!(bytes <= 8192, "{bytes}");
    let first = rows[0]["seq"].as_i64().expect("a place");
    assert!(
        note.contains(&format!("`before_seq` {first} reads on")),
        "{note}"
    );
    assert!(note.contains("`limit` asks for whole rows"), "{note}");
    let older = json!({"name": "alpha", "before_seq": first, "limit": 2});
    let (bytes, rows, note) = client.call("read_log", &older);
    assert!(bytes > 15_000 && note.is_empty(), "{bytes} {note}");
    assert_eq!(rows[1]["seq"].as_i64(), Some(first - 1));
    let (bytes, hits, note) = client.call("search", &json!({"query": "ore"}));
    assert!(bytes <= 8192 && !note.is_empty(), "{bytes} {note}");
    assert!(!hits.as_array().expect("hits").is_empty());
    let (bytes, _, _) = client.call("read_events", &json!({}));
    assert!(bytes <= 8192, "{bytes}");
    assert_eq!(
        home.lines(&["log", "alpha", "--kind", "prompt", "--json"])
            .len(),
        40
    );
}
