//! Time of its own: a runtime whose clock moves only when it is told to.
//!
//! The world has one and each process has one. They run one after the other, a slice at a time, so a
//! process can stand still while the others go on, run at another rate, or end with all that it has
//! under way, as under an operating system.

use std::time::Duration;

use anyhow::Context;
use tokio::runtime::{Handle, Runtime};
use tokio::time::Instant;

/// How far the first clock is ahead of the machine's time, so that no later one begins after it.
const HEAD_START: Duration = Duration::from_secs(86_400);

/// How far a clock may begin before the instant that it is to begin at.
const MAX_GAP: Duration = Duration::from_micros(20);

/// A runtime with a clock of its own.
pub(super) struct OwnTime {
    runtime: Runtime,
    begun: Instant,
}

impl OwnTime {
    /// A runtime whose clock begins at this instant of another one, within [`MAX_GAP`].
    ///
    /// A clock begins with the machine's time and moves by whole milliseconds, so without that the instants
    /// of two of them would be as far apart as the machine was slow, and a seed would not repeat itself.
    /// The machine's time cannot be chosen, so runtimes are built until one has the right fraction.
    pub(super) fn beginning_at(earliest: Option<Instant>) -> anyhow::Result<OwnTime> {
        loop {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .context("build a runtime with a simulated clock")?;
            let gap = runtime.block_on(async {
                let since = |earliest: Instant| earliest.saturating_duration_since(Instant::now());
                earliest.map_or(HEAD_START, since)
            });
            let whole = Duration::from_millis(u64::try_from(gap.as_millis()).unwrap_or(u64::MAX));
            if gap - whole < MAX_GAP {
                let begun = runtime.block_on(async {
                    tokio::time::advance(whole).await;
                    Instant::now()
                });
                return Ok(OwnTime { runtime, begun });
            }
        }
    }

    /// For code that starts something there.
    pub(super) fn handle(&self) -> &Handle {
        self.runtime.handle()
    }

    /// Runs something there at once. It must not wait for time.
    pub(super) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        let _there = self.runtime.enter();
        work()
    }

    /// Lets time pass there until so long after its beginning, with all that is due on the way.
    pub(super) fn run_until(&self, reached: Duration) {
        let until = self.begun + reached;
        self.runtime
            .block_on(async { tokio::time::sleep_until(until).await });
    }

    /// Sets the clock forward without running anything on the way, as it is found after a pause.
    pub(super) fn jump_to(&self, reached: Duration) {
        let until = self.begun + reached;
        self.runtime.block_on(async {
            let gap = until.saturating_duration_since(Instant::now());
            tokio::time::advance(gap).await;
        });
    }
}
