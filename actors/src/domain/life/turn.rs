//! The turn: a prompt, then model calls and tool calls, until a reply or the limit ends it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::compose::{TurnOwner, choose_owner, first_row_of_earlier_turns, row_in_earlier_turns};
use crate::conversation::PendingCall;
use crate::event::{Activity, EventKind, TurnEvent};
use crate::fault::MysisFault;
use crate::ids::TurnNumber;
use crate::message::{Row, RowKind, Severity};
use crate::tier::TurnOutcome;

use super::input::{AlarmId, Effect};
use super::record::WriteDraft;
use super::{
    ActiveTurn, AfterRecording, Life, LifeStage, Mode, SentMark, TurnStep, TurnTrigger, done,
};

impl LifeStage {
    /// The turn in progress.
    pub(super) fn turn(&self) -> Option<&ActiveTurn> {
        let LifeStage::InTurn { turn, .. } = self else {
            return None;
        };
        Some(turn)
    }

    pub(super) fn turn_mut(&mut self) -> Option<&mut ActiveTurn> {
        let LifeStage::InTurn { turn, .. } = self else {
            return None;
        };
        Some(turn)
    }

    /// What the turn in progress waits for.
    pub(super) fn step(&self) -> Option<&TurnStep> {
        let LifeStage::InTurn { step, .. } = self else {
            return None;
        };
        Some(step)
    }

    /// The call that is in progress or comes next.
    pub(super) fn open_call(&self) -> Option<&PendingCall> {
        self.turn()?.calls.front()
    }

    pub(super) fn open_call_mut(&mut self) -> Option<&mut PendingCall> {
        self.turn_mut()?.calls.front_mut()
    }

    pub(super) fn fault(&self) -> Option<&MysisFault> {
        let LifeStage::Errored(fault) = self else {
            return None;
        };
        Some(fault)
    }

    pub(super) fn alarm(&self) -> Option<AlarmId> {
        match self {
            LifeStage::Pausing { alarm }
            | LifeStage::InTurn {
                step: TurnStep::CoolingDown { alarm, .. } | TurnStep::Held { alarm, .. },
                ..
            } => Some(*alarm),
            LifeStage::Idle
            | LifeStage::InTurn { .. }
            | LifeStage::Stopped
            | LifeStage::Errored(_) => None,
        }
    }
}

impl Life {
    /// Continues to run: resumes an interrupted turn, or begins one.
    pub(super) fn go_on(&mut self) {
        if self.mode == Mode::Draining {
            return self.effects.push(Effect::Leave);
        }
        let (turn, is_new) = match self.open_turn() {
            Some(turn) => (turn, false),
            None => (self.new_turn(), true),
        };
        let began = turn.began;
        self.begin_silent_turn(&turn.owner);
        self.set_stage(LifeStage::InTurn {
            turn: Box::new(turn),
            // This step is never waited for, because the next one replaces it at once.
            step: TurnStep::CoolingDown {
                alarm: AlarmId(0),
                attempt: 0,
            },
        });
        self.pace.begin_turn();
        if is_new {
            let turn = self.turn;
            self.emit_event(EventKind::Turn(TurnEvent::Started { turn }));
            self.choose_tier();
            self.renew_working_set();
            self.say_what_set_it_going(began);
            self.begin_circle();
        }
        self.go_on_in_turn();
    }

    fn new_turn(&mut self) -> ActiveTurn {
        self.turn = TurnNumber(self.turn.0.saturating_add(1));
        self.begin_afresh();
        self.turn_with(0, VecDeque::new())
    }

    /// The turn that is due, with the model calls that it had and the calls that are open.
    fn turn_with(&self, model_calls: u32, calls: VecDeque<PendingCall>) -> ActiveTurn {
        let owner = self.next_owner();
        ActiveTurn {
            began: self.turn_trigger(&owner),
            owner,
            model_calls,
            asked_bytes: 0,
            shortenings: 0,
            refusals: 0,
            own_rounds: 0,
            called_tools: false,
            outcome: TurnOutcome::default(),
            continuation: self.rules.nudge_after(self.nudges),
            calls,
        }
    }

    /// The turn that neither a reply nor the limit ended, because a crash, a stop or a fault
    /// interrupted it.
    fn open_turn(&mut self) -> Option<ActiveTurn> {
        let number = self.open_turn_number()?;
        let mut calls: VecDeque<PendingCall> = self.conversation.open_calls().into();
        // The step of a routine comes before the call that waits for its end.
        calls
            .make_contiguous()
            .sort_by_key(|open| open.call.routine.is_none());
        let model_calls = self.conversation.utterances_in(number);
        self.turn = number;
        Some(ActiveTurn {
            called_tools: true,
            ..self.turn_with(model_calls, calls)
        })
    }

    /// The number of the interrupted turn that is resumed next.
    pub(super) fn open_turn_number(&self) -> Option<TurnNumber> {
        let last = self.conversation.last_utterance()?;
        let is_open = last.kind() == Some(RowKind::Call)
            && !done::says_done(&self.conversation, last)
            && (self.conversation.utterances_in(last.turn) < self.rules.max_model_calls
                || !self.conversation.open_calls().is_empty());
        let has_ended = self.figures.ended_turn == Some(last.turn);
        (is_open && !has_ended).then_some(last.turn)
    }

    fn next_owner(&self) -> TurnOwner {
        choose_owner(
            &self.conversation,
            self.mission.as_ref(),
            self.rules.context_window,
            self.rules.nudge_after(self.nudges),
        )
    }

    fn turn_trigger(&self, owner: &TurnOwner) -> TurnTrigger {
        match owner {
            TurnOwner::Prompt(_) if self.conversation.unanswered_prompts().next().is_some() => {
                TurnTrigger::Ordered
            }
            TurnOwner::Prompt(_) => TurnTrigger::Continued,
            TurnOwner::Mission { .. } => TurnTrigger::Ordered,
            TurnOwner::Nudge(_) => TurnTrigger::Nudged,
        }
    }

    /// Notes the nudge of a turn. A nudge is no row, but the fact that it was given is (docs/design/requests.md).
    fn say_what_set_it_going(&mut self, began: TurnTrigger) {
        let code = match began {
            TurnTrigger::Ordered => return,
            TurnTrigger::Continued => "continuation",
            TurnTrigger::Nudged => "nudge",
        };
        let text = format!(
            "{code} {} of {}: {}",
            (self.nudges + 1).min(self.rules.nudge_limit()),
            self.rules.nudge_limit(),
            self.rules.nudge_after(self.nudges)
        );
        self.record_notice(Severity::Info, code, &text);
    }

    /// Makes the next call, else the next request, else ends the turn.
    pub(super) fn go_on_in_turn(&mut self) {
        let Some(turn) = self.stage.turn() else {
            return;
        };
        if self.mode == Mode::Draining {
            self.close_marked_call();
            return self.effects.push(Effect::Leave);
        }
        if let Some(open) = turn.calls.front().cloned() {
            self.make_call(open);
        } else if self.routines.run.is_some() {
            self.continue_routine();
        } else if self.is_turn_done() {
            self.end_done_turn();
        } else if !self.may_ask_again() {
            self.reach_limit();
        } else {
            if let Some(turn) = self.stage.turn_mut() {
                turn.model_calls += 1;
                turn.shortenings = 0;
            }
            self.ask_model(0);
        }
    }

    pub(super) fn may_ask_again(&self) -> bool {
        let most = self.rules.max_model_calls;
        self.stage.turn().is_some_and(|it| it.model_calls < most)
    }

    pub(super) fn set_step(&mut self, next: TurnStep) {
        if let LifeStage::InTurn { step, .. } = &mut self.stage {
            *step = next;
        }
    }

    fn reach_limit(&mut self) {
        self.figures.totals.turns += 1;
        let mut draft = WriteDraft::default();
        let text = format!(
            "the turn ended after {} model calls without a closing word",
            self.rules.max_model_calls
        );
        self.add_host_notice(&mut draft, Severity::Info, "turn_limit", &text);
        self.add_totals(&mut draft);
        self.record_then(draft, AfterRecording::EndTurn);
    }

    /// Counts the turn, then pauses, goes on at once, or becomes idle (docs/design/requests.md).
    pub(super) fn end_turn(&mut self) {
        let Some(turn) = self.stage.turn() else {
            return;
        };
        if self.mode == Mode::Draining {
            return self.effects.push(Effect::Leave);
        }
        let number = self.turn;
        self.figures.ended_turn = Some(number);
        let was_nudged = match turn.began {
            TurnTrigger::Nudged => true,
            TurnTrigger::Continued => !turn.called_tools,
            TurnTrigger::Ordered => false,
        };
        let intent = self.order_intent(&turn.owner);
        let is_of_mission = matches!(turn.owner, TurnOwner::Mission { .. });
        self.pace.end_turn(is_of_mission);
        self.tier.ladder.turn_ended(turn.outcome);
        self.emit_event(EventKind::Turn(TurnEvent::Ended { turn: number }));
        if was_nudged && self.mission.is_none() {
            self.nudges += 1;
        }
        self.end_silent_turn();
        let parked = self.watch_progress(intent);
        let has_unseen = self.has_unseen_order();
        let parked = parked.or_else(|| self.watch_value(intent, has_unseen));
        let budget = self.rules.context_budget;
        self.trim_window(None);
        self.conversation.reduce_to(budget.saturating_mul(2));
        if let Some(reason) = parked.filter(|_| !has_unseen) {
            return self.park(&reason);
        }
        self.pause(if has_unseen {
            Duration::ZERO
        } else {
            self.pace.pause(self.rules.turn_pause)
        });
        if self.is_moving {
            // The process that takes over begins the next turn.
            return;
        }
        if has_unseen {
            self.go_on();
        } else if self.nudges >= self.rules.nudge_limit() {
            self.go_idle();
        }
    }

    /// Drops the rows that no request needs any more. With `open`, that turn is still in progress.
    pub(super) fn trim_window(&mut self, open: Option<TurnNumber>) {
        let next = open.unwrap_or(TurnNumber(self.turn.0.saturating_add(1)));
        let first = match self.mission {
            Some(_) => first_row_of_earlier_turns(&self.conversation, next, self.earlier_bytes()),
            None => None,
        };
        // Another provider may be asked later.
        let most = self.rules.most_earlier_bytes();
        let shorten = |row: &Arc<Row>| row_in_earlier_turns(row, most);
        let window = self.rules.context_window;
        self.conversation.trim_window(window, open, first, shorten);
    }

    /// Whether there is an order that the model has not seen.
    pub(super) fn has_unseen_order(&self) -> bool {
        let seen = self.conversation.seen_by_model();
        self.conversation
            .rows()
            .rev()
            .take_while(|row| row.seq > seen)
            .any(|row| matches!(row.kind(), Some(RowKind::Prompt | RowKind::Mission)))
    }

    fn go_idle(&mut self) {
        let reason = format!("no user message after {} encouragements", self.nudges);
        self.enter_stage(LifeStage::Idle, Some(reason.as_str().into()));
        let mut draft = WriteDraft::default();
        self.add_host_notice(&mut draft, Severity::Info, "idle", &reason);
        self.add_state(&mut draft);
        self.set_activity(Activity::Resting);
        self.record_draft(draft);
    }

    /// Closes the life. A call that was sent is awaited, so that its outcome is known, unless the
    /// next run can ask for it. The state stays, so that the next run can resume.
    pub(super) fn wind_down(&mut self) {
        if std::mem::replace(&mut self.mode, Mode::Draining) == Mode::Live {
            self.record_last_samples();
        }
        let waits = matches!(
            self.stage.step(),
            Some(
                TurnStep::Recording { .. }
                    | TurnStep::Calling {
                        mark: SentMark::Writing(_) | SentMark::Sent | SentMark::WritingTask(_),
                        ..
                    }
            )
        );
        if !waits {
            self.effects.push(Effect::Abort);
            self.close_marked_call();
            self.effects.push(Effect::Leave);
        }
    }

    /// Leaves for another process, if it is to and nothing of a turn is under way.
    pub(super) fn move_between_turns(&mut self) {
        let is_under_way = match self.stage.step() {
            Some(
                TurnStep::Asking { .. } | TurnStep::Recording { .. } | TurnStep::Calling { .. },
            ) => true,
            Some(TurnStep::CoolingDown { .. } | TurnStep::Held { .. }) | None => false,
        };
        if self.is_moving && !is_under_way && self.mode == Mode::Live {
            self.wind_down();
        }
    }

    pub(super) fn on_alarm(&mut self, alarm: AlarmId) {
        if self.reminders.takes_alarm(alarm) || self.stage.alarm() != Some(alarm) {
            return;
        }
        match self.stage.step() {
            Some(TurnStep::CoolingDown { .. }) if self.routines.run.is_some() => self.look_again(),
            Some(TurnStep::CoolingDown { attempt, .. }) => self.ask_model(*attempt),
            Some(TurnStep::Held {
                alarm: _,
                attempt,
                until,
                ends,
            }) => self.on_hold_alarm(*attempt, *until, *ends),
            Some(
                TurnStep::Asking { .. } | TurnStep::Recording { .. } | TurnStep::Calling { .. },
            ) => {}
            None => self.go_on(),
        }
    }
}
