//! Revivals: which actors were killed, and which came back within the same process. A kill of the
//! whole process brings all of them back; it must not hide a Commander that revives nobody.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::commander::CommanderMsg;
use actors::domain::event::{EventKind, SwarmEvent};
use actors::domain::ids::MysisId;
use actors::domain::state::LifeState;
use actors::gate::GateMsg;
use actors::mysis::MysisMsg;
use actors::store::StoreMsg;
use ractor::ActorCell;
use strum::Display;
use tokio::time::Instant;

/// A time longer than the longest wait before a relaunch plus the store's longest outage after it.
const MAX_REVIVAL_TIME: Duration = Duration::from_secs(900);

/// The beginning of the reason of a Mysis whose actor died.
const DEATH_REASON_PREFIX: &str = "the Mysis crashed: ";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display)]
pub enum ActorKind {
    #[strum(serialize = "Commander")]
    Commander,
    #[strum(serialize = "Store")]
    Store,
    #[strum(serialize = "gate")]
    Gate,
    #[strum(serialize = "Mysis")]
    Mysis,
}

impl ActorKind {
    /// The kind of this actor; `None` for an actor of the simulation.
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

#[derive(Debug, Default)]
pub(crate) struct RevivalTracker {
    deaths: BTreeMap<ActorKind, u64>,
    /// Myses whose actor died in this process while they were active, and that have not run since.
    awaited: BTreeMap<MysisId, (Arc<str>, Instant)>,
    revived: u64,
}

impl RevivalTracker {
    pub(super) fn on_killed(&mut self, kind: ActorKind) {
        *self.deaths.entry(kind).or_default() += 1;
    }

    pub(super) fn deaths(&self) -> BTreeMap<ActorKind, u64> {
        self.deaths.clone()
    }

    pub(super) fn revived(&self) -> u64 {
        self.revived
    }

    /// Notes a new process. It brings back all Myses that the last one lost.
    pub(super) fn on_process_start(&mut self) {
        self.awaited.clear();
    }

    /// Notes that a Mysis goes on in another process.
    pub(crate) fn forget(&mut self, mysis: MysisId) {
        self.awaited.remove(&mysis);
    }

    /// Takes in an event. Returns the violations: Myses that should have come back long ago.
    pub(crate) fn on_event(&mut self, event: &SwarmEvent) -> Vec<String> {
        match (&event.mysis, &event.what) {
            (Some(who), EventKind::StateChanged { to, reason, .. }) => {
                let died = *to == LifeState::Errored
                    && reason
                        .as_ref()
                        .is_some_and(|why| why.starts_with(DEATH_REASON_PREFIX));
                if died {
                    let since = (who.name.clone(), Instant::now());
                    self.awaited.entry(who.id).or_insert(since);
                } else if self.awaited.remove(&who.id).is_some() && *to == LifeState::Running {
                    self.revived += 1;
                }
            }
            // From here on only the operator can bring it back.
            (None, EventKind::Notice { code, text, .. }) if *code == "relaunches_spent" => {
                self.awaited
                    .retain(|_, (name, _)| !text.starts_with(&format!("{name} ")));
            }
            _ => {}
        }
        let is_overdue = |(_, since): &(Arc<str>, Instant)| since.elapsed() > MAX_REVIVAL_TIME;
        let overdue = self.awaited.values().filter(|one| is_overdue(one));
        let overdue = overdue
            .map(|(name, _)| format!("{name} died and did not run again in the same process"))
            .collect();
        self.awaited.retain(|_, one| !is_overdue(one));
        overdue
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::event::MysisRef;
    use actors::domain::ids::Timestamp;
    use actors::domain::message::Severity;

    use super::*;

    fn changes(to: LifeState, reason: Option<&str>) -> SwarmEvent {
        SwarmEvent {
            at: Timestamp(0),
            mysis: Some(MysisRef {
                id: MysisId(1),
                name: "m1".into(),
            }),
            what: EventKind::StateChanged {
                from: LifeState::Running,
                to,
                reason: reason.map(Into::into),
            },
        }
    }

    fn notice(code: &'static str, text: &str) -> SwarmEvent {
        SwarmEvent {
            at: Timestamp(0),
            mysis: None,
            what: EventKind::Notice {
                severity: Severity::Info,
                code,
                text: text.into(),
            },
        }
    }

    /// The violations long after a death, and the number of revived Myses, if `meanwhile` happens
    /// after it.
    async fn after(meanwhile: impl FnOnce(&mut RevivalTracker)) -> (usize, u64) {
        let mut lives = RevivalTracker::default();
        let died = format!("{DEATH_REASON_PREFIX}killed");
        lives.on_event(&changes(LifeState::Errored, Some(&died)));
        meanwhile(&mut lives);
        tokio::time::advance(MAX_REVIVAL_TIME * 2).await;
        let overdue = lives.on_event(&notice("store_healed", "the store works again"));
        (overdue.len(), lives.revived())
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_dies_and_does_not_run_again_in_its_process_is_missed() {
        assert_eq!(after(|_| {}).await, (1, 0));
        let runs =
            |lives: &mut RevivalTracker| drop(lives.on_event(&changes(LifeState::Running, None)));
        assert_eq!(after(runs).await, (0, 1));
        let stopped =
            |lives: &mut RevivalTracker| drop(lives.on_event(&changes(LifeState::Stopped, None)));
        assert_eq!(after(stopped).await, (0, 0));
        let spent = notice("relaunches_spent", "m1 stays errored: relaunched 5 times");
        assert_eq!(after(|lives| drop(lives.on_event(&spent))).await, (0, 0));
        let of_another = notice("relaunches_spent", "m10 stays errored: relaunched 5 times");
        assert_eq!(
            after(|lives| drop(lives.on_event(&of_another))).await,
            (1, 0)
        );
        assert_eq!(after(RevivalTracker::on_process_start).await, (0, 0));
    }
}
