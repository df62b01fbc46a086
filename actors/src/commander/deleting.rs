//! Deleting Myses, and bringing them back.

use std::time::Duration;

use ractor::ActorProcessingErr;

use crate::domain::event::{EventKind, RosterChange};
use crate::domain::ids::MysisId;
use crate::domain::order::{CompletedAction, CompletedOrder, OrderRefusal};
use crate::domain::record::MysisRecord;
use crate::domain::write::Batch;
use crate::ports::LedgerFault;
use crate::reply::OrderReply;

use super::members::Leaving;
use super::supervising::SpawnReason;
use super::{CommanderMsg, CommanderState, PendingOrder};

/// How long an actor has to stop before it is killed.
const ACTOR_STOP_TIMEOUT: Duration = Duration::from_secs(1);

impl CommanderState {
    /// Deletes a Mysis once a copy of it is kept, unless none is wanted. Where none can be made, the
    /// Mysis stays and goes on.
    pub(super) fn delete_mysis(&mut self, name: &str, now: bool, reply: OrderReply) {
        let member = match self.members.orderable(name) {
            Ok(member) => member,
            Err(refusal) => return reply.answer(Err(self.or_elsewhere(refusal))),
        };
        member.is_deleting = true;
        // Nobody else is to take up what is deleted here.
        member
            .leaving
            .take_if(|leaving| *leaving == Leaving::HandedOver);
        member.relaunching.forget();
        let (actor, mysis) = (member.actor.clone(), member.record.id);
        let (store, deleted) = (self.store_handle(), self.deleted.clone());
        let name = name.to_string();
        let copied = async move {
            let stopped = actor.stop_and_wait(None, Some(ACTOR_STOP_TIMEOUT));
            if stopped.await.is_err() {
                actor.kill();
            }
            if now {
                return Ok(());
            }
            // It is stored behind all that the Mysis wrote, however long that takes: the order may have
            // been acknowledged by another process.
            store.write(Batch::of_commander(Vec::new())).await?;
            deleted.keep(mysis).await.map_err(|why| {
                LedgerFault::Refused(format!(
                    "{name} is not deleted, since no copy of it can be kept: {why}; `zoea mysis delete --now {name}` \
                     deletes it without one"
                ))
            })
        };
        self.store_order_after(copied, PendingOrder::Delete(mysis), reply);
    }

    /// Lets a Mysis go on that was to be deleted and is not.
    pub(super) async fn keep_on(&mut self, mysis: MysisId) -> Result<(), ActorProcessingErr> {
        let Some(member) = self.members.get(mysis) else {
            return Ok(());
        };
        let (record, ran) = (member.up_to_date(), !member.is_at_rest());
        self.spawn_mysis(record, SpawnReason::AsStored).await?;
        if ran && let Some(member) = self.members.get_mut(mysis) {
            member.start();
        }
        Ok(())
    }

    pub(super) fn on_mysis_deleted(&mut self, mysis: MysisId, reply: OrderReply) {
        // Without a fleet nobody takes anything over.
        if self.fleet.is_some() {
            self.members.note_deleted(mysis);
        }
        self.deps.session.links.forget(mysis);
        if let Some(member) = self.members.remove(mysis) {
            self.emit_event_of(member.mysis_ref(), EventKind::Roster(RosterChange::Deleted));
            self.update_silence();
        }
        reply.answer(Ok(CompletedOrder::Done(CompletedAction::Deleted)));
    }

    pub(super) fn undelete_mysis(&mut self, name: &str, reply: OrderReply) {
        let most = self.rules.current.max_myses;
        if self.members.count() >= most {
            return reply.answer(Err(OrderRefusal::SwarmFull(most)));
        }
        let bringing = self.deleted.bring_back(name);
        let commander = self.myself.clone();
        self.jobs.spawn(async move {
            let brought = bringing.await.map(Box::new);
            // If the Commander is gone, so is the order that waits for this.
            let _ = commander.cast(CommanderMsg::BroughtBack(brought, reply));
        });
    }

    pub(super) async fn on_brought_back(
        &mut self,
        brought: Result<Box<MysisRecord>, String>,
        reply: OrderReply,
    ) -> Result<(), ActorProcessingErr> {
        let record = match brought {
            Ok(record) => *record,
            Err(why) => {
                reply.answer(Err(OrderRefusal::Because(why)));
                return Ok(());
            }
        };
        let (id, account) = (record.id, record.account.clone());
        let name = record.profile.name.clone();
        if self.closing.is_none() && self.members.get(id).is_none() {
            self.spawn_mysis(record, SpawnReason::AsStored).await?;
        }
        self.emit_arrival(id, RosterChange::Created);
        reply.answer(Ok(CompletedOrder::Undeleted { name, account }));
        Ok(())
    }
}
