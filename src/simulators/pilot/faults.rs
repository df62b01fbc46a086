//! Injected faults: their kinds, and the draw that decides which of them a request meets.

mod grammar;
mod instead;
mod reading;
mod reshape;
mod spoil;

pub use grammar::fault_grammar;
pub use instead::ReplacementFault;
pub use reshape::ShapeFault;
pub use spoil::AnswerFault;

pub(super) use instead::{ErrorReply, error_body, invalid_request, wrong_key};
pub(super) use reading::cut_prompt;

use std::fmt;
use std::time::Duration;

use strum::{EnumString, IntoStaticStr};

use super::chance::Mix;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PilotFault {
    pub kind: PilotFaultKind,
    /// From 0 to 1.
    pub probability: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PilotFaultKind {
    /// An HTTP error replaces the answer.
    Instead(ReplacementFault),
    /// It cuts a long request to the system messages and the newest others, and tells nobody.
    CutPrompt {
        /// The longest request that is read as a whole.
        tokens: u64,
    },
    /// The answer itself is bad, as from a bad model.
    Spoil(AnswerFault),
    /// The answer has an unusual shape, as from a peculiar server.
    Reshape(ShapeFault),
    Delivery(DeliveryFault),
}

/// The answer is late, slow, cut off, or no completion at all.
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

impl PilotFaultKind {
    /// The name in the grammar.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Instead(fault) => fault.into(),
            Self::CutPrompt { .. } => "cut-prompt",
            Self::Spoil(fault) => fault.into(),
            Self::Reshape(fault) => fault.into(),
            Self::Delivery(fault) => fault.into(),
        }
    }
}

impl fmt::Display for PilotFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.kind.name(), self.probability)
    }
}

/// The faults that this request meets, in the order in which they were given.
///
/// `request` identifies the request; `age` is the time since the server started.
pub(super) fn draw_faults(
    faults: &[PilotFault],
    request: Mix,
    age: Duration,
) -> Vec<PilotFaultKind> {
    let mut drawn = Vec::new();
    for (place, fault) in (0..).zip(faults) {
        let hits = request.with_number(place).rng().f64() < fault.probability;
        let is_due = match fault.kind {
            PilotFaultKind::Instead(ReplacementFault::Outage { after, length }) => {
                age >= after && age - after < length
            }
            PilotFaultKind::Instead(_)
            | PilotFaultKind::CutPrompt { .. }
            | PilotFaultKind::Spoil(_)
            | PilotFaultKind::Reshape(_)
            | PilotFaultKind::Delivery(_) => true,
        };
        if hits && is_due {
            drawn.push(fault.kind);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_draw_follows_from_the_seed_and_comes_near_the_probability() {
        let faults = ["http-500@0.3".parse().unwrap(), "no-usage".parse().unwrap()];
        let draw_counts = |seed: u64| -> Vec<usize> {
            (0..1000)
                .map(|n| draw_faults(&faults, Mix::new(seed).with_number(n), Duration::ZERO).len())
                .collect()
        };
        assert_eq!(draw_counts(1), draw_counts(1));
        assert_ne!(draw_counts(1), draw_counts(2));
        let both = draw_counts(3)
            .into_iter()
            .filter(|count| *count == 2)
            .count();
        assert!((250..350).contains(&both), "{both}");
    }

    #[test]
    fn an_outage_has_a_beginning_and_an_end() {
        let faults = ["outage:10s,5s".parse().unwrap()];
        let at = |seconds| draw_faults(&faults, Mix::new(1), Duration::from_secs(seconds)).len();
        assert_eq!([0, 9, 10, 14, 15, 99].map(at), [0, 0, 1, 1, 0, 0]);
    }
}
