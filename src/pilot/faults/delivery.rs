//! Faults of the wire: the answer is late, slow, cut off, or was never one.

use std::time::Duration;

/// How the answer is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryFault {
    /// Nothing comes for a time, or ever.
    Hang {
        /// How long; none means until one side closes.
        pause: Option<Duration>,
    },
    /// The body trickles.
    Slow {
        /// From the first byte to the last.
        over: Duration,
    },
    /// The connection is cut in the middle of the body.
    Drop,
    /// A page of HTML.
    Garbage,
}

impl DeliveryFault {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Hang { .. } => "hang",
            Self::Slow { .. } => "slow",
            Self::Drop => "drop",
            Self::Garbage => "garbage",
        }
    }
}
