//! The clocks of this machine.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use actors::domain::ids::{Moment, Timestamp};
use actors::ports::Clock;

/// The machine's clocks. For the swarm they are read only here.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineClock;

/// The moment at which this value was first read, soon after the start of the process.
static PROCESS_START: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Clock for MachineClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn moment(&self) -> Moment {
        Moment::default().plus(PROCESS_START.elapsed())
    }
}
