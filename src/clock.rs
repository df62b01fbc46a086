//! The wall clock of this machine.

use std::time::{SystemTime, UNIX_EPOCH};

use actors::domain::ids::Timestamp;
use actors::ports::Clock;

/// The one place that reads the wall clock for the swarm.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
