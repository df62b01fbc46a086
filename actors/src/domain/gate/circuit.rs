//! The circuit breaker of a server. A server that fails repeatedly gets only single trial calls
//! until it works again (decision 116).

mod unserved;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::ids::{Moment, MysisId, PermitId};
use crate::model::ServiceReturn;

pub use super::owners::Blame;

/// When a circuit opens, and how often trial calls are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircuitRules {
    /// The number of failures in a row that opens it, at least 1.
    pub failures: u32,
    /// The time between two trial calls.
    pub wait: Duration,
}

impl Default for CircuitRules {
    fn default() -> CircuitRules {
        CircuitRules {
            failures: 5,
            wait: Duration::from_secs(4),
        }
    }
}

/// The outcome of a call, as far as it says something about the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CallOutcome {
    /// Unknown, because the call was given up.
    #[default]
    Dropped,
    /// The server works: it served the call.
    Works {
        /// The tokens that the call used, if they were reported.
        tokens: Option<u64>,
        /// Whether it contained nothing of a conversation, so that it says nothing of one.
        is_bare: bool,
    },
    /// The server works: it wants another form of the request.
    Answers,
    Refuses {
        text: Arc<str>,
        wait: Option<Duration>,
        /// Whether it would refuse any request, as it refuses the key.
        is_of_all: bool,
        /// Whether this was the last attempt of a round, as for one that fails.
        ends_round: bool,
    },
    Fails {
        text: Arc<str>,
        /// Whether the server could not even be reached.
        is_unreachable: bool,
        /// Whether this was the last attempt of a round. The caller has no other one left.
        ends_round: bool,
        /// Whether the server refuses whatever it is asked. It is tried less and less often.
        is_refusal: bool,
    },
    /// The server answers, and serves no request of ours for a while.
    OutOfService {
        text: Arc<str>,
        /// The time until the next attempt.
        wait: Duration,
        ends_by: ServiceReturn,
        /// Whether the server refuses the requests of all Myses.
        is_of_all: bool,
    },
}

impl CallOutcome {
    /// Whether the server serves nobody, as far as this call tells.
    pub fn is_failure(&self) -> bool {
        match self {
            CallOutcome::Fails { .. }
            | CallOutcome::OutOfService { .. }
            | CallOutcome::Refuses { wait: Some(_), .. } => true,
            CallOutcome::Dropped
            | CallOutcome::Works { .. }
            | CallOutcome::Answers
            | CallOutcome::Refuses { wait: None, .. } => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// It opened: the server is away.
    Opened,
    /// It opened for a time that the server's answer tells, or it was open and that became known.
    OutOfService(Duration),
    /// It closed: the server works again.
    Closed,
}

#[derive(Clone, Debug)]
pub enum Circuit {
    Closed {
        failures: u32,
        /// The conversations that got them.
        by: BTreeSet<MysisId>,
    },
    /// Only trial calls pass.
    Open(Outage),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The first failure since it last served a call.
    pub since: Moment,
    pub text: Arc<str>,
    pub next_try: Moment,
    /// Who ends it, if the server itself said that it serves no requests.
    pub ends_by: Option<ServiceReturn>,
    /// Whether it is only known that the server cannot be reached from here.
    pub is_local: bool,
    /// How often a trial was refused, whatever was asked.
    refusals: u32,
    /// The trial calls in progress. A long one does not delay the next one.
    trials: BTreeSet<PermitId>,
}

impl Outage {
    /// One without any trial yet.
    pub fn new(
        text: Arc<str>,
        since: Moment,
        next_try: Moment,
        ends_by: Option<ServiceReturn>,
    ) -> Outage {
        Outage {
            since,
            text,
            next_try,
            ends_by,
            is_local: false,
            refusals: 0,
            trials: BTreeSet::new(),
        }
    }
}

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit::Closed {
            failures: 0,
            by: BTreeSet::new(),
        }
    }
}

impl Circuit {
    /// When the next call may pass.
    pub fn opens_at(&self) -> Moment {
        match self {
            Circuit::Closed { .. } => Moment(0),
            Circuit::Open(absence) => absence.next_try,
        }
    }

    /// Whether calls pass that are not trial calls.
    pub fn is_closed(&self) -> bool {
        self.outage().is_none()
    }

    pub fn outage(&self) -> Option<&Outage> {
        match self {
            Circuit::Closed { .. } => None,
            Circuit::Open(absence) => Some(absence),
        }
    }

    pub fn outage_mut(&mut self) -> Option<&mut Outage> {
        match self {
            Circuit::Closed { .. } => None,
            Circuit::Open(absence) => Some(absence),
        }
    }

    /// Takes over what another process told of the server, or that it works again.
    pub fn take_over(&mut self, shared: Option<Outage>) -> Option<Transition> {
        let Some(mut shared) = shared else {
            return self.close();
        };
        let was_closed = self.is_closed();
        if let Circuit::Open(absence) = self {
            shared.trials = std::mem::take(&mut absence.trials);
        }
        *self = Circuit::Open(shared);
        was_closed.then_some(Transition::Opened)
    }

    /// Begins a call. Returns whether it is a trial call.
    pub fn begin_call(&mut self, pass: PermitId, rules: CircuitRules, now: Moment) -> bool {
        let Circuit::Open(absence) = self else {
            return false;
        };
        absence.trials.insert(pass);
        absence.next_try = now.plus(rules.wait);
        true
    }

    /// Records the outcome of a call. If there is a fallback, a server that cannot be reached
    /// counts as away at once. What one conversation alone gets opens nothing.
    pub fn record_outcome(
        &mut self,
        (pass, blame): (PermitId, Blame),
        outcome: &CallOutcome,
        rules: CircuitRules,
        has_fallback: bool,
        now: Moment,
    ) -> Option<Transition> {
        match outcome {
            CallOutcome::Dropped => {
                self.give_up(pass, now);
                None
            }
            CallOutcome::Works { .. }
            | CallOutcome::Answers
            | CallOutcome::Refuses { wait: None, .. } => self.close(),
            CallOutcome::Refuses {
                text,
                wait: Some(wait),
                ends_round,
                ..
            } => self.take_pause((pass, blame), (text, *wait, *ends_round), rules, now),
            CallOutcome::Fails { .. } | CallOutcome::OutOfService { .. }
                if blame == Blame::Own && self.is_closed() =>
            {
                None
            }
            CallOutcome::Fails {
                text,
                is_unreachable,
                ends_round,
                is_refusal,
            } => {
                let at_once = *ends_round || (*is_unreachable && has_fallback);
                let failure = (text, *is_unreachable, blame);
                let turn = self.record_failure(pass, failure, rules, at_once, now);
                self.wait_longer(*is_refusal, rules, now);
                turn
            }
            CallOutcome::OutOfService {
                text,
                wait,
                ends_by,
                ..
            } => self.take_out_of_service((pass, blame), text, (*wait, *ends_by), rules, now),
        }
    }

    /// Takes what a call tells that needed no admission: one that is served ends an outage, and who fails is
    /// counted when one that was admitted fails, too.
    pub fn note_call(&mut self, blame: Blame, outcome: &CallOutcome) -> Option<Transition> {
        match (outcome, &mut *self) {
            (CallOutcome::Works { .. } | CallOutcome::Answers, _) => return self.close(),
            (CallOutcome::Fails { .. }, Circuit::Closed { by, .. }) => {
                are_enough(by, blame, FAILING_TOGETHER);
            }
            (
                CallOutcome::Fails { .. }
                | CallOutcome::OutOfService { .. }
                | CallOutcome::Refuses { .. }
                | CallOutcome::Dropped,
                _,
            ) => {}
        }
        None
    }

    /// Closes the circuit, because the server works.
    pub fn close(&mut self) -> Option<Transition> {
        let was_open = !self.is_closed();
        *self = Circuit::default();
        was_open.then_some(Transition::Closed)
    }

    fn record_failure(
        &mut self,
        pass: PermitId,
        (text, is_local, blame): (&Arc<str>, bool, Blame),
        rules: CircuitRules,
        at_once: bool,
        now: Moment,
    ) -> Option<Transition> {
        let next_try = now.plus(rules.wait);
        match self {
            Circuit::Closed { failures, by } => {
                *failures += 1;
                let is_enough = at_once || *failures >= rules.failures;
                let wanted = if at_once { 2 } else { FAILING_TOGETHER };
                let is_shared = is_local || are_enough(by, blame, wanted);
                if !is_enough || !is_shared {
                    return None;
                }
                *self = Circuit::Open(Outage {
                    is_local,
                    ..Outage::new(text.clone(), now, next_try, None)
                });
                Some(Transition::Opened)
            }
            Circuit::Open(absence) => {
                // Calls that began before the circuit opened are not counted.
                if absence.trials.remove(&pass) {
                    absence.text = text.clone();
                    absence.next_try = next_try;
                    absence.ends_by = None;
                    absence.is_local = is_local;
                }
                None
            }
        }
    }

    /// Ends a trial call without an outcome. The next one may begin.
    fn give_up(&mut self, pass: PermitId, now: Moment) {
        if let Circuit::Open(absence) = self
            && absence.trials.remove(&pass)
        {
            absence.next_try = now;
        }
    }
}

/// How many conversations have to fail before those in a row count as the server's, if so many use it.
const FAILING_TOGETHER: usize = 3;

/// Adds a conversation to those that fail. Returns whether they are so many, or all there are.
fn are_enough(by: &mut BTreeSet<MysisId>, blame: Blame, wanted: usize) -> bool {
    match blame {
        Blame::Own => false,
        Blame::Server { who: None, .. } => true,
        Blame::Server {
            who: Some(who),
            others,
            ..
        } => {
            by.insert(who);
            by.len() >= wanted.min(others + 1)
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

    fn fails() -> CallOutcome {
        CallOutcome::Fails {
            text: "HTTP 503".into(),
            is_unreachable: false,
            ends_round: false,
            is_refusal: false,
        }
    }

    fn learn(
        circuit: &mut Circuit,
        pass: u64,
        outcome: &CallOutcome,
        now: i64,
    ) -> Option<Transition> {
        let call = (PermitId(pass), Blame::NOBODYS);
        circuit.record_outcome(call, outcome, RULES, false, Moment(now))
    }

    #[test]
    fn it_opens_after_so_many_failures_in_a_row_and_lets_one_try_again_and_again() {
        let mut circuit = Circuit::default();
        let works = CallOutcome::Works {
            tokens: None,
            is_bare: false,
        };
        for outcome in [fails(), fails(), works.clone(), fails(), fails()] {
            assert_eq!(learn(&mut circuit, 1, &outcome, 0), None);
        }
        assert_eq!(
            learn(&mut circuit, 1, &fails(), 0),
            Some(Transition::Opened)
        );
        let late = learn(&mut circuit, 2, &fails(), 5);
        assert_eq!(late, None, "it was under way");
        assert_eq!(circuit.opens_at(), Moment(30_000));
        assert!(circuit.begin_call(PermitId(3), RULES, Moment(30_000)));
        assert_eq!(circuit.opens_at(), Moment(60_000), "not all at once");
        let shared = learn(&mut circuit, 3, &fails(), 31_000);
        assert_eq!(shared, None, "that it is away is known");
        assert_eq!(circuit.opens_at(), Moment(61_000));
        assert!(circuit.begin_call(PermitId(4), RULES, Moment(61_000)));
        assert_eq!(learn(&mut circuit, 4, &CallOutcome::Dropped, 62_000), None);
        assert_eq!(circuit.opens_at(), Moment(62_000), "the next one tries");
        assert!(circuit.begin_call(PermitId(5), RULES, Moment(62_000)));
        assert!(
            circuit.begin_call(PermitId(6), RULES, Moment(92_000)),
            "5 is slow"
        );
        let since = circuit.outage().map(|absence| absence.since);
        assert_eq!(since, Some(Moment(0)));
        assert_eq!(
            learn(&mut circuit, 5, &works, 93_000),
            Some(Transition::Closed)
        );
        assert!(circuit.is_closed());
        assert_eq!(learn(&mut circuit, 6, &works, 94_000), None);
    }

    #[test]
    fn the_end_of_a_round_opens_it_whoever_made_the_tries() {
        let mut circuit = Circuit::default();
        let last = CallOutcome::Fails {
            text: "HTTP 503".into(),
            is_unreachable: false,
            ends_round: true,
            is_refusal: false,
        };
        assert_eq!(learn(&mut circuit, 1, &last, 0), Some(Transition::Opened));
    }

    #[test]
    fn who_serves_no_requests_is_left_alone_until_the_time_that_was_told() {
        let out = |seconds: u64, ends_by| CallOutcome::OutOfService {
            text: "HTTP 402".into(),
            wait: Duration::from_secs(seconds),
            ends_by,
            is_of_all: false,
        };
        let mut circuit = Circuit::default();
        let shared = |seconds| Some(Transition::OutOfService(Duration::from_secs(seconds)));
        let by_time = out(900, ServiceReturn::Time);
        assert_eq!(learn(&mut circuit, 1, &by_time, 0), shared(900));
        assert_eq!(circuit.opens_at(), Moment(900_000));
        let of_others = learn(&mut circuit, 2, &out(300, ServiceReturn::Time), 1000);
        assert_eq!(of_others, None, "it is reported once");
        assert_eq!(circuit.opens_at(), Moment(900_000), "the latest counts");
        assert!(circuit.begin_call(PermitId(3), RULES, Moment(900_000)));
        let by_operator = out(600, ServiceReturn::Operator);
        assert_eq!(learn(&mut circuit, 3, &by_operator, 901_000), shared(600));
        assert_eq!(circuit.opens_at(), Moment(1_501_000));
        let works = CallOutcome::Works {
            tokens: None,
            is_bare: false,
        };
        let back = learn(&mut circuit, 4, &works, 1_000_000);
        assert_eq!(back, Some(Transition::Closed));
    }

    #[test]
    fn where_another_stands_ready_one_that_cannot_be_reached_is_left_at_once() {
        let gone = CallOutcome::Fails {
            text: "refused".into(),
            is_unreachable: true,
            ends_round: false,
            is_refusal: false,
        };
        let learn = |has_fallback| {
            let mut circuit = Circuit::default();
            let call = (PermitId(1), Blame::NOBODYS);
            circuit.record_outcome(call, &gone, RULES, has_fallback, Moment(0));
            circuit.is_closed()
        };
        assert_eq!((learn(false), learn(true)), (true, false));
    }
}
