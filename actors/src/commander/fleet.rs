//! The fleet: takes up Myses of processes that are gone, hands over what is beyond this process's
//! share, and drops what another process took.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef};
use tokio::time::Instant;
use zoea_text::names::listed;

use crate::domain::event::{Activity, EventKind, RosterChange};
use crate::domain::ids::MysisId;
use crate::domain::life::Mode;
use crate::domain::message::Severity;
use crate::domain::order::{CompletedAction, CompletedOrder, MysisOrder, OrderRefusal};
use crate::domain::record::{Mission, MysisRecord};
use crate::domain::state::LifeState;
use crate::fleet::{FleetActor, FleetArgs, FleetMsg};
use crate::mysis::MysisMsg;
use crate::ports::{Fleet, FleetStep};
use crate::reply::OrderReply;

use super::members::{Leaving, SwarmMember};
use super::returning::starts_by_itself;
use super::supervising::SpawnReason;
use super::{CommanderMsg, CommanderState, tell_commander};

/// How long a process relies on the leases with which it starts, before the first step.
const FIRST_SAFE_TIME: Duration = Duration::from_secs(10);

pub(super) struct FleetMembership {
    fleet: Arc<dyn Fleet>,
    actor: ActorRef<FleetMsg>,
    /// The Myses that left this process, until a step has given them back.
    let_go: BTreeSet<MysisId>,
}

impl CommanderState {
    /// Joins the fleet when the program starts, if there can be one.
    pub(super) async fn begin_in_fleet(
        &mut self,
        fleet: Option<Arc<dyn Fleet>>,
    ) -> Result<(), ActorProcessingErr> {
        let Some(fleet) = fleet else {
            return Ok(());
        };
        self.freeze_switch()
            .leave_until(Instant::now() + FIRST_SAFE_TIME);
        self.join_fleet(fleet, BTreeSet::new()).await
    }

    async fn join_fleet(
        &mut self,
        fleet: Arc<dyn Fleet>,
        let_go: BTreeSet<MysisId>,
    ) -> Result<(), ActorProcessingErr> {
        let args = FleetArgs {
            fleet: fleet.clone(),
            clock: self.clock().clone(),
            freeze: self.freeze_switch().clone(),
            capacity: self.rules.current.max_myses,
            parent: tell_commander(&self.myself, CommanderMsg::Fleet),
            notices: tell_commander(&self.myself, CommanderMsg::News),
        };
        let (actor, _) =
            Actor::spawn_linked(None, FleetActor, args, self.myself.get_cell()).await?;
        for member in self.members.iter() {
            // A dead actor's successor is told everything again.
            let _ = actor.cast(FleetMsg::Changed(member.status.clone()));
        }
        for order in self.passed.unstored() {
            let _ = actor.cast(FleetMsg::Give(order.clone()));
        }
        for (order, answer) in self.passed.unanswered() {
            let _ = actor.cast(FleetMsg::Answer(order, answer));
        }
        for mysis in &let_go {
            let _ = actor.cast(FleetMsg::LetGo(*mysis));
        }
        self.fleet = Some(FleetMembership {
            fleet,
            actor,
            let_go,
        });
        Ok(())
    }

    pub(super) async fn replace_fleet(
        &mut self,
        actor: ActorId,
    ) -> Result<bool, ActorProcessingErr> {
        let membership = self.fleet.take_if(|fleet| fleet.actor.get_id() == actor);
        let Some(membership) = membership else {
            return Ok(false);
        };
        if self.closing.is_none() {
            tracing::error!("the fleet's actor crashed and is replaced");
            self.join_fleet(membership.fleet, membership.let_go).await?;
        }
        Ok(true)
    }

    /// Drains a process of the fleet, or ends that. It takes note within a second.
    pub(super) fn drain_process(&mut self, process: String, is_draining: bool, reply: OrderReply) {
        let Some(membership) = &self.fleet else {
            return reply.answer(Err(match self.mode {
                Mode::QueueOnly => OrderRefusal::NoSwarm,
                Mode::Live | Mode::Draining => OrderRefusal::UnknownProcess(process),
            }));
        };
        let draining = membership.fleet.drain(process.as_str().into(), is_draining);
        self.jobs.spawn(async move {
            let action = match is_draining {
                true => CompletedAction::Drained,
                false => CompletedAction::Undrained,
            };
            reply.answer(match draining.await {
                Ok(true) => Ok(CompletedOrder::Done(action)),
                Ok(false) => Err(OrderRefusal::UnknownProcess(process)),
                Err(fault) => Err(OrderRefusal::Store(fault.to_string())),
            });
        });
    }

    /// Takes nothing up any more, because the program closes.
    pub(super) fn stop_joining(&mut self) {
        if let Some(fleet) = &self.fleet {
            fleet.actor.stop(None);
        }
    }

    pub(super) fn send_to_fleet(&self, message: FleetMsg) {
        if let Some(fleet) = &self.fleet {
            // A dead actor's successor is told everything again.
            let _ = fleet.actor.cast(message);
        }
    }

    pub(super) async fn on_fleet_step(
        &mut self,
        step: FleetStep,
    ) -> Result<(), ActorProcessingErr> {
        if self.closing.is_some() {
            return Ok(());
        }
        if let Some(fleet) = &mut self.fleet {
            fleet.let_go.retain(|mysis| !step.let_go.contains(mysis));
        }
        self.learn_secrets(step.passwords);
        self.follow_mission(step.began, step.mission);
        for mysis in step.lost {
            self.drop_lost(mysis);
        }
        self.members.forget_deleted(step.began);
        self.take_over(step.taken).await?;
        self.follow_neighbours(step.neighbours);
        self.follow_orders(step.began, step.orders);
        self.hand_over(step.surplus, step.is_draining);
        Ok(())
    }

    /// Runs what this process took from others, or what nobody ran. What ran goes on.
    async fn take_over(&mut self, taken: Vec<MysisRecord>) -> Result<(), ActorProcessingErr> {
        let (mut arrived, mut names) = (Vec::new(), Vec::new());
        for record in taken {
            let id = record.id;
            arrived.push(id);
            // A step under way may have read one that was deleted or let go meanwhile.
            let is_known = self.members.get(id).is_some() || self.members.was_deleted(id);
            if is_known || self.is_let_go(id) {
                continue;
            }
            let goes_on =
                record.state == LifeState::Running || starts_by_itself(&record, false, false);
            self.spawn_mysis(record, SpawnReason::AsStored).await?;
            let Some(member) = self.members.get_mut(id) else {
                continue;
            };
            names.push(member.status.name.clone());
            if goes_on {
                member.start();
            }
            self.forget_neighbour(id);
            self.emit_arrival(id, RosterChange::TakenOver);
        }
        if !arrived.is_empty() {
            // What they spent elsewhere counts for their own budgets.
            self.read_books();
            self.send_to_fleet(FleetMsg::Arrived(arrived));
        }
        if !names.is_empty() {
            // The processes of a fleet write one log.
            let text = match self.neighbours.own_name() {
                Some(own) => format!("taken over by {own}: {}", listed(&names)),
                None => format!("taken over: {}", listed(&names)),
            };
            self.emit_notice(Severity::Info, "taken_over", &text);
        }
        Ok(())
    }

    /// Ends what is left of a Mysis that another process runs.
    fn drop_lost(&mut self, mysis: MysisId) {
        match self.members.get(mysis) {
            Some(member) => {
                member.actor.kill();
                self.mark_lost(mysis);
            }
            None => self.let_go(mysis),
        }
    }

    /// The store refused what an actor wrote, which has stopped for it. In a fleet, another process has
    /// taken its Mysis.
    pub(super) fn on_fenced(&mut self, actor: ActorId) {
        if self.fleet.is_some()
            && let Some(mysis) = self.members.of_actor(actor)
        {
            self.mark_lost(mysis);
        }
    }

    fn mark_lost(&mut self, mysis: MysisId) {
        let member = self.members.get_mut(mysis);
        let Some(member) = member.filter(|member| member.leaving != Some(Leaving::Lost)) else {
            return;
        };
        member.leaving = Some(Leaving::Lost);
        member.relaunching.forget();
        // What it wrote last may wait for the store until the Mysis is back here.
        let before = member.incarnation.next();
        self.services.shut_out(mysis, before);
    }

    /// Gives a Mysis back of which nothing is left here.
    fn let_go(&mut self, mysis: MysisId) {
        if let Some(fleet) = &mut self.fleet
            && fleet.let_go.insert(mysis)
        {
            // A dead actor's successor is told everything again.
            let _ = fleet.actor.cast(FleetMsg::LetGo(mysis));
        }
    }

    fn is_let_go(&self, mysis: MysisId) -> bool {
        let fleet = self.fleet.as_ref();
        fleet.is_some_and(|fleet| fleet.let_go.contains(&mysis))
    }

    /// Lets Myses that run here go, each at the end of its turn. Those between two turns come first.
    fn hand_over(&mut self, surplus: usize, is_draining: bool) {
        let runs = |member: &SwarmMember| member.status.state == LifeState::Running;
        let going = self
            .members
            .iter()
            .filter(|member| member.leaving.is_some());
        let left = surplus.saturating_sub(going.filter(|member| runs(member)).count());
        let may = |member: &SwarmMember| member.leaving.is_none() && !member.is_deleting;
        let is_pausing = |member: &SwarmMember| {
            matches!(
                member.status.activity,
                Activity::Pausing | Activity::Waiting | Activity::Done
            )
        };
        let members = || self.members.iter().filter(|member| may(member));
        let (now, later): (Vec<_>, Vec<_>) = members()
            .filter(|member| runs(member))
            .partition(|member| is_pausing(member));
        let mut chosen: Vec<MysisId> = now
            .into_iter()
            .chain(later)
            .take(left)
            .map(SwarmMember::id)
            .collect();
        if is_draining {
            chosen.extend(
                members()
                    .filter(|member| !runs(member))
                    .map(SwarmMember::id),
            );
        }
        for id in chosen {
            if let Some(member) = self.members.get_mut(id) {
                member.leaving = Some(Leaving::HandedOver);
                // A dead actor has nothing to finish.
                let _ = member.actor.cast(MysisMsg::HandOver);
            }
        }
    }

    /// Forgets a Mysis whose actor ended, if it was to leave. Returns whether it was.
    pub(super) fn has_left_for_another(&mut self, mysis: MysisId) -> bool {
        let leaving = self.members.get(mysis).and_then(|member| member.leaving);
        let Some(leaving) = leaving else {
            return false;
        };
        if let Some(member) = self.members.remove(mysis) {
            let who = member.mysis_ref();
            if leaving == Leaving::Lost {
                let own = self.neighbours.own_name();
                let own = own.as_deref().unwrap_or("this one");
                let text = format!(
                    "{} runs in another process now: {own} held its lease for too long without \
                     renewing it",
                    who.name
                );
                self.emit_notice(Severity::Warn, "lease_lost", &text);
            }
            self.emit_event_of(who, EventKind::Roster(RosterChange::MovedAway));
            self.show_as_neighbour(member.status);
            self.update_silence();
        }
        self.let_go(mysis);
        true
    }

    /// Takes the mission of the database, if a process put another one in force. What was read before
    /// this process's own last change is out of date.
    fn follow_mission(&mut self, read: Option<Instant>, mission: Option<Mission>) {
        if !read.is_some_and(|read| self.mission.is_older_than(read)) {
            return;
        }
        if self.mission.current().map(|known| known.id) == mission.as_ref().map(|new| new.id) {
            return;
        }
        self.emit_event(EventKind::Mission(
            mission.as_ref().map(|new| new.text.clone()),
        ));
        self.mission.follow(mission.clone());
        match mission {
            None => self.members.send_to_all(|| MysisMsg::MissionStands(None)),
            Some(mission) => {
                for member in self.members.iter_orderable() {
                    let order = MysisOrder::Mission(mission.clone());
                    member.send_order(order, OrderReply::to_nobody());
                }
            }
        }
    }
}
