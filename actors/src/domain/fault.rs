//! Faults: what made a Mysis stop working, in the kinds that decide what happens next.

use std::fmt;

use super::ids::Timestamp;

/// What a fault calls for. The restart policy decides by this and nothing else (DESIGN 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MysisFaultKind {
    /// The outside failed and may well work again: timeouts, 5xx, 429, network, unreadable bodies.
    Transient,
    /// The outside refuses for good until a human changes something: 400, 401, 403, 404.
    Permanent,
    /// The Mysis' own actor panicked, failed or was killed.
    Crash,
    /// The store would not take or give what the Mysis needs.
    Store,
}

impl MysisFaultKind {
    /// The word used in the database, in JSON and on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            MysisFaultKind::Transient => "transient",
            MysisFaultKind::Permanent => "permanent",
            MysisFaultKind::Crash => "crash",
            MysisFaultKind::Store => "store",
        }
    }

    /// Reads the word back; `None` for a word that is none of ours.
    #[must_use]
    pub fn parse(text: &str) -> Option<MysisFaultKind> {
        [
            MysisFaultKind::Transient,
            MysisFaultKind::Permanent,
            MysisFaultKind::Crash,
            MysisFaultKind::Store,
        ]
        .into_iter()
        .find(|kind| kind.as_str() == text)
    }
}

/// A fault that a turn could not survive; remembered across restarts of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MysisFault {
    /// What it calls for.
    pub kind: MysisFaultKind,
    /// What went wrong, for the operator; never holds a secret.
    pub text: String,
    /// When.
    pub at: Timestamp,
}

impl fmt::Display for MysisFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.kind.as_str())
    }
}
