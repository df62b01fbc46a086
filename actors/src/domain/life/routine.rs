//! Routines in a life: each step is stored, sent and answered as a call of the model's is, and the
//! cursor is stored with it (decision 225).

mod circles;
mod editing;
mod starting;
mod wanted;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::conversation::PendingCall;
use crate::event::{Activity, EventKind, TurnEvent};
use crate::ids::CallKey;
use crate::memo::MemoKind;
use crate::message::{CallRecord, CallStatus, RowBody, Severity, Utterance};
use crate::order::{CompletedAction, CompletedOrder, OrderRefusal};
use crate::routine::{
    EndedCall, KnownValues, NextStep, RoutineEnd, RunSource, StepCall, acts_in_game, saves_a_call,
    settles,
};

use super::game_snapshots::may_have_acted;
use super::input::ReplyId;
use super::record::WriteDraft;
use super::{AfterRecording, Life, ToolOutcome, TurnStep};

pub(super) use circles::recall_circles;

impl Life {
    /// Stops the routine that runs. A step that is under way is heard out.
    pub(super) fn stop_routine(&mut self, reply: ReplyId) -> Result<(), OrderRefusal> {
        let run = self.routines.run.as_mut().ok_or(OrderRefusal::NoRoutine)?;
        run.end(RoutineEnd::Stopped);
        let done = CompletedOrder::Done(CompletedAction::RoutineStopped);
        let mut draft = WriteDraft::answering(reply, done);
        self.add_routines(&mut draft);
        self.record_draft(draft);
        Ok(())
    }

    /// Makes the next step of the routine that runs, or ends it. An order ends it first.
    pub(super) fn continue_routine(&mut self) {
        let is_ordered = self.has_unseen_order();
        self.time_routine();
        let mut is_new_round = false;
        loop {
            let known = self.known_values();
            let Some(run) = &mut self.routines.run else {
                return;
            };
            if is_ordered {
                run.end(RoutineEnd::Order);
            }
            match run.next(&known) {
                NextStep::Call(mut call) => {
                    call.has_moved |= is_new_round;
                    return self.make_step(call);
                }
                NextStep::Wait(after) => return self.wait_in_routine(after),
                NextStep::Over => return self.end_routine(),
                NextStep::RoundOver => {
                    is_new_round = true;
                    if let Some(reason) = self.watch_round() {
                        return self.park_in_routine(&reason);
                    }
                }
            }
        }
    }

    /// Waits before the next look at the game.
    fn wait_in_routine(&mut self, after: Duration) {
        let alarm = self.wake_after(after, false);
        self.set_step(TurnStep::CoolingDown { alarm, attempt: 0 });
        self.set_activity_until(Activity::Pausing, Some(self.now.wall.plus(after)));
    }

    pub(super) fn look_again(&mut self) {
        if let Some(run) = &mut self.routines.run {
            run.end_wait();
        }
        self.go_on_in_turn();
    }

    /// Counts the time since the last step.
    fn time_routine(&mut self) {
        let ms = self.now.moment.millis_since(self.figures.routine_timed);
        self.figures.routine_timed = self.now.moment;
        if let Some(run) = &mut self.routines.run {
            run.add_time(ms);
        }
    }

    fn known_values(&self) -> KnownValues {
        let facts = &self.samples.figures().facts;
        let run = self.routines.run.as_ref();
        run.map(|run| run.known(facts, &self.routines.prices, self.session.tick))
            .unwrap_or_default()
    }

    /// Stores the call of a step, with the cursor if that is not stored as it stands. It is made once both are
    /// stored.
    fn make_step(&mut self, step: StepCall) {
        let Some(run) = &self.routines.run else {
            return;
        };
        let arguments: Arc<str> = Value::Object(step.arguments).to_string().into();
        let call = CallRecord {
            id: step.id.into(),
            read_only: self.only_reads(&step.tool, &arguments),
            name: step.tool,
            arguments,
            status: CallStatus::Recorded,
            routine: Some(run.routine().name.clone()),
        };
        let utterance = Utterance {
            seen_up_to: self.conversation.seen_by_model(),
            ..Utterance::default()
        };
        let mut draft = WriteDraft::default();
        let calls = vec![call.clone()];
        let row = self.append_row(&mut draft, RowBody::Call { utterance, calls });
        let seq = row.seq;
        if let Some(turn) = self.stage.turn_mut() {
            turn.called_tools = true;
            turn.calls.push_front(PendingCall {
                key: CallKey { seq, position: 0 },
                call,
                task: None,
            });
        }
        if step.has_moved {
            self.add_routines(&mut draft);
        }
        self.record_then(draft, AfterRecording::GoOn);
    }

    /// Says that what is stored of its routines is not understood.
    pub(super) fn report_unknown_routines(&mut self, draft: &mut WriteDraft, why: &str) {
        let text = format!(
            "its stored routines cannot be understood ({why}), so no routine continues and none of its calls is made \
             again; another version of zoea may have written them. `zoea routine start` starts a new routine"
        );
        self.add_host_notice(draft, Severity::Error, "routines_unknown", &text);
    }

    pub(super) fn take_step_result(&mut self, draft: &mut WriteDraft, ended: &EndedCall<'_>) {
        self.time_routine();
        if saves_a_call(&ended.call.id, ended.status) {
            let spared = &mut self.routines.spared;
            *spared = spared.map(|calls| calls.saturating_add(1));
        }
        if let Some(run) = &mut self.routines.run {
            run.on_result(ended);
            if let Some(confirmed) = run.take_confirmed() {
                self.routines.is_unsettled = false;
                let text = confirmed.describe();
                self.add_host_notice(draft, Severity::Info, "outcome_proven", &text);
            }
        }
        self.add_routines(draft);
    }

    /// Notes that a call of the model acted: a routine that an order ended cannot go on where it stands.
    pub(super) fn note_deed(
        &mut self,
        draft: &mut WriteDraft,
        open: &PendingCall,
        status: CallStatus,
    ) {
        if may_have_acted(open, status)
            && acts_in_game(&open.call.command())
            && self.routines.paused.take().is_some()
        {
            self.add_routines(draft);
        }
    }

    /// Notes whether a call of unknown outcome may still be on its way.
    pub(super) fn note_settled(
        &mut self,
        draft: &mut WriteDraft,
        open: &PendingCall,
        status: CallStatus,
    ) {
        let is_lost = status == CallStatus::Unknown && may_have_acted(open, status);
        let is_proof = status == CallStatus::Done && settles(&open.call.command());
        let is_unsettled = is_lost || (self.routines.is_unsettled && !is_proof);
        if is_unsettled != self.routines.is_unsettled {
            self.routines.is_unsettled = is_unsettled;
            self.add_routines(draft);
        }
    }

    /// Ends the run and tells the model: as the result of its call, else in the next request.
    fn end_routine(&mut self) {
        let mut draft = WriteDraft::default();
        let Some((source, outcome)) = self.finish_run(&mut draft) else {
            return;
        };
        let Some(turn) = self.stage.turn() else {
            return;
        };
        let front = turn.calls.front().map(|open| RunSource::Model(open.key));
        if front == Some(source) {
            return self.answer_call_with(draft, &outcome);
        }
        self.routines.report = Some(outcome.text.into());
        self.add_routines(&mut draft);
        self.record_then(draft, AfterRecording::GoOn);
    }

    /// Takes the run away and reports it to the operator. Returns its source and its report.
    fn finish_run(&mut self, draft: &mut WriteDraft) -> Option<(RunSource, ToolOutcome)> {
        let run = self.routines.run.take()?;
        self.end_circle(&run);
        let report = run.report(&self.samples.figures().facts);
        self.routines.paused = Some(run.clone()).filter(|run| run.can_resume());
        self.add_host_notice(draft, Severity::Info, "routine_ended", &run.short_report());
        self.add_routines(draft);
        let outcome = ToolOutcome {
            text: report,
            status: CallStatus::Done,
            ms: Some(run.elapsed_ms()),
            tick: None,
        };
        Some((run.source(), outcome))
    }

    /// Ends the run because its turn ends. Returns the result of the call that started it, if this is
    /// that call.
    pub(super) fn close_routine(
        &mut self,
        draft: &mut WriteDraft,
        call: Option<CallKey>,
        why: &str,
    ) -> Option<ToolOutcome> {
        let run = self.routines.run.as_mut()?;
        let is_wanted = call.is_none_or(|call| run.source() == RunSource::Model(call));
        if !is_wanted {
            return None;
        }
        run.end(RoutineEnd::Interrupted(why.to_string()));
        let (_, outcome) = self.finish_run(draft)?;
        if call.is_none() {
            self.routines.report = Some(outcome.text.as_str().into());
            self.add_routines(draft);
        }
        Some(outcome)
    }

    /// Lets the watch on progress judge a round as it judges a turn. Returns the reason if the Mysis is
    /// to be parked.
    fn watch_round(&mut self) -> Option<String> {
        let intent = self.order_intent(&self.stage.turn()?.owner);
        let parked = self.watch_progress(intent);
        if self.watch.stuck().is_some()
            && let Some(run) = &mut self.routines.run
        {
            run.end(RoutineEnd::NoProgress);
        }
        parked
    }

    fn park_in_routine(&mut self, reason: &str) {
        let mut draft = WriteDraft::default();
        self.close_open_calls(&mut draft, "the mysis was parked");
        self.record_draft(draft);
        let turn = self.turn;
        self.figures.ended_turn = Some(turn);
        self.emit_event(EventKind::Turn(TurnEvent::Ended { turn }));
        self.park(reason);
    }

    fn add_routines(&self, draft: &mut WriteDraft) {
        self.add_memo(draft, MemoKind::Routines, &self.routines.to_text());
    }

    pub(super) fn forget_routine_report(&mut self) {
        if self.routines.report.take().is_some() {
            let mut draft = WriteDraft::default();
            self.add_routines(&mut draft);
            self.record_draft(draft);
        }
    }
}
