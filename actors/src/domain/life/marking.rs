//! Marks a call as sent with the write before it, and gives it a result where it does not leave after
//! all (decision 259).

use crate::conversation::PendingCall;
use crate::event::{Activity, EventKind, LinkState, TurnEvent};
use crate::message::CallStatus;
use crate::mission_end::DONE_TOOL;
use crate::routine::ROUTINE_START;
use crate::tool_search::FIND_TOOLS;
use crate::write::Write;

use super::calling::not_executed;
use super::game_snapshots::is_of_accounts;
use super::record::WriteDraft;
use super::{Life, LifeStage, Mode, SentMark, TurnStep};

impl Life {
    /// Marks the next call as sent with a write that comes before it, where the call leaves as soon
    /// as that is stored. So one commit does for both (decision 259).
    pub(super) fn mark_next_call(&mut self, draft: &mut WriteDraft) {
        let open = self.stage.open_call();
        let Some(open) = open.filter(|open| self.leaves_at_once(open)) else {
            return;
        };
        draft.writes.push(Write::CallSent {
            mysis: self.id,
            call: open.key,
            at: self.now.wall,
        });
        if let Some(open) = self.stage.open_call_mut() {
            open.call.status = CallStatus::Sent;
        }
    }

    /// Whether nothing is known that would hold a call up once it is stored.
    fn leaves_at_once(&self, open: &PendingCall) -> bool {
        let command = open.call.command();
        let is_of_runtime = matches!(&*open.call.name, FIND_TOOLS | ROUTINE_START | DONE_TOOL);
        self.mode == Mode::Live
            && !self.is_frozen
            && !self.is_moving
            && self.session.link == LinkState::Ok
            && open.call.status == CallStatus::Recorded
            && open.task.is_none()
            && !is_of_runtime
            && !is_of_accounts(&command)
            && self.call_objection(open).is_none()
    }

    pub(super) fn show_departure(&mut self, open: &PendingCall) {
        let game = self.session.game;
        let until = self
            .recent_activity
            .expected_end(game, &open.call, self.now.wall);
        let command = open.call.command();
        self.set_activity_until(self.activity_of(&command), until);
        self.emit_event(EventKind::Turn(TurnEvent::ToolCalled {
            tool: command,
            call_id: open.call.id.clone(),
        }));
    }

    /// Takes the mark of the present call back where something holds it up after all, so that a death
    /// in that time does not make its outcome unknown.
    pub(super) fn unmark_held_call(&mut self, activity: &Activity) {
        let LifeStage::InTurn {
            turn,
            step: TurnStep::Calling { mark, .. },
        } = &mut self.stage
        else {
            return;
        };
        let Some(open) = turn.calls.front_mut() else {
            return;
        };
        let holds_up = activity.is_wait() || *activity == Activity::Connecting;
        if *mark != SentMark::Marked || !holds_up {
            return;
        }
        *mark = SentMark::NotSent;
        open.call.status = CallStatus::Recorded;
        let call = open.key;
        let mut draft = WriteDraft::default();
        draft.writes.push(Write::CallHeld {
            mysis: self.id,
            call,
        });
        self.record_draft(draft);
    }

    /// Answers the next call if it is marked and has not left, because the program is closing: the
    /// mark alone would say that it may have been executed. One that only reads stays open, and the
    /// next run makes it.
    pub(super) fn close_marked_call(&mut self) {
        let has_left = self.may_have_left();
        let is_marked = |open: &mut PendingCall| {
            let is_open = !open.call.read_only && open.task.is_none();
            is_open && open.call.status == CallStatus::Sent && !has_left
        };
        let turn = self.stage.turn_mut();
        let Some(open) = turn.and_then(|turn| turn.calls.pop_front_if(is_marked)) else {
            return;
        };
        let mut draft = WriteDraft::default();
        let outcome = not_executed("the runtime ended");
        self.result_into(&mut draft, &open, &outcome, false);
        self.record_draft(draft);
    }
}
