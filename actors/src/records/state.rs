//! The four states of a Mysis, and its totals.

use serde::Deserialize;
use strum::{EnumCount, VariantArray};

/// The state of a Mysis (DESIGN 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, EnumCount, VariantArray)]
pub enum LifeState {
    #[default]
    Idle,
    Running,
    Stopped,
    /// A fault ended its turn.
    Errored,
}

crate::read_by_word!(pub LifeState);
crate::stored_by_word!(LifeState);
crate::stored_as_list!(Totals: turns, tokens_in, tokens_out, cost_micros);

impl LifeState {
    /// The word in the database, in JSON and on screen.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            LifeState::Idle => "idle",
            LifeState::Running => "running",
            LifeState::Stopped => "stopped",
            LifeState::Errored => "errored",
        }
    }

    /// The state after a restart of the program, if nobody has started the Mysis.
    #[must_use]
    pub fn at_rest(self) -> LifeState {
        match self {
            LifeState::Running | LifeState::Idle => LifeState::Idle,
            LifeState::Stopped => LifeState::Stopped,
            LifeState::Errored => LifeState::Errored,
        }
    }
}

/// The totals of a Mysis since it was created.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub struct Totals {
    pub turns: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Cost in millionths of a US dollar.
    pub cost_micros: u64,
}

impl Totals {
    /// Tokens used, prompt and reply.
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}
