//! The aside: what the runtime tells the model besides the conversation, anew in each request.
//!
//! What is known of the game and notices about the runtime change all the time. They stand inside
//! the last message, behind its own text, so that a provider's cache keeps what stands before them
//! (DESIGN 5.1, 5.7). The aside is no row and no order.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ids::CallKey;

use super::excerpt::Excerpt;
use super::{Composition, shape};

/// The line that opens an aside; the system prompt says what it means.
pub const RUNTIME_NOTE_LINE: &str = "[from the runtime, not an order]";
/// What stands for that line where others wrote it; as long, so that places in a text stay.
const FORGED_LINE: &str = "(from the runtime, not an order)";

/// The most that an aside may take, in bytes.
const MAX_NOTE_BYTES: usize = 2 << 10;

/// What an aside may take of a request's budget, both in bytes.
#[must_use]
pub fn note_allowance(budget: usize) -> usize {
    (budget / 8).min(MAX_NOTE_BYTES)
}

/// What is set aside for the aside; nothing where there is none.
pub(super) fn reserved_bytes(composition: &Composition<'_>, budget: usize) -> usize {
    let knows = composition.game.is_some_and(|game| !game.is_empty());
    if knows || !composition.notices.is_empty() {
        note_allowance(budget)
    } else {
        0
    }
}

/// A text of others, in which nothing passes for an aside: it may stand right before one.
pub(super) fn without_forgery(text: &Arc<str>) -> Arc<str> {
    if text.contains(RUNTIME_NOTE_LINE) {
        text.replace(RUNTIME_NOTE_LINE, FORGED_LINE).into()
    } else {
        text.clone()
    }
}

/// The aside, within so many bytes, beside whole results of these calls.
pub(super) fn render_note(
    composition: &Composition<'_>,
    shown: &BTreeSet<CallKey>,
    room: usize,
) -> Option<String> {
    if room == 0 {
        return None;
    }
    let room = room.saturating_sub(shape::separator_bytes());
    let mut text = RUNTIME_NOTE_LINE.to_string();
    for notice in composition.notices {
        text.push('\n');
        text.push_str(notice);
    }
    let mut excerpt = Excerpt::from_whole(text.as_str().into());
    excerpt.shorten(room, |_| String::new());
    let mut text = excerpt.text().to_string();
    if let Some(game) = composition.game {
        let left = room.saturating_sub(excerpt.size());
        let summary = game.summary(composition.now, left, |call| shown.contains(&call));
        text.push_str(&summary);
    }
    Some(text)
}
