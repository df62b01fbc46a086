//! The pace: how fast requests begin (`requests_per_minute`), and the tokens that a provider was sent
//! within a minute (`tokens_per_minute`).
//!
//! The tokens of a call are only known when it ends. Until then its estimate counts.

use std::collections::VecDeque;
use std::time::Duration;

use crate::ids::{Moment, PermitId};

const PACE_WINDOW: Duration = Duration::from_secs(60);

/// A pace in thousandths of requests a minute.
pub(super) fn whole_pace(per_minute: u32) -> u64 {
    u64::from(per_minute) * 1000
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    /// Whole milliseconds, rounded up: moments have no fractions of them.
    pub(super) interval: Duration,
    /// The most that begin at once.
    pub(super) burst: u32,
}

impl Pace {
    /// The pace of a part, in thousandths of requests a minute; `None` if there is none.
    pub(super) fn of_part(part: u64, per_minute: u32, burst: u32) -> Option<Pace> {
        let whole = whole_pace(per_minute.max(1));
        let part = part.min(whole);
        if part == 0 {
            return None;
        }
        let burst = u64::from(burst) * part / whole;
        Some(Pace {
            interval: Duration::from_millis(60_000_000_u64.div_ceil(part)),
            burst: u32::try_from(burst).unwrap_or(u32::MAX).max(1),
        })
    }

    /// The time that so many requests take, in thousandths of one.
    fn time_of(self, thousandths: u64) -> Duration {
        let micros = self.interval.as_micros() * u128::from(thousandths) / 1000;
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }

    /// When the pace allows the next request if no burst were left, after a change from another
    /// pace. The requests that may begin at once stay as many, up to the new burst: a part that goes
    /// from one process to another brings no burst with it.
    pub(super) fn paced_to(self, before: Option<Pace>, paced_to: Moment, now: Moment) -> Moment {
        let left = before.map_or(0, |before| {
            let debt = paced_to.since(now).as_micros() * 1000;
            let debt = debt.div_ceil(before.interval.as_micros().max(1));
            let debt = u64::try_from(debt).unwrap_or(u64::MAX);
            (u64::from(before.burst) * 1000).saturating_sub(debt)
        });
        let full = u64::from(self.burst) * 1000;
        now.plus(self.time_of(full - left.min(full)))
    }
}

/// The calls of the last minute and their tokens.
#[derive(Debug, Default)]
pub(super) struct TokenPace {
    calls: VecDeque<(Moment, PermitId, u64)>,
    sum: u64,
}

impl TokenPace {
    /// When a call with this many tokens may begin under a limit. A call that exceeds the limit may
    /// begin when no other call counts.
    pub(super) fn opens_at(&self, tokens: u64, limit: u64) -> Moment {
        let mut sum = self.sum;
        let mut at = Moment(0);
        for (began, _, used) in &self.calls {
            if sum.saturating_add(tokens) <= limit {
                break;
            }
            sum = sum.saturating_sub(*used);
            at = began.plus(PACE_WINDOW);
        }
        at
    }

    pub(super) fn add_call(&mut self, pass: PermitId, tokens: u64, now: Moment) {
        self.drop_old_calls(now);
        self.calls.push_back((now, pass, tokens));
        self.sum = self.sum.saturating_add(tokens);
    }

    /// Replaces the estimate of a call by its reported tokens.
    pub(super) fn correct_call(&mut self, pass: PermitId, tokens: u64) {
        let call = self.calls.iter_mut().rev().find(|(_, of, _)| *of == pass);
        if let Some((_, _, counted)) = call {
            self.sum = self.sum.saturating_sub(*counted).saturating_add(tokens);
            *counted = tokens;
        }
    }

    pub(super) fn counted(&self) -> (u64, u64) {
        (self.calls.len() as u64, self.sum)
    }

    /// Removes calls that are older than a minute.
    pub(super) fn drop_old_calls(&mut self, now: Moment) {
        while let Some((began, _, tokens)) = self.calls.front()
            && began.plus(PACE_WINDOW) <= now
        {
            self.sum = self.sum.saturating_sub(*tokens);
            self.calls.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn within_any_minute_no_more_than_the_limit_begins() {
        let mut pace = TokenPace::default();
        let at = |seconds: i64| Moment(1_000_000 + seconds * 1000);
        pace.add_call(PermitId(1), 400, at(0));
        pace.add_call(PermitId(2), 400, at(10));
        assert_eq!(pace.opens_at(200, 1000), Moment(0));
        assert_eq!(pace.opens_at(201, 1000), at(60));
        assert_eq!(pace.opens_at(700, 1000), at(70));
        assert_eq!(pace.opens_at(5000, 1000), at(70), "alone it may");
        pace.correct_call(PermitId(1), 100);
        assert_eq!(pace.opens_at(500, 1000), Moment(0));
        pace.drop_old_calls(at(60));
        assert_eq!(pace.opens_at(600, 1000), Moment(0));
        pace.drop_old_calls(at(70));
        assert_eq!(pace.sum, 0);
    }

    fn pace(part: u64) -> Pace {
        Pace::of_part(part, 60, 6).unwrap()
    }

    #[test]
    fn a_part_of_a_pace_is_slower_and_has_a_part_of_the_burst() {
        let of = |pace: Pace| (pace.interval.as_millis(), pace.burst);
        assert_eq!(of(pace(60_000)), (1000, 6));
        assert_eq!(of(pace(20_000)), (3000, 2));
        assert_eq!(of(pace(500)), (120_000, 1));
        assert_eq!(of(pace(90_000)), (1000, 6), "more than the limit");
        assert_eq!(Pace::of_part(0, 60, 6), None);
        let fast = Pace::of_part(9_000_000, 9_000, 8).unwrap();
        assert_eq!(of(fast), (7, 8), "whole milliseconds, and not faster");
    }

    #[test]
    fn a_part_that_comes_from_another_process_brings_no_burst() {
        let now = Moment(100_000);
        let next = |pace: Pace, paced_to: Moment| {
            let lead = pace.interval * (pace.burst - 1);
            paced_to.minus(lead).0 - now.0
        };
        // Nothing was held before: the next one begins one interval later.
        let begins = pace(20_000).paced_to(None, Moment(0), now);
        assert_eq!(next(pace(20_000), begins), 3000);
        // Two were left of two: two are left of six.
        let grown = pace(60_000).paced_to(Some(pace(20_000)), now, now);
        assert_eq!(next(pace(60_000), grown), -1000, "two at once, and no more");
        // Six were left of six: two are left of two.
        let shrunk = pace(20_000).paced_to(Some(pace(60_000)), now, now);
        assert_eq!(next(pace(20_000), shrunk), -3000);
        // None was left: none is, at the new pace.
        let spent =
            pace(20_000).paced_to(Some(pace(60_000)), now.plus(Duration::from_secs(6)), now);
        assert_eq!(next(pace(20_000), spent), 3000);
    }
}
