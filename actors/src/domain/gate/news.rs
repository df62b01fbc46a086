//! What the gate tells the operator.

use std::sync::Arc;
use std::time::Duration;

use super::AdmissionGate;
use crate::budget::BudgetEvent;
use crate::ids::Lane;
use crate::model::ServiceReturn;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateEvent {
    /// A server has failed repeatedly and gets no more requests.
    CircuitOpened {
        lane: Lane,
        text: Arc<str>,
        /// The interval of trial calls.
        every: Duration,
        fallback: Option<Arc<str>>,
    },
    /// A provider serves no request of ours for a while.
    OutOfService {
        lane: Lane,
        text: Arc<str>,
        /// The time until the next attempt.
        wait: Duration,
        /// Whether the operator has to act.
        ends_by: ServiceReturn,
        fallback: Option<Arc<str>>,
    },
    /// A server works again.
    CircuitClosed {
        lane: Lane,
    },
    Budget(BudgetEvent),
    /// No request's beginning comes from the provider's cache any more.
    CachingStopped {
        provider: Arc<str>,
        /// The percentage of tokens that did before.
        percent: u64,
    },
}

impl AdmissionGate {
    pub fn take_news(&mut self) -> Vec<GateEvent> {
        std::mem::take(&mut self.news)
    }
}
