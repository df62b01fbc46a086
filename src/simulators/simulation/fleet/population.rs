//! The population: the Myses that the operator creates and deletes while the fleet runs, and what is
//! promised of them.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::MysisStatus;
use actors::domain::ids::MysisId;
use actors::domain::order::{CompletedAction, CompletedOrder, OrderRefusal, OrderResult};
use actors::domain::state::LifeState;

/// How many names new Myses have. They are few, so that two processes ask for one at the same time,
/// and the name of a deleted one is given again.
const NAMES: usize = 12;

#[derive(Default)]
pub(super) struct Population {
    seen: Mutex<SeenPopulation>,
}

#[derive(Default)]
struct SeenPopulation {
    /// The names that were asked for. Who got no answer may have been created all the same.
    asked: BTreeSet<String>,
    created: BTreeMap<MysisId, String>,
    deletions: BTreeMap<MysisId, Deletion>,
}

#[derive(Default)]
struct Deletion {
    name: String,
    /// The orders without an answer, or with one that leaves open whether it was carried out.
    open: usize,
    /// Whether it was said that a process carries it out.
    is_passed: bool,
    done: Option<Duration>,
}

impl Population {
    pub(super) fn ask_for_name(&self, number: usize) -> String {
        let name = format!("n{}", number % NAMES);
        self.seen.lock().asked.insert(name.clone());
        name
    }

    pub(super) fn on_created(&self, mysis: MysisId, name: &str) {
        self.seen.lock().created.insert(mysis, name.to_string());
    }

    pub(super) fn on_deletion_ordered(&self, mysis: MysisId, name: &str) {
        let mut seen = self.seen.lock();
        let deletion = seen.deletions.entry(mysis).or_default();
        deletion.name = name.to_string();
        deletion.open += 1;
    }

    pub(super) fn on_deletion_answered(&self, mysis: MysisId, answer: &OrderResult, now: Duration) {
        let mut seen = self.seen.lock();
        let Some(deletion) = seen.deletions.get_mut(&mysis) else {
            return;
        };
        match answer {
            Ok(CompletedOrder::Done(CompletedAction::Deleted)) => {
                deletion.done.get_or_insert(now);
            }
            Ok(_) => deletion.is_passed = true,
            Err(OrderRefusal::Interrupted) => {}
            Err(_) => deletion.open = deletion.open.saturating_sub(1),
        }
    }

    /// What is wrong if something is done for this Mysis now.
    pub(super) fn objection(&self, mysis: MysisId) -> Option<String> {
        let seen = self.seen.lock();
        let deletion = seen.deletions.get(&mysis)?;
        let done = deletion.done?.as_secs_f64();
        let name = &deletion.name;
        Some(format!("{name} was said to be deleted at {done:.1} s"))
    }

    /// What is wrong with those that are at rest: a new one that was to start at once, and never did.
    pub(super) fn unstarted(&self, statuses: &[Arc<MysisStatus>]) -> Vec<String> {
        let seen = self.seen.lock();
        let never_ran = |status: &&Arc<MysisStatus>| {
            let is_idle = status.state == LifeState::Idle && status.reason.is_none();
            is_idle && status.totals.turns == 0 && seen.created.contains_key(&status.id)
        };
        let unstarted = statuses.iter().filter(never_ran);
        let words = unstarted.map(|status| {
            let name = &status.name;
            format!("{name} was created to start at once and never ran")
        });
        words.collect()
    }

    pub(super) fn compare(&self, stored: &BTreeMap<MysisId, Arc<str>>) -> PopulationAtEnd {
        let seen = self.seen.lock();
        let mut at_end = PopulationAtEnd::default();
        for (mysis, deletion) in &seen.deletions {
            let is_promised = deletion.is_passed || deletion.done.is_some();
            match stored.contains_key(mysis) {
                true if is_promised => {
                    let name = &deletion.name;
                    let text = format!("{name} ({mysis}) is there, and its deletion was promised");
                    at_end.wrong.push(text);
                }
                true => {}
                false if is_promised || deletion.open > 0 => at_end.gone.push(*mysis),
                // It is missing, which the caller finds out.
                false => {}
            }
        }
        let unanswered = |(mysis, name): &(&MysisId, &Arc<str>)| {
            !seen.created.contains_key(mysis) && seen.asked.contains(&***name)
        };
        let unanswered = stored.iter().filter(unanswered);
        at_end.appeared = unanswered
            .map(|(mysis, name)| (*mysis, name.clone()))
            .collect();
        at_end.created = seen.created.len() as u64;
        at_end.deleted = at_end.gone.len() as u64;
        at_end
    }
}

#[derive(Default)]
pub(super) struct PopulationAtEnd {
    /// Those that were deleted.
    pub(super) gone: Vec<MysisId>,
    /// Those that were created without an answer.
    pub(super) appeared: Vec<(MysisId, Arc<str>)>,
    pub(super) wrong: Vec<String>,
    pub(super) created: u64,
    pub(super) deleted: u64,
}
