//! The age of results, in the game's own time if that is known.

use std::time::Duration;

use crate::ids::{Moment, Now};

use super::SnapshotResult;

/// The assumed length of a tick before two ticks are known, in milliseconds. The real game has ten
/// seconds.
const DEFAULT_TICK_MS: u64 = 10_000;

/// The longest span in ticks over which the length of a tick is measured.
const MAX_MEASURED_TICKS: i64 = 1000;

/// The game's time, as far as it is known. Most answers of the game do not contain its tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TickClock {
    first: Option<TickSample>,
    last: Option<TickSample>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct TickSample {
    tick: i64,
    at: Moment,
}

impl TickClock {
    /// Takes a tick. One that is lower than the newest belongs to another game, or the game was
    /// reset.
    pub(super) fn observe(&mut self, tick: i64, at: Moment) {
        let sample = TickSample { tick, at };
        let is_behind = self.last.is_some_and(|last| tick < last.tick);
        let is_far = self
            .first
            .is_some_and(|first| tick.saturating_sub(first.tick) > MAX_MEASURED_TICKS);
        if is_behind || self.first.is_none() {
            self.first = Some(sample);
        } else if is_far {
            self.first = self.last;
        }
        self.last = Some(sample);
    }

    pub(super) fn tick_at(&self, now: Moment) -> Option<i64> {
        let last = self.last?;
        let passed = now.millis_since(last.at) / self.length_ms();
        Some(
            last.tick
                .saturating_add(i64::try_from(passed).unwrap_or(i64::MAX)),
        )
    }

    /// The time until a tick; `None` if the tick has passed or none is known.
    pub(super) fn time_until(&self, tick: i64, now: Moment) -> Option<Duration> {
        let ahead = tick.saturating_sub(self.last?.tick);
        let ahead = u64::try_from(ahead).ok()?.saturating_mul(self.length_ms());
        let passed = now.millis_since(self.last?.at);
        let left = ahead.saturating_sub(passed);
        (left > 0).then_some(Duration::from_millis(left))
    }

    /// The length of a tick in milliseconds, never 0.
    fn length_ms(&self) -> u64 {
        let measured = self.first.zip(self.last).and_then(|(first, last)| {
            let ticks = u64::try_from(last.tick.saturating_sub(first.tick)).ok()?;
            last.at.millis_since(first.at).checked_div(ticks)
        });
        measured.unwrap_or(DEFAULT_TICK_MS).max(1)
    }

    pub(super) fn age(&self, snapshot: &SnapshotResult, now: Now) -> String {
        let ticks = snapshot
            .tick
            .zip(self.tick_at(now.moment))
            .map(|(seen, now)| now.saturating_sub(seen).max(0));
        match ticks {
            Some(0) => "this tick".to_string(),
            Some(1) => "1 tick ago".to_string(),
            Some(ticks) => format!("{ticks} ticks ago"),
            None => by_the_wall_clock(now.wall.since(snapshot.at) / 1000),
        }
    }
}

fn by_the_wall_clock(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s ago"),
        120..7200 => format!("{} min ago", seconds / 60),
        _ => format!("{} h ago", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_counted_on_at_the_pace_that_was_heard() {
        let mut clock = TickClock::default();
        assert_eq!(clock.tick_at(Moment(5)), None);
        clock.observe(100, Moment(0));
        assert_eq!(clock.tick_at(Moment(25_000)), Some(102));
        clock.observe(110, Moment(10_000));
        assert_eq!(clock.tick_at(Moment(10_000)), Some(110));
        assert_eq!(clock.tick_at(Moment(13_500)), Some(113));
        assert_eq!(clock.tick_at(Moment(9_000)), Some(110));
        let left = |tick, at| clock.time_until(tick, Moment(at));
        assert_eq!(left(115, 10_000), Some(Duration::from_secs(5)));
        assert_eq!(left(115, 12_500), Some(Duration::from_millis(2500)));
        assert_eq!(left(115, 15_000), None);
        assert_eq!(left(100, 10_000), None);
    }

    #[test]
    fn a_game_that_was_set_back_is_followed() {
        let mut clock = TickClock::default();
        clock.observe(100, Moment(0));
        clock.observe(3, Moment(1000));
        assert_eq!(clock.tick_at(Moment(1000)), Some(3));
        clock.observe(3, Moment(2000));
        assert_eq!(clock.tick_at(Moment(12_000)), Some(4));
    }
}
