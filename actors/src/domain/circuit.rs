//! The circuit breaker of a provider: who fails again and again is left alone for a while, then
//! tried with one call.

use std::sync::Arc;
use std::time::Duration;

use super::gate::PassId;
use super::ids::Moment;

/// The longest that a provider is left alone between two trials.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// When a circuit opens, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircuitRules {
    /// So many failures in a row open it; at least 1.
    pub failures: u32,
    /// How long it stays open at first; each trial that fails doubles it, up to five minutes.
    pub wait: Duration,
}

impl Default for CircuitRules {
    fn default() -> CircuitRules {
        CircuitRules {
            failures: 5,
            wait: Duration::from_secs(30),
        }
    }
}

/// How a model call went, as far as it tells about the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Nobody knows: it was given up.
    #[default]
    Dropped,
    /// The provider works: it answered, or refused for a reason, or asked to be left alone for a
    /// time that it named. So many tokens were used.
    Works {
        /// Tokens in and out, where it said so.
        tokens: Option<u64>,
    },
    /// The provider failed.
    Fails {
        /// What happened.
        text: Arc<str>,
        /// Whether it could not even be reached.
        is_unreachable: bool,
    },
}

/// What became of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It opened: nobody is let through before a moment.
    Opened {
        /// Until when.
        until: Moment,
        /// What happened last.
        text: Arc<str>,
    },
    /// It closed: the provider works again.
    Closed,
}

/// The circuit of one provider.
#[derive(Clone, Debug)]
pub enum Circuit {
    /// Calls pass; so many failed in a row.
    Closed {
        /// Failures in a row.
        failures: u32,
    },
    /// Nobody passes before `until`; then one, the trial.
    Open {
        /// Until when.
        until: Moment,
        /// How long that was.
        wait: Duration,
        /// Who tries it.
        trial: Option<PassId>,
    },
}

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit::Closed { failures: 0 }
    }
}

impl Circuit {
    /// When the next call may pass; `None` while a trial is under way.
    #[must_use]
    pub fn opens_at(&self) -> Option<Moment> {
        match self {
            Circuit::Closed { .. } => Some(Moment(0)),
            Circuit::Open { trial: Some(_), .. } => None,
            Circuit::Open { until, .. } => Some(*until),
        }
    }

    /// Whether calls pass without being a trial.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self, Circuit::Closed { .. })
    }

    /// Somebody passes; through an open circuit that is the trial.
    pub fn enter(&mut self, pass: PassId) {
        if let Circuit::Open { trial, .. } = self {
            *trial = Some(pass);
        }
    }

    /// How it went for one who passed. Where another provider stands ready, one that cannot be
    /// reached is not tried again first.
    pub fn learn(
        &mut self,
        pass: PassId,
        outcome: &Outcome,
        rules: CircuitRules,
        has_fallback: bool,
        now: Moment,
    ) -> Option<Turn> {
        match outcome {
            Outcome::Dropped => {
                self.give_up(pass);
                None
            }
            Outcome::Works { .. } => {
                let was_open = !self.is_closed();
                *self = Circuit::default();
                was_open.then_some(Turn::Closed)
            }
            Outcome::Fails {
                text,
                is_unreachable,
            } => {
                let wait = self.failed(pass, rules, *is_unreachable && has_fallback)?;
                let until = now.plus(wait);
                *self = Circuit::Open {
                    until,
                    wait,
                    trial: None,
                };
                let text = text.clone();
                Some(Turn::Opened { until, text })
            }
        }
    }

    /// How long it opens for after a failure, if it does.
    fn failed(&mut self, pass: PassId, rules: CircuitRules, at_once: bool) -> Option<Duration> {
        match self {
            Circuit::Closed { failures } => {
                *failures += 1;
                (at_once || *failures >= rules.failures).then_some(rules.wait.min(LONGEST_WAIT))
            }
            Circuit::Open { trial, wait, .. } if *trial == Some(pass) => {
                Some((*wait * 2).min(LONGEST_WAIT))
            }
            // It was on its way when the circuit opened.
            Circuit::Open { .. } => None,
        }
    }

    /// A trial that was given up tells nothing: the next one tries.
    fn give_up(&mut self, pass: PassId) {
        if let Circuit::Open { trial, .. } = self
            && *trial == Some(pass)
        {
            *trial = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: CircuitRules = CircuitRules {
        failures: 3,
        wait: Duration::from_secs(30),
    };

    fn fails() -> Outcome {
        Outcome::Fails {
            text: "HTTP 503".into(),
            is_unreachable: false,
        }
    }

    fn learn(circuit: &mut Circuit, pass: u64, outcome: &Outcome, now: i64) -> Option<Turn> {
        circuit.learn(PassId(pass), outcome, RULES, false, Moment(now))
    }

    #[test]
    fn it_opens_after_so_many_failures_in_a_row_and_doubles_with_each_failed_trial() {
        let mut circuit = Circuit::default();
        let works = Outcome::Works { tokens: None };
        for outcome in [fails(), fails(), works.clone(), fails(), fails()] {
            assert_eq!(learn(&mut circuit, 1, &outcome, 0), None);
        }
        let opened = |until| {
            let text = "HTTP 503".into();
            let until = Moment(until);
            Some(Turn::Opened { until, text })
        };
        assert_eq!(learn(&mut circuit, 1, &fails(), 0), opened(30_000));
        assert_eq!(
            learn(&mut circuit, 2, &fails(), 5),
            None,
            "it was under way"
        );
        assert_eq!(circuit.opens_at(), Some(Moment(30_000)));
        circuit.enter(PassId(3));
        assert_eq!(circuit.opens_at(), None, "one trial at a time");
        assert_eq!(learn(&mut circuit, 3, &fails(), 31_000), opened(91_000));
        circuit.enter(PassId(4));
        assert_eq!(learn(&mut circuit, 4, &Outcome::Dropped, 92_000), None);
        assert_eq!(
            circuit.opens_at(),
            Some(Moment(91_000)),
            "the next one tries"
        );
        circuit.enter(PassId(5));
        assert_eq!(learn(&mut circuit, 5, &works, 93_000), Some(Turn::Closed));
        assert!(circuit.is_closed());
    }

    #[test]
    fn where_another_stands_ready_one_that_cannot_be_reached_is_left_at_once() {
        let gone = Outcome::Fails {
            text: "refused".into(),
            is_unreachable: true,
        };
        let learn = |has_fallback| {
            let mut circuit = Circuit::default();
            circuit.learn(PassId(1), &gone, RULES, has_fallback, Moment(0));
            circuit.is_closed()
        };
        assert_eq!((learn(false), learn(true)), (true, false));
    }
}
