//! Terminal actions: what only a terminal can do, other than showing pictures.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::history::InputHistory;
use super::view_choices::ViewChoices;

/// An action that only a terminal can perform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalAction {
    /// Suspend the program to the shell.
    Suspend,
    /// Draw the whole screen again.
    Redraw,
    Copy(Arc<str>),
    Bell,
    Notify(String),
    /// Write the screen to files, as text and as an image.
    Dump,
    Write {
        /// The file's name without its extension.
        name: String,
        text: Arc<str>,
    },
    /// Let the operator's editor change this text.
    Edit(Arc<str>),
    KeepChoices(ViewChoices),
    KeepHistory(#[serde(with = "newest_text")] InputHistory),
}

/// Serializes the newest text only: an attached terminal already has the others.
mod newest_text {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::InputHistory;

    pub(super) fn serialize<S: Serializer>(
        history: &InputHistory,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(history.newest().map_or("", |text| text))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<InputHistory, D::Error> {
        let mut history = InputHistory::default();
        history.add(&String::deserialize(deserializer)?);
        Ok(history)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_was_written_only_the_newest_goes_over() {
        let mut history = InputHistory::default();
        history.add("one");
        history.add("two");
        let sent = serde_json::to_string(&TerminalAction::KeepHistory(history)).unwrap();
        assert_eq!(sent, r#"{"keep_history":"two"}"#);
        let received: TerminalAction = serde_json::from_str(&sent).unwrap();
        let mut newest = InputHistory::default();
        newest.add("two");
        assert_eq!(received, TerminalAction::KeepHistory(newest));
    }
}
