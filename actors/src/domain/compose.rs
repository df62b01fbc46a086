//! Composition: the one place where stored rows become a request (DESIGN 5).
//!
//! Pure and total: every history, also one that no run of ours could have written, gives a request
//! that a strict provider takes. Nothing else adds, drops or reorders messages.

mod budget;
mod excerpt;
mod part;
mod snapshot;
mod wire;

use std::sync::Arc;

use super::conversation::Conversation;
use super::ids::{MissionId, Seq, TurnNumber};
use super::message::{Body, Kind, Row};
use super::model::ChatMessage;

use excerpt::Excerpt;
use part::{Part, Placed};

pub use wire::{escaped_len, wire_bytes};

/// What a turn is about (DESIGN 5.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A direct message, the oldest where several are unanswered.
    Prompt(Seq),
    /// The mission in force.
    Mission {
        /// Which.
        id: MissionId,
        /// The order.
        text: Arc<str>,
    },
    /// A nudge, by its text.
    Nudge(Arc<str>),
}

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
    /// What follows a bare reply, so that the last message is not the model's own.
    pub continuation: &'a str,
    /// Bytes of the messages as compact JSON; at least 8 KiB.
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
    let placed = part::place(composition.conversation.rows());
    let mut parts = select(composition, placed);
    snapshot::supersede(&mut parts);
    let ends_well = matches!(parts.last(), Some(Part::Order(_) | Part::Loop(_)));
    let has_order = parts.iter().any(|part| matches!(part, Part::Order(_)));
    let continued = !ends_well || !has_order;
    if continued {
        parts.push(Part::order(composition.continuation.into()));
    }
    let system = system_messages(composition);
    let spent = wire::wire_bytes(&system);
    budget::fit(&mut parts, composition.budget.saturating_sub(spent));
    let mut messages = system;
    messages.extend(parts.iter().flat_map(wire::render));
    Composed {
        messages,
        horizon: composition.conversation.last(),
        continued,
    }
}

/// The system prompt and the notes, within half of the budget.
fn system_messages(composition: &Composition<'_>) -> Vec<ChatMessage> {
    let mut left = composition.budget / 2;
    let mut messages = Vec::new();
    let notes = composition.conversation.notes();
    let texts = std::iter::once(composition.system).chain(notes.iter().map(|row| &**row.text()));
    for text in texts.filter(|text| !text.trim().is_empty()) {
        let mut text = Excerpt::whole(text.into());
        text.shorten(left, "");
        let message = ChatMessage::System(text.text().clone());
        left = left.saturating_sub(wire::message_bytes(&message));
        messages.push(message);
        if left < budget::SMALLEST {
            break;
        }
    }
    messages
}

/// The last loop before the turn, the owner, and everything since (DESIGN 5.3).
fn select(composition: &Composition<'_>, placed: Vec<Placed>) -> Vec<Part> {
    match composition.owner {
        Owner::Prompt(owner) => {
            let first = placed
                .iter()
                .position(|unit| unit.place >= *owner)
                .unwrap_or(placed.len());
            let (before, since) = split(placed, first);
            let mut parts = Vec::new();
            parts.extend(last_loop(before).map(|(_, part)| part));
            parts.extend(since.into_iter().map(|unit| unit.part));
            mark_owner(&mut parts);
            parts
        }
        Owner::Mission { id, text } => {
            let is_owner = |unit: &Placed| unit.mission == Some(*id);
            begin_with_turn(composition.turn, text, placed, is_owner)
        }
        Owner::Nudge(text) => begin_with_turn(composition.turn, text, placed, |_| false),
    }
}

/// What is sent of a turn that a mission or a nudge owns.
fn begin_with_turn(
    turn: TurnNumber,
    owner: &Arc<str>,
    placed: Vec<Placed>,
    is_owner: impl Fn(&Placed) -> bool,
) -> Vec<Part> {
    let first = placed
        .iter()
        .position(|unit| unit.turn >= turn)
        .unwrap_or(placed.len());
    let (mut before, since) = split(placed, first);
    let ending = match before.last() {
        Some(Placed {
            part: Part::Reply(_),
            ..
        }) => before.pop(),
        Some(_) | None => None,
    };
    let mut parts = Vec::new();
    parts.extend(last_loop(before).map(|(_, part)| part));
    parts.extend(ending.map(|unit| unit.part));
    let mut order = Part::order(owner.clone());
    order.own();
    parts.push(order);
    parts.extend(
        since
            .into_iter()
            .filter(|unit| !is_owner(unit))
            .map(|unit| unit.part),
    );
    parts
}

fn split(mut placed: Vec<Placed>, first: usize) -> (Vec<Placed>, Vec<Placed>) {
    let since = placed.split_off(first);
    (placed, since)
}

/// The newest loop whose calls all have a result.
fn last_loop(before: Vec<Placed>) -> Option<(Seq, Part)> {
    before
        .into_iter()
        .rev()
        .find(|unit| matches!(&unit.part, Part::Loop(found) if found.is_complete()))
        .map(|unit| (unit.place, unit.part))
}

/// The oldest order is what the turn is about: it goes last when room is short.
fn mark_owner(parts: &mut [Part]) {
    if let Some(order) = parts.iter_mut().find(|part| matches!(part, Part::Order(_))) {
        order.own();
    }
}

/// Chooses what a turn that begins now is about, and whether it goes on without a new order.
#[must_use]
pub fn choose_owner(
    conversation: &Conversation,
    mission: Option<&super::write::Mission>,
    window: usize,
    nudge: Arc<str>,
) -> Owner {
    if let Some(order) = conversation.unanswered().next() {
        return Owner::Prompt(order.seq);
    }
    let prompt = conversation.newest_prompt_within(window);
    match (prompt, mission) {
        (Some(prompt), Some(mission)) if is_newer(conversation, mission, prompt) => {
            Owner::Mission {
                id: mission.id,
                text: mission.text.clone(),
            }
        }
        (Some(prompt), Some(_) | None) => Owner::Prompt(prompt.seq),
        (None, Some(mission)) => Owner::Mission {
            id: mission.id,
            text: mission.text.clone(),
        },
        (None, None) => Owner::Nudge(nudge),
    }
}

/// Whether the mission was given after the prompt: by their places where the mission was
/// delivered, else by the clock.
fn is_newer(conversation: &Conversation, mission: &super::write::Mission, prompt: &Row) -> bool {
    conversation
        .rows()
        .rev()
        .find(|row| {
            row.kind() == Some(Kind::Mission)
                && matches!(&row.body, Body::Mission { id, .. } if *id == mission.id)
        })
        .map_or(mission.at > prompt.at, |row| row.seq > prompt.seq)
}
