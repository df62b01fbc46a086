//! How a Mysis gets nowhere, and what is said of it.

use std::sync::Arc;

use super::EscalationStep;
use crate::ids::Timestamp;

/// How a Mysis gets nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StallKind {
    /// It calls no tool.
    Talks,
    /// One identical call fails again and again.
    Repeats,
    /// All its calls fail.
    Fails,
    /// The same calls in the same order, and nothing gained by them.
    Circles,
    /// It acts, and no outcome gets better.
    Idles,
    /// One failure comes again for days, between other things.
    Ails,
}

impl StallKind {
    /// A word for it, in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            StallKind::Talks => "talks",
            StallKind::Repeats => "repeats",
            StallKind::Fails => "fails",
            StallKind::Circles => "circles",
            StallKind::Idles => "idles",
            StallKind::Ails => "ails",
        }
    }
}

/// What the watch says after a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallVerdict {
    /// How it gets nowhere.
    pub way: StallKind,
    /// The facts, as a clause: `for 40 turns: credits 1,203 unchanged, …`.
    pub facts: String,
    /// The rung that it is taken to now; absent: it is only told again.
    pub step: Option<EscalationStep>,
}

/// One that gets nowhere, for those who watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// Since when that is known.
    pub since: Timestamp,
    /// How many turns.
    pub turns: u32,
    /// How.
    pub way: StallKind,
    /// The call that fails, where it is one.
    pub tool: Option<Arc<str>>,
}
