//! The token rate: how many tokens the swarm uses in a minute, from the Myses' own counts.

use std::collections::VecDeque;
use std::iter::repeat_n;

use actors::domain::ids::Moment;

/// The time that one bar covers, in milliseconds.
const BAR_MS: i64 = 5_000;
const BARS_PER_MINUTE: usize = 12;
/// The least time that has to be seen before it is said what a minute uses, in milliseconds.
const LEAST_SEEN_MS: i64 = 10_000;
const MINUTE_MS: i64 = 60_000;
const MAX_BARS: usize = 60;

/// Tokens used, in bars of five seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenRate {
    /// The bars, newest last.
    bars: VecDeque<u64>,
    /// The number of the newest bar since the process began.
    newest: i64,
    /// The tokens that are in bars already.
    counted: u64,
    seen: Option<(Moment, Moment)>,
}

impl TokenRate {
    /// Takes the total of used tokens. What was used before the first total belongs to no bar: a terminal that is
    /// attached later did not see when.
    pub fn take_total(&mut self, used: u64, now: Moment) {
        let bar = now.0.div_euclid(BAR_MS);
        if self.bars.is_empty() {
            self.newest = bar;
            self.bars.push_back(0);
            self.counted = used;
        }
        let first = self.seen.map_or(now, |(first, _)| first);
        self.seen = Some((first, now));
        let missing = usize::try_from(bar.saturating_sub(self.newest)).unwrap_or(0);
        self.bars.extend(repeat_n(0, missing.min(MAX_BARS)));
        self.bars.drain(..self.bars.len().saturating_sub(MAX_BARS));
        self.newest = self.newest.max(bar);
        if let Some(last) = self.bars.back_mut() {
            *last += used.saturating_sub(self.counted);
        }
        self.counted = used;
    }

    pub fn bars(&self) -> &VecDeque<u64> {
        &self.bars
    }

    /// The tokens that a minute uses, judged by the last one, or by as much of it as was seen; `None` while that is too
    /// little to judge by.
    pub fn per_minute(&self) -> Option<u64> {
        let (first, last) = self.seen?;
        let oldest_bar = i64::try_from(self.bars.len().min(BARS_PER_MINUTE)).unwrap_or(0) - 1;
        let oldest = (self.newest - oldest_bar).saturating_mul(BAR_MS);
        let seen = last.0.saturating_sub(oldest.max(first.0));
        if seen < LEAST_SEEN_MS {
            return None;
        }
        let used: u64 = self.bars.iter().rev().take(BARS_PER_MINUTE).sum();
        let rate = i128::from(used) * i128::from(MINUTE_MS) / i128::from(seen);
        u64::try_from(rate).ok()
    }

    pub fn is_flat(&self) -> bool {
        self.bars.iter().all(|bar| *bar == 0)
    }
}

/// A sparkline: values as bars of eight heights.
pub fn sparkline(figures: &[u64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let highest = figures.iter().copied().max().unwrap_or(0).max(1);
    let bar = |figure: &u64| {
        // A value above zero gets a bar, however small.
        let height = (u128::from(*figure) * 7).div_ceil(u128::from(highest));
        BARS[usize::try_from(height).unwrap_or(7).min(7)]
    };
    figures.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_fall_into_the_bar_of_their_time() {
        let mut flow = TokenRate::default();
        flow.take_total(100, Moment(1_000_000));
        flow.take_total(150, Moment(1_001_000));
        flow.take_total(250, Moment(1_011_000));
        assert_eq!(flow.bars(), &[50, 0, 100]);
        flow.take_total(250, Moment(1_060_000));
        assert_eq!(flow.per_minute(), Some(109));
        flow.take_total(250, Moment(9_000_000_000));
        assert!(flow.is_flat());
    }

    #[test]
    fn what_was_used_before_the_screen_was_there_is_no_rate() {
        let mut attached = TokenRate::default();
        attached.take_total(21_000_000, Moment(1_000_000));
        attached.take_total(21_000_500, Moment(1_010_000));
        assert_eq!(attached.per_minute(), Some(3_000));
    }

    #[test]
    fn the_first_minute_is_judged_by_what_was_seen_of_it() {
        let mut flow = TokenRate::default();
        assert_eq!(flow.per_minute(), None);
        flow.take_total(0, Moment(1_002_000));
        flow.take_total(700, Moment(1_011_000));
        assert_eq!(flow.per_minute(), None);
        flow.take_total(1_000, Moment(1_022_000));
        assert_eq!(flow.per_minute(), Some(3_000));
        flow.take_total(1_000, Moment(1_122_000));
        assert_eq!(flow.per_minute(), Some(0));
    }

    #[test]
    fn a_small_figure_is_still_seen() {
        assert_eq!(sparkline(&[0, 1, 1000, 500]), "▁▂█▅");
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[u64::MAX, 0]), "█▁");
    }
}
