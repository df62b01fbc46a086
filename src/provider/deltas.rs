//! Pieces: putting one answer together from the deltas of a stream.

use actors::domain::bounds::{self, MAX_ARGUMENTS_BYTES, MAX_NAME_BYTES, MAX_TAKEN_BYTES};
use actors::domain::model::AnswerProgress;
use serde::Serialize;
use serde_json::value::RawValue;

use super::answer::{MAX_CALLS_READ, arguments_text, reasoning_of, text_of, thoughts_of};
use super::json::{as_text, first_element, for_each_element, pick};

/// An answer as far as it has come.
#[derive(Default)]
pub(super) struct Answer {
    content: Kept,
    reasoning: Kept,
    /// Calls by their index, in the order in which they began.
    calls: Vec<(u64, Call)>,
    /// Bytes of the arguments of all calls that are kept.
    of_arguments: usize,
    finish_reason: Option<String>,
    usage: Option<Box<RawValue>>,
    model: Option<Box<RawValue>>,
    error: Option<Box<RawValue>>,
    has_choice: bool,
    /// The content began with a thought, and it is not over.
    is_in_thought: bool,
    arrived: AnswerProgress,
}

#[derive(Default)]
struct Call {
    id: String,
    name: String,
    arguments: Kept,
}

/// A text of which only so much is kept.
#[derive(Default)]
struct Kept {
    text: String,
    /// Bytes that came and are not kept.
    left_out: usize,
}

impl Kept {
    /// Adds a piece, of which there is room for so much.
    fn add(&mut self, piece: &str, room: usize) {
        let room = if self.left_out > 0 { 0 } else { room };
        let end = piece.floor_char_boundary(room.min(piece.len()));
        self.text.push_str(&piece[..end]);
        self.left_out += piece.len() - end;
    }

    fn size(&self) -> usize {
        self.text.len() + self.left_out
    }

    fn add_to_text(&mut self, piece: &str) {
        self.add(piece, MAX_TAKEN_BYTES.saturating_sub(self.text.len()));
    }

    /// What is kept, with a note on what is not.
    fn told(mut self) -> String {
        if self.left_out > 0 {
            let (kept, size) = (self.text.len(), self.size());
            self.text.push_str(&bounds::cut_note(kept, size));
        }
        self.text
    }
}

impl Answer {
    /// How much of it is there, in bytes.
    pub(super) fn arrived(&self) -> AnswerProgress {
        self.arrived
    }

    /// Whether the server said that there is no more to say, or that there will be none.
    pub(super) fn is_finished(&self) -> bool {
        self.finish_reason.is_some() || self.error.is_some()
    }

    /// Whether the server said what it cost.
    pub(super) fn has_usage(&self) -> bool {
        self.usage.is_some()
    }

    /// The server broke off with an error.
    pub(super) fn fail(&mut self, error: &str) {
        self.error = RawValue::from_string(error.to_string()).ok();
    }

    /// Adds the data of one event.
    pub(super) fn add(&mut self, chunk: &str) {
        let [error, usage, model, choices] = pick(chunk, ["error", "usage", "model", "choices"]);
        if let Some(error) = error {
            self.fail(error);
        }
        for (kept, value) in [(&mut self.usage, usage), (&mut self.model, model)] {
            // None of them takes more than a few words.
            if let Some(value) = value.filter(|value| value.len() <= MAX_FIGURES_BYTES) {
                *kept = RawValue::from_string(value.to_string()).ok();
            }
        }
        let Some(choice) = choices.and_then(first_element) else {
            return;
        };
        self.has_choice = true;
        let [finish_reason, delta, message] = pick(choice, ["finish_reason", "delta", "message"]);
        let finish_reason = finish_reason.and_then(as_text).map(bounds::bounded_name);
        if let Some(reason) = finish_reason.filter(|reason| !reason.is_empty()) {
            self.finish_reason = Some(reason);
        }
        if let Some(delta) = delta.filter(|delta| delta.starts_with('{')) {
            self.add_delta(delta);
        }
        // Some servers end with the whole message, some of them after having sent it in pieces.
        if let Some(message) = message.filter(|message| message.starts_with('{'))
            && self.arrived == AnswerProgress::default()
        {
            self.add_delta(message);
        }
    }

    fn add_delta(&mut self, delta: &str) {
        let [content, listed, old] = pick(delta, ["content", "tool_calls", "function_call"]);
        let content = content.unwrap_or("null");
        let thoughts = reasoning_of(delta).unwrap_or_else(|| thoughts_of(content));
        self.reasoning.add_to_text(&thoughts);
        self.arrived.thoughts += thoughts.len() as u64;
        self.add_content(&text_of(content));
        let mut count = 0;
        for_each_element(listed.unwrap_or("[]"), |call| {
            self.add_call(call);
            count += 1;
            count < MAX_CALLS_READ
        });
        if let Some(old) = old.filter(|old| old.starts_with('{')) {
            self.add_part(None, None, old);
        }
    }

    /// Models that write their thoughts into their words are thinking until they say otherwise.
    fn add_content(&mut self, piece: &str) {
        const BEGINS: &str = "<think";
        const ENDS: &str = "</think";
        if piece.is_empty() {
            return;
        }
        let known = self.content.text.len();
        self.content.add_to_text(piece);
        let content = &self.content.text;
        let opening = content.trim_start();
        if known < BEGINS.len() + (content.len() - opening.len()) {
            self.is_in_thought = opening.starts_with(BEGINS) || BEGINS.starts_with(opening);
        }
        let bytes = piece.len() as u64;
        if self.is_in_thought {
            self.arrived.thoughts += bytes;
            // The end may have come in two pieces.
            let tail = content.floor_char_boundary(known.saturating_sub(ENDS.len()));
            self.is_in_thought = !content[tail..].contains(ENDS);
        } else {
            self.arrived.words += bytes;
        }
    }

    fn add_call(&mut self, piece: &str) {
        let [index, id, function] = pick(piece, ["index", "id", "function"]);
        let index = index.and_then(|index| index.parse().ok());
        self.add_part(index, id.and_then(as_text), function.unwrap_or("null"));
    }

    /// A piece belongs to the newest call of its index; without one it begins a call where it has an
    /// id or a name, and goes on with the last where it has neither.
    fn add_part(&mut self, index: Option<u64>, id: Option<String>, function: &str) {
        let [name, written] = pick(function, ["name", "arguments"]);
        let id = bounds::bounded_name(id.unwrap_or_default());
        let name = bounds::bounded_name(name.and_then(as_text).unwrap_or_default());
        let begins = !id.is_empty() || !name.is_empty();
        let last = self.calls.last().map(|(index, _)| *index);
        let index = index.unwrap_or(match last {
            None => 0,
            Some(last) if begins => last.saturating_add(1),
            Some(last) => last,
        });
        let known = self.calls.iter().rposition(|(known, _)| *known == index);
        // Some servers give all their calls the same index.
        let known = known.filter(|place| {
            let is_another = self.calls[*place].1.id != id && !self.calls[*place].1.id.is_empty();
            !(is_another && !id.is_empty() && !name.is_empty())
        });
        let arguments = written.map(arguments_text).unwrap_or_default();
        self.arrived.words += (name.len() + arguments.len()) as u64;
        if known.is_none() && self.calls.len() >= MAX_CALLS_READ {
            return;
        }
        let place = known.unwrap_or_else(|| {
            self.calls.push((index, Call::default()));
            self.calls.len() - 1
        });
        let call = &mut self.calls[place].1;
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name != name && call.name.len() <= MAX_NAME_BYTES {
            call.name += &name;
        }
        let before = call.arguments.text.len();
        let room = MAX_ARGUMENTS_BYTES.saturating_sub(self.of_arguments);
        call.arguments.add(&arguments, room);
        self.of_arguments += call.arguments.text.len() - before;
    }

    /// The answer as it would have come in one piece.
    pub(super) fn whole(self) -> serde_json::Result<String> {
        let calls = self.calls.into_iter().map(|(_, call)| WholeCall {
            id: call.id,
            function: WholeFunction {
                name: bounds::bounded_name(call.name),
                arguments: arguments_of(call.arguments),
            },
        });
        let choice = WholeChoice {
            message: WholeMessage {
                content: self.content.told(),
                reasoning_content: self.reasoning.told(),
                tool_calls: calls.collect(),
            },
            finish_reason: self.finish_reason,
        };
        serde_json::to_string(&Whole {
            error: self.error,
            choices: self.has_choice.then_some(choice).into_iter().collect(),
            usage: self.usage,
            model: self.model,
        })
    }
}

/// Arguments whose end is not kept are none.
fn arguments_of(kept: Kept) -> String {
    match kept.left_out {
        0 => kept.text,
        _ => bounds::no_arguments(kept.size()),
    }
}

/// Bytes of what a server says beside the answer itself.
const MAX_FIGURES_BYTES: usize = 16 << 10;

#[derive(Serialize)]
struct Whole {
    error: Option<Box<RawValue>>,
    choices: Vec<WholeChoice>,
    usage: Option<Box<RawValue>>,
    model: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct WholeChoice {
    message: WholeMessage,
    finish_reason: Option<String>,
}

#[derive(Serialize)]
struct WholeMessage {
    content: String,
    reasoning_content: String,
    tool_calls: Vec<WholeCall>,
}

#[derive(Serialize)]
struct WholeCall {
    id: String,
    function: WholeFunction,
}

#[derive(Serialize)]
struct WholeFunction {
    name: String,
    arguments: String,
}
