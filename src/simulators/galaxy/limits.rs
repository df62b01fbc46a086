//! Limits: how many calls a minute allows, and how many of them are used.

use std::{str::FromStr, time::Duration};

/// The calls that one minute allows. The real game's minute is six ticks; [`GalaxyLimits`] says how
/// it is scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateAllowance {
    Unlimited,
    PerMinute(u32),
}

/// All limits of the server. `Limits::default()` has those of the real one.
///
/// `logins` and `failed_logins` count real minutes, whatever the tick. All others count minutes of
/// six ticks, but never more than a real one: a galaxy with a tick of a second allows six times as
/// much as the real one does, and one with a tick of a minute no less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GalaxyLimits {
    pub mutations: RateAllowance,
    pub queries: RateAllowance,
    pub chats: RateAllowance,
    /// `initialize`, `register` and `login` together, of one address.
    pub logins: RateAllowance,
    /// Logins with a wrong name or password, of one address.
    pub failed_logins: RateAllowance,
    /// Refusals for too many requests, of one address. Beyond this the address is blocked for 2
    /// minutes, then for 4, at last for 30. Every request during a block starts the block again.
    pub refusals: RateAllowance,
}

impl GalaxyLimits {
    pub const NONE: Self = Self {
        mutations: RateAllowance::Unlimited,
        queries: RateAllowance::Unlimited,
        chats: RateAllowance::Unlimited,
        logins: RateAllowance::Unlimited,
        failed_logins: RateAllowance::Unlimited,
        refusals: RateAllowance::Unlimited,
    };
}

impl Default for GalaxyLimits {
    fn default() -> Self {
        Self {
            mutations: RateAllowance::PerMinute(30),
            queries: RateAllowance::PerMinute(300),
            chats: RateAllowance::PerMinute(20),
            logins: RateAllowance::PerMinute(30),
            failed_logins: RateAllowance::PerMinute(5),
            refusals: RateAllowance::PerMinute(50),
        }
    }
}

impl FromStr for RateAllowance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "unlimited" {
            return Ok(Self::Unlimited);
        }
        text.parse()
            .map(Self::PerMinute)
            .map_err(|_| format!("`{text}` is not a limit; give a number or `unlimited`"))
    }
}

/// A minute of the game at this tick: six ticks, at most a real minute.
pub(super) fn game_minute(tick: Duration) -> Duration {
    (tick * 6).min(MINUTE)
}

pub(super) const MINUTE: Duration = Duration::from_secs(60);

/// The calls of the minute that began with the first of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateMeter {
    minute: Option<MeterMinute>,
}

#[derive(Clone, Copy, Debug)]
struct MeterMinute {
    at: Duration,
    used: u32,
}

impl RateMeter {
    /// Counts one use.
    ///
    /// # Errors
    /// The time until the next minute begins, when this one's allowance is used up.
    pub(super) fn count(
        &mut self,
        allowance: RateAllowance,
        minute: Duration,
        now: Duration,
    ) -> Result<(), Duration> {
        self.check(allowance, minute, now)?;
        let current = self
            .current_minute(minute, now)
            .unwrap_or(MeterMinute { at: now, used: 0 });
        self.minute = Some(MeterMinute {
            used: current.used.saturating_add(1),
            ..current
        });
        Ok(())
    }

    /// Whether one more use is allowed, without counting it.
    pub(super) fn check(
        self,
        allowance: RateAllowance,
        minute: Duration,
        now: Duration,
    ) -> Result<(), Duration> {
        let current = self
            .current_minute(minute, now)
            .unwrap_or(MeterMinute { at: now, used: 0 });
        match allowance {
            RateAllowance::PerMinute(most) if current.used >= most => {
                Err(minute.saturating_sub(now.saturating_sub(current.at)))
            }
            RateAllowance::PerMinute(_) | RateAllowance::Unlimited => Ok(()),
        }
    }

    pub(super) fn is_over(self, minute: Duration, now: Duration) -> bool {
        self.current_minute(minute, now).is_none()
    }

    fn current_minute(self, minute: Duration, now: Duration) -> Option<MeterMinute> {
        self.minute
            .filter(|begun| now.saturating_sub(begun.at) < minute)
    }
}

/// The wait that a client is told, in whole seconds, at least one.
pub(super) fn whole_seconds(wait: Duration) -> u64 {
    let round_up = u64::from(wait.subsec_nanos() > 0);
    (wait.as_secs() + round_up).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_minute_allows_so_many_and_then_begins_anew() {
        let mut meter = RateMeter::default();
        let allowance = RateAllowance::PerMinute(2);
        assert_eq!(meter.count(allowance, MINUTE, 100 * SECOND), Ok(()));
        assert_eq!(meter.count(allowance, MINUTE, 101 * SECOND), Ok(()));
        assert_eq!(
            meter.count(allowance, MINUTE, 110 * SECOND),
            Err(50 * SECOND)
        );
        assert_eq!(meter.count(allowance, MINUTE, 160 * SECOND), Ok(()));
        assert_eq!(
            meter.count(RateAllowance::Unlimited, MINUTE, 160 * SECOND),
            Ok(())
        );
        assert_eq!(
            RateMeter::default().count(RateAllowance::PerMinute(0), MINUTE, SECOND),
            Err(MINUTE)
        );
    }

    #[test]
    fn the_games_minute_is_six_ticks_and_at_most_a_real_one() {
        assert_eq!(game_minute(10 * SECOND), MINUTE);
        assert_eq!(game_minute(SECOND), 6 * SECOND);
        assert_eq!(game_minute(MINUTE), MINUTE);
        assert_eq!(whole_seconds(Duration::from_millis(1)), 1);
        assert_eq!(whole_seconds(Duration::from_millis(2500)), 3);
    }

    #[test]
    fn limits_are_written_as_numbers_or_unlimited() {
        assert_eq!("30".parse(), Ok(RateAllowance::PerMinute(30)));
        assert_eq!("unlimited".parse(), Ok(RateAllowance::Unlimited));
        assert!("lots".parse::<RateAllowance>().is_err());
    }
}
