//! The calendar of the world: ten seconds a tick from an epoch of its own. It never reads the wall
//! clock.

use chrono::{DateTime, SecondsFormat, Utc};

/// The first tick of a new world, about where the real game was in March 2026.
pub(super) const OPENING_TICK: u64 = 270_000;

/// Seconds of game time in a tick, whatever its real duration.
pub(super) const TICK_SECS: u64 = 10;

pub(super) const DAY: u64 = 86_400 / TICK_SECS;

/// Unix time of tick 0: 2026-02-08 12:00:00 UTC.
const EPOCH_UNIX_SECS: i64 = 1_770_552_000;

pub(super) fn unix_seconds(tick: u64) -> i64 {
    EPOCH_UNIX_SECS + i64::try_from(tick.saturating_mul(TICK_SECS)).unwrap_or(i64::MAX / 2)
}

/// `2026-03-11T18:42:07Z`.
pub(super) fn timestamp(tick: u64) -> String {
    date_time(tick, 0).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// `2026-03-11T18:42:07.000000042Z`: the fraction keeps the order within one tick.
pub(super) fn exact_timestamp(tick: u64, order: u64) -> String {
    let nanoseconds = u32::try_from(order % 1_000_000_000).unwrap_or_default();
    date_time(tick, nanoseconds).to_rfc3339_opts(SecondsFormat::Nanos, true)
}

/// `2026-03-11 18:42:07`, as the captain's log writes it.
pub(super) fn log_date(tick: u64) -> String {
    date_time(tick, 0).format("%Y-%m-%d %H:%M:%S").to_string()
}

fn date_time(tick: u64, nanoseconds: u32) -> DateTime<Utc> {
    DateTime::from_timestamp(unix_seconds(tick), nanoseconds).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_world_opens_in_march() {
        assert_eq!(timestamp(OPENING_TICK), "2026-03-11T18:00:00Z");
        assert_eq!(unix_seconds(OPENING_TICK), 1_773_252_000);
        assert_eq!(log_date(OPENING_TICK + 1), "2026-03-11 18:00:10");
        assert_eq!(
            exact_timestamp(OPENING_TICK, 42),
            "2026-03-11T18:00:00.000000042Z"
        );
    }

    #[test]
    fn the_far_future_does_not_overflow() {
        assert!(!timestamp(u64::MAX).is_empty());
    }
}
