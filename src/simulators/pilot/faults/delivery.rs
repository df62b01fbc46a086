//! Faults of delivery: the answer is late, slow, cut off, or no completion at all.

use std::time::Duration;

use strum::{EnumString, IntoStaticStr};

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum DeliveryFault {
    /// Nothing is sent for a time, or ever.
    Hang {
        /// The time; none means until one side closes the connection.
        pause: Option<Duration>,
    },
    /// The body is sent slowly.
    Slow {
        /// The time from the first byte to the last.
        over: Duration,
    },
    /// The connection is cut in the middle of the body.
    Drop,
    /// A page of HTML in place of the completion.
    Garbage,
}
