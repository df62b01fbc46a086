//! Arrival: how far a swarm is that logs in one after the other, and how long that still takes.

use std::fmt;
use std::time::Duration;

use super::event::{Activity, LinkState, MysisStatus};
use super::ids::Lane;
use super::state::LifeState;

/// Fewer than these are no queue worth a word.
const MIN_QUEUED_MYSES: usize = 3;

/// What each of them takes at the gate: a session with the server, and a login.
const PERMITS_PER_LOGIN: u32 = 2;

/// How far the swarm is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginProgress {
    /// How many are logged in.
    pub here: usize,
    /// How many there will be.
    pub all: usize,
    /// How long that still takes, about; absent: logins are not limited.
    pub left: Option<Duration>,
}

/// Where one stands on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginStage {
    /// It waits, or logs in.
    Coming,
    /// It is logged in.
    Here,
    /// It does not want to.
    Elsewhere,
}

/// Where this one stands.
#[must_use]
pub fn login_stage(standing: &MysisStatus) -> LoginStage {
    if standing.state != LifeState::Running {
        return LoginStage::Elsewhere;
    }
    match &standing.activity {
        Activity::Connecting => LoginStage::Coming,
        Activity::Queueing(Lane::Logins | Lane::Game) => LoginStage::Coming,
        Activity::Queueing(Lane::Provider(_))
        | Activity::Resting
        | Activity::Rebuilding
        | Activity::Pausing
        | Activity::CallingModel
        | Activity::Answering(_)
        | Activity::CoolingDown(_)
        | Activity::CallingTool(_)
        | Activity::Travelling
        | Activity::Mining
        | Activity::Fighting
        | Activity::InTransit
        | Activity::OnCooldown
        | Activity::Recording
        | Activity::Paused(_) => match standing.link {
            LinkState::Ok => LoginStage::Here,
            LinkState::None | LinkState::Down => LoginStage::Elsewhere,
        },
    }
}

impl LoginProgress {
    /// How far a swarm is of which so many are there and so many on their way, at so many logins a
    /// minute; `None` where hardly anybody is on the way.
    #[must_use]
    pub fn of(here: usize, coming: usize, logins_per_minute: Option<u32>) -> Option<LoginProgress> {
        if coming < MIN_QUEUED_MYSES {
            return None;
        }
        let passes = u32::try_from(coming)
            .unwrap_or(u32::MAX)
            .saturating_mul(PERMITS_PER_LOGIN);
        let left = |per_minute: u32| Duration::from_secs(60) * passes / per_minute.max(1);
        Some(LoginProgress {
            here,
            all: here + coming,
            left: logins_per_minute.map(left),
        })
    }

    /// The same of everybody's standings.
    #[must_use]
    pub fn of_all<'s>(
        statuses: impl Iterator<Item = &'s MysisStatus>,
        logins_per_minute: Option<u32>,
    ) -> Option<LoginProgress> {
        let (mut here, mut coming) = (0, 0);
        for standing in statuses {
            match login_stage(standing) {
                LoginStage::Coming => coming += 1,
                LoginStage::Here => here += 1,
                LoginStage::Elsewhere => {}
            }
        }
        LoginProgress::of(here, coming, logins_per_minute)
    }
}

impl fmt::Display for LoginProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "logging in: {} of {}", self.here, self.all)?;
        match self.left.map(|left| left.as_secs()) {
            Some(seconds @ 0..90) => write!(f, ", about {} s left", seconds.max(1)),
            Some(seconds) => write!(f, ", about {} min left", (seconds + 30) / 60),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cold_start_says_how_far_it_is_and_how_long_it_takes() {
        let text =
            |here, coming, rate| LoginProgress::of(here, coming, rate).map(|it| it.to_string());
        assert_eq!(
            text(37, 163, Some(24)).unwrap(),
            "logging in: 37 of 200, about 14 min left"
        );
        assert_eq!(
            text(195, 5, Some(24)).unwrap(),
            "logging in: 195 of 200, about 25 s left"
        );
        assert_eq!(text(0, 9, None).unwrap(), "logging in: 0 of 9");
        assert_eq!(text(198, 2, Some(24)), None, "two are no queue");
    }
}
