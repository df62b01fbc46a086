//! Closing: refuse new orders, let go what is in flight, drain the Store, leave.

use std::sync::Arc;

use ractor::{ActorRef, RpcReplyPort};
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::{Activity, EventKind, MysisRef, MysisStatus, SwarmEvent};
use crate::domain::ids::MysisId;
use crate::mysis::MysisMsg;
use crate::store::StoreMsg;

use super::{CommanderMsg, CommanderState, WIND_DOWN_TIMEOUT};
use crate::timer::{Timer, set_timer};

/// How far the end is.
pub(super) struct Closing {
    /// Who waits for it.
    replies: Vec<RpcReplyPort<()>>,
    stage: ClosingStage,
}

enum ClosingStage {
    /// Myses finish what has left.
    WindingDown { _alarm: Timer<CommanderMsg> },
    /// The Store writes what it has.
    Draining { _drain: AbortOnDropHandle<()> },
    /// Everything is done.
    Over,
}

impl CommanderState {
    /// Begins the end; asked again, it goes on as it does.
    pub(super) fn begin_closing(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        reply: RpcReplyPort<()>,
    ) {
        if let Some(closing) = &mut self.closing {
            return match closing.stage {
                ClosingStage::Over => drop(reply.send(())),
                ClosingStage::WindingDown { .. } | ClosingStage::Draining { .. } => {
                    closing.replies.push(reply)
                }
            };
        }
        self.tell_event(EventKind::Shutdown);
        for member in self.members.values() {
            // One that is dead has left already.
            let _ = member.actor.cast(MysisMsg::WindDown);
        }
        let alarm = set_timer(myself, WIND_DOWN_TIMEOUT, || CommanderMsg::CloseNow);
        self.closing = Some(Closing {
            replies: vec![reply],
            stage: ClosingStage::WindingDown { _alarm: alarm },
        });
        self.on_mysis_left(myself);
    }

    /// Those who watch see who has left, and so for whom the program still waits.
    pub(super) fn tell_left(&mut self, id: MysisId) {
        let now = self.now();
        let Some(member) = self.members.get_mut(&id) else {
            return;
        };
        let standing = Arc::new(MysisStatus {
            activity: Activity::Resting,
            activity_since: now,
            activity_until: None,
            ..MysisStatus::clone(&member.standing)
        });
        member.standing = standing.clone();
        self.tell_all(SwarmEvent {
            at: now,
            mysis: Some(MysisRef {
                id,
                name: standing.name.clone(),
            }),
            what: EventKind::StatusChanged(standing),
        });
    }

    /// A Mysis has left; after the last one the Store is drained.
    pub(super) fn on_mysis_left(&mut self, myself: &ActorRef<CommanderMsg>) {
        let Some(closing) = &mut self.closing else {
            return;
        };
        let is_winding_down = matches!(closing.stage, ClosingStage::WindingDown { .. });
        if !is_winding_down || !self.by_actor.is_empty() {
            return;
        }
        let (store, commander) = (self.store.borrow().clone(), myself.clone());
        let flush = self.recorder.flush();
        let drain = AbortOnDropHandle::new(tokio::spawn(async move {
            flush.await;
            // A Store that dies now leaves nothing that was acknowledged behind.
            let _ = store.call(StoreMsg::Drain, None).await;
            let _ = commander.cast(CommanderMsg::Drained);
        }));
        closing.stage = ClosingStage::Draining { _drain: drain };
    }

    /// The time to leave is over.
    pub(super) fn close_now(&mut self, myself: &ActorRef<CommanderMsg>) {
        for member in self.members.values() {
            member.actor.kill();
        }
        self.by_actor.clear();
        self.on_mysis_left(myself);
    }

    pub(super) fn on_store_drained(&mut self, myself: &ActorRef<CommanderMsg>) {
        let Some(closing) = &mut self.closing else {
            return;
        };
        closing.stage = ClosingStage::Over;
        for reply in closing.replies.drain(..) {
            // Who no longer waits needs no answer.
            let _ = reply.send(());
        }
        myself.stop(None);
    }

    /// Whether children that end need no successor any more.
    pub(super) fn is_over(&self) -> bool {
        self.closing
            .as_ref()
            .is_some_and(|closing| matches!(closing.stage, ClosingStage::Over))
    }
}
