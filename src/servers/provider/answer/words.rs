//! The content of an answer as it arrives, and whether the model is still thinking in it.

use actors::domain::model::AnswerProgress;

use crate::bounded_text::BoundedText;
use crate::novelty::NoveltyMeter;
use crate::thoughts::{LONGEST_TAG, has_end_tag, may_be_thought};

#[derive(Debug, Default)]
pub(super) struct ReceivedWords {
    content: BoundedText,
    pub(super) novelty: NoveltyMeter,
    /// Whether the content began with reasoning that has not ended yet.
    is_in_thought: bool,
}

impl ReceivedWords {
    /// Appends content and counts it as thoughts or as words. Models that write their reasoning
    /// into the content are thinking until an end tag.
    pub(super) fn add(&mut self, piece: &str, max_bytes: usize, arrived: &mut AnswerProgress) {
        if piece.is_empty() {
            return;
        }
        let known = self.content.text.len();
        self.content.add_within(piece, max_bytes);
        let content = &self.content.text;
        let opening = content.trim_start();
        if known < LONGEST_TAG + (content.len() - opening.len()) {
            self.is_in_thought = may_be_thought(opening);
        }
        let bytes = piece.len() as u64;
        if self.is_in_thought {
            arrived.thoughts += bytes;
            // The end tag may have arrived in two parts.
            let tail = content.floor_char_boundary(known.saturating_sub(LONGEST_TAG));
            self.is_in_thought = !has_end_tag(&content[tail..]);
        } else {
            arrived.words += bytes;
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.content.text
    }

    /// The kept text with a note on what is missing.
    pub(super) fn noted(self) -> String {
        self.content.noted()
    }
}
