//! Faults on demand: their kinds, and the draw that decides which of them strike a request.

mod delivery;
mod grammar;
mod instead;
mod reshape;
mod spoil;

pub use delivery::DeliveryFault;
pub use grammar::fault_grammar;
pub use instead::ReplacementFault;
pub use reshape::ShapeFault;
pub use spoil::AnswerFault;

pub(super) use instead::{ErrorReply, error_body};

use std::fmt;
use std::time::Duration;

use super::chance::Mix;

/// A fault and how often it strikes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PilotFault {
    /// What goes wrong.
    pub kind: PilotFaultKind,
    /// From 0 to 1.
    pub probability: f64,
}

/// What goes wrong, by the stage at which it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PilotFaultKind {
    /// Something else is answered instead.
    Instead(ReplacementFault),
    /// The answer itself is spoilt, as by a bad model.
    Spoil(AnswerFault),
    /// The answer takes an odd shape, as from a peculiar server.
    Reshape(ShapeFault),
    /// The answer does not arrive as it should.
    Delivery(DeliveryFault),
}

impl PilotFaultKind {
    /// The word for it in the grammar.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Instead(fault) => fault.name(),
            Self::Spoil(fault) => fault.name(),
            Self::Reshape(fault) => fault.name(),
            Self::Delivery(fault) => fault.name(),
        }
    }
}

impl fmt::Display for PilotFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.kind.name(), self.probability)
    }
}

/// The faults that strike the request, in the order in which they were asked for.
///
/// `request` mixes what identifies the request; `age` is the time since the server started.
pub(super) fn draw_faults(
    faults: &[PilotFault],
    request: Mix,
    age: Duration,
) -> Vec<PilotFaultKind> {
    let mut struck = Vec::new();
    for (place, fault) in (0..).zip(faults) {
        let hits = request.with_number(place).rng().f64() < fault.probability;
        let is_due = match fault.kind {
            PilotFaultKind::Instead(ReplacementFault::Outage { after, length }) => {
                age >= after && age - after < length
            }
            PilotFaultKind::Instead(_)
            | PilotFaultKind::Spoil(_)
            | PilotFaultKind::Reshape(_)
            | PilotFaultKind::Delivery(_) => true,
        };
        if hits && is_due {
            struck.push(fault.kind);
        }
    }
    struck
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_draw_follows_from_the_seed_and_comes_near_the_probability() {
        let faults = ["http-500@0.3".parse().unwrap(), "no-usage".parse().unwrap()];
        let strikes = |seed: u64| -> Vec<usize> {
            (0..1000)
                .map(|n| draw_faults(&faults, Mix::new(seed).with_number(n), Duration::ZERO).len())
                .collect()
        };
        assert_eq!(strikes(1), strikes(1));
        assert_ne!(strikes(1), strikes(2));
        let both = strikes(3).into_iter().filter(|count| *count == 2).count();
        assert!((250..350).contains(&both), "{both}");
    }

    #[test]
    fn an_outage_has_a_beginning_and_an_end() {
        let faults = ["outage:10s,5s".parse().unwrap()];
        let at = |seconds| draw_faults(&faults, Mix::new(1), Duration::from_secs(seconds)).len();
        assert_eq!([0, 9, 10, 14, 15, 99].map(at), [0, 0, 1, 1, 0, 0]);
    }
}
