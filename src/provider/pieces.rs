//! Pieces: putting one answer together from the deltas of a stream.

use actors::domain::model::Arrived;
use serde_json::{Map, Value, json};

use super::answer::{text_of, thoughts_of};

/// An answer as far as it has come.
#[derive(Default)]
pub(super) struct Answer {
    content: String,
    reasoning: String,
    /// Calls by their index, in the order in which they began.
    calls: Vec<(u64, Call)>,
    finish_reason: Option<String>,
    usage: Value,
    model: Value,
    error: Option<Value>,
    has_choice: bool,
    /// The content began with a thought, and it is not over.
    is_in_thought: bool,
    arrived: Arrived,
}

#[derive(Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

impl Answer {
    /// How much of it is there, in bytes.
    pub(super) fn arrived(&self) -> Arrived {
        self.arrived
    }

    /// Whether the server said that there is no more to say, or that there will be none.
    pub(super) fn is_finished(&self) -> bool {
        self.finish_reason.is_some() || self.error.is_some()
    }

    /// Whether the server said what it cost.
    pub(super) fn has_usage(&self) -> bool {
        !self.usage.is_null()
    }

    /// The server broke off with an error.
    pub(super) fn fail(&mut self, error: Value) {
        self.error = Some(error);
    }

    /// Adds the data of one event.
    pub(super) fn add(&mut self, chunk: &Value) {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            self.fail(error.clone());
        }
        for (kept, key) in [(&mut self.usage, "usage"), (&mut self.model, "model")] {
            if let Some(value) = chunk.get(key).filter(|value| !value.is_null()) {
                *kept = value.clone();
            }
        }
        let Some(choice) = chunk.pointer("/choices/0") else {
            return;
        };
        self.has_choice = true;
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish_reason = Some(reason.to_string());
        }
        if choice["delta"].is_object() {
            self.add_delta(&choice["delta"]);
        }
        // Some servers end with the whole message, some of them after having sent it in pieces.
        if choice["message"].is_object() && self.arrived == Arrived::default() {
            self.add_delta(&choice["message"]);
        }
    }

    fn add_delta(&mut self, delta: &Value) {
        let thoughts = ["reasoning_content", "reasoning", "thinking"]
            .into_iter()
            .map(|key| text_of(&delta[key]))
            .chain([thoughts_of(&delta["content"])])
            .find(|text| !text.is_empty());
        if let Some(thoughts) = thoughts {
            self.reasoning += &thoughts;
            self.arrived.thoughts += thoughts.len() as u64;
        }
        self.add_content(&text_of(&delta["content"]));
        for piece in delta["tool_calls"].as_array().into_iter().flatten() {
            self.add_call(piece);
        }
        if delta["function_call"].is_object() {
            self.add_call(&json!({"function": delta["function_call"]}));
        }
    }

    /// Models that write their thoughts into their words are thinking until they say otherwise.
    fn add_content(&mut self, piece: &str) {
        const BEGINS: &str = "<think";
        const ENDS: &str = "</think";
        if piece.is_empty() {
            return;
        }
        let known = self.content.len();
        self.content += piece;
        let opening = self.content.trim_start();
        if known < BEGINS.len() + (self.content.len() - opening.len()) {
            self.is_in_thought = opening.starts_with(BEGINS) || BEGINS.starts_with(opening);
        }
        let bytes = piece.len() as u64;
        if self.is_in_thought {
            self.arrived.thoughts += bytes;
            // The end may have come in two pieces.
            let tail = self
                .content
                .floor_char_boundary(known.saturating_sub(ENDS.len()));
            self.is_in_thought = !self.content[tail..].contains(ENDS);
        } else {
            self.arrived.words += bytes;
        }
    }

    /// A piece belongs to the newest call of its index; without one it begins a call where it has an
    /// id or a name, and goes on with the last where it has neither.
    fn add_call(&mut self, piece: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let (id, name) = (text(&piece["id"]), text(&piece["function"]["name"]));
        let begins = !id.is_empty() || !name.is_empty();
        let last = self.calls.last().map(|(index, _)| *index);
        let index = piece["index"].as_u64().unwrap_or(match last {
            None => 0,
            Some(last) if begins => last + 1,
            Some(last) => last,
        });
        let known = self.calls.iter().rposition(|(known, _)| *known == index);
        // Some servers give all their calls the same index.
        let known = known.filter(|place| {
            let is_another = self.calls[*place].1.id != id && !self.calls[*place].1.id.is_empty();
            !(is_another && !id.is_empty() && !name.is_empty())
        });
        let place = known.unwrap_or_else(|| {
            self.calls.push((index, Call::default()));
            self.calls.len() - 1
        });
        let call = &mut self.calls[place].1;
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name != name {
            call.name += &name;
        }
        let arguments = match &piece["function"]["arguments"] {
            Value::String(piece) => piece.clone(),
            Value::Null => String::new(),
            object @ (Value::Object(_) | Value::Array(_) | Value::Bool(_) | Value::Number(_)) => {
                object.to_string()
            }
        };
        call.arguments += &arguments;
        self.arrived.words += (name.len() + arguments.len()) as u64;
    }

    /// The answer as it would have come in one piece.
    pub(super) fn whole(self) -> Value {
        let mut body = Map::new();
        if let Some(error) = self.error {
            body.insert("error".to_string(), error);
        }
        let calls: Vec<Value> = self
            .calls
            .into_iter()
            .map(|(_, call)| {
                json!({
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                })
            })
            .collect();
        let choice = json!({
            "message": {
                "content": self.content,
                "reasoning_content": self.reasoning,
                "tool_calls": calls,
            },
            "finish_reason": self.finish_reason,
        });
        let choices = if self.has_choice {
            vec![choice]
        } else {
            Vec::new()
        };
        body.insert("choices".to_string(), Value::Array(choices));
        body.insert("usage".to_string(), self.usage);
        body.insert("model".to_string(), self.model);
        Value::Object(body)
    }
}
