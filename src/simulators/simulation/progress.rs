//! How far a simulation is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How far a simulation is, for another thread to read while it runs.
#[derive(Debug, Default)]
pub struct SimulationProgress {
    seconds: AtomicU64,
    requests: AtomicU64,
}

impl SimulationProgress {
    /// Nothing has been simulated.
    pub const fn new() -> SimulationProgress {
        SimulationProgress {
            seconds: AtomicU64::new(0),
            requests: AtomicU64::new(0),
        }
    }

    /// Notes how much time is simulated, and how many requests to models there were.
    pub(super) fn reach(&self, simulated: Duration, requests: u64) {
        self.seconds.store(simulated.as_secs(), Ordering::Relaxed);
        self.requests.store(requests, Ordering::Relaxed);
    }

    /// The simulated time, and the number of requests to models.
    #[must_use]
    pub fn reached(&self) -> (Duration, u64) {
        let seconds = self.seconds.load(Ordering::Relaxed);
        let requests = self.requests.load(Ordering::Relaxed);
        (Duration::from_secs(seconds), requests)
    }
}
