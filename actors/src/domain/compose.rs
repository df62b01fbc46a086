//! Composition: the one place where stored rows become a request (DESIGN 5).
//!
//! Pure and total: every history, also one that no run of ours could have written, gives a request
//! that a strict provider takes. Nothing else adds, drops or reorders messages.

mod budget;
mod excerpt;
mod owner;
mod part;
mod render;
mod runtime_note;
mod select;
mod shape;
mod snapshot;
mod statistics;
mod wire;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::conversation::Conversation;
use super::game_state::GameState;
use super::ids::{Now, Seq, TurnNumber};
use super::json_size::escaped_len;
use super::model::ChatMessage;

use excerpt::Excerpt;

pub use owner::{TurnOwner, choose_owner};
pub use runtime_note::{RUNTIME_NOTE_LINE, note_allowance};
pub use statistics::{Breakdown, Statistics, request_statistics};
pub use wire::wire_bytes;

/// The smallest budget that holds the system prompt's beginning, the order and the last loop.
pub const MIN_BUDGET_BYTES: usize = 8 << 10;

/// All that a request is made of.
#[derive(Clone, Copy, Debug)]
pub struct Composition<'a> {
    /// The rendered system prompt; never empty.
    pub system: &'a str,
    /// The rows.
    pub conversation: &'a Conversation,
    /// What the turn is about.
    pub owner: &'a TurnOwner,
    /// The turn under way.
    pub turn: TurnNumber,
    /// What follows a bare reply, so that the last message is not the model's own; the same for
    /// the whole turn.
    pub continuation: &'a str,
    /// What the runtime has to say besides, one line each.
    pub notices: &'a [String],
    /// What is known of the game; absent where the system prompt tells it.
    pub game: Option<&'a GameState>,
    /// This moment, from which ages are counted.
    pub now: Now,
    /// Bytes of the messages as compact JSON; [`MIN_BUDGET_BYTES`] where it is less.
    pub budget: usize,
}

/// A request's messages.
#[derive(Clone, Debug, PartialEq)]
pub struct ComposedRequest {
    /// What they are, by kind.
    pub breakdown: Breakdown,
    /// The messages, valid and within the budget.
    pub messages: Vec<ChatMessage>,
    /// The newest row that was looked at: what came later, the model has not seen.
    pub seen_up_to: Seq,
    /// Whether a continuation had to follow a bare reply.
    pub continued: bool,
}

/// Composes a request.
#[must_use]
pub fn compose(composition: &Composition<'_>) -> ComposedRequest {
    let whole_budget = composition.budget.max(MIN_BUDGET_BYTES);
    let mut selected = select::select_parts(composition);
    snapshot::supersede_results(&mut selected.parts);
    let mut messages = vec![system_message(composition, whole_budget / 2)];
    let spent = wire_bytes(&messages) + shape::opener_bytes();
    let reserve = runtime_note::reserved_bytes(composition, whole_budget);
    let room = whole_budget.saturating_sub(spent + reserve);
    budget::fit_parts(&mut selected.parts, room);
    for message in selected.parts.iter().flat_map(render::render_part) {
        shape::push_merged(&mut messages, message);
    }
    // The aside changes with every request: it stands at the very end, so that everything before it
    // is the same in the next one.
    let aside =
        runtime_note::render_note(composition, &part::whole_results(&selected.parts), reserve);
    if let Some(aside) = &aside {
        shape::add_inside(&mut messages, aside);
    }
    let system = messages.first().map_or(0, |first| match first {
        ChatMessage::System(text) => escaped_len(text),
        ChatMessage::User(_) | ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => 0,
    });
    let aside = aside.map_or(0, |aside| escaped_len(&aside));
    let breakdown = statistics::request_breakdown(composition, &selected.parts, (system, aside));
    ComposedRequest {
        breakdown,
        messages,
        seen_up_to: composition.conversation.last_seq(),
        continued: selected.continued,
    }
}

/// The system prompt and the operator's notes in one message, within so many bytes. Where not all
/// notes fit, the newest stay.
fn system_message(composition: &Composition<'_>, room: usize) -> ChatMessage {
    let frame = wire::message_bytes(&ChatMessage::System("".into())) + 1;
    let mut left = room.saturating_sub(frame);
    let prompt = take_fitting(composition.system.into(), &mut left);
    let mut notes = Vec::new();
    for note in composition.conversation.notes().iter().rev() {
        if left < budget::MIN_EXCERPT_BYTES * 2 {
            break;
        }
        if !note.text().trim().is_empty() {
            notes.push(take_fitting(note.text().clone(), &mut left));
        }
    }
    let notes = notes.iter().rev();
    let text = notes.fold(prompt, |before, note| shape::join_texts(&before, note));
    ChatMessage::System(text)
}

/// What of a text fits into what is left, which it then takes.
fn take_fitting(text: Arc<str>, left: &mut usize) -> Arc<str> {
    let mut text = Excerpt::from_required(text);
    text.shorten(*left, |_| String::new());
    *left = left.saturating_sub(text.size() + shape::separator_bytes());
    text.text().clone()
}
