//! A process of a fleet, for the operator.

use std::sync::Arc;

use strum::IntoStaticStr;

use crate::ids::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetProcess {
    pub name: Arc<str>,
    pub host: Arc<str>,
    pub directory: Arc<str>,
    pub version: Arc<str>,
    pub state: ProcessState,
    pub is_here: bool,
    pub capacity: u64,
    pub myses: u64,
    pub running: u64,
    pub since: Timestamp,
    /// When it ended, or was heard of last; `None` while it lives.
    pub until: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ProcessState {
    /// It runs its share.
    Alive,
    /// It gives its Myses back and takes none.
    Draining,
    /// It is frozen: it keeps its Myses, and nothing leaves.
    Frozen,
    Ended,
    /// It is not heard of any more.
    Gone,
}

impl ProcessState {
    /// The word in JSON and on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    #[must_use]
    pub fn is_up(self) -> bool {
        match self {
            ProcessState::Alive | ProcessState::Draining | ProcessState::Frozen => true,
            ProcessState::Ended | ProcessState::Gone => false,
        }
    }
}
