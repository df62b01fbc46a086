//! Texts of limited length, collected in pieces.

use actors::domain::bounds;

#[derive(Debug, Default)]
pub(super) struct BoundedText {
    pub(super) text: String,
    /// The bytes that were received and not kept.
    pub(super) left_out: usize,
}

impl BoundedText {
    /// Appends a text. Its beginning is kept, up to a number of bytes.
    pub(super) fn add_within(&mut self, piece: &str, max_bytes: usize) {
        let room = match self.left_out {
            0 => max_bytes.saturating_sub(self.text.len()),
            _ => 0,
        };
        let end = piece.floor_char_boundary(room.min(piece.len()));
        self.text.push_str(&piece[..end]);
        self.left_out += piece.len() - end;
    }

    /// Appends a text if there is room for all of it.
    pub(super) fn add_all_or_none(&mut self, piece: &str, room: usize) {
        if self.left_out == 0 && piece.len() <= room {
            self.text.push_str(piece);
        } else {
            self.left_out += self.text.len() + piece.len();
            self.text.clear();
        }
    }

    /// The kept text with a note on what is missing.
    pub(super) fn noted(mut self) -> String {
        if self.left_out > 0 {
            let (kept, size) = (self.text.len(), self.text.len() + self.left_out);
            self.text.push_str(&bounds::cut_note(kept, size));
        }
        self.text
    }
}
