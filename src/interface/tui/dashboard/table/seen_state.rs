//! The state of a Mysis as the operator sees it, in the one form for every part of the screen.

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::outages::ServerOutages;
use actors::domain::state::LifeState;

use crate::dashboard::text::tone::Tone;

/// The state of a Mysis as the operator sees it: a running one that a pause or a server holds up does not look like one
/// that plays. The order is that of the table: who plays least comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeenState {
    Errored,
    Paused,
    /// It runs but waits for a server that is away, or for its next try.
    Waiting,
    Running,
    Idle,
    Stopped,
}

impl SeenState {
    /// All, in the order of the key that shows one after the other.
    pub const ALL: [SeenState; 6] = [
        SeenState::Running,
        SeenState::Waiting,
        SeenState::Paused,
        SeenState::Idle,
        SeenState::Stopped,
        SeenState::Errored,
    ];

    /// The state of a Mysis while these servers are away.
    pub fn of(status: &MysisStatus, outages: &ServerOutages) -> SeenState {
        match status.state {
            LifeState::Errored => SeenState::Errored,
            LifeState::Idle => SeenState::Idle,
            LifeState::Stopped => SeenState::Stopped,
            LifeState::Running => state_of_running(status, outages),
        }
    }

    /// The word on screen, which filters and commands take, too.
    pub fn as_str(self) -> &'static str {
        match self {
            SeenState::Errored => LifeState::Errored.as_str(),
            SeenState::Paused => "paused",
            SeenState::Waiting => "waiting",
            SeenState::Running => LifeState::Running.as_str(),
            SeenState::Idle => LifeState::Idle.as_str(),
            SeenState::Stopped => LifeState::Stopped.as_str(),
        }
    }

    pub fn parse(word: &str) -> Option<SeenState> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    pub fn label(self) -> (String, Tone) {
        let (sign, tone) = match self {
            SeenState::Errored => ("✖", Tone::Errored),
            SeenState::Paused => ("‖", Tone::Warning),
            SeenState::Waiting => ("◌", Tone::Warning),
            SeenState::Running => ("⬢", Tone::Dim),
            SeenState::Idle => ("⬡", Tone::Idle),
            SeenState::Stopped => ("■", Tone::Stopped),
        };
        (format!("{sign} {}", self.as_str()), tone)
    }
}

fn state_of_running(status: &MysisStatus, outages: &ServerOutages) -> SeenState {
    if matches!(status.activity, Activity::Paused(_)) {
        return SeenState::Paused;
    }
    let lane = status.activity.awaited_lane();
    let is_away = lane.is_some_and(|lane| outages.of(lane).is_some());
    let is_cooling = matches!(status.activity, Activity::CoolingDown(..));
    match is_away || is_cooling || !status.link.serves() {
        true => SeenState::Waiting,
        false => SeenState::Running,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for state in SeenState::ALL {
            assert_eq!(SeenState::parse(state.as_str()), Some(state));
            assert!(state.label().0.ends_with(state.as_str()));
        }
        assert_eq!(SeenState::parse("marked"), None);
    }
}
