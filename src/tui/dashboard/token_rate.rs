//! The token rate: how many tokens the swarm uses in a minute, from the Myses' own counts.

use std::collections::VecDeque;

use actors::domain::ids::Moment;

/// The time that one bar covers, in milliseconds.
const BAR_MS: i64 = 5_000;
/// The number of bars in a minute.
const BARS_PER_MINUTE: usize = 12;
/// The most bars that are kept.
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
}

impl TokenRate {
    /// Takes the total of used tokens.
    pub fn settle(&mut self, used: u64, now: Moment) {
        let bar = now.0.div_euclid(BAR_MS);
        if self.bars.is_empty() {
            self.newest = bar;
            self.bars.push_back(0);
        }
        let missing = bar.saturating_sub(self.newest).clamp(0, 60);
        for _ in 0..missing {
            self.bars.push_back(0);
        }
        self.newest = self.newest.max(bar);
        while self.bars.len() > MAX_BARS {
            self.bars.pop_front();
        }
        if let Some(last) = self.bars.back_mut() {
            *last += used.saturating_sub(self.counted);
        }
        self.counted = used;
    }

    /// The bars, newest last.
    #[must_use]
    pub fn bars(&self) -> &VecDeque<u64> {
        &self.bars
    }

    /// The tokens of the last minute; `None` while there was no time to see any.
    #[must_use]
    pub fn per_minute(&self) -> Option<u64> {
        let used = self.bars.iter().rev().take(BARS_PER_MINUTE).sum();
        (used > 0 || self.bars.len() > 1).then_some(used)
    }

    /// Whether all bars are zero.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.bars.iter().all(|bar| *bar == 0)
    }
}

/// A sparkline: values as bars of eight heights.
#[must_use]
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
        flow.settle(100, Moment(1_000_000));
        flow.settle(150, Moment(1_001_000));
        flow.settle(250, Moment(1_011_000));
        assert_eq!(flow.bars(), &[150, 0, 100]);
        assert_eq!(flow.per_minute(), Some(250));
        flow.settle(250, Moment(1_065_000));
        assert_eq!(flow.per_minute(), Some(100));
        flow.settle(250, Moment(9_000_000_000));
        assert!(flow.is_flat());
    }

    #[test]
    fn nothing_is_known_before_the_first_bar_is_over() {
        let mut flow = TokenRate::default();
        assert_eq!(flow.per_minute(), None);
        flow.settle(0, Moment(1_000_000));
        assert_eq!(flow.per_minute(), None);
        flow.settle(0, Moment(1_005_000));
        assert_eq!(flow.per_minute(), Some(0));
        let mut busy = TokenRate::default();
        busy.settle(7, Moment(1_000_000));
        assert_eq!(busy.per_minute(), Some(7));
    }

    #[test]
    fn a_small_figure_is_still_seen() {
        assert_eq!(sparkline(&[0, 1, 1000, 500]), "▁▂█▅");
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[u64::MAX, 0]), "█▁");
    }
}
