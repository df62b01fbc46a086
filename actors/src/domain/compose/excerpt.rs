//! Excerpts: texts that can be cut to size and say how much was left out.

use std::sync::Arc;

use super::wire;

/// A text, whole or its beginning.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Excerpt {
    text: Arc<str>,
    /// How much of `text` is the text itself; behind it stands a note.
    kept: usize,
    /// Bytes of the whole text.
    whole: u64,
}

impl Excerpt {
    /// A text that is here as a whole.
    pub(super) fn whole(text: Arc<str>) -> Excerpt {
        let kept = text.len();
        Excerpt {
            text,
            kept,
            whole: kept as u64,
        }
    }

    /// The beginning of a text of so many bytes.
    pub(super) fn beginning(text: Arc<str>, whole: u64) -> Excerpt {
        let kept = text.len();
        Excerpt { text, kept, whole }
    }

    /// What is to be sent.
    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Puts another text in its place.
    pub(super) fn replace(&mut self, text: &str) {
        *self = Excerpt::whole(text.into());
    }

    /// Cuts it so that it takes no more than `cap` bytes inside JSON, its note included; `hint`
    /// stands in the note and says where the rest can be had.
    pub(super) fn shorten(&mut self, cap: usize, hint: &str) {
        let lacks_note = self.kept == self.text.len() && (self.kept as u64) < self.whole;
        if !lacks_note && wire::escaped_len(&self.text) <= cap {
            return;
        }
        let note = |kept: usize| {
            let left_out = self.whole.saturating_sub(kept as u64);
            format!("\n[cut: {left_out} of {} bytes left out{hint}]", self.whole)
        };
        let room = cap.saturating_sub(wire::escaped_len(&note(0)));
        let kept = fitting(&self.text[..self.kept], room);
        self.text = format!("{}{}", &self.text[..kept], note(kept)).into();
        self.kept = kept;
    }
}

/// The longest beginning of a text, in bytes, that takes no more than `room` bytes inside JSON.
fn fitting(text: &str, room: usize) -> usize {
    let mut used = 0;
    for (place, c) in text.char_indices() {
        used += wire::escaped_len(&text[place..place + c.len_utf8()]);
        if used > room {
            return place;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cut_twice_still_tells_its_whole_length() {
        let mut excerpt = Excerpt::whole("x".repeat(1000).into());
        excerpt.shorten(400, "");
        excerpt.shorten(200, "; more");
        assert!(excerpt.text().len() <= 200);
        let kept = excerpt.text().chars().take_while(|c| *c == 'x').count();
        let note = format!("[cut: {} of 1000 bytes left out; more]", 1000 - kept);
        assert!(excerpt.text().ends_with(&note), "{}", excerpt.text());
    }

    #[test]
    fn what_fits_stays_and_a_beginning_gets_its_note() {
        let mut short = Excerpt::whole("short".into());
        short.shorten(100, "");
        assert_eq!(&**short.text(), "short");
        let mut beginning = Excerpt::beginning("short".into(), 50);
        beginning.shorten(100, "");
        assert_eq!(&**beginning.text(), "short\n[cut: 45 of 50 bytes left out]");
    }
}
