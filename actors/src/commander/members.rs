//! Members: starts Myses, takes their events, and handles those that die.

use std::sync::Arc;

use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef};

use crate::domain::event::{Activity, EventKind, MysisRef, MysisReport, MysisStatus, SwarmEvent};
use crate::domain::fault::{MysisFault, MysisFaultKind};
use crate::domain::ids::{Incarnation, MysisId};
use crate::domain::message::Severity;
use crate::domain::order::MysisOrder;
use crate::domain::record::{MysisProfile, MysisRecord};
use crate::domain::restart::{RelaunchVerdict, Relaunches};
use crate::domain::state::LifeState;
use crate::domain::write::{Author, Batch, Write};
use crate::mysis::{MysisActor, MysisArgs, MysisMsg};
use crate::reply::OrderReply;
use crate::timer::{Timer, set_timer};

use super::{CommanderMsg, CommanderState};

/// A Mysis as the Commander knows it.
pub(super) struct SwarmMember {
    pub(super) actor: ActorRef<MysisMsg>,
    pub(super) incarnation: Incarnation,
    /// The record at its last start. Later changes, including those of the profile, are in
    /// `standing`.
    pub(super) record: MysisRecord,
    pub(super) standing: Arc<MysisStatus>,
    /// Whether it was told to run and has not reported that it does. If it dies meanwhile, it
    /// counts as running, whatever it reported last.
    pub(super) is_starting: bool,
    /// Whether it is being deleted. It takes no orders then.
    pub(super) is_deleting: bool,
    relaunches: Relaunches,
    relaunch: Option<Timer<CommanderMsg>>,
}

/// Why a Mysis' actor is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SpawnReason {
    /// It continues as it is stored.
    AsStored,
    /// It ran when the program ended, and it is not started now.
    Interrupted,
    /// It crashed.
    AfterCrash(Arc<str>),
}

impl SwarmMember {
    pub(super) fn mysis_ref(&self) -> MysisRef {
        MysisRef {
            id: self.record.id,
            name: self.standing.name.clone(),
        }
    }

    /// Gives it an order. A dead actor drops the reply, which answers the order.
    pub(super) fn send_order(&mut self, order: MysisOrder, reply: OrderReply) {
        self.is_starting |= order.starts(self.standing.state);
        let _ = self.actor.cast(MysisMsg::Order(order, reply));
    }

    pub(super) fn send_start(&mut self, reply: OrderReply) {
        self.send_order(MysisOrder::Start, reply);
    }

    /// Forgets earlier relaunches, because the operator takes over.
    pub(super) fn forget_relaunches(&mut self) {
        self.relaunches.forget();
        self.relaunch = None;
    }
}

impl CommanderState {
    /// Starts the actor of a Mysis in a new incarnation.
    pub(super) async fn spawn_mysis(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        record: MysisRecord,
        coming: SpawnReason,
    ) -> Result<(), ActorProcessingErr> {
        let id = record.id;
        let before = self.members.remove(&id);
        let known = before
            .as_ref()
            .map_or(record.incarnation, |member| member.incarnation);
        let incarnation = Incarnation(known.0.saturating_add(1));
        let is_interrupted = coming == SpawnReason::Interrupted;
        let args = MysisArgs {
            record: record.clone(),
            incarnation,
            mission: self.mission.clone(),
            rules: self.rules.clone(),
            redactor: self.secrets.redactor(),
            is_interrupted,
            crash: match coming {
                SpawnReason::AsStored | SpawnReason::Interrupted => None,
                SpawnReason::AfterCrash(crash) => Some(crash),
            },
            mode: self.mode,
            deps: self.deps.clone(),
            parent: myself.get_derived(),
        };
        let cell = myself.get_cell();
        let (actor, _) = Actor::spawn_linked(None, MysisActor, args, cell).await?;
        self.by_actor.insert(actor.get_id(), id);
        let standing = match &before {
            Some(member) => Arc::new(MysisStatus {
                state: record.state.at_rest(),
                reason: record.reason.clone(),
                fault: record.fault.clone(),
                activity: Activity::Rebuilding,
                activity_since: self.now(),
                activity_until: None,
                ..MysisStatus::clone(&member.standing)
            }),
            None => {
                let first = MysisStatus::from_record(&record, &self.rules, self.now());
                Arc::new(match is_interrupted {
                    // It reports the exact time itself once it has read its history.
                    true => first.with_interruption(),
                    false => first,
                })
            }
        };
        let lived_before = before.is_some();
        // A pending relaunch survives the actor that it is for.
        let (relaunches, relaunch) = before
            .map(|member| (member.relaunches, member.relaunch))
            .unwrap_or_default();
        let member = SwarmMember {
            actor,
            incarnation,
            record,
            standing: standing.clone(),
            is_starting: false,
            is_deleting: false,
            relaunches,
            relaunch,
        };
        let who = Some(member.mysis_ref());
        self.members.insert(id, member);
        if lived_before {
            // The actor itself reports this only after reading its history, which may take long.
            let at = self.now();
            self.tell_all(SwarmEvent {
                at,
                mysis: who,
                what: EventKind::StatusChanged(standing),
            });
        }
        Ok(())
    }

    /// Takes an event of a Mysis. Events of an older incarnation are dropped.
    pub(super) fn on_report(&mut self, myself: &ActorRef<CommanderMsg>, report: MysisReport) {
        let Some(member) = self.members.get_mut(&report.mysis) else {
            return;
        };
        if member.incarnation != report.incarnation {
            return;
        }
        match &report.event.what {
            EventKind::Learned(account) => return self.learn_secrets([account.password.clone()]),
            EventKind::StatusChanged(standing) => {
                let became_errored = standing.state == LifeState::Errored
                    && member.standing.state != LifeState::Errored;
                let before = std::mem::replace(&mut member.standing, standing.clone());
                if standing.state == LifeState::Running {
                    member.is_starting = false;
                    member.relaunch = None;
                }
                self.record_need(&before, standing);
                if became_errored && let Some(fault) = standing.fault.clone() {
                    self.schedule_relaunch(myself, report.mysis, &fault);
                }
            }
            // It has begun to run, if only for a moment.
            EventKind::StateChanged { to, .. } => member.is_starting &= *to == LifeState::Running,
            EventKind::Created
            | EventKind::Deleted
            | EventKind::TurnStarted
            | EventKind::ModelReplied { .. }
            | EventKind::ToolCalled { .. }
            | EventKind::ToolReturned { .. }
            | EventKind::Stored(_)
            | EventKind::Mission(_)
            | EventKind::BudgetChanged(_)
            | EventKind::OutagesChanged(_)
            | EventKind::Notice { .. }
            | EventKind::Shutdown => {}
        }
        self.tell_all(report.event);
    }

    /// Handles the end of a child. The Store and the gate are replaced at once. A Mysis is
    /// restarted in a new incarnation.
    pub(super) async fn child_ended(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        actor: ActorId,
        cause: Option<String>,
    ) -> Result<(), ActorProcessingErr> {
        if self.is_over() {
            return Ok(());
        }
        let is_store = self.store.borrow().get_id() == actor;
        if is_store {
            return self.replace_store(myself).await;
        }
        let is_gate = self.gate.borrow().get_id() == actor;
        if is_gate {
            return self.replace_gate(myself).await;
        }
        if let Some(place) = self.terminal_of(actor) {
            return self.replace_terminal(myself, place, cause).await;
        }
        let Some(id) = self.by_actor.remove(&actor) else {
            return Ok(());
        };
        if self.closing.is_some() {
            self.tell_left(id);
            self.on_mysis_left(myself);
            return Ok(());
        }
        let is_deleting = self
            .members
            .get(&id)
            .is_none_or(|member| member.is_deleting);
        if is_deleting {
            return Ok(());
        }
        let cause = cause.unwrap_or_else(|| "it stopped by itself".to_string());
        self.handle_crash(myself, id, &cause).await
    }

    /// Restarts a Mysis whose actor died. If it ran, it is errored with the cause. If it was at
    /// rest, it stays as it was.
    async fn handle_crash(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        id: MysisId,
        cause: &str,
    ) -> Result<(), ActorProcessingErr> {
        let Some(member) = self.members.get(&id) else {
            return Ok(());
        };
        let text = format!("the mysis' actor died: {cause}");
        let text = self.secrets.clean(&text).into_owned();
        tracing::warn!(mysis = %id, cause = %text, "actor died");
        let was = member.standing.state;
        let fault = MysisFault {
            kind: MysisFaultKind::Crash,
            text: text.clone(),
            at: self.now(),
        };
        let mut record = member.up_to_date();
        let stays = match was {
            LifeState::Idle | LifeState::Stopped | LifeState::Errored => !member.is_starting,
            LifeState::Running => false,
        };
        if !stays {
            record.state = LifeState::Errored;
            record.reason = Some(text.as_str().into());
            record.fault = Some(fault.clone());
            self.write_down(&record);
            self.tell_change(id, was, LifeState::Errored, &text);
        }
        let coming = SpawnReason::AfterCrash(text.as_str().into());
        self.spawn_mysis(myself, record, coming).await?;
        if !stays {
            self.schedule_relaunch(myself, id, &fault);
        }
        Ok(())
    }

    fn write_down(&mut self, record: &MysisRecord) {
        let batch = Batch {
            author: Author::Commander,
            writes: vec![Write::State {
                mysis: record.id,
                state: record.state,
                reason: record.reason.clone(),
                fault: record.fault.clone(),
                at: self.now(),
            }],
        };
        let store = self.store_handle();
        self.jobs.spawn(async move {
            if let Err(fault) = store.write(batch).await {
                tracing::error!(%fault, "failed to write down a crash");
            }
        });
    }

    fn tell_change(&mut self, id: MysisId, from: LifeState, to: LifeState, reason: &str) {
        let Some(member) = self.members.get(&id) else {
            return;
        };
        let event = SwarmEvent {
            at: self.now(),
            mysis: Some(member.mysis_ref()),
            what: EventKind::StateChanged {
                from,
                to,
                reason: Some(reason.into()),
            },
        };
        self.tell_all(event);
    }

    /// Decides whether and when an errored Mysis is relaunched.
    fn schedule_relaunch(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        id: MysisId,
        fault: &MysisFault,
    ) {
        let now = self.outside.clock.moment();
        let rules = &self.rules.supervision;
        let Some(member) = self.members.get_mut(&id) else {
            return;
        };
        let name = member.standing.name.clone();
        match member.relaunches.decide(rules, fault.kind, now) {
            RelaunchVerdict::Stay => {}
            RelaunchVerdict::GiveUp => {
                let (count, within) = (rules.max_relaunches, rules.within);
                let text = format!(
                    "{name} stays errored: relaunched {count} times within {within:?} - press 'r' \
                     to relaunch"
                );
                self.tell_notice(Severity::Error, "relaunches_spent", &text);
            }
            RelaunchVerdict::After(wait) => {
                let wait = wait + wait.mul_f64(self.rng.f64() / 10.0);
                let relaunch = move || CommanderMsg::Relaunch(id);
                member.relaunch = Some(set_timer(myself, wait, relaunch));
            }
        }
    }

    /// Relaunches an errored Mysis, unless the operator has changed its state meanwhile.
    pub(super) fn relaunch_errored(&mut self, id: MysisId) {
        let Some(member) = self.members.get_mut(&id) else {
            return;
        };
        member.relaunch = None;
        if member.standing.state == LifeState::Errored && !member.is_deleting {
            let who = member.mysis_ref();
            member.send_start(OrderReply::to_nobody());
            self.record_relaunch(who);
        }
    }

    /// Sends the rules and the known secrets to all Myses.
    pub(super) fn spread_rules(&self) {
        for member in self.members.values() {
            // A dead actor gets them when it is started again.
            let _ = member.actor.cast(MysisMsg::RulesChanged {
                rules: self.rules.clone(),
                redactor: self.secrets.redactor(),
            });
        }
    }
}

impl SwarmMember {
    /// The record with the changes since it was read.
    fn up_to_date(&self) -> MysisRecord {
        let standing = &self.standing;
        MysisRecord {
            profile: MysisProfile::clone(&standing.profile),
            state: standing.state,
            reason: standing.reason.clone(),
            fault: standing.fault.clone(),
            totals: standing.totals,
            account: standing.account.clone(),
            ..self.record.clone()
        }
    }
}
