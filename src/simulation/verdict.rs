//! The verdict: what must never happen, watched for as it would happen.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actors::domain::event::{Standing, State};
use actors::domain::ids::{CallKey, MysisId, Seq};
use actors::domain::message::{CallStatus, Row};
use actors::domain::model::{ChatMessage, ModelRequest};

use super::chaos::Strike;
use super::events::Digest;

/// So many calls of a Mysis are remembered: to know a repetition, and to hold a late "not executed"
/// against them.
const REMEMBERED: usize = 64;

/// What came of a simulation.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The seed that repeats it.
    pub seed: u64,
    /// What went wrong on purpose, by kind.
    pub struck: BTreeMap<Strike, u64>,
    /// Orders that the operator gave, and how many were acknowledged.
    pub orders: (u64, u64),
    /// Processes that were started.
    pub processes: u64,
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

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}", self.seed)?;
        for (strike, times) in &self.struck {
            writeln!(f, "  {strike:?} struck {times} times")?;
        }
        let (given, acknowledged) = self.orders;
        writeln!(f, "  {given} orders given, {acknowledged} acknowledged")?;
        writeln!(
            f,
            "  {} processes, {} turns, {} requests, {} mutations carried out, {} relaunches by hand",
            self.processes, self.turns, self.requests, self.mutations, self.relaunched_by_hand
        )?;
        writeln!(
            f,
            "  {} parked at the end for want of progress",
            self.parked
        )?;
        for (outcome, calls) in &self.outcomes {
            writeln!(f, "  {calls} calls {}", outcome.as_str())?;
        }
        writeln!(
            f,
            "  {} events, {} bytes, {:016x}",
            self.digest.events, self.digest.bytes, self.digest.hash
        )?;
        for violation in &self.violations {
            writeln!(f, "  VIOLATION: {violation}")?;
        }
        let word = if self.is_good() { "good" } else { "BAD" };
        write!(f, "  {word}: {} faults struck", self.faults())
    }
}

/// Watches while the simulation runs.
#[derive(Debug, Default)]
pub(super) struct Watch(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    given: u64,
    /// Acknowledged orders, and whether a model has seen them.
    orders: BTreeMap<String, Acknowledged>,
    seen_in_requests: std::collections::BTreeSet<String>,
    processes: u64,
    turns: u64,
    requests: u64,
    mutations: u64,
    relaunched_by_hand: u64,
    ended: u64,
    parked: u64,
    calls: BTreeMap<String, Calls>,
    outcomes: BTreeMap<CallStatus, u64>,
    violations: Vec<String>,
}

#[derive(Debug)]
struct Acknowledged {
    by: MysisId,
}

/// What is remembered of a Mysis' calls.
#[derive(Debug, Default)]
struct Calls {
    /// In the order in which the game carried them out.
    executed: VecDeque<(i64, u16)>,
    not_executed: VecDeque<(i64, u16)>,
}

/// The words by which an order of the simulated operator is known.
const MARK: &str = "order number ";

impl Watch {
    fn seen_so_far(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.seen_so_far().processes += 1;
    }

    /// Only the operator could bring it back.
    pub(super) fn relaunched_by_hand(&self) {
        self.seen_so_far().relaunched_by_hand += 1;
    }

    /// The game carried a mutation out.
    pub(super) fn executed(&self, call: &str) {
        let Some((mysis, key)) = parse(call) else {
            return;
        };
        let mut seen = self.seen_so_far();
        seen.mutations += 1;
        let calls = seen.calls.entry(mysis.to_string()).or_default();
        let is_repeated = calls.has_executed(key);
        let is_denied = calls.not_executed.contains(&key);
        remember(&mut calls.executed, key);
        drop(seen);
        if is_repeated {
            self.violation(format!("{call} was carried out again"));
        }
        if is_denied {
            self.violation(format!("{call} was said not to be executed, and is now"));
        }
    }

    /// A row became durable.
    pub(super) fn stored(&self, mysis: MysisId, row: &Row) {
        let Some((call, _, meta)) = row.result() else {
            return;
        };
        let mut seen = self.seen_so_far();
        *seen.outcomes.entry(meta.status).or_default() += 1;
        if meta.status != CallStatus::NotExecuted {
            return;
        }
        let key = place(call);
        let calls = seen.calls.entry(mysis.to_string()).or_default();
        remember(&mut calls.not_executed, key);
        let is_wrong = calls.executed.contains(&key);
        drop(seen);
        if is_wrong {
            self.violation(format!(
                "{mysis}.{call} is said not to be executed, but was"
            ));
        }
    }

    /// How a Mysis stands some minutes before the end, and at the end.
    pub(super) fn ended(&self, before: &Standing, after: &Standing) {
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
        struck: BTreeMap<Strike, u64>,
        digest: Digest,
        prompts: BTreeMap<Arc<str>, u64>,
    ) -> Verdict {
        for (text, times) in &prompts {
            if *times > 1 {
                self.violation(format!("{text:?} stands {times} times"));
            }
        }
        self.look_for_lost_orders(&prompts);
        self.look_for_a_swarm_at_rest();
        let seen = self.seen_so_far();
        Verdict {
            seed,
            struck,
            orders: (seen.given, seen.orders.len() as u64),
            processes: seen.processes,
            turns: seen.turns,
            requests: seen.requests,
            mutations: seen.mutations,
            outcomes: seen.outcomes.clone(),
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

impl Calls {
    /// Whether the game has carried this call out before. Older than all that are remembered counts as
    /// that too; merely late does not: the game queues a mutation for its next tick, and a call that was
    /// cut off there (the process died, the answer was lost) is carried out after a newer one that the
    /// game does at once, such as an entry in the captain's log.
    fn has_executed(&self, key: (i64, u16)) -> bool {
        let is_full = self.executed.len() == REMEMBERED;
        self.executed.contains(&key) || is_full && self.executed.iter().all(|known| key < *known)
    }
}

fn remember(keys: &mut VecDeque<(i64, u16)>, key: (i64, u16)) {
    if keys.len() == REMEMBERED {
        keys.pop_front();
    }
    keys.push_back(key);
}

fn place(call: CallKey) -> (i64, u16) {
    let Seq(seq) = call.seq;
    (seq, call.position)
}

/// Reads `MYSIS.SEQ.POSITION`; a login of the runtime's own has no place.
fn parse(call: &str) -> Option<(&str, (i64, u16))> {
    let (rest, position) = call.rsplit_once('.')?;
    let (mysis, seq) = rest.rsplit_once('.')?;
    Some((mysis, (seq.parse().ok()?, position.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the watch finds wrong when the game carries out these calls, one after the other.
    fn violations(calls: impl IntoIterator<Item = String>) -> Vec<String> {
        let watch = Watch::default();
        calls.into_iter().for_each(|call| watch.executed(&call));
        let digest = Digest {
            events: 0,
            bytes: 0,
            hash: 0,
        };
        let verdict = watch.verdict(1, BTreeMap::new(), digest, BTreeMap::new());
        verdict.violations
    }

    fn calls<const N: usize>(seqs: [i64; N]) -> impl Iterator<Item = String> {
        seqs.into_iter()
            .map(|seq| format!("14ab04164875c336.{seq}.0"))
    }

    #[test]
    fn a_call_that_is_carried_out_late_is_no_repetition() {
        assert_eq!(violations(calls([420, 430, 426, 436])), [""; 0]);
    }

    #[test]
    fn a_call_that_is_carried_out_twice_is_seen_however_much_came_between() {
        let again = ["14ab04164875c336.426.0 was carried out again"];
        assert_eq!(violations(calls([426, 426])), again);
        assert_eq!(violations(calls([426, 430, 431, 426])), again);
        let long = (426..2000).chain([426]);
        let long = long.map(|seq| format!("14ab04164875c336.{seq}.0"));
        assert_eq!(violations(long), again);
    }
}
