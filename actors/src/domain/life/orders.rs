//! Orders: what a Mysis does with an order of the operator (DESIGN 2, docs/design/requests.md).

use std::sync::Arc;

use crate::event::{Activity, is_interruption};
use crate::failing_calls::RecentCalls;
use crate::ids::Lane;
use crate::message::RowBody;
use crate::order::{
    CompletedAction, CompletedOrder, MysisOrder, OrderRefusal, OrderResult, check_text,
};
use crate::question::{Decision, GivenAnswer};
use crate::record::{Mission, ProfileChange};
use crate::state::LifeState;
use crate::write::Write;

use super::input::{Effect, ReplyId};
use super::record::WriteDraft;
use super::{Life, LifeStage, Mode, TurnStep, TurnTrigger};

impl Life {
    pub(super) fn on_order(&mut self, reply: ReplyId, order: MysisOrder) {
        let is_news = is_news_to_the_model(&order);
        let is_for_later = matches!(
            order,
            MysisOrder::Remind { .. } | MysisOrder::CancelReminder(_)
        );
        let outcome = match order {
            MysisOrder::Start => self.start(reply, CompletedAction::Started),
            MysisOrder::Retry => self.retry(reply),
            MysisOrder::Stop => self.stop(reply),
            MysisOrder::Prompt(text) => self.take_prompt(reply, text),
            MysisOrder::Mission(mission) => self.take_mission(reply, mission),
            MysisOrder::Note(text) => self.take_note(reply, text),
            MysisOrder::ClearNotes => self.clear_notes(reply),
            MysisOrder::Configure(change) => self.record_profile_change(reply, change),
            MysisOrder::Answer(given) => self.answer_question(reply, given),
            MysisOrder::StartRoutine(routine) => self.take_routine(reply, &routine),
            MysisOrder::EditRoutine(changes) => self.edit_routine(reply, &changes),
            MysisOrder::StopRoutine => self.stop_routine(reply),
            MysisOrder::Remind { at, reminder } => self.take_reminder(reply, at, reminder),
            MysisOrder::CancelReminder(number) => self.cancel_reminder(reply, number),
        };
        match outcome {
            Ok(()) => {
                if is_news {
                    self.pace.done = None;
                }
                if !is_for_later {
                    self.end_wait();
                }
            }
            Err(refusal) => self.answer(reply, Err(refusal)),
        }
    }

    pub(super) fn answer(&mut self, reply: ReplyId, answer: OrderResult) {
        self.effects.push(Effect::Answer { reply, answer });
    }

    fn start(&mut self, reply: ReplyId, done: CompletedAction) -> Result<(), OrderRefusal> {
        if self.mode == Mode::QueueOnly {
            return Err(OrderRefusal::NoSwarm);
        }
        if self.state() == LifeState::Running {
            return Err(OrderRefusal::AlreadyRunning);
        }
        self.nudges = 0;
        // A Mysis that continues after a crash or in a new process keeps its counts.
        let was_put_to_rest = match &self.stage {
            LifeStage::Stopped => true,
            LifeStage::Idle => self.reason.is_some() && !is_interruption(self.reason.as_deref()),
            LifeStage::Errored(_) | LifeStage::Pausing { .. } | LifeStage::InTurn { .. } => false,
        };
        if was_put_to_rest {
            self.forget_progress();
            self.pace.done = None;
        }
        self.silence = Some(Arc::default());
        self.recent_calls = RecentCalls::default();
        let mut draft = WriteDraft::answering(reply, CompletedOrder::Done(done));
        self.run_into(&mut draft);
        self.record_draft(draft);
        match self.pace.time_left(self.now.wall) {
            Some(left) => self.pause(left),
            None => self.go_on(),
        }
        Ok(())
    }

    /// Tries again at once, with a new series of attempts. A request or a call that waits at the gate
    /// stays there, because the gate tries the server.
    fn retry(&mut self, reply: ReplyId) -> Result<(), OrderRefusal> {
        match self.mode {
            Mode::QueueOnly => return Err(OrderRefusal::NoSwarm),
            Mode::Draining => return Err(OrderRefusal::Closing),
            Mode::Live => {}
        }
        let done = Ok(CompletedOrder::Done(CompletedAction::Retried));
        let is_at_the_gate = match &self.stage {
            LifeStage::Errored(_) => return self.start(reply, CompletedAction::Retried),
            LifeStage::InTurn { step, .. } => match (step, &self.doing.activity) {
                (TurnStep::CoolingDown { .. }, _) if self.routines.run.is_none() => false,
                (TurnStep::Asking { .. } | TurnStep::Calling { .. }, Activity::Queueing(_)) => true,
                // The game server has announced when it returns, refuses the login, or serves others alone.
                (
                    TurnStep::Asking { .. },
                    Activity::Paused(_)
                    | Activity::AwaitingLogin(_)
                    | Activity::CoolingDown(Lane::Game, _),
                ) => false,
                (
                    TurnStep::Asking { .. }
                    | TurnStep::CoolingDown { .. }
                    | TurnStep::Held { .. }
                    | TurnStep::Recording { .. }
                    | TurnStep::Calling { .. },
                    _,
                ) => return Err(OrderRefusal::NothingToRetry),
            },
            LifeStage::Pausing { .. } if self.pace.waits => {
                self.answer(reply, done);
                self.go_on();
                return Ok(());
            }
            LifeStage::Idle | LifeStage::Pausing { .. } | LifeStage::Stopped => {
                return Err(OrderRefusal::NothingToRetry);
            }
        };
        if !is_at_the_gate {
            self.effects.push(Effect::Abort);
            self.ask_model(0);
        }
        self.answer(reply, done);
        Ok(())
    }

    fn stop(&mut self, reply: ReplyId) -> Result<(), OrderRefusal> {
        if self.state() == LifeState::Stopped {
            return Err(OrderRefusal::AlreadyStopped);
        }
        let mut draft =
            WriteDraft::answering(reply, CompletedOrder::Done(CompletedAction::Stopped));
        self.close_open_calls(&mut draft, "the operator stopped the mysis");
        self.enter_stage(LifeStage::Stopped, None);
        self.add_state(&mut draft);
        self.set_activity(Activity::Resting);
        self.record_draft(draft);
        self.effects.push(Effect::Abort);
        Ok(())
    }

    /// Answers the question that a server asks during a call. Values that do not fit leave it open.
    fn answer_question(&mut self, reply: ReplyId, given: GivenAnswer) -> Result<(), OrderRefusal> {
        let question = self.doing.activity.question().cloned();
        let question = question.filter(|open| given.question.is_none_or(|of| of == open.number));
        let question = question.ok_or(OrderRefusal::NoQuestion)?;
        let decision = match given.decision {
            Decision::Accept(values) => {
                let values = question.check(&values).map_err(OrderRefusal::BadAnswer)?;
                Decision::Accept(values)
            }
            Decision::Decline | Decision::Cancel => given.decision,
        };
        self.show_call();
        self.effects.push(Effect::AnswerQuestion {
            reply,
            question: question.number,
            decision,
        });
        Ok(())
    }

    fn take_prompt(&mut self, reply: ReplyId, text: Arc<str>) -> Result<(), OrderRefusal> {
        self.takes_messages()?;
        check_text(&text)?;
        self.take_message(reply, RowBody::Prompt { text });
        Ok(())
    }

    /// Stores a mission. It applies to every Mysis, also to one that cannot take the message now.
    fn take_mission(&mut self, reply: ReplyId, mission: Mission) -> Result<(), OrderRefusal> {
        self.take_standing_mission(Some(mission.clone()));
        self.takes_messages()?;
        let Mission { id, text, .. } = mission;
        self.take_message(reply, RowBody::Mission { id, text });
        Ok(())
    }

    fn take_message(&mut self, reply: ReplyId, body: RowBody) {
        let seq = self.conversation.last_seq().next();
        let draft = WriteDraft::answering(reply, CompletedOrder::Stored(seq));
        self.take_messages(draft, vec![body]);
    }

    /// Stores messages that start a turn. During a turn, the next model call contains them.
    pub(super) fn take_messages(&mut self, mut draft: WriteDraft, bodies: Vec<RowBody>) {
        self.nudges = 0;
        self.pace.done = None;
        if let Some(turn) = self.stage.turn_mut() {
            // The turn is now about an order, whatever started it, so it does not count as nudged.
            turn.began = TurnTrigger::Ordered;
        }
        self.forget_progress();
        self.figures.last_activity_at = self.now.wall;
        for body in bodies {
            self.append_row(&mut draft, body);
        }
        self.forget_circle(&mut draft);
        let was_idle = self.state() == LifeState::Idle;
        if was_idle {
            self.run_into(&mut draft);
        }
        self.record_draft(draft);
        if matches!(self.stage, LifeStage::Pausing { .. }) {
            self.go_on();
        } else {
            self.talk_without_the_game();
        }
    }

    /// Lets a Mysis talk while it waits for the game server, or to be logged in, before its model call: it answers a
    /// direct message without the game's tools (docs/design/sessions.md).
    fn talk_without_the_game(&mut self) {
        let Some(TurnStep::Asking { attempt, .. }) = self.stage.step() else {
            return;
        };
        let attempt = *attempt;
        let waits = matches!(
            self.doing.activity,
            Activity::Queueing(Lane::Game)
                | Activity::CoolingDown(Lane::Game, _)
                | Activity::AwaitingLogin(_)
        );
        let is_addressed = self.conversation.unanswered_prompts().next().is_some();
        if is_addressed && waits {
            self.effects.push(Effect::Abort);
            self.ask_model(attempt);
        }
    }

    fn take_note(&mut self, reply: ReplyId, text: Arc<str>) -> Result<(), OrderRefusal> {
        check_text(&text)?;
        let seq = self.conversation.last_seq().next();
        let mut draft = WriteDraft::answering(reply, CompletedOrder::Stored(seq));
        self.append_row(&mut draft, RowBody::Note { text });
        self.record_draft(draft);
        Ok(())
    }

    fn clear_notes(&mut self, reply: ReplyId) -> Result<(), OrderRefusal> {
        let mut draft =
            WriteDraft::answering(reply, CompletedOrder::Done(CompletedAction::NotesCleared));
        draft.writes.push(Write::ClearNotes {
            mysis: self.id,
            upto: self.conversation.last_seq(),
        });
        self.conversation.clear_notes();
        let text = "the operator cleared the notes".into();
        self.append_row(&mut draft, RowBody::Audit { text });
        self.record_draft(draft);
        Ok(())
    }

    /// Stores a change of the profile. It takes effect with the first model call after that.
    fn record_profile_change(
        &mut self,
        reply: ReplyId,
        change: ProfileChange,
    ) -> Result<(), OrderRefusal> {
        let change = self.with_provider_of_role(change);
        let mut draft =
            WriteDraft::answering(reply, CompletedOrder::Done(CompletedAction::Configured));
        draft.writes.push(Write::Configure {
            mysis: self.id,
            change: change.clone(),
        });
        draft.change = Some(change);
        self.record_draft(draft);
        Ok(())
    }

    pub(super) fn change_profile(&mut self, change: &ProfileChange) {
        change.apply(Arc::make_mut(&mut self.own_profile));
        self.put_profile_in_force();
        if change.role.is_some() {
            self.choose_tools();
        }
    }

    /// Whether it takes direct messages now, or why not.
    pub(super) fn takes_messages(&self) -> Result<(), OrderRefusal> {
        match self.state() {
            LifeState::Idle | LifeState::Running => Ok(()),
            LifeState::Stopped => Err(OrderRefusal::Stopped),
            LifeState::Errored => Err(OrderRefusal::Errored),
        }
    }

    /// Starts the Mysis. [`Life::go_on`] decides what it does first. While no swarm is running, a
    /// reason to start is stored instead.
    fn run_into(&mut self, draft: &mut WriteDraft) {
        if self.mode == Mode::QueueOnly {
            let mysis = self.id;
            return draft.writes.push(Write::Called { mysis });
        }
        // What passed until now is no time of a routine.
        self.figures.routine_timed = self.now.moment;
        let alarm = self.new_alarm();
        self.enter_stage(LifeStage::Pausing { alarm }, None);
        self.add_state(draft);
    }
}

/// Whether an order tells the model something, so that a mission that was done may not be done any more.
fn is_news_to_the_model(order: &MysisOrder) -> bool {
    match order {
        MysisOrder::Start
        | MysisOrder::Retry
        | MysisOrder::Stop
        | MysisOrder::Remind { .. }
        | MysisOrder::CancelReminder(_)
        | MysisOrder::Answer(_) => false,
        MysisOrder::Prompt(_)
        | MysisOrder::Mission(_)
        | MysisOrder::Note(_)
        | MysisOrder::ClearNotes
        | MysisOrder::Configure(_)
        | MysisOrder::StartRoutine(_)
        | MysisOrder::EditRoutine(_)
        | MysisOrder::StopRoutine => true,
    }
}
