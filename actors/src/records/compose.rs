//! Composition: the only place where stored rows become a request (docs/design/requests.md).
//!
//! It is pure and total. Every history, even one that no run of ours could have written, gives a
//! request that a strict provider accepts. No other code adds, removes or reorders messages.

mod budget;
mod earlier;
mod excerpt;
mod owner;
mod part;
mod render;
mod runtime_note;
mod select;
mod shape;
mod snapshot;
mod statistics;
mod steady;
mod wire;
mod worded;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::conversation::Conversation;
use super::game_state::GameState;
use super::ids::{Now, Seq, TurnNumber};
use super::model::ChatMessage;
use super::record::Mission;
use super::tool_names::ToolNames;
use zoea_text::json_size::escaped_len;

use excerpt::Excerpt;

pub use earlier::row_in_earlier_turns;
pub use owner::{TurnOwner, choose_owner};
pub use runtime_note::{RUNTIME_NOTE_LINE, note_allowance};
pub use select::{GO_ON_TEXT, first_row_of_earlier_turns};
pub use statistics::Breakdown;
pub use wire::{message_bytes, wire_bytes};
pub use worded::calls_as_words;

/// The smallest budget, in bytes. It holds the beginning of the system prompt, the order and the
/// last loop.
pub const MIN_BUDGET_BYTES: usize = 8 << 10;

#[derive(Clone, Copy, Debug)]
pub struct Composition<'a> {
    /// The rendered system prompt, which is never empty.
    pub system: &'a str,
    /// What the role says, which stands behind the mission; empty for nothing.
    pub role: &'a str,
    /// Who the Mysis is, if the system prompt does not say it; else empty.
    pub identity: &'a str,
    pub names: Option<&'a ToolNames>,
    pub conversation: &'a Conversation,
    /// The owner of the turn: what the turn is about.
    pub owner: &'a TurnOwner,
    pub mission: Option<&'a Mission>,
    /// The most bytes of a mission's earlier turns; 0: only the last loop stands before the turn.
    pub earlier_bytes: usize,
    pub turn: TurnNumber,
    /// The text that follows a bare reply, so that the last message is not the model's own. It is
    /// the same for the whole turn. A turn of a mission has [`GO_ON_TEXT`] in its place.
    pub continuation: &'a str,
    pub notices: &'a [String],
    /// What is known of the game; `None` if the system prompt contains it.
    pub game: Option<&'a GameState>,
    /// The present time, from which ages are computed.
    pub now: Now,
    /// The budget for the messages as compact JSON, in bytes. Smaller values count as
    /// [`MIN_BUDGET_BYTES`].
    pub budget: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ComposedRequest {
    /// The bytes of the messages by kind.
    pub breakdown: Breakdown,
    /// The messages, valid and within the budget.
    pub messages: Vec<ChatMessage>,
    /// The newest row of the conversation. The model has not seen any later one.
    pub seen_up_to: Seq,
    /// Whether a continuation follows a bare reply.
    pub continued: bool,
}

pub fn compose(composition: &Composition<'_>) -> ComposedRequest {
    let whole_budget = composition.budget.max(MIN_BUDGET_BYTES);
    let mut messages = vec![system_message(composition, whole_budget / 2)];
    let spent = wire_bytes(&messages) + shape::opener_bytes();
    // Its room is the same with and without a note, so that a first notice shortens nothing.
    let reserve = note_allowance(whole_budget);
    let room = whole_budget.saturating_sub(spent + reserve);
    let mut selected = select::select_parts(composition, room);
    budget::fit_parts(&mut selected.parts, room);
    for message in selected.parts.iter().flat_map(render::render_part) {
        shape::push_merged(&mut messages, message);
    }
    // The runtime note changes with every request. At the very end it leaves everything before it
    // the same in the next request.
    let note =
        runtime_note::render_note(composition, &part::whole_results(&selected.parts), reserve);
    if let Some(note) = &note {
        shape::add_inside(&mut messages, note);
    }
    let system = messages.first().map_or(0, |first| match first {
        ChatMessage::System(text) => escaped_len(text),
        ChatMessage::User(_) | ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => 0,
    });
    let note = note.map_or(0, |note| escaped_len(&note));
    let breakdown = statistics::request_breakdown(composition, &selected.parts, (system, note));
    ComposedRequest {
        breakdown,
        messages,
        seen_up_to: composition.conversation.last_seq(),
        continued: selected.continued,
    }
}

/// The system prompt and the operator's notes in one message, within a limit of bytes. If not all
/// notes fit, the newest are kept.
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

fn take_fitting(text: Arc<str>, left: &mut usize) -> Arc<str> {
    let mut text = Excerpt::from_whole(text);
    text.shorten(*left, |_| String::new());
    *left = left.saturating_sub(text.size() + shape::separator_bytes());
    text.text().clone()
}
