//! Members: every Mysis with its actor, its status and its relaunches.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ractor::{ActorId, ActorRef};
use tokio::time::Instant;

use crate::domain::event::{Activity, MysisRef, MysisStatus};
use crate::domain::ids::{Incarnation, MysisId, Timestamp};
use crate::domain::order::{MysisOrder, OrderRefusal};
use crate::domain::record::{MysisProfile, MysisRecord};
use crate::domain::restart::Relaunches;
use crate::domain::state::LifeState;
use crate::mysis::MysisMsg;
use crate::reply::OrderReply;
use crate::timer::Timer;

use super::CommanderMsg;

/// All Myses, the actors that run them, and the names that are being created.
#[derive(Default)]
pub(super) struct SwarmMembers {
    by_id: BTreeMap<MysisId, SwarmMember>,
    /// The actors that have not stopped.
    by_actor: BTreeMap<ActorId, MysisId>,
    /// A name belongs to one Mysis until that is deleted.
    by_name: BTreeMap<Arc<str>, MysisId>,
    /// Names of Myses that are being created, so that none is given twice.
    reserved_names: BTreeSet<String>,
    /// When Myses were deleted of which a step of the fleet may still tell.
    deleted: BTreeMap<MysisId, Instant>,
}

pub(super) struct SwarmMember {
    pub(super) actor: ActorRef<MysisMsg>,
    pub(super) incarnation: Incarnation,
    /// The record at its last start. Later changes, including those of the profile, are in
    /// `status`.
    pub(super) record: MysisRecord,
    pub(super) status: Arc<MysisStatus>,
    /// Whether it was told to run and has not reported that it does. If it dies meanwhile, it
    /// counts as running, whatever it reported last.
    pub(super) is_starting: bool,
    /// Whether it is being deleted. It takes no orders then.
    pub(super) is_deleting: bool,
    /// Why it leaves this process, if it does.
    pub(super) leaving: Option<Leaving>,
    pub(super) relaunching: Relaunching,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    /// For another process, at the end of its turn.
    HandedOver,
    /// Another process took it.
    Lost,
}

/// The automatic relaunches of a Mysis: the past ones, and the timer of the next one.
#[derive(Default)]
pub(super) struct Relaunching {
    pub(super) past: Relaunches,
    /// The deaths at rest. They cost the Mysis no relaunch.
    pub(super) at_rest: Relaunches,
    pub(super) next: Option<Timer<CommanderMsg>>,
}

impl SwarmMembers {
    pub(super) fn count(&self) -> usize {
        self.by_id.len()
    }

    pub(super) fn get(&self, id: MysisId) -> Option<&SwarmMember> {
        self.by_id.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: MysisId) -> Option<&mut SwarmMember> {
        self.by_id.get_mut(&id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &SwarmMember> {
        self.by_id.values()
    }

    pub(super) fn iter_orderable(&mut self) -> impl Iterator<Item = &mut SwarmMember> {
        self.by_id.values_mut().filter(|member| !member.is_deleting)
    }

    /// The Mysis with this name, even if it is being deleted.
    pub(super) fn named(&self, name: &str) -> Option<&SwarmMember> {
        self.get(*self.by_name.get(name)?)
    }

    pub(super) fn orderable(&mut self, name: &str) -> Result<&mut SwarmMember, OrderRefusal> {
        let id = self.by_name.get(name).copied();
        id.and_then(|id| self.by_id.get_mut(&id))
            .filter(|member| !member.is_deleting)
            .ok_or_else(|| {
                let known = self.by_name.keys().map(|known| &**known);
                OrderRefusal::unknown_mysis(name, known.filter(|known| *known != name))
            })
    }

    pub(super) fn insert(&mut self, member: SwarmMember) {
        self.by_actor
            .insert(member.actor.get_id(), member.record.id);
        self.by_name
            .insert(member.status.name.clone(), member.record.id);
        self.by_id.insert(member.record.id, member);
    }

    pub(super) fn remove(&mut self, id: MysisId) -> Option<SwarmMember> {
        let member = self.by_id.remove(&id)?;
        self.by_name.remove(&member.status.name);
        Some(member)
    }

    pub(super) fn note_deleted(&mut self, mysis: MysisId) {
        self.deleted.insert(mysis, Instant::now());
    }

    /// Forgets the deletions of which a step of the fleet that began then knows, as each later one does.
    pub(super) fn forget_deleted(&mut self, began: Option<Instant>) {
        self.deleted
            .retain(|_, at| began.is_none_or(|began| *at >= began));
    }

    /// Whether a Mysis was deleted of which a step of the fleet may still tell.
    pub(super) fn was_deleted(&self, mysis: MysisId) -> bool {
        self.deleted.contains_key(&mysis)
    }

    pub(super) fn check_room(&self, name: &str, max_myses: usize) -> Result<(), OrderRefusal> {
        if self.named(name).is_some() || self.reserved_names.contains(name) {
            return Err(OrderRefusal::NameTaken(name.to_string()));
        }
        if self.count() + self.reserved_names.len() >= max_myses {
            return Err(OrderRefusal::SwarmFull(max_myses));
        }
        Ok(())
    }

    pub(super) fn reserve_name(&mut self, name: String) {
        self.reserved_names.insert(name);
    }

    pub(super) fn release_name(&mut self, name: &str) {
        self.reserved_names.remove(name);
    }

    pub(super) fn new_id(&self, rng: &mut fastrand::Rng) -> MysisId {
        loop {
            let id = MysisId(rng.i64(1..));
            if !self.by_id.contains_key(&id) {
                return id;
            }
        }
    }

    pub(super) fn of_actor(&self, actor: ActorId) -> Option<MysisId> {
        self.by_actor.get(&actor).copied()
    }

    pub(super) fn remove_actor(&mut self, actor: ActorId) -> Option<MysisId> {
        self.by_actor.remove(&actor)
    }

    pub(super) fn have_left(&self) -> bool {
        self.by_actor.is_empty()
    }

    /// Kills all actors without waiting.
    pub(super) fn kill_all(&mut self) {
        for member in self.iter() {
            member.actor.kill();
        }
        self.by_actor.clear();
    }

    /// Sends a message to every Mysis. A dead actor gets its content when it is started again.
    pub(super) fn send_to_all(&self, message: impl Fn() -> MysisMsg) {
        for member in self.iter() {
            let _ = member.actor.cast(message());
        }
    }

    /// The statuses of all Myses, sorted by name.
    pub(super) fn statuses(&self) -> Vec<Arc<MysisStatus>> {
        let statuses = self.iter().map(|member| member.status.clone());
        let mut statuses: Vec<Arc<MysisStatus>> = statuses.collect();
        statuses.sort_by(|a, b| a.name.cmp(&b.name));
        statuses
    }
}

impl SwarmMember {
    pub(super) fn id(&self) -> MysisId {
        self.record.id
    }

    pub(super) fn mysis_ref(&self) -> MysisRef {
        self.status.who()
    }

    /// Gives it an order. A dead actor drops the reply, which answers the order.
    pub(super) fn send_order(&mut self, order: MysisOrder, reply: OrderReply) {
        self.is_starting |= order.starts(self.status.state);
        let _ = self.actor.cast(MysisMsg::Order(order, reply));
    }

    pub(super) fn start(&mut self) {
        self.send_order(MysisOrder::Start, OrderReply::to_nobody());
    }

    /// Whether it keeps its state if its actor dies now: it neither runs nor is about to.
    pub(super) fn is_at_rest(&self) -> bool {
        match self.status.state {
            LifeState::Idle | LifeState::Stopped | LifeState::Errored => !self.is_starting,
            LifeState::Running => false,
        }
    }

    pub(super) fn set_status(&mut self, status: Arc<MysisStatus>) -> Arc<MysisStatus> {
        if status.state == LifeState::Running {
            self.is_starting = false;
            self.relaunching.next = None;
        }
        std::mem::replace(&mut self.status, status)
    }

    /// Sets and returns its status after its actor has stopped.
    pub(super) fn set_left(&mut self, now: Timestamp) -> Arc<MysisStatus> {
        let left = MysisStatus {
            activity: Activity::Resting,
            activity_since: now,
            activity_until: None,
            ..MysisStatus::clone(&self.status)
        };
        self.status = Arc::new(left);
        self.status.clone()
    }

    /// Its status while its next actor, which begins with this record, reads its history.
    pub(super) fn rebuilding_status(&self, record: &MysisRecord, now: Timestamp) -> MysisStatus {
        MysisStatus {
            state: record.state.at_rest(),
            reason: record.reason.clone(),
            fault: record.fault.clone(),
            activity: Activity::Rebuilding,
            activity_since: now,
            activity_until: None,
            ..MysisStatus::clone(&self.status)
        }
    }

    /// The record with the changes since it was read.
    pub(super) fn up_to_date(&self) -> MysisRecord {
        let status = &self.status;
        MysisRecord {
            profile: MysisProfile::clone(&status.own_profile),
            state: status.state,
            reason: status.reason.clone(),
            fault: status.fault.clone(),
            totals: status.totals,
            account: status.account.clone(),
            ..self.record.clone()
        }
    }
}

impl Relaunching {
    /// Forgets earlier relaunches, because the operator takes over.
    pub(super) fn forget(&mut self) {
        self.past.forget();
        self.at_rest.forget();
        self.next = None;
    }
}
