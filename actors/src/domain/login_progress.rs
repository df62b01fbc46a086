//! The progress of a swarm whose Myses log in one after the other, and the remaining time.

use std::fmt;
use std::time::Duration;

use super::event::{Activity, LinkState, MysisStatus};
use super::ids::Lane;
use super::state::LifeState;

/// Fewer Myses are not reported as a queue.
const MIN_QUEUED_MYSES: usize = 3;

/// The permits that each Mysis needs: one for a session with the server, one for a login.
const PERMITS_PER_LOGIN: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginProgress {
    /// The number of Myses that are logged in.
    pub here: usize,
    /// The number of Myses that are or will be logged in.
    pub all: usize,
    pub left: LoginTime,
}

/// What is known of the remaining time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginTime {
    /// Logins are not limited.
    Unknown,
    /// The estimate by our own limit.
    Left(Duration),
    /// The server lets nobody in for so long. Its own limit is not known.
    Paused(Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginStage {
    /// It waits or logs in.
    Coming,
    Here,
    /// It needs no login, or waits for a person.
    Elsewhere,
}

pub fn login_stage(status: &MysisStatus) -> LoginStage {
    if status.state != LifeState::Running {
        return LoginStage::Elsewhere;
    }
    let is_coming = matches!(
        status.activity,
        Activity::Connecting
            | Activity::Queueing(Lane::Logins | Lane::Game)
            | Activity::CoolingDown(Lane::Logins, _)
    );
    let waits_for_person = matches!(status.activity, Activity::AwaitingLogin(_));
    match (is_coming, status.link == LinkState::Ok && !waits_for_person) {
        (true, _) => LoginStage::Coming,
        (false, true) => LoginStage::Here,
        (false, false) => LoginStage::Elsewhere,
    }
}

impl LoginProgress {
    /// The progress with these numbers of Myses at this rate of logins, while the server pauses them for so
    /// long; `None` if hardly any is waiting.
    pub fn of(
        here: usize,
        coming: usize,
        logins_per_minute: Option<u32>,
        pause: Option<Duration>,
    ) -> Option<LoginProgress> {
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
            left: match (pause, logins_per_minute) {
                (Some(pause), _) => LoginTime::Paused(pause),
                (None, Some(per_minute)) => LoginTime::Left(left(per_minute)),
                (None, None) => LoginTime::Unknown,
            },
        })
    }

    pub fn of_all<'s>(
        statuses: impl Iterator<Item = &'s MysisStatus>,
        logins_per_minute: Option<u32>,
        pause: Option<Duration>,
    ) -> Option<LoginProgress> {
        let (mut here, mut coming) = (0, 0);
        for status in statuses {
            match login_stage(status) {
                LoginStage::Coming => coming += 1,
                LoginStage::Here => here += 1,
                LoginStage::Elsewhere => {}
            }
        }
        LoginProgress::of(here, coming, logins_per_minute, pause)
    }
}

impl fmt::Display for LoginProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "logging in: {} of {}", self.here, self.all)?;
        let (time, before, behind) = match self.left {
            LoginTime::Unknown => return Ok(()),
            LoginTime::Left(left) => (left, "about", " left"),
            LoginTime::Paused(pause) => (pause, "the next in", ""),
        };
        match time.as_secs() {
            seconds @ 0..90 => write!(f, ", {before} {} s{behind}", seconds.max(1)),
            seconds => write!(f, ", {before} {} min{behind}", (seconds + 30) / 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cold_start_says_how_far_it_is_and_how_long_it_takes() {
        let text = |here, coming, rate| {
            LoginProgress::of(here, coming, rate, None).map(|it| it.to_string())
        };
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
        // The game has a limit of its own.
        let paused = |seconds| {
            let pause = Some(Duration::from_secs(seconds));
            LoginProgress::of(13, 87, Some(1_000_000), pause).map(|it| it.to_string())
        };
        assert_eq!(
            paused(47).unwrap(),
            "logging in: 13 of 100, the next in 47 s"
        );
        assert_eq!(
            paused(600).unwrap(),
            "logging in: 13 of 100, the next in 10 min"
        );
    }
}
