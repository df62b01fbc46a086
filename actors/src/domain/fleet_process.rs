//! A process of a fleet, for the operator.

use std::sync::Arc;

use crate::ids::Timestamp;

/// A process that runs Myses of one database, or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetProcess {
    /// Its name among the others.
    pub name: Arc<str>,
    /// Its machine.
    pub host: Arc<str>,
    /// The directory of its home.
    pub directory: Arc<str>,
    pub version: Arc<str>,
    pub state: ProcessState,
    pub is_here: bool,
    pub capacity: u64,
    pub myses: u64,
    /// How many of them run.
    pub running: u64,
    /// When it started.
    pub since: Timestamp,
    /// When it ended, or was heard of last; `None` while it lives.
    pub until: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessState {
    /// It runs its share.
    Alive,
    /// It gives its Myses back and takes none.
    Draining,
    /// It is frozen: it keeps its Myses, and nothing leaves.
    Frozen,
    /// It ended in good order.
    Ended,
    /// It is not heard of any more.
    Gone,
}

impl ProcessState {
    /// The word in JSON and on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ProcessState::Alive => "alive",
            ProcessState::Draining => "draining",
            ProcessState::Frozen => "frozen",
            ProcessState::Ended => "ended",
            ProcessState::Gone => "gone",
        }
    }

    /// Whether the process runs.
    #[must_use]
    pub fn is_up(self) -> bool {
        match self {
            ProcessState::Alive | ProcessState::Draining | ProcessState::Frozen => true,
            ProcessState::Ended | ProcessState::Gone => false,
        }
    }
}
