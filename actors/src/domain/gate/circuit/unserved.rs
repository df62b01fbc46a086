//! Servers that answer and serve nobody: for a time that they tell, or whatever they are asked.

use std::sync::Arc;
use std::time::Duration;

use super::{Blame, Circuit, CircuitRules, Outage, Transition, are_enough};
use crate::backoff::Backoff;
use crate::ids::{Moment, PermitId};
use crate::model::ServiceReturn;

/// How long a server is left alone that refuses whatever it is asked.
const LONGEST_REFUSAL_WAIT: Duration = Duration::from_secs(300);
/// After so many such trials the operator is asked to look.
const REFUSALS_OF_OPERATOR: u32 = 3;
/// How the words of a server's failure (5xx) begin.
const SERVER_FAILED: &str = "HTTP 5";

impl Circuit {
    /// A server that refuses whatever it is asked is tried less and less often. After some refusals
    /// only the operator can help.
    pub(super) fn wait_longer(&mut self, is_refusal: bool, rules: CircuitRules, now: Moment) {
        let Circuit::Open(absence) = self else {
            return;
        };
        if !is_refusal {
            absence.refusals = 0;
            return;
        }
        let waits = Backoff::new(rules.wait, LONGEST_REFUSAL_WAIT.max(rules.wait));
        absence.next_try = now.plus(waits.nth_wait(absence.refusals));
        absence.refusals = absence.refusals.saturating_add(1);
        if absence.refusals >= REFUSALS_OF_OPERATOR {
            absence.ends_by = Some(ServiceReturn::Operator);
        }
    }

    /// A pause that a server asks for ends no outage: it may ask for one after the other. One that fails and
    /// asks for a pause counts as failing, and so does the pause after which a caller has no attempt left.
    pub(super) fn take_pause(
        &mut self,
        (pass, blame): (PermitId, Blame),
        (text, wait, ends_round): (&Arc<str>, Duration, bool),
        rules: CircuitRules,
        now: Moment,
    ) -> Option<Transition> {
        let is_failing = ends_round || text.starts_with(SERVER_FAILED);
        let turn = match self {
            Circuit::Closed { .. } if !is_failing => return self.close(),
            Circuit::Closed { .. } if blame == Blame::Own => return None,
            Circuit::Closed { .. } => {
                self.record_failure(pass, (text, false, blame), rules, ends_round, now)
            }
            Circuit::Open(absence) => {
                if absence.trials.remove(&pass) {
                    absence.text = text.clone();
                    absence.next_try = now.plus(rules.wait);
                    absence.is_local = false;
                    absence.refusals = 0;
                    absence.ends_by = None;
                }
                None
            }
        };
        if let Circuit::Open(absence) = self {
            absence.next_try = absence.next_try.max(now.plus(wait));
        }
        turn
    }

    /// Opens the circuit until the server serves requests again. Of several calls that are told so
    /// at once, the first one is reported, and the latest time counts. Where others use the server,
    /// one that is told so twice opens it, and another one tries soon whether it is told the same.
    pub(super) fn take_out_of_service(
        &mut self,
        (pass, blame): (PermitId, Blame),
        text: &Arc<str>,
        (wait, ends_by): (Duration, ServiceReturn),
        rules: CircuitRules,
        now: Moment,
    ) -> Option<Transition> {
        let mut next_try = now.plus(wait);
        match self {
            Circuit::Open(absence) => {
                absence.trials.remove(&pass);
                absence.text = text.clone();
                absence.next_try = absence.next_try.max(next_try);
                absence.is_local = false;
                let before = absence.ends_by.replace(ends_by);
                return (before != Some(ends_by)).then_some(Transition::OutOfService(wait));
            }
            Circuit::Closed { failures, by } => {
                *failures += 1;
                if !are_enough(by, blame, 2) {
                    if matches!(blame, Blame::Server { count: 1, .. }) {
                        return None;
                    }
                    next_try = now.plus(wait.min(rules.wait));
                }
            }
        }
        *self = Circuit::Open(Outage::new(text.clone(), now, next_try, Some(ends_by)));
        Some(Transition::OutOfService(wait))
    }
}
