//! All shapes of answers that others met (`tests/incidents/`), on simulated time, with the words of
//! refusals and without: who stops, who plays on and what is carried out is the same.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::model::{ChatMessage, ModelAnswer, ModelFault, ModelRequest};
use actors::domain::rules::RelaunchPolicy;
use actors::domain::state::LifeState;
use actors::ports::{AnswerMeter, Models};
use serde_json::{Value, json};
use tokio::time::Instant;
use zoea_grammar::incident::{Incident, IncidentKind};
use zoea_provider::{ProviderEndpoint, Providers};

use crate::world::World;

/// How long an answer takes, and for how long they play with a shape.
const ANSWER: Duration = Duration::from_secs(2);
const PLAYED: Duration = Duration::from_secs(180);
/// Who plays was served within this time before the end.
const RECENTLY: Duration = Duration::from_secs(40);
/// More bytes of messages are too long where lengths are refused.
const MOST_BYTES: usize = 12_000;

/// A model server with one of the shapes.
pub(crate) struct Shape {
    name: String,
    incident: Incident,
    providers: Providers,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    requests: usize,
    refused: usize,
    /// When each model was last served a request that is no fixed text.
    served: BTreeMap<String, Instant>,
}

impl Shape {
    fn new(name: &str, incident: Incident) -> Arc<Shape> {
        let endpoint = ProviderEndpoint {
            url: "http://127.0.0.1:9/v1".to_string(),
            is_streamed: true,
            ..ProviderEndpoint::default()
        };
        let http = zoea_http::build_client().unwrap();
        Arc::new(Shape {
            name: name.to_string(),
            incident,
            providers: Providers::new(&http, [("local".into(), endpoint)]),
            seen: Mutex::default(),
        })
    }

    /// Whether this request gets the answer of the shape.
    fn is_met(&self, request: &ModelRequest, body: &str, number: usize) -> bool {
        let is_for_some = !self.incident.only_with.is_empty();
        match self.name.split('-').next() {
            _ if is_for_some => body.contains(&self.incident.only_with),
            Some("long") => {
                let body: Value = serde_json::from_str(body).unwrap();
                body["messages"].to_string().len() > MOST_BYTES
            }
            Some("limit") => true,
            Some("unloaded") => (3..=9).contains(&number),
            Some("echo") => body.contains("\"tool_calls\":"),
            _ => &*request.model == "alpha",
        }
    }

    pub(crate) async fn answer(
        self: Arc<Shape>,
        request: ModelRequest,
        meter: AnswerMeter,
        good: ModelAnswer,
    ) -> Result<ModelAnswer, ModelFault> {
        tokio::time::sleep(ANSWER).await;
        let body = self.providers.request_body(&request).unwrap();
        let number = {
            let mut seen = self.seen.lock();
            seen.requests += 1;
            seen.requests
        };
        let is_met = self.is_met(&request, &body, number);
        let answer = match is_met {
            true => (self.incident.status, self.incident.body.clone()),
            false => (200, in_json(&good)),
        };
        let asker = meter.turn().map(|turn| turn.mysis);
        let read = self.providers.read(&request, asker, (answer.0, &answer.1));
        let mut seen = self.seen.lock();
        let is_fixed = matches!(request.messages.last(), Some(ChatMessage::User(text)) if &**text == "Say yes.");
        match &read {
            Ok(answer) if answer.refusal.is_none() && !is_fixed => {
                seen.served
                    .insert(request.model.to_string(), Instant::now());
            }
            Ok(_) => {}
            Err(_) => seen.refused += 1,
        }
        read
    }
}

fn in_json(answer: &ModelAnswer) -> String {
    let calls = answer.calls.iter().map(|call| {
        json!({"id": call.id, "type": "function",
            "function": {"name": call.name, "arguments": call.arguments}})
    });
    let calls: Vec<Value> = calls.collect();
    let finish = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    let mut message = json!({"role": "assistant", "content": answer.text});
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    let usage = json!({"prompt_tokens": 1000, "completion_tokens": 10});
    json!({"choices": [{"message": message, "finish_reason": finish}], "usage": usage}).to_string()
}

/// A body of which no word can be understood: the names of its members, figures and signs stay. It may be
/// a stream of events.
fn without_words(body: &str) -> String {
    if let Ok(mut whole) = serde_json::from_str(body) {
        blank_texts(&mut whole);
        return whole.to_string();
    }
    let lines = body
        .split('\n')
        .map(|line| match line.strip_prefix("data: ") {
            Some("[DONE]") => line.to_string(),
            Some(event) => format!("data: {}", without_words(event)),
            None => blank(line),
        });
    lines.collect::<Vec<String>>().join("\n")
}

fn blank_texts(value: &mut Value) {
    match value {
        Value::String(text) => *text = blank(text),
        Value::Array(items) => items.iter_mut().for_each(blank_texts),
        Value::Object(members) => members.values_mut().for_each(blank_texts),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn blank(text: &str) -> String {
    text.replace(char::is_alphabetic, "x")
}

/// What came of a shape.
#[derive(Debug, PartialEq)]
struct Outcome {
    states: Vec<LifeState>,
    plays: Vec<bool>,
    /// How often the game carried the same call out again.
    twice: usize,
}

async fn play(name: &str, incident: Incident) -> (Outcome, String) {
    let mut world = World::new(RelaunchPolicy::Transient).await;
    let names = ["alpha", "bravo"];
    for name in names {
        world.start(name).await;
    }
    world
        .until("both play", |world| {
            names.iter().all(|name| world.times_asked(name) > 4)
        })
        .await;
    let order = match name.starts_with("long-") {
        true => "Look at every asteroid. ".repeat(1000),
        false => "Rex says POISON".to_string(),
    };
    let shape = Shape::new(name, incident);
    *world.models.shape.lock() = Some(shape.clone());
    world.send("alpha", &order).await.unwrap();
    tokio::time::sleep(PLAYED).await;
    let mut states = Vec::new();
    for name in names {
        states.push(world.status(name).await.state);
    }
    let seen = shape.seen.lock();
    let plays = names.iter().map(|name| {
        let served = seen.served.get(*name);
        served.is_some_and(|at| at.elapsed() < RECENTLY)
    });
    let executed = world.game.executed.lock();
    let mut once: Vec<&String> = executed.iter().collect();
    once.sort();
    once.dedup();
    let outcome = Outcome {
        states,
        plays: plays.collect(),
        twice: executed.len() - once.len(),
    };
    let figures = format!("{} requests, {} refused", seen.requests, seen.refused);
    (outcome, figures)
}

#[tokio::test(start_paused = true)]
async fn who_stops_and_who_plays_on_is_the_same_where_no_word_of_a_server_is_understood() {
    let few = ["azure400", "limit-glm5h", "long-cerebras", "malformed"];
    assert_eq!(compare(|name| few.contains(&name)).await, few.len());
}

#[ignore = "plays each shape twice, which takes minutes; the test above plays one of each kind"]
#[tokio::test(start_paused = true)]
async fn the_same_holds_for_all_shapes() {
    let count = compare(|_| true).await;
    assert!(count >= 20, "{count}");
}

/// Plays with the shapes that are wanted, with words and without. Returns how many these are.
#[expect(
    clippy::print_stdout,
    reason = "the figures, for who asks with --nocapture"
)]
async fn compare(is_wanted: impl Fn(&str) -> bool) -> usize {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/incidents");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let mut count = 0;
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let read = || Incident::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        // What is no refusal holds no words of one.
        let is_answer = read().status == 200 && read().only_with.is_empty();
        if read().kind != IncidentKind::Model || (is_answer && name != "malformed") {
            continue;
        }
        if !is_wanted(&name) {
            continue;
        }
        count += 1;
        let (with_words, its_figures) = play(&name, read()).await;
        let wordless = Incident {
            body: without_words(&read().body),
            ..read()
        };
        let (without, other_figures) = play(&name, wordless).await;
        println!("{name}: {with_words:?}, with words {its_figures}, without {other_figures}");
        assert_eq!(with_words, without, "{name}");
        assert_eq!(with_words.twice, 0, "{name}");
        let bravo = (with_words.states[1], with_words.plays[1]);
        let is_limit = name.starts_with("limit-");
        assert_eq!(bravo, (LifeState::Running, !is_limit), "{name}");
        if name != "malformed" {
            assert_eq!(with_words.states[0], LifeState::Running, "{name}");
            assert_eq!(with_words.plays[0], !is_limit, "{name}");
        }
    }
    count
}
