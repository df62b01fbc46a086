//! The clocks of a simulation.

use std::sync::Arc;

use actors::domain::ids::{Moment, Timestamp};
use actors::ports::Clock;
use tokio::time::Instant;

use super::START_TIME;
use super::chaos::Chaos;

/// Clocks that follow simulated time. The wall clock jumps.
pub struct SimClock {
    pub(super) begun: Instant,
    pub(super) chaos: Arc<Chaos>,
}

impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        let shown = START_TIME.plus(self.begun.elapsed()).0 + self.chaos.clock_offset_ms();
        Timestamp(shown)
    }

    fn moment(&self) -> Moment {
        Moment::default().plus(self.begun.elapsed())
    }
}
