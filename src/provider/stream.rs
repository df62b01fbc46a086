//! Streams: putting an answer together that a server sent in pieces, asked or not.

use actors::domain::model::ModelFault;
use serde_json::{Map, Value, json};

/// The answer in one piece, where the body is a stream of events.
///
/// # Errors
/// The stream was cut before the model had finished.
pub(super) fn joined(body: &[u8]) -> Option<Result<Value, ModelFault>> {
    let text = std::str::from_utf8(body).ok()?;
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let is_stream = ["data:", "event:", ": ", "id:", ":"]
        .iter()
        .any(|mark| first.starts_with(mark));
    is_stream.then(|| join(text))
}

fn join(text: &str) -> Result<Value, ModelFault> {
    let mut answer = Answer::default();
    let mut is_over = false;
    for line in text.lines() {
        let Some(data) = line.strip_prefix("data:").map(str::trim) else {
            continue;
        };
        if data == "[DONE]" {
            is_over = true;
            continue;
        }
        if let Ok(chunk) = serde_json::from_str::<Value>(data) {
            answer.add(&chunk);
        }
    }
    if answer.error.is_none() && !is_over && answer.finish_reason.is_none() {
        return Err(ModelFault::Transient {
            text: "the answer's stream was cut".to_string(),
            retry_after: None,
        });
    }
    Ok(answer.whole())
}

#[derive(Default)]
struct Answer {
    content: String,
    reasoning: String,
    /// Calls by their index, in the order in which they began.
    calls: Vec<(u64, Call)>,
    finish_reason: Option<String>,
    usage: Value,
    model: Value,
    error: Option<Value>,
    has_choice: bool,
}

#[derive(Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

impl Answer {
    fn add(&mut self, chunk: &Value) {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            self.error = Some(error.clone());
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
        // Some servers end with the whole message.
        let delta = [&choice["delta"], &choice["message"]];
        for delta in delta.into_iter().filter(|delta| delta.is_object()) {
            self.add_delta(delta);
        }
    }

    fn add_delta(&mut self, delta: &Value) {
        self.content += delta["content"].as_str().unwrap_or_default();
        let reasoning = ["reasoning_content", "reasoning", "thinking"];
        let reasoning = reasoning.iter().find_map(|key| delta[*key].as_str());
        self.reasoning += reasoning.unwrap_or_default();
        for piece in delta["tool_calls"].as_array().into_iter().flatten() {
            self.add_call(piece);
        }
    }

    /// A piece belongs to the call of its index; without one it begins a call where it has an id or
    /// a name, and goes on with the last where it has neither.
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
        if !self.calls.iter().any(|(known, _)| *known == index) {
            self.calls.push((index, Call::default()));
        }
        let Some((_, call)) = self.calls.iter_mut().find(|(known, _)| *known == index) else {
            return;
        };
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name != name {
            call.name += &name;
        }
        call.arguments += &match &piece["function"]["arguments"] {
            Value::String(piece) => piece.clone(),
            Value::Null => String::new(),
            object @ (Value::Object(_) | Value::Array(_) | Value::Bool(_) | Value::Number(_)) => {
                object.to_string()
            }
        };
    }

    fn whole(self) -> Value {
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
