//! Supervising: starts Myses, takes their events, and handles those that die.

use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorId, ActorProcessingErr};

use crate::domain::event::{EventKind, MysisReport, MysisStatus, TurnEvent};
use crate::domain::fault::{MysisFault, MysisFaultKind};
use crate::domain::ids::{Incarnation, MysisId};
use crate::domain::life::RestoreArgs;
use crate::domain::message::Severity;
use crate::domain::record::{MysisRecord, StoredHistory};
use crate::domain::restart::RelaunchVerdict;
use crate::domain::state::LifeState;
use crate::domain::write::{Author, Batch, Write};
use crate::mysis::{MysisActor, MysisArgs};
use crate::timer::set_timer;

use super::members::SwarmMember;
use super::{CommanderMsg, CommanderState, tell_commander};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SpawnReason {
    AsStored,
    /// It ran when the program ended, and it is not started now.
    Interrupted,
    /// After the crash, and this long after it.
    AfterCrash(Arc<str>, Duration),
}

impl CommanderState {
    pub(super) async fn spawn_mysis(
        &mut self,
        record: MysisRecord,
        coming: SpawnReason,
    ) -> Result<(), ActorProcessingErr> {
        let id = record.id;
        let before = self.members.remove(id);
        let status = Arc::new(match &before {
            Some(member) => member.rebuilding_status(&record, self.now()),
            None => self.first_status(&record, &coming),
        });
        let known = before.as_ref().map(|member| member.incarnation);
        let known = known.unwrap_or(record.incarnation);
        let incarnation = known.next();
        let args = self.mysis_args(record.clone(), incarnation, coming);
        let cell = self.myself.get_cell();
        let (actor, _) = Actor::spawn_linked(None, MysisActor, args, cell).await?;
        let lived_before = before.is_some();
        let member = SwarmMember {
            actor,
            incarnation,
            record,
            status: status.clone(),
            is_starting: false,
            is_deleting: false,
            leaving: None,
            // A pending relaunch survives the actor that it is for.
            relaunching: before.map(|member| member.relaunching).unwrap_or_default(),
        };
        let who = member.mysis_ref();
        self.members.insert(member);
        if lived_before {
            // The actor itself reports this only after reading its history, which may take long.
            self.emit_event_of(who, EventKind::StatusChanged(status));
        }
        Ok(())
    }

    fn first_status(&self, record: &MysisRecord, coming: &SpawnReason) -> MysisStatus {
        let first = MysisStatus::from_record(record, &self.rules.current, self.now());
        match coming {
            // It reports the exact time itself once it has read its history.
            SpawnReason::Interrupted => first.with_interruption(),
            SpawnReason::AsStored | SpawnReason::AfterCrash(..) => first,
        }
    }

    fn mysis_args(
        &self,
        record: MysisRecord,
        incarnation: Incarnation,
        coming: SpawnReason,
    ) -> MysisArgs {
        let is_interrupted = coming == SpawnReason::Interrupted;
        let (crash, wait) = match coming {
            SpawnReason::AsStored | SpawnReason::Interrupted => (None, Duration::ZERO),
            SpawnReason::AfterCrash(crash, wait) => (Some(crash), wait),
        };
        let life = RestoreArgs {
            record,
            recollection: StoredHistory::default(),
            incarnation,
            mission: self.mission.current().cloned(),
            rules: self.rules.current.clone(),
            redactor: self.rules.redactor(),
            is_interrupted,
            crash,
            mode: self.mode,
            frozen_ms: self.freeze_switch().frozen_ms(self.clock().moment()),
        };
        MysisArgs {
            life,
            wait,
            deps: self.deps.clone(),
            parent: tell_commander(&self.myself, CommanderMsg::Report),
        }
    }

    /// Takes an event of a Mysis. Events of an older incarnation are dropped.
    pub(super) fn on_report(&mut self, report: MysisReport) {
        let Some(member) = self.members.get_mut(report.mysis) else {
            return;
        };
        if member.incarnation != report.incarnation {
            return;
        }
        match &report.event.what {
            EventKind::Learned(account) => return self.learn_secrets([account.password.clone()]),
            EventKind::StatusChanged(status) => {
                let before = member.set_status(status.clone());
                self.record_need(&before, status);
                if status.state == LifeState::Errored
                    && before.state != LifeState::Errored
                    && let Some(fault) = &status.fault
                {
                    self.schedule_relaunch(report.mysis, fault);
                }
                self.watch_silence(&before, status);
            }
            EventKind::Turn(TurnEvent::ToolReturned {
                is_error: false, ..
            }) => self.on_tool_success(),
            // It has begun to run, if only for a moment.
            EventKind::StateChanged { to, .. } => member.is_starting &= *to == LifeState::Running,
            EventKind::Roster(_)
            | EventKind::Turn(_)
            | EventKind::Stored(_)
            | EventKind::Mission(_)
            | EventKind::Condition(_)
            | EventKind::Notice { .. }
            | EventKind::Shutdown => {}
        }
        self.emit(report.event);
    }

    /// Handles the end of a child. The Store and the gate are replaced at once. A Mysis is
    /// restarted in a new incarnation.
    pub(super) async fn child_ended(
        &mut self,
        actor: ActorId,
        cause: Option<String>,
    ) -> Result<(), ActorProcessingErr> {
        if self.is_over() {
            return Ok(());
        }
        if self.services.store().get_id() == actor {
            return self.replace_store().await;
        }
        if self.services.gate().get_id() == actor {
            return self.replace_gate().await;
        }
        if self.replace_fleet(actor).await? {
            return Ok(());
        }
        let cause = cause.unwrap_or_else(|| "it stopped by itself".to_string());
        if let Some(terminal) = self.terminals.take(actor) {
            return self.replace_terminal(terminal, &cause).await;
        }
        let Some(id) = self.members.remove_actor(actor) else {
            return Ok(());
        };
        if self.closing.is_some() {
            self.emit_left(id);
            self.on_mysis_left();
            return Ok(());
        }
        if self.has_left_for_another(id) {
            return Ok(());
        }
        self.handle_crash(id, &cause).await
    }

    /// Restarts a Mysis whose actor died. If it ran, it is errored with the cause. If it was at
    /// rest, it stays as it was. If it is being deleted, it is not restarted.
    async fn handle_crash(&mut self, id: MysisId, cause: &str) -> Result<(), ActorProcessingErr> {
        let member = self.members.get(id).filter(|member| !member.is_deleting);
        let Some(member) = member else {
            return Ok(());
        };
        let text = format!("the Mysis crashed: {cause}");
        let text: Arc<str> = self.rules.secrets.clean(&text).into();
        tracing::warn!(mysis = %id, cause = %text, "actor died");
        let mut record = member.up_to_date();
        let next = member.incarnation.next();
        if member.is_at_rest() {
            let wait = self.rest_wait(id, &text);
            let coming = SpawnReason::AfterCrash(text, wait);
            return self.spawn_mysis(record, coming).await;
        }
        let coming = SpawnReason::AfterCrash(text.clone(), Duration::ZERO);
        let fault = MysisFault {
            kind: MysisFaultKind::Crash,
            text: text.clone(),
            at: self.now(),
        };
        let (who, change) = (
            member.mysis_ref(),
            EventKind::StateChanged {
                from: member.status.state,
                to: LifeState::Errored,
                reason: Some(text.clone()),
            },
        );
        record.state = LifeState::Errored;
        record.reason = Some(text);
        record.fault = Some(fault.clone());
        self.write_down(&record, next);
        self.emit_event_of(who, change);
        self.spawn_mysis(record, coming).await?;
        self.schedule_relaunch(id, &fault);
        Ok(())
    }

    /// How long the next actor of a Mysis that died at rest waits. Reading its history may be what kills it,
    /// so from the second death on it waits, and the operator is told.
    fn rest_wait(&mut self, id: MysisId, cause: &Arc<str>) -> Duration {
        let now = self.clock().moment();
        let rules = &self.rules.current.supervision;
        let Some(member) = self.members.get_mut(id) else {
            return Duration::ZERO;
        };
        let wait = member.relaunching.at_rest.rest_wait(rules, now);
        if !wait.is_zero() {
            let (who, name) = (member.mysis_ref(), &member.status.name);
            let text = format!(
                "{cause}; {name} was at rest and takes orders again in {wait:?}; if this goes on, `zoea db \
                 check` looks for damage, and `zoea mysis delete {name}` removes it"
            );
            self.emit_event_of(who, EventKind::notice(Severity::Error, "crashed", text));
        }
        wait
    }

    /// Stores a crash, as the first word of the next life: another process may run the Mysis before the
    /// store takes it.
    fn write_down(&mut self, record: &MysisRecord, next: Incarnation) {
        let batch = Batch {
            author: Author::Mysis(record.id, next),
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

    fn schedule_relaunch(&mut self, id: MysisId, fault: &MysisFault) {
        let now = self.clock().moment();
        let rules = &self.rules.current.supervision;
        let Some(member) = self.members.get_mut(id) else {
            return;
        };
        match member.relaunching.past.decide(rules, fault.kind, now) {
            RelaunchVerdict::Stay => {}
            RelaunchVerdict::GiveUp => {
                let (name, count, within) =
                    (&member.status.name, rules.max_relaunches, rules.within);
                let minutes = within.as_secs().div_ceil(60);
                let text = format!(
                    "{name} stays errored: zoea relaunched it {count} times within {minutes} min; correct \
                     the cause, then `zoea mysis start {name}` relaunches it"
                );
                self.emit_notice(Severity::Error, "relaunches_spent", &text);
            }
            RelaunchVerdict::After(wait) => {
                let wait = wait + wait.mul_f64(self.rng.f64() / 10.0);
                let relaunch = move || CommanderMsg::Relaunch(id);
                member.relaunching.next = Some(set_timer(&self.myself, wait, relaunch));
            }
        }
    }

    /// Relaunches an errored Mysis, unless the operator has changed its state meanwhile.
    pub(super) fn relaunch_errored(&mut self, id: MysisId) {
        let Some(member) = self.members.get_mut(id) else {
            return;
        };
        member.relaunching.next = None;
        if member.status.state == LifeState::Errored && !member.is_deleting {
            let who = member.mysis_ref();
            member.start();
            self.record_relaunch(who);
        }
    }
}
