//! Excerpts: texts with a known size in JSON that can be cut and then say how much was left out.

use std::sync::Arc;

use zoea_text::clean::printable_text;
use zoea_text::json_size::{escaped_byte, escaped_len};

/// Replaces an empty text, which strict providers refuse.
const EMPTY_TEXT: &str = "(empty)";

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Excerpt {
    text: Arc<str>,
    /// The length of the original text at the beginning of `text`. A note may follow it.
    kept: usize,
    /// The length of the whole original text in bytes.
    whole: u64,
    /// The length of `text` in bytes inside a JSON string.
    size: usize,
}

impl Excerpt {
    /// A complete text. A placeholder replaces an empty one.
    pub(super) fn from_whole(text: Arc<str>) -> Excerpt {
        let whole = text.len() as u64;
        Excerpt::from_beginning(text, whole)
    }

    /// The beginning of a text with `whole` bytes.
    pub(super) fn from_beginning(text: Arc<str>, whole: u64) -> Excerpt {
        if whole <= text.len() as u64 && text.trim().is_empty() {
            return Excerpt::as_it_is(EMPTY_TEXT.into(), EMPTY_TEXT.len() as u64);
        }
        let whole = whole.max(text.len() as u64);
        Excerpt::as_it_is(printable_text(text), whole)
    }

    /// A text with `whole` bytes that was shortened before: behind `kept` bytes of it its note follows.
    pub(super) fn from_shortened(text: Arc<str>, whole: u64, kept: usize) -> Excerpt {
        Excerpt {
            kept,
            ..Excerpt::as_it_is(text, whole)
        }
    }

    pub(super) fn from_optional(text: Arc<str>) -> Excerpt {
        if text.trim().is_empty() {
            return Excerpt::as_it_is("".into(), 0);
        }
        Excerpt::from_whole(text)
    }

    fn as_it_is(text: Arc<str>, whole: u64) -> Excerpt {
        Excerpt {
            kept: text.len(),
            whole,
            size: escaped_len(&text),
            text,
        }
    }

    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The length in bytes inside a JSON string.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The beginning of the original text, if a note about the rest follows.
    pub(super) fn own_part(&self) -> Option<&str> {
        (self.kept < self.text.len()).then(|| &self.text[..self.kept])
    }

    pub(super) fn is_whole(&self) -> bool {
        self.kept as u64 >= self.whole
    }

    pub(super) fn replace(&mut self, text: &str) {
        *self = Excerpt::as_it_is(text.into(), text.len() as u64);
    }

    /// Cuts the text to at most `cap` bytes inside JSON, including a note. `hint` is called with
    /// the number of bytes that remain and says in the note where the rest is.
    pub(super) fn shorten(&mut self, cap: usize, hint: impl Fn(usize) -> String) {
        let lacks_note = self.kept == self.text.len() && !self.is_whole();
        if !lacks_note && self.size <= cap {
            return;
        }
        let note = |kept: usize| {
            let left_out = self.whole.saturating_sub(kept as u64);
            let hint = hint(kept);
            format!("\n[cut: {left_out} of {} bytes left out{hint}]", self.whole)
        };
        // The number for the whole text is the longest number that the note can contain.
        let longest = note(usize::try_from(self.whole).unwrap_or(usize::MAX)).len()
            + self.whole.to_string().len();
        let room = cap.saturating_sub(longest + hint(0).matches('"').count());
        let kept = fitting_bytes(&self.text[..self.kept], room);
        self.text = format!("{}{}", &self.text[..kept], note(kept)).into();
        self.size = escaped_len(&self.text);
        self.kept = kept;
    }
}

/// The length of the longest beginning of a text that takes at most `room` bytes inside JSON.
fn fitting_bytes(text: &str, room: usize) -> usize {
    let mut used = 0;
    for (place, byte) in text.bytes().enumerate() {
        used += escaped_byte(byte);
        if used > room {
            return text.floor_char_boundary(place);
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(_: usize) -> String {
        String::new()
    }

    #[test]
    fn a_text_cut_twice_still_tells_its_whole_length() {
        let mut excerpt = Excerpt::from_whole("x".repeat(1000).into());
        excerpt.shorten(400, plain);
        excerpt.shorten(200, |kept| format!("; more at {kept}"));
        assert!(excerpt.size() <= 200);
        let kept = excerpt.text().chars().take_while(|c| *c == 'x').count();
        let left_out = 1000 - kept;
        let note = format!("[cut: {left_out} of 1000 bytes left out; more at {kept}]");
        assert!(excerpt.text().ends_with(&note), "{}", excerpt.text());
        assert!(kept > 100, "{kept}");
    }

    #[test]
    fn what_fits_stays_and_a_beginning_gets_its_note() {
        let mut short = Excerpt::from_whole("short".into());
        short.shorten(100, plain);
        assert_eq!(&**short.text(), "short");
        assert!(short.is_whole());
        let mut beginning = Excerpt::from_beginning("short".into(), 50);
        beginning.shorten(100, plain);
        assert_eq!(&**beginning.text(), "short\n[cut: 45 of 50 bytes left out]");
        assert!(!beginning.is_whole());
    }

    #[test]
    fn a_cut_never_splits_a_letter_and_counts_what_json_makes_of_it() {
        for letter in ["é", "🚀", "\"", "\n", "採"] {
            let mut excerpt = Excerpt::from_whole(letter.repeat(500).into());
            excerpt.shorten(300, plain);
            assert!(excerpt.size() <= 300, "{letter}: {}", excerpt.size());
            let json = serde_json::to_string(&**excerpt.text()).unwrap();
            assert_eq!(excerpt.size(), json.len() - 2);
        }
    }

    #[test]
    fn what_says_nothing_gets_a_word_in_its_place() {
        assert_eq!(&**Excerpt::from_whole(" \n".into()).text(), "(empty)");
        assert_eq!(&**Excerpt::from_optional(" \n".into()).text(), "");
        assert_eq!(
            &**Excerpt::from_whole("a\u{0}b\u{1b}[".into()).text(),
            "a?b?["
        );
    }
}
