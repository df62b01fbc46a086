//! A shared quantity that is drawn down and grows back. It is computed only when it is read.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug)]
pub(super) struct Recovery {
    /// The amount per tick, whatever is missing.
    pub(super) steady: u64,
    /// One part in this many of the missing amount, per tick. It is at least 2.
    pub(super) share: u64,
}

/// The amount drawn from a quantity. The full amount is kept elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DrawnAmount {
    amount: u64,
    since: u64,
}

impl DrawnAmount {
    /// The amount that is still missing at this tick.
    pub(super) fn missing_at(self, recovery: Recovery, now: u64) -> u64 {
        let ticks = now.saturating_sub(self.since);
        decay_amount(self.amount, recovery.share, ticks)
            .saturating_sub(recovery.steady.saturating_mul(ticks))
    }

    /// Draws `amount` more at this tick.
    pub(super) fn draw(&mut self, amount: u64, recovery: Recovery, now: u64) {
        *self = Self {
            amount: self.missing_at(recovery, now).saturating_add(amount),
            since: now,
        };
    }
}

/// `amount * (1 - 1/share)^ticks` in 32-bit fixed point: whole numbers are the same everywhere.
fn decay_amount(amount: u64, share: u64, ticks: u64) -> u64 {
    const ONE: u128 = 1 << 32;
    let mut factor = ONE - ONE / u128::from(share.max(2));
    let mut kept = ONE;
    let mut ticks = ticks;
    while ticks > 0 && kept > 0 {
        if ticks & 1 == 1 {
            kept = (kept * factor) >> 32;
        }
        factor = (factor * factor) >> 32;
        ticks >>= 1;
    }
    u64::try_from((u128::from(amount) * kept) >> 32).unwrap_or(amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: Recovery = Recovery {
        steady: 2,
        share: 100,
    };

    #[test]
    fn what_was_drawn_comes_back() {
        let mut drawn = DrawnAmount::default();
        drawn.draw(1000, SLOW, 10);
        assert_eq!(drawn.missing_at(SLOW, 10), 1000);
        assert_eq!(drawn.missing_at(SLOW, 11), 988);
        assert!(drawn.missing_at(SLOW, 60) < drawn.missing_at(SLOW, 50));
        assert_eq!(drawn.missing_at(SLOW, 5000), 0);
        assert_eq!(drawn.missing_at(SLOW, u64::MAX), 0);
    }

    #[test]
    fn drawing_again_starts_from_what_is_missing() {
        let mut drawn = DrawnAmount::default();
        drawn.draw(1000, SLOW, 10);
        drawn.draw(12, SLOW, 11);
        assert_eq!(drawn.missing_at(SLOW, 11), 1000);
    }
}
