//! The input history: what the operator entered before. It is kept across runs.

use std::sync::Arc;

const MAX_TEXTS: usize = 500;
/// The most bytes of all texts together.
const MAX_BYTES: usize = 2 << 20;
/// The largest file of a history: JSON writes a byte as at most six, and three bytes around each text.
pub const MAX_FILE_BYTES: u64 = MAX_BYTES as u64 * 8;

/// The entered texts, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputHistory {
    texts: Arc<Vec<Arc<str>>>,
}

/// The position while the operator walks through the history, and the unsent text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recall {
    /// How many texts back; 0 is the unsent text.
    back: usize,
    unsent: String,
}

impl InputHistory {
    /// Reads what [`InputHistory::to_lines`] wrote. Lines that cannot be parsed are skipped.
    pub fn from_lines(lines: &str) -> InputHistory {
        let mut history = InputHistory::default();
        for line in lines.lines() {
            if let Ok(text) = serde_json::from_str::<String>(line) {
                history.add(&text);
            }
        }
        history
    }

    /// One JSON string on a line for each text.
    pub fn to_lines(&self) -> String {
        self.texts
            .iter()
            .map(|text| format!("{}\n", serde_json::Value::from(&**text)))
            .collect()
    }

    /// Adds a text, for which the oldest ones may make room. A text that is already in the history moves to
    /// the end, and one that is too long for all the room is left out.
    pub fn add(&mut self, text: &str) {
        if text.trim().is_empty() || text.len() > MAX_BYTES {
            return;
        }
        let texts = Arc::make_mut(&mut self.texts);
        texts.retain(|known| **known != *text);
        texts.push(text.into());
        let mut bytes = 0;
        let fitting = texts.iter().rev().take(MAX_TEXTS).take_while(|text| {
            bytes += text.len();
            bytes <= MAX_BYTES
        });
        let surplus = texts.len() - fitting.count();
        texts.drain(..surplus);
    }

    pub fn newest(&self) -> Option<&Arc<str>> {
        self.texts.last()
    }

    fn nth_back(&self, back: usize) -> Option<&Arc<str>> {
        let place = self.texts.len().checked_sub(back)?;
        self.texts.get(place)
    }
}

impl Recall {
    /// The next older text that begins like the unsent one.
    pub fn older(&mut self, history: &InputHistory, written: &str) -> Option<Arc<str>> {
        if self.back == 0 {
            self.unsent = written.to_string();
        }
        let place = (self.back + 1..=history.texts.len()).find(|back| {
            let text = history.nth_back(*back);
            text.is_some_and(|text| text.starts_with(&self.unsent) && **text != *written)
        })?;
        self.back = place;
        history.nth_back(place).cloned()
    }

    /// The next newer text, and finally the unsent one.
    pub fn newer(&mut self, history: &InputHistory) -> Option<Arc<str>> {
        if self.back == 0 {
            return None;
        }
        let place = (1..self.back).rev().find(|back| {
            let text = history.nth_back(*back);
            text.is_some_and(|text| text.starts_with(&self.unsent))
        });
        match place {
            Some(place) => {
                self.back = place;
                history.nth_back(place).cloned()
            }
            None => {
                self.back = 0;
                Some(std::mem::take(&mut self.unsent).into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_reads_back_as_it_was_written() {
        let mut history = InputHistory::default();
        for text in ["mine", "two\nlines \"quoted\"", "mine", "  "] {
            history.add(text);
        }
        let lines = history.to_lines();
        assert_eq!(lines, "\"two\\nlines \\\"quoted\\\"\"\n\"mine\"\n");
        assert_eq!(InputHistory::from_lines(&lines), history);
        assert_eq!(InputHistory::from_lines("nonsense\n\"mine\""), {
            let mut other = InputHistory::default();
            other.add("mine");
            other
        });
    }

    #[test]
    fn however_long_the_texts_are_the_file_can_be_read() {
        let long = |place: usize| format!("{place:02}{}", "\u{1}".repeat((1 << 20) - 2));
        let mut history = InputHistory::default();
        history.add("mine");
        for place in 0..17 {
            history.add(&long(place));
        }
        history.add(&"x".repeat(MAX_BYTES + 1));
        let lines = history.to_lines();
        assert!((lines.len() as u64) < MAX_FILE_BYTES);
        let read = InputHistory::from_lines(&lines);
        let kept: Vec<&str> = read.texts.iter().map(|text| &text[..2]).collect();
        assert_eq!(kept, ["15", "16"]);
        for place in 0..MAX_TEXTS + 1 {
            history.add(&format!("mine {place}"));
        }
        assert_eq!(history.texts.len(), MAX_TEXTS);
        assert_eq!(history.newest().map(|text| &**text), Some("mine 500"));
    }

    #[test]
    fn going_back_and_forth_ends_with_what_was_being_written() {
        let mut history = InputHistory::default();
        for text in ["mine iron", "sell all", "mine gold"] {
            history.add(text);
        }
        let mut recall = Recall::default();
        assert_eq!(recall.older(&history, "mi").as_deref(), Some("mine gold"));
        assert_eq!(
            recall.older(&history, "mine gold").as_deref(),
            Some("mine iron")
        );
        assert_eq!(recall.older(&history, "mine iron"), None);
        assert_eq!(recall.newer(&history).as_deref(), Some("mine gold"));
        assert_eq!(recall.newer(&history).as_deref(), Some("mi"));
        assert_eq!(recall.newer(&history), None);
    }
}
