//! The verdict: what must never happen, watched for as it would happen.

mod calls;
mod lives;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actors::domain::event::{MysisStatus, State, SwarmEvent};
use actors::domain::ids::MysisId;
use actors::domain::message::{CallStatus, Row};
use actors::domain::model::{ChatMessage, ModelRequest};
use tokio::sync::Notify;

use super::chaos::{Chaos, InjectedFault};
use super::events::Digest;
use super::rare::Rare;
use calls::Calls;
use lives::Lives;

pub use lives::ActorKind;

/// What came of a simulation.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The seed that repeats it.
    pub seed: u64,
    /// What could go wrong on purpose: what the seed drew.
    pub drawn: BTreeSet<InjectedFault>,
    /// What went wrong on purpose, by kind.
    pub struck: BTreeMap<InjectedFault, u64>,
    /// Orders that the operator gave, and how many were acknowledged.
    pub orders: (u64, u64),
    /// Processes that were started.
    pub processes: u64,
    /// Myses that were created, and those that were there at the end.
    pub myses: (usize, usize),
    /// Actors that were killed on purpose, by kind.
    pub deaths: BTreeMap<ActorKind, u64>,
    /// Myses whose actor died and that ran again in the same process, by themselves.
    pub revived: u64,
    /// What is seldom seen and was.
    pub reached: BTreeMap<Rare, u64>,
    /// Turns that were finished.
    pub turns: u64,
    /// Requests that models were asked.
    pub requests: u64,
    /// Mutations that the game carried out.
    pub mutations: u64,
    /// Calls by what became of them.
    pub outcomes: BTreeMap<CallStatus, u64>,
    /// Myses that only the operator could bring back.
    pub relaunched_by_hand: u64,
    /// Myses that got nowhere for so long that they were parked at the end, as they must be.
    pub parked: u64,
    /// What must not happen and did, the first few.
    pub violations: Vec<String>,
    /// What the swarm said, in short.
    pub digest: Digest,
}

impl Verdict {
    /// Whether nothing happened that must not.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.violations.is_empty()
    }

    /// How often something went wrong on purpose.
    #[must_use]
    pub fn faults(&self) -> u64 {
        self.struck.values().sum()
    }
}

/// Watches while the simulation runs.
#[derive(Debug, Default)]
pub(super) struct Watch {
    seen: Mutex<Seen>,
    /// A commit begins, for those who want to strike in its middle.
    pub(super) commit_begins: Notify,
}

#[derive(Debug, Default)]
struct Seen {
    given: u64,
    /// Acknowledged orders, and whether a model has seen them.
    orders: BTreeMap<String, Acknowledged>,
    seen_in_requests: BTreeSet<String>,
    processes: u64,
    turns: u64,
    requests: u64,
    relaunched_by_hand: u64,
    ended: u64,
    parked: u64,
    created: BTreeMap<MysisId, Arc<str>>,
    there: usize,
    calls: Calls,
    lives: Lives,
    reached: BTreeMap<Rare, u64>,
    violations: Vec<String>,
}

#[derive(Debug)]
struct Acknowledged {
    by: MysisId,
}

/// The words by which an order of the simulated operator is known.
const MARK: &str = "order number ";

impl Watch {
    fn seen_so_far(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text of an order that was never given before.
    pub(super) fn new_order(&self) -> String {
        let mut seen = self.seen_so_far();
        seen.given += 1;
        format!("{MARK}{}: tell me where things stand.", seen.given)
    }

    /// The swarm says that it has the order.
    pub(super) fn acknowledged(&self, by: MysisId, text: &str) {
        let order = Acknowledged { by };
        self.seen_so_far().orders.insert(text.to_string(), order);
    }

    /// A model was asked this.
    pub(super) fn seen(&self, request: &ModelRequest) {
        let mut seen = self.seen_so_far();
        seen.requests += 1;
        if request.provider.as_ref() != super::rules::PROVIDER {
            seen.reach(Rare::FallbackAsked);
        }
        let texts = request.messages.iter().filter_map(|message| match message {
            ChatMessage::User(text) => Some(text),
            ChatMessage::System(_) | ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => {
                None
            }
        });
        // Messages that follow one another are merged.
        for text in texts.flat_map(|text| text.split("\n\n")) {
            if text.starts_with(MARK) && !seen.seen_in_requests.contains(text) {
                seen.seen_in_requests.insert(text.to_string());
            }
        }
    }

    /// How often models were asked so far.
    pub(super) fn requests(&self) -> u64 {
        self.seen_so_far().requests
    }

    /// A request was not valid.
    pub(super) fn refused(&self, why: &str) {
        self.violation(format!("a request was invalid: {why}"));
    }

    /// A process begins.
    pub(super) fn launched(&self) {
        let mut seen = self.seen_so_far();
        seen.processes += 1;
        seen.lives.begin_anew();
    }

    /// A Mysis exists from now on.
    pub(super) fn created(&self, mysis: MysisId, name: &str) {
        self.seen_so_far().created.insert(mysis, name.into());
    }

    /// An actor was killed on purpose.
    pub(super) fn killed(&self, kind: ActorKind) {
        self.seen_so_far().lives.killed(kind);
    }

    /// The actors of a process are not all there again, long after one of them was killed.
    pub(super) fn misses(&self, text: String) {
        self.violation(text);
    }

    /// Something that is seldom seen.
    pub(super) fn reached(&self, rare: Rare) {
        self.seen_so_far().reach(rare);
    }

    /// Something happened in the swarm.
    pub(super) fn heard(&self, event: &SwarmEvent) {
        let mut seen = self.seen_so_far();
        if let Some(rare) = Rare::of(event) {
            seen.reach(rare);
        }
        let overdue = seen.lives.heard(event);
        drop(seen);
        for text in overdue {
            self.violation(text);
        }
    }

    /// Only the operator could bring it back.
    pub(super) fn relaunched_by_hand(&self) {
        self.seen_so_far().relaunched_by_hand += 1;
    }

    /// The game carried a mutation out.
    pub(super) fn executed(&self, call: &str) {
        let mut seen = self.seen_so_far();
        let violation = seen.calls.executed(call);
        drop(seen);
        violation.into_iter().for_each(|text| self.violation(text));
    }

    /// The game refused a call.
    pub(super) fn declined(&self, call: &str) {
        self.seen_so_far().calls.declined(call);
    }

    /// A row became durable.
    pub(super) fn stored(&self, mysis: MysisId, row: &Row) {
        let mut seen = self.seen_so_far();
        let violation = seen.calls.stored(mysis, row);
        if let Some((_, _, meta)) = row.result() {
            match meta.status {
                CallStatus::Unknown => seen.reach(Rare::OutcomeUnknown),
                CallStatus::NotExecuted => seen.reach(Rare::NotExecuted),
                CallStatus::Recorded | CallStatus::Sent | CallStatus::Done | CallStatus::Failed => {
                }
            }
        }
        drop(seen);
        violation.into_iter().for_each(|text| self.violation(text));
    }

    /// All that were created are there, and nobody else.
    pub(super) fn count(&self, standings: &[Arc<MysisStatus>]) {
        let mut seen = self.seen_so_far();
        seen.there = standings.len();
        let created = seen.created.clone();
        drop(seen);
        let mut there = BTreeMap::<MysisId, u64>::new();
        for standing in standings {
            *there.entry(standing.id).or_default() += 1;
            if created.get(&standing.id) != Some(&standing.name) {
                self.violation(format!("{} was never created", standing.name));
            }
        }
        for (id, name) in &created {
            match there.get(id).copied().unwrap_or(0) {
                1 => {}
                0 => self.violation(format!("{name} is missing at the end")),
                times => self.violation(format!("{name} is there {times} times")),
            }
        }
    }

    /// How a Mysis stands some minutes before the end, and at the end.
    pub(super) fn ended(&self, before: &MysisStatus, after: &MysisStatus) {
        let name = &after.name;
        let mut seen = self.seen_so_far();
        seen.turns += after.totals.turns;
        seen.ended += 1;
        seen.parked += u64::from(after.is_parked());
        drop(seen);
        if after.is_parked() {
            // Counted: now and then one is stranded, and then that is right.
        } else if after.state != State::Running {
            let state = after.state.as_str();
            let why = after.reason.as_deref().unwrap_or("no reason");
            self.violation(format!("{name} is {state} at the end: {why}"));
        } else if after.totals.turns <= before.totals.turns {
            let doing = after.activity.to_string();
            self.violation(format!(
                "{name} has not finished a turn in the quiet: {doing}"
            ));
        }
    }

    fn violation(&self, text: String) {
        let mut seen = self.seen_so_far();
        if seen.violations.len() < 20 {
            seen.violations.push(text);
        }
    }

    pub(super) fn verdict(
        &self,
        seed: u64,
        chaos: &Chaos,
        digest: Digest,
        prompts: &BTreeMap<Arc<str>, u64>,
    ) -> Verdict {
        for (text, times) in prompts {
            if *times > 1 {
                self.violation(format!("{text:?} stands {times} times"));
            }
        }
        self.look_for_lost_orders(prompts);
        self.look_for_a_swarm_at_rest();
        let seen = self.seen_so_far();
        Verdict {
            seed,
            drawn: chaos.drawn().clone(),
            struck: chaos.struck(),
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
            violations: seen.violations.clone(),
            digest,
        }
    }

    /// One in ten may be stranded at most: more would be a watch that parks those who are well.
    fn look_for_a_swarm_at_rest(&self) {
        let seen = self.seen_so_far();
        let (parked, ended) = (seen.parked, seen.ended);
        drop(seen);
        if parked * 10 > ended {
            self.violation(format!("{parked} of {ended} are parked at the end"));
        }
    }

    fn look_for_lost_orders(&self, prompts: &BTreeMap<Arc<str>, u64>) {
        let seen = self.seen_so_far();
        let mut lost = Vec::new();
        for (text, order) in &seen.orders {
            let by = order.by;
            if !prompts.contains_key(text.as_str()) {
                lost.push(format!(
                    "{text:?} was acknowledged by {by} and is not stored"
                ));
            } else if !seen.seen_in_requests.contains(text) {
                lost.push(format!("{text:?} of {by} was never shown to its model"));
            }
        }
        drop(seen);
        for text in lost {
            self.violation(text);
        }
    }
}

impl Seen {
    fn reach(&mut self, rare: Rare) {
        *self.reached.entry(rare).or_default() += 1;
    }
}
