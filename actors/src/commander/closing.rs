//! Closing: refuses new orders, lets Myses finish what has been sent, drains the Store and ends.

use ractor::RpcReplyPort;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::EventKind;
use crate::domain::ids::MysisId;
use crate::mysis::MysisMsg;
use crate::store::StoreMsg;

use super::{CommanderMsg, CommanderState, WIND_DOWN_TIMEOUT};
use crate::timer::{Timer, set_timer};

pub(super) struct Closing {
    replies: Vec<RpcReplyPort<()>>,
    stage: ClosingStage,
}

enum ClosingStage {
    WindingDown { _alarm: Timer<CommanderMsg> },
    Draining { _drain: AbortOnDropHandle<()> },
    Over,
}

impl CommanderState {
    /// Begins to close. Further requests only wait for the same end.
    pub(super) fn begin_closing(&mut self, reply: RpcReplyPort<()>) {
        if let Some(closing) = &mut self.closing {
            return match closing.stage {
                ClosingStage::Over => drop(reply.send(())),
                ClosingStage::WindingDown { .. } | ClosingStage::Draining { .. } => {
                    closing.replies.push(reply)
                }
            };
        }
        self.emit_event(EventKind::Shutdown);
        self.stop_joining();
        self.members.send_to_all(|| MysisMsg::WindDown);
        let alarm = set_timer(&self.myself, WIND_DOWN_TIMEOUT, || CommanderMsg::CloseNow);
        self.closing = Some(Closing {
            replies: vec![reply],
            stage: ClosingStage::WindingDown { _alarm: alarm },
        });
        self.on_mysis_left();
    }

    /// Tells the watchers that a Mysis has finished, so that they can show which ones closing still
    /// waits for.
    pub(super) fn emit_left(&mut self, id: MysisId) {
        let now = self.now();
        let Some(member) = self.members.get_mut(id) else {
            return;
        };
        let (who, status) = (member.mysis_ref(), member.set_left(now));
        self.emit_event_of(who, EventKind::StatusChanged(status));
    }

    /// Notes that a Mysis has finished. After the last one the Store is drained.
    pub(super) fn on_mysis_left(&mut self) {
        let Some(closing) = &mut self.closing else {
            return;
        };
        let is_winding_down = matches!(closing.stage, ClosingStage::WindingDown { .. });
        if !is_winding_down || !self.members.have_left() {
            return;
        }
        let (store, commander) = (self.services.store(), self.myself.clone());
        let flush = self.recorder.flush();
        let drain = AbortOnDropHandle::new(tokio::spawn(async move {
            flush.await;
            // If the Store dies now, its acknowledged writes are on disk.
            let _ = store.call(StoreMsg::Drain, None).await;
            let _ = commander.cast(CommanderMsg::Drained);
        }));
        closing.stage = ClosingStage::Draining { _drain: drain };
    }

    /// Stops the Myses that have not finished in time.
    pub(super) fn close_now(&mut self) {
        self.members.kill_all();
        self.on_mysis_left();
    }

    pub(super) fn on_store_drained(&mut self) {
        let Some(closing) = &mut self.closing else {
            return;
        };
        closing.stage = ClosingStage::Over;
        for reply in closing.replies.drain(..) {
            // The caller may have stopped waiting.
            let _ = reply.send(());
        }
        self.myself.stop(None);
    }

    /// Whether children that end need no successor.
    pub(super) fn is_over(&self) -> bool {
        self.closing
            .as_ref()
            .is_some_and(|closing| matches!(closing.stage, ClosingStage::Over))
    }
}
