//! Time of its own: a runtime whose clock moves only when it is told to.
//!
//! The world has one and each process has one. They run one after the other, a slice at a time, so a
//! process can stand still while the others go on, run at another rate, or end with all that it has
//! under way, as under an operating system.

use std::time::Duration;

use anyhow::Context;
use tokio::runtime::{Handle, Runtime};
use tokio::time::Instant;

pub(super) struct OwnTime {
    runtime: Runtime,
    begun: Instant,
}

impl OwnTime {
    pub(super) fn new() -> anyhow::Result<OwnTime> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .context("build a runtime with a simulated clock")?;
        let begun = runtime.block_on(async { Instant::now() });
        Ok(OwnTime { runtime, begun })
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
