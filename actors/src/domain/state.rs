//! State: which of the four states a Mysis is in, and what it has used up.

/// The state of a Mysis (DESIGN 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LifeState {
    /// Waits for an order.
    Idle,
    /// Takes turns.
    Running,
    /// Was stopped by the operator.
    Stopped,
    /// A fault took it down.
    Errored,
}

impl LifeState {
    /// Every state.
    pub const ALL: [LifeState; 4] = [
        LifeState::Idle,
        LifeState::Running,
        LifeState::Stopped,
        LifeState::Errored,
    ];

    /// The word used in the database, in JSON and on screen.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            LifeState::Idle => "idle",
            LifeState::Running => "running",
            LifeState::Stopped => "stopped",
            LifeState::Errored => "errored",
        }
    }

    /// The state of one who was in this state and whom nobody has started again.
    #[must_use]
    pub fn at_rest(self) -> LifeState {
        match self {
            LifeState::Running | LifeState::Idle => LifeState::Idle,
            LifeState::Stopped => LifeState::Stopped,
            LifeState::Errored => LifeState::Errored,
        }
    }

    /// Reads the word back; `None` for a word that is none of ours.
    #[must_use]
    pub fn parse(text: &str) -> Option<LifeState> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// What a Mysis has used up since it was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Completed turns.
    pub turns: u64,
    /// Tokens of requests.
    pub tokens_in: u64,
    /// Tokens of answers.
    pub tokens_out: u64,
    /// Cost in millionths of a US dollar.
    pub cost_micros: u64,
}
