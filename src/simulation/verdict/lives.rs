//! Lives: who was killed, and who came back within the same process. A kill of the whole process
//! brings everybody back; it must not hide a Commander that never revives anyone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::commander::CommanderMsg;
use actors::domain::event::{State, SwarmEvent, What};
use actors::domain::ids::MysisId;
use actors::gate::GateMsg;
use actors::mysis::MysisMsg;
use actors::store::StoreMsg;
use ractor::ActorCell;
use tokio::time::Instant;

/// Longer than the longest wait before a relaunch, and the store's worst time after it.
const LONGEST_ABSENCE: Duration = Duration::from_secs(900);

/// How the reason of a Mysis begins whose actor died.
const DIED: &str = "the mysis' actor died: ";

/// The kinds of actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ActorKind {
    /// The Commander.
    Commander,
    /// The Store.
    Store,
    /// The gate.
    Gate,
    /// A Mysis.
    Mysis,
}

impl ActorKind {
    /// Which kind this one is; `None` for one that the simulation has not.
    #[must_use]
    pub fn of(actor: &ActorCell) -> Option<ActorKind> {
        let is = |of: Option<bool>| of == Some(true);
        if is(actor.is_message_type_of::<CommanderMsg>()) {
            return Some(ActorKind::Commander);
        }
        if is(actor.is_message_type_of::<StoreMsg>()) {
            return Some(ActorKind::Store);
        }
        if is(actor.is_message_type_of::<GateMsg>()) {
            return Some(ActorKind::Gate);
        }
        is(actor.is_message_type_of::<MysisMsg>()).then_some(ActorKind::Mysis)
    }
}

/// Deaths and returns.
#[derive(Debug, Default)]
pub(super) struct Lives {
    deaths: BTreeMap<ActorKind, u64>,
    /// Who died in this process while it was not at rest, and has not run since.
    awaited: BTreeMap<MysisId, (Arc<str>, Instant)>,
    revived: u64,
}

impl Lives {
    pub(super) fn killed(&mut self, kind: ActorKind) {
        *self.deaths.entry(kind).or_default() += 1;
    }

    pub(super) fn deaths(&self) -> BTreeMap<ActorKind, u64> {
        self.deaths.clone()
    }

    pub(super) fn revived(&self) -> u64 {
        self.revived
    }

    /// Another process: whoever was awaited in the last one comes back with it.
    pub(super) fn begin_anew(&mut self) {
        self.awaited.clear();
    }

    /// Something happened; who should have come back long ago.
    pub(super) fn heard(&mut self, event: &SwarmEvent) -> Vec<String> {
        match (&event.mysis, &event.what) {
            (Some(who), What::StateChanged { to, reason, .. }) => {
                let died = *to == State::Errored
                    && reason.as_ref().is_some_and(|why| why.starts_with(DIED));
                if died {
                    let since = (who.name.clone(), Instant::now());
                    self.awaited.entry(who.id).or_insert(since);
                } else if self.awaited.remove(&who.id).is_some() && *to == State::Running {
                    self.revived += 1;
                }
            }
            // From here on it is the operator's turn.
            (None, What::Notice { code, text, .. }) if *code == "relaunches_spent" => {
                self.awaited
                    .retain(|_, (name, _)| !text.starts_with(&format!("{name} ")));
            }
            _ => {}
        }
        let is_overdue = |(_, since): &(Arc<str>, Instant)| since.elapsed() > LONGEST_ABSENCE;
        let overdue = self.awaited.values().filter(|one| is_overdue(one));
        let overdue = overdue
            .map(|(name, _)| format!("{name} died and did not run again in the same process"))
            .collect();
        self.awaited.retain(|_, one| !is_overdue(one));
        overdue
    }
}
