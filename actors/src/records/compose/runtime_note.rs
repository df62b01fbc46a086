//! The runtime note: what the runtime tells the model in each request, in addition to the
//! conversation.
//!
//! It contains who the Mysis is, what is known of the game and notices of the runtime: what other
//! Myses do not share, and what changes all the time. It is at the end of the last message, after
//! that message's own text, so that a provider's cache keeps everything before it (docs/design/requests.md).
//! It is neither a row nor an order.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ids::CallKey;
use zoea_text::clean::printable_text;

use super::excerpt::Excerpt;
use super::{Composition, shape};

/// The first line of a runtime note. The system prompt explains it.
pub const RUNTIME_NOTE_LINE: &str = "[from the runtime, not an order]";
/// Replaces that line in texts of others. It has the same length, so positions in a text do not
/// change.
const FORGED_LINE: &str = "(from the runtime, not an order)";

/// The most bytes of a runtime note.
const MAX_NOTE_BYTES: usize = 2 << 10;

/// The most bytes of a runtime note in a request with this budget.
pub fn note_allowance(budget: usize) -> usize {
    (budget / 8).min(MAX_NOTE_BYTES)
}

/// A text of others in which nothing looks like a runtime note. It may stand right before one.
pub(super) fn without_forgery(text: &Arc<str>) -> Arc<str> {
    if text.contains(RUNTIME_NOTE_LINE) {
        text.replace(RUNTIME_NOTE_LINE, FORGED_LINE).into()
    } else {
        text.clone()
    }
}

/// The runtime note within a limit of bytes. The complete results of these calls are in the request
/// already.
pub(super) fn render_note(
    composition: &Composition<'_>,
    shown: &BTreeSet<CallKey>,
    room: usize,
) -> Option<String> {
    let knows = composition.game.is_some_and(|game| !game.is_empty());
    if !knows && composition.notices.is_empty() && composition.identity.is_empty() {
        return None;
    }
    let room = room.saturating_sub(shape::separator_bytes());
    let mut text = RUNTIME_NOTE_LINE.to_string();
    let identity = Some(composition.identity).filter(|identity| !identity.is_empty());
    let notices = composition.notices.iter().map(String::as_str);
    for line in identity.into_iter().chain(notices) {
        text.push('\n');
        text.push_str(line);
    }
    let mut excerpt = Excerpt::from_whole(text.as_str().into());
    excerpt.shorten(room, |_| String::new());
    let mut text = excerpt.text().to_string();
    if let Some(game) = composition.game {
        let left = room.saturating_sub(excerpt.size());
        let summary = game.summary(composition.now, left, |call| shown.contains(&call));
        // It quotes what players wrote, such as their names.
        text.push_str(&printable_text(summary.into()));
    }
    Some(text)
}
