//! The start of a routine: by the model's call, by order, or by the runtime.

use std::sync::Arc;

use serde_json::Map;

use crate::conversation::PendingCall;
use crate::event::{EventKind, TurnEvent};
use crate::message::{CallStatus, Severity};
use crate::order::{CompletedAction, CompletedOrder, OrderRefusal};
use crate::routine::{Routine, RoutineRun, RunSource};
use crate::state::LifeState;

use super::super::input::ReplyId;
use super::super::record::WriteDraft;
use super::super::{AfterRecording, Life, LifeStage, ToolOutcome, TurnTrigger};
use super::wanted::WantedRoutine;

/// What an order names that wants the loop which the Mysis repeats now.
const THE_LOOP: &str = "{}";

impl Life {
    /// Handles the model's call that starts a routine. It stays open while the routine runs.
    pub(in super::super) fn on_routine_call(&mut self, open: &PendingCall) {
        if let Some(run) = &self.routines.run {
            if run.source() == RunSource::Model(open.key) {
                return self.continue_routine();
            }
            let name = run.routine().name.clone();
            return self.refuse_routine(&[format!("the routine {name} runs already")]);
        }
        match self.wanted_routine(&open.call.arguments) {
            Ok(wanted) => {
                self.emit_event(EventKind::Turn(TurnEvent::ToolCalled {
                    tool: open.call.command(),
                    call_id: open.call.id.clone(),
                }));
                let mut draft = WriteDraft::default();
                self.begin_routine(&mut draft, wanted, RunSource::Model(open.key));
                self.record_then(draft, AfterRecording::GoOn);
            }
            Err(mistakes) => self.refuse_routine(&mistakes),
        }
    }

    fn refuse_routine(&mut self, mistakes: &[String]) {
        let text = format!(
            "Error: bad_routine: nothing was started.\n- {}",
            mistakes.join("\n- ")
        );
        self.answer_call(&ToolOutcome::new(CallStatus::Failed, text));
    }

    /// Starts a routine by order of the operator: without any member the loop that the Mysis repeats now. A Mysis between
    /// two turns begins at once.
    pub(in super::super) fn take_routine(
        &mut self,
        reply: ReplyId,
        wanted: &str,
    ) -> Result<(), OrderRefusal> {
        let is_running = self.state() == LifeState::Running;
        let is_of_loop = wanted == THE_LOOP;
        if is_of_loop && !(is_running && self.open_circle().is_some()) {
            return Err(OrderRefusal::NoLoop);
        }
        if !is_running {
            let mistake = "the mysis does not run".to_string();
            return Err(OrderRefusal::BadRoutine(vec![mistake]));
        }
        if let Some(run) = &self.routines.run {
            let mistake = format!("the routine {} runs already", run.routine().name);
            return Err(OrderRefusal::BadRoutine(vec![mistake]));
        }
        let routine = match self.open_circle().filter(|_| is_of_loop) {
            Some(circle) => self.fit_routine(&circle.routine).map(WantedRoutine::whole),
            None => self.wanted_routine(wanted),
        };
        let routine = routine.map_err(OrderRefusal::BadRoutine)?;
        // As after any other order, the Mysis goes on once this turn is over.
        self.nudges = 0;
        if let Some(turn) = self.stage.turn_mut() {
            turn.began = TurnTrigger::Ordered;
        }
        let done = CompletedOrder::Done(CompletedAction::RoutineStarted);
        let mut draft = WriteDraft::answering(reply, done);
        self.begin_routine(&mut draft, routine, RunSource::Operator);
        self.record_draft(draft);
        if matches!(self.stage, LifeStage::Pausing { .. }) {
            self.go_on();
        }
        Ok(())
    }

    /// Begins a routine, or lets it go on where an order ended it.
    pub(super) fn begin_routine(
        &mut self,
        draft: &mut WriteDraft,
        wanted: WantedRoutine,
        source: RunSource,
    ) {
        let WantedRoutine { routine, by_name } = wanted;
        let paused = self.routines.take_paused(&routine).filter(|_| by_name);
        let how = match &paused {
            Some(run) => format!("goes on in round {}", run.round()),
            None => "begins".to_string(),
        };
        let run = match paused {
            Some(run) => run.resumed_by(source),
            None => self.new_run(&routine, source),
        };
        self.routines.run = Some(Box::new(run));
        self.routines.keep(&routine);
        self.figures.routine_timed = self.now.moment;
        let text = format!(
            "routine {} of the {} {how}: {} steps, at most {} rounds",
            routine.name,
            source.as_str(),
            routine.steps.len(),
            routine.rounds
        );
        self.add_host_notice(draft, Severity::Info, "routine_started", &text);
        self.add_routines(draft);
    }

    fn new_run(&self, routine: &Arc<Routine>, source: RunSource) -> RoutineRun {
        let facts = &self.samples.figures().facts;
        let mut run = RoutineRun::new(routine.clone(), source, facts, self.session.tick);
        if self.fit_call("get_cargo", &Map::new()).is_err() {
            run.do_without_hold_look();
        }
        run
    }
}
