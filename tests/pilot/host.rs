//! A small host: composes requests as the runtime does, checks each, lets the pilot answer, and
//! calls the tools.

use serde_json::{Map, Value, json};
use zoea_pilot::{Habits, PilotAnswer, PilotRequest, answer_request, validate};

use crate::game::{Game, TOOLS};

/// The part of the past that the pilot sees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Everything.
    Whole,
    /// The last loop before the turn, and the turn.
    Short,
}

/// The number of model calls that ends a turn.
const MOST_CALLS: usize = 10;

pub(crate) struct Host {
    pub(crate) game: Game,
    pub(crate) habits: Habits,
    pub(crate) memory: Memory,
    pub(crate) prompt: String,
    /// The text of the prompt until the pilot has registered.
    pub(crate) no_account: String,
    pub(crate) order: String,
    /// Longer results are cut.
    pub(crate) longest_result: usize,
    /// Messages without the system prompt.
    pub(crate) history: Vec<Value>,
    pub(crate) model_calls: usize,
    pub(crate) answers: Vec<PilotAnswer>,
}

impl Host {
    pub(crate) fn new(seed: u64, nonsense: f64, prompt: &str, order: &str) -> Self {
        Self {
            game: Game::new(),
            habits: Habits {
                seed,
                nonsense,
                ..Habits::default()
            },
            memory: Memory::Short,
            prompt: prompt.to_owned(),
            no_account: "You have no account yet.".to_owned(),
            order: order.to_owned(),
            longest_result: usize::MAX,
            history: Vec::new(),
            model_calls: 0,
            answers: Vec::new(),
        }
    }

    /// Plays turns until the condition holds, or for this many model calls. Returns whether it holds.
    pub(crate) fn play_until(&mut self, most: usize, is_enough: impl Fn(&Game) -> bool) -> bool {
        while self.model_calls < most {
            self.take_turn();
            if is_enough(&self.game) {
                return true;
            }
        }
        false
    }

    /// Plays turns until the condition holds, which it must after this many model calls.
    #[track_caller]
    pub(crate) fn reach(&mut self, most: usize, is_enough: impl Fn(&Game) -> bool) {
        let is_reached = self.play_until(most, is_enough);
        let (prompt, seed) = (&self.prompt, self.habits.seed);
        assert!(is_reached, "{prompt} {seed}: {:?}", self.game);
    }

    /// One turn, from the order to the words that end it.
    pub(crate) fn take_turn(&mut self) {
        let before = self.history.len();
        let order = json!({"role": "user", "content": self.order});
        for _ in 0..MOST_CALLS {
            let answer = self.ask(before, &order);
            let calls = answer.calls.clone();
            self.answers.push(answer.clone());
            if calls.is_empty() {
                let words = answer.content.unwrap_or_default();
                if !words.is_empty() {
                    self.history
                        .push(json!({"role": "assistant", "content": words}));
                }
                return;
            }
            self.carry_out(&answer);
        }
    }

    fn ask(&mut self, before: usize, order: &Value) -> PilotAnswer {
        let account = if self.game.times("register") > 0 {
            "You are logged in."
        } else {
            self.no_account.as_str()
        };
        let prompt = format!("{}\n{account}", self.prompt);
        let mut messages = vec![json!({"role": "system", "content": prompt})];
        let start = match self.memory {
            Memory::Whole => 0,
            Memory::Short => self.last_loop(before),
        };
        messages.extend_from_slice(&self.history[start..before]);
        messages.push(order.clone());
        messages.extend_from_slice(&self.history[before..]);
        let messages = shaped(messages);
        let tools: Vec<Value> = TOOLS.iter().map(|(name, _)| described(name)).collect();
        let body = json!({"model": "pilot", "messages": messages.clone(), "tools": tools});
        assert_eq!(validate(&body), Ok(()));
        self.model_calls += 1;
        let answer = answer_request(&PilotRequest::read(&body), &self.habits);
        if self.habits.nonsense == 0.0 {
            assert_all_known(&answer, &messages);
        }
        answer
    }

    /// The index of the last assistant message with calls before the turn.
    fn last_loop(&self, before: usize) -> usize {
        self.history[..before]
            .iter()
            .rposition(|message| message["tool_calls"].is_array())
            .unwrap_or(before)
    }

    fn carry_out(&mut self, answer: &PilotAnswer) {
        let mut calls = Vec::new();
        let mut results = Vec::new();
        for call in &answer.calls {
            let parsed = serde_json::from_str::<Map<String, Value>>(&call.arguments);
            let (arguments, mut text) = match &parsed {
                Ok(arguments) => (
                    call.arguments.clone(),
                    self.game.call(&call.name, arguments),
                ),
                Err(error) => (
                    "{}".to_owned(),
                    format!(
                        "not called: the arguments are not a JSON object ({error}): {}",
                        call.arguments
                    ),
                ),
            };
            if text.len() > self.longest_result {
                text.truncate(text.floor_char_boundary(self.longest_result));
                text.push_str(" …[cut: the rest was too long]");
            }
            // A name that no provider would accept back is replaced by one that it accepts.
            let name: String = call
                .name
                .chars()
                .map(|letter| {
                    if letter.is_ascii_alphanumeric() || letter == '_' {
                        letter
                    } else {
                        '-'
                    }
                })
                .collect();
            calls.push(json!({"id": call.id, "type": "function", "function": {"name": name, "arguments": arguments}}));
            results.push(json!({"role": "tool", "tool_call_id": call.id, "content": text}));
        }
        self.history
            .push(json!({"role": "assistant", "content": answer.content, "tool_calls": calls}));
        self.history.extend(results);
    }
}

/// A tool of the game with its arguments.
pub(crate) fn described(name: &str) -> Value {
    let known = TOOLS.iter().find(|(tool, _)| *tool == name);
    let arguments = known.map_or(&[][..], |(_, arguments)| arguments).iter();
    let properties: Map<String, Value> = arguments
        .map(|argument| ((*argument).to_owned(), json!({"type": "string"})))
        .collect();
    json!({"type": "function", "function": {"name": name, "parameters": {
        "type": "object", "properties": properties}}})
}

/// Asserts that every place, item and mission that the answer names stands in the messages.
fn assert_all_known(answer: &PilotAnswer, messages: &[Value]) {
    let received = json!(messages).to_string();
    for call in &answer.calls {
        let arguments: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap();
        for name in ["target_poi", "target_system", "item_id", "mission_id"] {
            if let Some(value) = arguments.get(name) {
                let value = value.as_str().unwrap();
                assert!(received.contains(value), "{} {value}", call.name);
            }
        }
    }
}

/// The messages in an order that the strictest servers accept.
fn shaped(messages: Vec<Value>) -> Vec<Value> {
    let mut shaped: Vec<Value> = Vec::new();
    for mut message in messages {
        let before = shaped
            .last()
            .map_or("", |last| last["role"].as_str().unwrap());
        match (before, message["role"].as_str().unwrap()) {
            ("system", "assistant") => shaped.push(json!({"role": "user", "content": "Go on."})),
            ("tool", "user") => shaped.push(json!({"role": "assistant", "content": "I see."})),
            ("assistant", "assistant") => {
                let words = shaped.pop().unwrap()["content"].take();
                let more = message["content"].as_str().unwrap_or_default();
                message["content"] = format!("{} {more}", words.as_str().unwrap()).into();
            }
            _ => {}
        }
        shaped.push(message);
    }
    shaped
}
