//! The wallet: a Mysis' credits, and which of their changes it earned.
//!
//! It earns what its balance changes by, unless it moved the credits: to or from a storage, its
//! faction, or another player. So what one of the swarm gives to another is nobody's gain. A sale is
//! counted when its result tells it; the next balance that is told corrects the sum.

use std::time::Duration;

use zoea_game::standing::{Deal, OFFER_MINUTES, Standing, Transfer};

use crate::ids::Timestamp;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Wallet {
    credits: Option<i64>,
    /// While it is set, the next balance may differ by credits that were moved. It is cleared by a
    /// balance that is told at this time or later.
    unclear_until: Option<Timestamp>,
}

impl Wallet {
    pub(super) fn with(credits: Option<i64>) -> Wallet {
        Wallet {
            credits,
            unclear_until: None,
        }
    }

    /// The credits. A sum below zero means that something was not told.
    pub(super) fn credits(&self) -> Option<i64> {
        self.credits.filter(|credits| *credits >= 0)
    }

    /// Takes a good result, and the transfer that its call made. Returns what was earned; `None` if
    /// it tells nothing of that.
    pub(super) fn take(
        &mut self,
        shown: &Standing,
        transfer: Option<Transfer>,
        at: Timestamp,
    ) -> Option<i64> {
        let moved = match transfer {
            Some(Transfer::Amount(amount)) => amount,
            Some(transfer) => {
                self.blur(transfer, at);
                0
            }
            None => 0,
        };
        let deal = shown.deal.map(Deal::net);
        let expected = self.credits.map(|credits| {
            credits
                .saturating_add(moved)
                .saturating_add(deal.unwrap_or(0))
        });
        let Some(balance) = shown.credits else {
            self.credits = expected;
            return deal;
        };
        self.credits = Some(balance);
        let unexplained = expected.map(|expected| balance.saturating_sub(expected));
        if let Some(until) = self.unclear_until {
            self.unclear_until = Some(until).filter(|until| at < *until);
            return deal.or(unexplained.map(|_| 0));
        }
        match unexplained {
            Some(unexplained) => Some(unexplained.saturating_add(deal.unwrap_or(0))),
            None => deal,
        }
    }

    /// Whether the next balance may differ by credits that were moved.
    pub(super) fn is_unclear(&self) -> bool {
        self.unclear_until.is_some()
    }

    /// Takes a result that is counted already: what it says of transfers, not of credits.
    pub(super) fn recall(&mut self, shown: &Standing, transfer: Option<Transfer>, at: Timestamp) {
        let credits = self.credits;
        self.take(shown, transfer, at);
        self.credits = credits;
    }

    /// A transfer whose amount is not known, or that may or may not have been executed.
    pub(super) fn blur(&mut self, transfer: Transfer, at: Timestamp) {
        let until = match transfer {
            Transfer::Amount(_) | Transfer::Unknown => at,
            Transfer::Offer => at.plus(Duration::from_secs(60 * OFFER_MINUTES)),
        };
        self.unclear_until = self.unclear_until.max(Some(until));
    }
}
