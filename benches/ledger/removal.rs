//! The time that a commit may wait for a step of removal, and the speed of removal.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use actors::domain::ids::{Moment, Timestamp};
use actors::ports::{Clock, Ledger as _};
use zoea_ledger::{RetentionLimits, SqlLedger};

/// A clock that the bench sets.
struct Hand(AtomicI64);

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }

    fn moment(&self) -> Moment {
        Moment(self.0.load(Ordering::Relaxed))
    }
}

/// Prints both figures, for a round in time and for a late one.
pub(crate) async fn measure(ledger: &SqlLedger) {
    let keep = RetentionLimits {
        age: None,
        rows: Some(1000),
    };
    let hand = Arc::new(Hand(AtomicI64::new(1)));
    ledger.set_retention(keep, hand.clone());
    for name in ["in time", "late"] {
        let before = ledger.reach(None).await.expect("a figure").removed;
        let mut taken = Vec::new();
        while taken.len() < 200
            && let Some(step) = ledger.maintenance()
        {
            let started = Instant::now();
            step.await;
            taken.push(started.elapsed());
        }
        let removed = ledger.reach(None).await.expect("a figure").removed - before;
        let all: Duration = taken.iter().sum();
        taken.sort();
        println!(
            "a step of removal, {name}: {:.2?} (p50), {:.2?} (p99); {:.0} rows a second of it",
            taken[taken.len() / 2],
            taken[taken.len() * 99 / 100],
            removed as f64 / all.as_secs_f64(),
        );
        // The next round is overdue from here on.
        hand.0.store(3_600_000, Ordering::Relaxed);
    }
}
