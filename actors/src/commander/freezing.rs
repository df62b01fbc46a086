//! Freezing: closes and opens the freeze switch, and stores that.

use std::collections::VecDeque;

use crate::domain::event::{EventKind, SwarmCondition};
use crate::domain::ids::Timestamp;
use crate::domain::message::Severity;
use crate::domain::order::{CompletedOrder, OrderRefusal};
use crate::freeze::FROZEN;
use crate::gate::GateMsg;
use crate::reply::OrderReply;

use super::{CommanderMsg, CommanderState};

/// What a freeze means and what ends it.
const FROZEN_TEXT: &str = "the swarm is frozen: no model call, no tool call and no login begins; \
                           requests already sent are awaited, and orders are stored; `zoea thaw` (or F) ends it";

/// The orders to freeze and to thaw. They are carried out one after the other.
#[derive(Default)]
pub(super) struct FreezeOrders {
    waiting: VecDeque<(bool, OrderReply)>,
    is_busy: bool,
}

impl CommanderState {
    pub(super) fn order_freeze(&mut self, freezes: bool, reply: OrderReply) {
        self.freezing.waiting.push_back((freezes, reply));
        self.begin_freeze_order();
    }

    /// A freeze takes effect at once and is stored then, before what is leaving has left, which may
    /// wait for the store. A thaw is stored first.
    fn begin_freeze_order(&mut self) {
        if self.freezing.is_busy {
            return;
        }
        let Some((freezes, reply)) = self.freezing.waiting.pop_front() else {
            return;
        };
        self.freezing.is_busy = true;
        let switch = self.freeze_switch().clone();
        let known = switch.frozen_since();
        let since = freezes.then(|| known.unwrap_or_else(|| self.now()));
        if let (Some(since), None) = (since, known) {
            switch.close(since, self.clock().moment());
            self.time_silence();
            self.emit_event(EventKind::Condition(SwarmCondition::Freeze(Some(since))));
            self.emit_notice(Severity::Warn, FROZEN, FROZEN_TEXT);
        }
        let commander = self.myself.clone();
        self.jobs.spawn(async move {
            let kept = switch.keep(since).await;
            // If the Commander is gone, so is the order that waits for this.
            let _ = commander.cast(CommanderMsg::FreezeKept { since, kept, reply });
        });
    }

    pub(super) fn on_freeze_kept(
        &mut self,
        since: Option<Timestamp>,
        kept: Result<(), String>,
        reply: OrderReply,
    ) {
        self.freezing.is_busy = false;
        let was_frozen = self.freeze_switch().frozen_since().is_some();
        match kept {
            Ok(()) if since.is_some() => self.answer_when_settled(since, reply),
            Ok(()) => {
                if was_frozen {
                    self.freeze_switch().open(self.clock().moment());
                    // A gate that is gone is replaced by one that is not frozen.
                    let _ = self.services.gate().cast(GateMsg::Opened);
                    self.time_silence();
                    self.emit_event(EventKind::Condition(SwarmCondition::Freeze(None)));
                    self.emit_notice(
                        Severity::Info,
                        "thawed",
                        "the swarm is thawed: its Myses continue",
                    );
                    self.update_silence();
                }
                reply.answer(Ok(CompletedOrder::Frozen(since)));
            }
            Err(why) => {
                let text = match since {
                    Some(_) => format!(
                        "{why}; the swarm is frozen all the same, but a restart would not know it"
                    ),
                    None => format!("{why}; the swarm stays frozen"),
                };
                reply.answer(Err(OrderRefusal::Store(text)));
            }
        }
        self.begin_freeze_order();
    }

    /// Acknowledges a freeze once everything of before has left. Orders that come meanwhile do not
    /// wait for that: after a thaw, the answer is that it is not frozen.
    fn answer_when_settled(&mut self, since: Option<Timestamp>, reply: OrderReply) {
        let switch = self.freeze_switch().clone();
        if switch.is_settled() {
            return reply.answer(Ok(CompletedOrder::Frozen(since)));
        }
        self.jobs.spawn(async move {
            switch.settled().await;
            reply.answer(Ok(CompletedOrder::Frozen(switch.frozen_since())));
        });
    }

    pub(super) fn emit_frozen_start(&mut self) {
        if let Some(since) = self.freeze_switch().frozen_since() {
            self.emit_event(EventKind::Condition(SwarmCondition::Freeze(Some(since))));
            self.emit_notice(Severity::Warn, FROZEN, FROZEN_TEXT);
        }
    }
}
