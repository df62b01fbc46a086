//! Composition: the one place where stored rows become a request (DESIGN 5).
//!
//! Pure and total: every history, also one that no run of ours could have written, gives a request
//! that a strict provider takes. Nothing else adds, drops or reorders messages.

mod aside;
mod budget;
mod excerpt;
mod owner;
mod part;
mod select;
mod snapshot;
mod statistics;
mod wire;

use super::conversation::Conversation;
use super::game_state::GameState;
use super::ids::{Now, Seq, TurnNumber};
use super::model::ChatMessage;

use excerpt::Excerpt;
use part::Part;

pub use aside::{ASIDE_LINE, allowance};
pub use owner::{Owner, choose_owner};
pub use statistics::{Statistics, statistics};
pub use wire::wire_bytes;

/// The smallest budget that holds the system prompt's beginning, the order and the last loop.
pub const SMALLEST_BUDGET: usize = 8 << 10;

/// All that a request is made of.
#[derive(Clone, Copy, Debug)]
pub struct Composition<'a> {
    /// The rendered system prompt; never empty.
    pub system: &'a str,
    /// The rows.
    pub conversation: &'a Conversation,
    /// What the turn is about.
    pub owner: &'a Owner,
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
    /// Bytes of the messages as compact JSON; [`SMALLEST_BUDGET`] where it is less.
    pub budget: usize,
}

/// A request's messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    /// The messages, valid and within the budget.
    pub messages: Vec<ChatMessage>,
    /// The newest row that was looked at: what came later, the model has not seen.
    pub horizon: Seq,
    /// Whether a continuation had to follow a bare reply.
    pub continued: bool,
}

/// Composes a request.
#[must_use]
pub fn compose(composition: &Composition<'_>) -> Composed {
    let whole_budget = composition.budget.max(SMALLEST_BUDGET);
    let mut selected = select::select(composition);
    snapshot::supersede(&mut selected.parts);
    let mut messages = system_messages(composition, whole_budget / 2);
    let spent = wire_bytes(&messages);
    let reserve = aside::reserve(composition, whole_budget);
    let room = whole_budget.saturating_sub(spent + reserve);
    budget::fit(&mut selected.parts, room);
    let aside = aside::aside(composition, &selected.parts, reserve);
    append(&mut messages, &selected.parts, aside);
    Composed {
        messages,
        horizon: composition.conversation.last(),
        continued: selected.continued,
    }
}

/// The parts as messages. The aside changes with every request: it stands before the last part, so
/// that everything before it is the same in the next request, and what is to be answered stands
/// last.
fn append(messages: &mut Vec<ChatMessage>, parts: &[Part], aside: Option<ChatMessage>) {
    let (before, last) = parts.split_at(parts.len().saturating_sub(1));
    messages.extend(before.iter().flat_map(wire::render));
    messages.extend(aside);
    messages.extend(last.iter().flat_map(wire::render));
}

/// The system prompt and the operator's notes, within so many bytes. Where not all notes fit, the
/// newest stay.
fn system_messages(composition: &Composition<'_>, room: usize) -> Vec<ChatMessage> {
    let mut left = room;
    let first = system_message(composition.system.into(), &mut left);
    let mut notes = Vec::new();
    for note in composition.conversation.notes().iter().rev() {
        if left < budget::SMALLEST * 2 {
            break;
        }
        if !note.text().trim().is_empty() {
            notes.push(system_message(note.text().clone(), &mut left));
        }
    }
    std::iter::once(first)
        .chain(notes.into_iter().rev())
        .collect()
}

fn system_message(text: std::sync::Arc<str>, left: &mut usize) -> ChatMessage {
    let frame = wire::message_bytes(&ChatMessage::System("".into())) + 1;
    let mut text = Excerpt::filled(text);
    text.shorten(left.saturating_sub(frame), |_| String::new());
    let message = ChatMessage::System(text.text().clone());
    *left = left.saturating_sub(wire::message_bytes(&message) + 1);
    message
}
