//! The token pace: the tokens that a provider was sent within a minute (`tokens_per_minute`).
//!
//! The tokens of a call are only known when it ends. Until then its estimate counts.

use std::collections::VecDeque;
use std::time::Duration;

use crate::ids::{Moment, PermitId};

const PACE_WINDOW: Duration = Duration::from_secs(60);

/// The calls of the last minute and their tokens.
#[derive(Debug, Default)]
pub(super) struct TokenPace {
    calls: VecDeque<(Moment, PermitId, u64)>,
    sum: u64,
}

impl TokenPace {
    /// When a call with this many tokens may begin under a limit. A call that exceeds the limit may
    /// begin when no other call counts.
    #[must_use]
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

    /// Adds a call with its estimated tokens.
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

    /// The number of calls and their tokens.
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
}
