//! The conversation as a provider gets it that refuses some of its texts.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Conversation, Row};
use crate::held::{HELD_SENTENCE, is_order};
use crate::ids::Seq;

impl Conversation {
    /// The conversation with a fixed sentence in the place of each text that is held back. Rows and
    /// their order stay.
    #[must_use]
    pub fn without_held(&self, is_held: impl Fn(&str) -> bool) -> Cow<'_, Conversation> {
        let has_held = |row: &Arc<Row>| is_held(&row.words());
        if !self.rows.iter().chain(&self.notes).any(has_held) {
            return Cow::Borrowed(self);
        }
        let mut seen = self.clone();
        for row in seen.rows.iter_mut().chain(&mut seen.notes) {
            if has_held(row) {
                *row = Arc::new(row.with_sentence(HELD_SENTENCE));
            }
        }
        Cow::Owned(seen)
    }

    /// The newest row that the model had seen when it last wrote.
    pub fn seen_by_model(&self) -> Seq {
        let said = self.last_utterance().and_then(|row| row.utterance());
        said.map(|said| said.seen_up_to).unwrap_or_default()
    }

    /// The model's newest message, which stood in no request that was served, unless an older one has the
    /// same words.
    pub fn newest_own_words(&self) -> Option<&Arc<Row>> {
        let is_own = |row: &&Arc<Row>| row.utterance().is_some() && row.routine().is_none();
        let mut own = self.rows.iter().rev().filter(is_own);
        let newest = own.next()?;
        let words = newest.words();
        own.all(|row| row.words() != words).then_some(newest)
    }

    /// The rows with texts of others that the model has not answered yet, oldest first, without those
    /// whose text it has answered elsewhere.
    pub fn unanswered_texts(&self) -> Vec<Arc<Row>> {
        let seen = self.seen_by_model();
        let is_new = |row: &&Arc<Row>| row.seq > seen && is_of_others(row);
        let old = |row: &Arc<Row>, new: &Arc<Row>| row.seq <= seen && row.text() == new.text();
        let rows = self.rows.iter().filter(is_new);
        let mut new: Vec<Arc<Row>> = rows
            .filter(|row| !row.text().trim().is_empty())
            .filter(|new| !self.rows.iter().any(|row| old(row, new)))
            .cloned()
            .collect();
        new.sort_by_key(|row| row.seq);
        new.dedup_by_key(|row| row.seq);
        new
    }

    pub fn text_of(&self, seq: Seq) -> Option<&Arc<str>> {
        let row = self.rows.iter().find(|row| row.seq == seq)?;
        Some(row.text())
    }
}

/// Whether the text of a row is that of an operator, a player or a tool.
fn is_of_others(row: &Arc<Row>) -> bool {
    is_order(row) || row.result().is_some()
}
