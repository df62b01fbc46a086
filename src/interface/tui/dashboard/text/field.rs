//! Text fields: a text that is being written, with its cursor.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::width;
use crate::dashboard::input_event::{has_alt, has_ctrl};
use crossterm::event::{KeyCode, KeyEvent};
use zoea_text::clean::clean_text;

/// The most edits that can be undone.
const UNDO_STEPS: usize = 100;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextField {
    text: String,
    /// A byte offset. It is always between two graphemes.
    cursor: usize,
    cut: String,
    undo: Vec<(String, usize)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldLayout {
    pub lines: Vec<String>,
    /// For each of them the line of the text, from 0, of which it is a part.
    pub paragraphs: Vec<usize>,
    pub row: usize,
    /// The cursor's column.
    pub column: usize,
}

impl TextField {
    /// A field with this text and the cursor at its end.
    pub fn with_text(text: &str) -> TextField {
        TextField {
            text: text.to_string(),
            cursor: text.len(),
            ..TextField::default()
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text before the cursor.
    pub fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// The text behind the cursor.
    pub fn after(&self) -> &str {
        &self.text[self.cursor..]
    }

    /// Replaces the whole text. The change can be undone.
    pub fn replace(&mut self, text: &str) {
        self.push_undo();
        self.text = text.to_string();
        self.cursor = self.text.len();
    }

    /// Replaces the text before the cursor. The change can be undone.
    pub fn replace_before(&mut self, text: &str) {
        self.push_undo();
        self.text.replace_range(..self.cursor, text);
        self.cursor = self.boundary_from(text.len());
    }

    /// Inserts a text at the cursor, without control characters.
    pub fn insert(&mut self, text: &str) {
        self.push_undo();
        let text = clean_text(text);
        self.text.insert_str(self.cursor, &text);
        self.cursor = self.boundary_from(self.cursor + text.len());
    }

    /// Handles a key. Returns `false` if the field has no use for it. The owner of the field handles
    /// line ends, history and completion.
    pub fn press(&mut self, press: KeyEvent) -> bool {
        match (press.code, has_ctrl(press), has_alt(press)) {
            (KeyCode::Left, false, false) | (KeyCode::Char('b'), true, false) => {
                self.cursor = self.previous_boundary()
            }
            (KeyCode::Right, false, false) | (KeyCode::Char('f'), true, false) => {
                self.cursor = self.next_boundary()
            }
            (KeyCode::Left, ..) | (KeyCode::Char('b'), false, true) => {
                self.cursor = self.word_back()
            }
            (KeyCode::Right, ..) | (KeyCode::Char('f'), false, true) => {
                self.cursor = self.word_forth()
            }
            (KeyCode::Home, ..) | (KeyCode::Char('a'), true, false) => {
                self.cursor = self.line_start()
            }
            (KeyCode::End, ..) | (KeyCode::Char('e'), true, false) => self.cursor = self.line_end(),
            (KeyCode::Backspace, false, false) | (KeyCode::Char('h'), true, false) => {
                self.remove(self.previous_boundary(), self.cursor);
            }
            (KeyCode::Delete, ..) | (KeyCode::Char('d'), true, false) => {
                self.remove(self.cursor, self.next_boundary());
            }
            (KeyCode::Backspace, ..) | (KeyCode::Char('w'), true, false) => {
                self.cut_out(self.word_back(), self.cursor);
            }
            (KeyCode::Char('d'), false, true) => self.cut_out(self.cursor, self.word_forth()),
            (KeyCode::Char('u'), true, false) => self.cut_out(self.line_start(), self.cursor),
            (KeyCode::Char('k'), true, false) => self.cut_out(self.cursor, self.line_end()),
            (KeyCode::Char('y'), true, false) => self.insert(&self.cut.clone()),
            (KeyCode::Char('_' | '/' | '7'), true, false) => self.undo(),
            (KeyCode::Char(letter), false, false) => self.insert(letter.encode_utf8(&mut [0; 4])),
            _ => return false,
        }
        true
    }

    /// Moves the cursor to the first letter of a line, counted from 0; to the last line if there are fewer.
    pub fn go_to_line(&mut self, line: usize) {
        let mut starts = self.text.match_indices('\n').map(|(at, _)| at + 1);
        let start = match line.checked_sub(1) {
            None => 0,
            Some(before) => starts
                .nth(before)
                .unwrap_or(self.text.rfind('\n').map_or(0, |at| at + 1)),
        };
        let rest = &self.text[start..];
        self.cursor = start + rest.len() - rest.trim_start_matches(' ').len();
    }

    /// Moves the cursor one line up. Returns `false` on the first line.
    pub fn up(&mut self) -> bool {
        let start = self.line_start();
        if start == 0 {
            return false;
        }
        let column = width::of(&self.text[start..self.cursor]);
        self.cursor = start - 1;
        self.go_to_column(column);
        true
    }

    /// Moves the cursor one line down. Returns `false` on the last line.
    pub fn down(&mut self) -> bool {
        let end = self.line_end();
        if end == self.text.len() {
            return false;
        }
        let column = width::of(&self.text[self.line_start()..self.cursor]);
        self.cursor = end + 1;
        self.go_to_column(column);
        true
    }

    /// Wraps the text to this width, between words where a line has any. A space at which a line ends takes no room.
    pub fn lay_out(&self, columns: usize) -> FieldLayout {
        // One column is reserved for the cursor after a full line.
        let columns = columns.saturating_sub(1).max(1);
        let mut lines = Vec::new();
        let mut paragraphs = Vec::new();
        for (number, paragraph) in self.text.split_inclusive('\n').enumerate() {
            let start = lines.last().map_or(0, |line: &Range<usize>| line.end);
            let text = paragraph.strip_suffix('\n').unwrap_or(paragraph);
            lines.extend(wrapped(text, start, columns));
            if let Some(last) = lines.last_mut() {
                last.end = start + paragraph.len();
            }
            paragraphs.resize(lines.len(), number);
        }
        if self.text.is_empty() || self.text.ends_with('\n') {
            lines.push(self.text.len()..self.text.len());
            paragraphs.push(self.text.matches('\n').count());
        }
        let before = lines.iter().rposition(|line| line.start <= self.cursor);
        let row = before.unwrap_or(0);
        let column = width::of(&self.text[lines[row].start..self.cursor]);
        let shown = lines.into_iter().map(|line| {
            let line = self.text[line].trim_end_matches('\n');
            width::start(line, columns).to_string()
        });
        FieldLayout {
            lines: shown.collect(),
            paragraphs,
            row,
            column: column.min(columns),
        }
    }

    /// The part of a one-line field that fits, and the cursor's column in it.
    #[must_use]
    pub fn window(&self, columns: usize) -> (String, usize) {
        let columns = columns.max(1);
        let mut from = 0;
        let mut column = width::of(self.before());
        for (at, grapheme) in self.text.grapheme_indices(true) {
            if column < columns {
                break;
            }
            column -= width::of_grapheme(grapheme);
            from = at + grapheme.len();
        }
        (
            width::start(&self.text[from..], columns).replace('\n', " "),
            column,
        )
    }

    fn push_undo(&mut self) {
        if self.undo.last().is_some_and(|(text, _)| *text == self.text) {
            return;
        }
        if self.undo.len() == UNDO_STEPS {
            self.undo.remove(0);
        }
        self.undo.push((self.text.clone(), self.cursor));
    }

    fn undo(&mut self) {
        if let Some((text, cursor)) = self.undo.pop() {
            self.text = text;
            self.cursor = cursor;
        }
    }

    fn remove(&mut self, from: usize, to: usize) {
        if from < to {
            self.push_undo();
            self.text.replace_range(from..to, "");
            self.cursor = self.boundary_from(from);
        }
    }

    fn cut_out(&mut self, from: usize, to: usize) {
        if from < to {
            self.cut = self.text[from..to].to_string();
            self.remove(from, to);
        }
    }

    fn go_to_column(&mut self, column: usize) {
        let start = self.line_start();
        let line = &self.text[start..self.line_end()];
        self.cursor = start + width::start(line, column).len();
    }

    /// The next boundary between two graphemes at or after this offset. An inserted character may
    /// combine with its neighbour, so a boundary can move.
    fn boundary_from(&self, place: usize) -> usize {
        self.text
            .grapheme_indices(true)
            .map(|(at, _)| at)
            .find(|at| *at >= place)
            .unwrap_or(self.text.len())
    }

    fn previous_boundary(&self) -> usize {
        self.before()
            .grapheme_indices(true)
            .next_back()
            .map_or(0, |(at, _)| at)
    }

    fn next_boundary(&self) -> usize {
        let next = self.text[self.cursor..].graphemes(true).next();
        self.cursor + next.map_or(0, str::len)
    }

    fn word_back(&self) -> usize {
        let word = self
            .before()
            .split_word_bound_indices()
            .rev()
            .find(|(_, word)| !word.trim().is_empty());
        word.map_or(0, |(at, _)| at)
    }

    fn word_forth(&self) -> usize {
        let word = self.text[self.cursor..]
            .split_word_bound_indices()
            .find(|(_, word)| !word.trim().is_empty());
        self.cursor + word.map_or(self.text.len() - self.cursor, |(at, word)| at + word.len())
    }

    fn line_start(&self) -> usize {
        self.before().rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        let rest = &self.text[self.cursor..];
        self.cursor + rest.find('\n').unwrap_or(rest.len())
    }
}

/// The lines of a paragraph that begins at this place of the text, as the bytes of the text that they take.
fn wrapped(paragraph: &str, start: usize, columns: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let (mut from, mut taken) = (0, 0);
    // Where the next line may begin, and how much is on this one before that.
    let mut word: Option<(usize, usize)> = None;
    for (at, grapheme) in paragraph.grapheme_indices(true) {
        let wide = width::of_grapheme(grapheme);
        let is_space = grapheme == " ";
        if taken + wide > columns && taken > 0 && !is_space {
            let (next, kept) = word.take().unwrap_or((at, taken));
            lines.push(start + from..start + next);
            (from, taken) = (next, taken - kept);
        }
        taken += wide;
        if is_space {
            word = Some((at + grapheme.len(), taken));
        }
    }
    lines.push(start + from..start + paragraph.len());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::input_event::{ctrl, key};
    use crossterm::event::KeyModifiers;
    use proptest::prelude::*;

    fn typed(field: &mut TextField, keys: &[KeyEvent]) {
        for press in keys {
            field.press(*press);
        }
    }

    #[test]
    fn words_are_cut_and_put_back() {
        let mut field = TextField::with_text("mine the belt");
        typed(&mut field, &[ctrl('w')]);
        assert_eq!(field.text(), "mine the ");
        typed(&mut field, &[ctrl('a'), ctrl('y')]);
        assert_eq!(field.text(), "beltmine the ");
        typed(&mut field, &[ctrl('_'), ctrl('_')]);
        assert_eq!(field.text(), "mine the belt");
    }

    #[test]
    fn the_cursor_moves_by_what_is_seen_as_one_letter() {
        let mut field = TextField::with_text("a👩‍🚀e\u{301}");
        typed(&mut field, &[key(KeyCode::Left), key(KeyCode::Backspace)]);
        assert_eq!(field.text(), "ae\u{301}");
        assert_eq!(field.before(), "a");
    }

    #[test]
    fn a_long_text_wraps_and_the_cursor_with_it() {
        let mut field = TextField::with_text("abcdefgh\nxy");
        let laid = field.lay_out(5);
        assert_eq!(laid.lines, ["abcd", "efgh", "xy"]);
        assert_eq!((laid.row, laid.column), (2, 2));
        assert!(field.up());
        assert_eq!(field.before(), "ab");
        assert!(!field.up());
        assert!(field.down());
        assert!(!field.down());
    }

    #[test]
    fn a_line_of_the_text_is_gone_to_and_its_parts_know_it() {
        let mut field = TextField::with_text("ab\n  cdefgh\n\nx\n");
        assert_eq!(field.lay_out(6).paragraphs, [0, 1, 1, 1, 2, 3, 4]);
        for (line, before) in [
            (1, "ab\n  "),
            (0, ""),
            (3, "ab\n  cdefgh\n\n"),
            (9, "ab\n  cdefgh\n\nx\n"),
        ] {
            field.go_to_line(line);
            assert_eq!(field.before(), before);
        }
    }

    #[test]
    fn a_text_wraps_between_words() {
        let field = TextField::with_text("mine the belt, then\n sell ");
        let laid = field.lay_out(10);
        assert_eq!(laid.lines, ["mine the ", "belt, ", "then", " sell "]);
        assert_eq!((laid.row, laid.column), (3, 6));
        let mut field = TextField::with_text("mine 1234 56");
        assert_eq!(field.lay_out(10).lines, ["mine 1234", "56"]);
        typed(&mut field, &[key(KeyCode::Left), key(KeyCode::Left)]);
        assert_eq!((field.lay_out(10).row, field.lay_out(10).column), (1, 0));
        typed(&mut field, &[key(KeyCode::Left)]);
        assert_eq!((field.lay_out(10).row, field.lay_out(10).column), (0, 9));
    }

    #[test]
    fn a_field_of_one_line_shows_the_part_round_the_cursor() {
        let field = TextField::with_text("abcdefgh");
        assert_eq!(field.window(4), ("fgh".to_string(), 3));
        assert_eq!(TextField::with_text("ab").window(4), ("ab".to_string(), 2));
    }

    proptest! {
        #[test]
        fn no_keys_break_a_field(
            text in "\\PC{0,12}",
            keys in proptest::collection::vec(any_press(), 0..40),
            columns in 0_usize..12,
        ) {
            let mut field = TextField::with_text(&text);
            for press in keys {
                if !field.press(press) {
                    field.insert("é\n");
                }
                if press.code == KeyCode::Up {
                    field.up();
                }
                if press.code == KeyCode::Down {
                    field.down();
                }
                let laid = field.lay_out(columns);
                prop_assert!(laid.row < laid.lines.len());
                prop_assert!(laid.column < columns.max(2));
                for line in &laid.lines {
                    prop_assert!(width::of(line) < columns.max(3));
                }
                prop_assert!(field.window(columns).1 <= columns);
            }
        }
    }

    fn any_press() -> impl Strategy<Value = KeyEvent> {
        let key = prop_oneof![
            prop::sample::select(vec![
                KeyCode::Left,
                KeyCode::Right,
                KeyCode::Up,
                KeyCode::Down,
                KeyCode::Home,
                KeyCode::End,
                KeyCode::Backspace,
                KeyCode::Delete,
                KeyCode::Enter,
            ]),
            prop::sample::select(
                "abdefhkuwy_ 世\u{301}👩\u{200d}"
                    .chars()
                    .collect::<Vec<_>>()
            )
            .prop_map(KeyCode::Char),
        ];
        let held = KeyModifiers::CONTROL | KeyModifiers::ALT;
        (key, 0..=held.bits()).prop_map(move |(code, bits)| {
            KeyEvent::new(code, KeyModifiers::from_bits_truncate(bits) & held)
        })
    }
}
