//! The verdict: checks during the run for everything that must never happen.

mod calls;
mod display;
mod ending;
mod poison;
mod promises;
mod revivals;
mod routines;

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::event::SwarmEvent;
use actors::domain::ids::MysisId;
use actors::domain::message::{CallStatus, Row};
use actors::domain::model::{ChatMessage, ModelRequest};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::chaos::{Chaos, InjectedFault};
use super::events::EventDigest;
use super::fleet_figures::FleetFigures;
use super::progress::SimulationProgress;
use super::rare::RareEvent;
use calls::CallChecker;
use poison::PoisonTracker;
use routines::RoutineChecker;

pub use poison::PoisonFigures;
pub use promises::{BrokenPromises, Promise};
pub use revivals::ActorKind;
pub(super) use revivals::RevivalTracker;

#[derive(Clone, Debug)]
pub struct SimulationVerdict {
    /// The seed, which repeats the run.
    pub seed: u64,
    pub drawn: BTreeSet<InjectedFault>,
    pub injected: BTreeMap<InjectedFault, u64>,
    /// The numbers of orders that the operator gave, and of those that were acknowledged.
    pub orders: (u64, u64),
    pub processes: u64,
    /// The numbers of Myses that were created, and of those at the end.
    pub myses: (usize, usize),
    pub deaths: BTreeMap<ActorKind, u64>,
    /// The number of Myses whose actor died and that were relaunched in the same process without
    /// the operator.
    pub revived: u64,
    pub reached: BTreeMap<RareEvent, u64>,
    pub turns: u64,
    pub requests: u64,
    pub mutations: u64,
    pub outcomes: BTreeMap<CallStatus, u64>,
    /// The number of Myses that only the operator could bring back.
    pub relaunched_by_hand: u64,
    /// The number of Myses that were parked at the end, as those without progress must be.
    pub parked: u64,
    /// What became of texts that the model's server refuses.
    pub poison: PoisonFigures,
    pub violations: BrokenPromises,
    pub digest: EventDigest,
    /// What several processes did together; `None` for one.
    pub fleet: Option<FleetFigures>,
}

impl SimulationVerdict {
    /// Whether there was no violation.
    pub fn is_good(&self) -> bool {
        self.violations.is_empty()
    }

    pub fn fault_count(&self) -> u64 {
        self.injected.values().sum()
    }
}

#[derive(Debug, Default)]
pub struct InvariantMonitor {
    seen: Mutex<ObservedRun>,
    /// Notified when a commit begins, for faults in the middle of one.
    pub commit_begins: Notify,
    progress: Option<(Instant, &'static SimulationProgress)>,
}

#[derive(Debug, Default)]
struct ObservedRun {
    given: u64,
    /// The acknowledged orders, with who acknowledged each.
    orders: BTreeMap<String, MysisId>,
    seen_in_requests: BTreeSet<String>,
    /// Orders of which the operator was told that they were not delivered.
    not_delivered: BTreeSet<String>,
    processes: u64,
    turns: u64,
    requests: u64,
    relaunched_by_hand: u64,
    ended: u64,
    parked: u64,
    parked_players: u64,
    created: BTreeMap<MysisId, Arc<str>>,
    deleted: BTreeSet<MysisId>,
    there: usize,
    calls: CallChecker,
    routines: RoutineChecker,
    lives: RevivalTracker,
    poison: PoisonTracker,
    reached: BTreeMap<RareEvent, u64>,
    violations: BrokenPromises,
}

const ORDER_PREFIX: &str = "order number ";

impl InvariantMonitor {
    pub fn telling(progress: Option<(Instant, &'static SimulationProgress)>) -> Self {
        InvariantMonitor {
            progress,
            ..InvariantMonitor::default()
        }
    }

    pub fn new_order(&self) -> String {
        let mut seen = self.seen.lock();
        seen.given += 1;
        format!("{ORDER_PREFIX}{}: tell me where things stand.", seen.given)
    }

    pub fn on_order_acknowledged(&self, by: MysisId, text: &str) {
        self.seen.lock().orders.insert(text.to_string(), by);
    }

    pub fn on_request(&self, request: &ModelRequest) {
        let mut seen = self.seen.lock();
        seen.requests += 1;
        if let Some((begun, progress)) = self.progress {
            progress.reach(begun.elapsed(), seen.requests);
        }
        if request.provider.as_ref() != super::rules::MAIN_PROVIDER {
            seen.count_rare_event(RareEvent::FallbackAsked);
        }
        let texts = request.messages.iter().filter_map(|message| match message {
            ChatMessage::User(text) => Some(text),
            ChatMessage::System(_) | ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => {
                None
            }
        });
        // Adjacent messages are merged into one.
        for text in texts.flat_map(|text| text.split("\n\n")) {
            if text.starts_with(ORDER_PREFIX) && !seen.seen_in_requests.contains(text) {
                seen.seen_in_requests.insert(text.to_string());
            }
        }
    }

    /// Notes that a request was not valid.
    pub fn on_request_refused(&self, why: &str) {
        self.add_violation(Promise::ValidRequests, why.to_string());
    }

    pub fn on_process_start(&self) {
        let mut seen = self.seen.lock();
        seen.processes += 1;
        seen.poison.on_disturbed();
        seen.lives.on_process_start();
    }

    pub fn on_mysis_created(&self, mysis: MysisId, name: &str) {
        self.seen.lock().created.insert(mysis, name.into());
    }

    pub fn on_mysis_deleted(&self, mysis: MysisId) {
        let mut seen = self.seen.lock();
        seen.created.remove(&mysis);
        seen.deleted.insert(mysis);
    }

    pub fn on_actor_killed(&self, kind: ActorKind) {
        let mut seen = self.seen.lock();
        seen.lives.on_killed(kind);
        seen.poison.on_disturbed();
    }

    /// Notes that actors of a process are still missing, long after a kill.
    pub fn on_actors_missing(&self, text: String) {
        self.add_violation(Promise::Revival, text);
    }

    pub fn on_rare_event(&self, rare: RareEvent) {
        self.seen.lock().count_rare_event(rare);
    }

    pub fn on_event(&self, event: &SwarmEvent) {
        self.on_event_of_fleet(event);
        let overdue = self.seen.lock().lives.on_event(event);
        self.add_violations(Promise::Revival, overdue);
    }

    /// Checks an event of one process of several, whose deaths and returns it sees itself.
    pub fn on_event_of_fleet(&self, event: &SwarmEvent) {
        if let Some(rare) = RareEvent::of(event) {
            self.on_rare_event(rare);
        }
        let violation = self.seen.lock().poison.on_event(event);
        self.add_violations(Promise::PlaysOn, violation);
    }

    /// Counts a Mysis that only the operator could bring back.
    pub fn on_manual_relaunch(&self) {
        self.seen.lock().relaunched_by_hand += 1;
    }

    pub fn on_call_executed(&self, call: &str) {
        let violation = self.seen.lock().calls.on_executed(call);
        self.add_violations(Promise::NotTwice, violation);
    }

    pub fn on_call_declined(&self, call: &str) {
        self.seen.lock().calls.on_declined(call);
    }

    pub fn on_row_stored(&self, mysis: MysisId, row: &Row) {
        let mut seen = self.seen.lock();
        let ObservedRun {
            calls, routines, ..
        } = &mut *seen;
        let violation = calls.on_result_stored(mysis, row);
        let violation = violation.map(|text| (Promise::NotTwice, text));
        let has_executed = |call| calls.was_executed(mysis, call);
        let wrong = routines.on_row_stored(mysis, row, has_executed);
        if row
            .host()
            .is_some_and(|meta| &*meta.code == "not_delivered")
            && let Some((_, order)) = row.text().split_once(ORDER_PREFIX)
        {
            seen.not_delivered.insert(format!("{ORDER_PREFIX}{order}"));
        }
        if let Some((_, _, meta)) = row.result() {
            match meta.status {
                CallStatus::Unknown => seen.count_rare_event(RareEvent::OutcomeUnknown),
                CallStatus::NotExecuted => seen.count_rare_event(RareEvent::NotExecuted),
                CallStatus::Recorded | CallStatus::Sent | CallStatus::Done | CallStatus::Failed => {
                }
            }
        }
        drop(seen);
        for (promise, text) in violation.into_iter().chain(wrong) {
            self.add_violation(promise, text);
        }
    }

    pub fn has_violations(&self) -> bool {
        !self.seen.lock().violations.is_empty()
    }

    pub fn add_violation(&self, promise: Promise, text: String) {
        self.add_violations(promise, [text]);
    }

    pub fn add_violations(&self, promise: Promise, texts: impl IntoIterator<Item = String>) {
        let mut seen = self.seen.lock();
        for text in texts {
            seen.violations.add(promise, text);
        }
    }

    pub fn build_verdict(
        &self,
        seed: u64,
        chaos: &Chaos,
        digest: EventDigest,
        prompts: &BTreeMap<Arc<str>, u64>,
    ) -> SimulationVerdict {
        for (text, times) in prompts {
            if *times > 1 {
                self.add_violation(Promise::NotTwice, format!("{text:?} stands {times} times"));
            }
        }
        self.check_lost_orders(prompts);
        self.check_parked_share();
        let seen = self.seen.lock();
        SimulationVerdict {
            seed,
            drawn: chaos.drawn_faults().clone(),
            injected: chaos.fault_counts(),
            orders: (seen.given, seen.orders.len() as u64),
            processes: seen.processes,
            myses: (seen.created.len(), seen.there),
            deaths: seen.lives.deaths(),
            revived: seen.lives.revived(),
            reached: seen.reached.clone(),
            turns: seen.turns,
            requests: seen.requests,
            mutations: seen.calls.mutations(),
            outcomes: seen.calls.outcomes(),
            relaunched_by_hand: seen.relaunched_by_hand,
            parked: seen.parked,
            poison: seen.poison.figures(),
            violations: seen.violations.clone(),
            digest,
            fleet: None,
        }
    }

    /// Checks that at most one in ten is parked. More would mean that the stall detector parks
    /// healthy Myses.
    fn check_parked_share(&self) {
        let seen = self.seen.lock();
        let (parked, ended) = (seen.parked_players, seen.ended);
        drop(seen);
        if parked * 10 > ended {
            let text = format!("{parked} of {ended} are parked at the end");
            self.add_violation(Promise::AllRunning, text);
        }
    }

    fn check_lost_orders(&self, prompts: &BTreeMap<Arc<str>, u64>) {
        let seen = self.seen.lock();
        let mut lost = Vec::new();
        for (text, by) in &seen.orders {
            if !prompts.contains_key(text.as_str()) {
                lost.push(format!(
                    "{text:?} was acknowledged by {by} and is not stored"
                ));
            } else if !seen.seen_in_requests.contains(text)
                && !seen.not_delivered.contains(text)
                && !seen.deleted.contains(by)
            {
                lost.push(format!("{text:?} of {by} was never shown to its model"));
            }
        }
        drop(seen);
        self.add_violations(Promise::NotLost, lost);
    }
}

impl ObservedRun {
    fn count_rare_event(&mut self, rare: RareEvent) {
        *self.reached.entry(rare).or_default() += 1;
    }
}
