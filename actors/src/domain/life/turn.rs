//! The turn: prompt, then model call and tool calls in turn, until words or the limit end it.

use std::collections::VecDeque;
use std::time::Duration;

use crate::domain::compose::{Owner, choose_owner};
use crate::domain::conversation::OpenCall;
use crate::domain::event::{Activity, EventKind};
use crate::domain::game_state::GameWait;
use crate::domain::ids::TurnNumber;
use crate::domain::message::{Kind, Severity};

use super::input::{Alarm, Effect};
use super::record::Draft;
use super::{AfterRecording, Began, Life, Mode, SentMark, Stage, Step, Turn};

impl Life {
    /// Running with nothing under way: takes up the turn that was left open, or begins one.
    pub(super) fn go_on(&mut self) {
        if self.mode == Mode::Draining {
            return self.effects.push(Effect::Leave);
        }
        let (turn, is_new) = match self.open_turn() {
            Some(turn) => (turn, false),
            None => (self.new_turn(), true),
        };
        let began = turn.began;
        self.stage = Stage::InTurn {
            turn,
            // Never waited for: the next step replaces it before anything else happens.
            step: Step::CoolingDown {
                alarm: Alarm(0),
                attempt: 0,
            },
        };
        if is_new {
            self.tell(EventKind::TurnStarted);
            self.say_what_set_it_going(began);
        }
        self.go_on_in_turn();
    }

    fn new_turn(&mut self) -> Turn {
        self.turn = TurnNumber(self.turn.0.saturating_add(1));
        self.begin_afresh();
        let owner = self.owner();
        Turn {
            began: self.began(&owner),
            owner,
            model_calls: 0,
            asked_bytes: 0,
            shortened_at: None,
            called_tools: false,
            continuation: self.rules.nudge_after(self.nudges),
            calls: VecDeque::new(),
        }
    }

    /// The turn that ended neither by words nor by the limit: a crash, a stop or a fault cut it.
    fn open_turn(&mut self) -> Option<Turn> {
        let number = self.open_turn_number()?;
        let calls: VecDeque<OpenCall> = self.conversation.open_calls().into();
        let model_calls = self.conversation.utterances_in(number);
        self.turn = number;
        let owner = self.owner();
        Some(Turn {
            began: self.began(&owner),
            owner,
            model_calls,
            asked_bytes: 0,
            shortened_at: None,
            called_tools: true,
            continuation: self.rules.nudge_after(self.nudges),
            calls,
        })
    }

    /// Which turn is taken up again next, if one was cut.
    pub(super) fn open_turn_number(&self) -> Option<TurnNumber> {
        let last = self.conversation.last_utterance()?;
        let is_open = last.kind() == Some(Kind::Call)
            && (self.conversation.utterances_in(last.turn) < self.rules.max_model_calls
                || !self.conversation.open_calls().is_empty());
        is_open.then_some(last.turn)
    }

    fn owner(&self) -> Owner {
        choose_owner(
            &self.conversation,
            self.mission.as_ref(),
            self.rules.context_window,
            self.rules.nudge_after(self.nudges),
        )
    }

    fn began(&self, owner: &Owner) -> Began {
        match owner {
            Owner::Prompt(_) if self.conversation.unanswered().next().is_some() => Began::Ordered,
            Owner::Prompt(_) => Began::Continued,
            Owner::Mission { .. } => Began::Ordered,
            Owner::Nudge(_) => Began::Nudged,
        }
    }

    /// A nudge is no row; that one was given is (DESIGN 4).
    fn say_what_set_it_going(&mut self, began: Began) {
        let code = match began {
            Began::Ordered => return,
            Began::Continued => "continuation",
            Began::Nudged => "nudge",
        };
        let text = format!(
            "{code} {} of {}: {}",
            (self.nudges + 1).min(self.rules.nudge_limit()),
            self.rules.nudge_limit(),
            self.rules.nudge_after(self.nudges)
        );
        self.notice(Severity::Info, code, None, &text);
    }

    /// The next call, else the next question, else the end.
    pub(super) fn go_on_in_turn(&mut self) {
        let Stage::InTurn { turn, .. } = &self.stage else {
            return;
        };
        if self.mode == Mode::Draining {
            return self.effects.push(Effect::Leave);
        }
        if let Some(open) = turn.calls.front().cloned() {
            self.make_call(open);
        } else if turn.model_calls >= self.rules.max_model_calls {
            self.reach_limit();
        } else {
            self.count_model_call();
            self.ask(0);
        }
    }

    fn count_model_call(&mut self) {
        if let Stage::InTurn { turn, .. } = &mut self.stage {
            turn.model_calls += 1;
        }
    }

    pub(super) fn step(&mut self, next: Step) {
        if let Stage::InTurn { step, .. } = &mut self.stage {
            *step = next;
        }
    }

    fn reach_limit(&mut self) {
        self.totals.turns += 1;
        let mut draft = Draft::default();
        let text = format!(
            "the turn ended after {} model calls without a closing word",
            self.rules.max_model_calls
        );
        self.host_into(&mut draft, Severity::Info, "turn_limit", None, &text);
        self.totals_into(&mut draft);
        let ticket = self.record(draft);
        self.step(Step::Recording {
            ticket,
            then: AfterRecording::EndTurn,
        });
    }

    /// Counts the turn, then pauses, goes on at once or goes idle (DESIGN 5).
    pub(super) fn end_turn(&mut self) {
        let Stage::InTurn { turn, .. } = &self.stage else {
            return;
        };
        if self.mode == Mode::Draining {
            return self.effects.push(Effect::Leave);
        }
        let was_nudged = match turn.began {
            Began::Nudged => true,
            Began::Continued => !turn.called_tools,
            Began::Ordered => false,
        };
        let errand = self.errand(&turn.owner);
        if was_nudged && self.mission.is_none() {
            self.nudges += 1;
        }
        let parked = self.watch_progress(errand);
        let (window, budget) = (self.rules.context_window, self.rules.context_budget);
        self.conversation.trim(window, None);
        self.conversation.lighten(budget.saturating_mul(2));
        let has_unseen = self.has_unseen_order();
        if let Some(reason) = parked.filter(|_| !has_unseen) {
            return self.park(&reason);
        }
        self.pause(if has_unseen {
            Duration::ZERO
        } else {
            self.rules.turn_pause
        });
        if has_unseen {
            self.go_on();
        } else if self.nudges >= self.rules.nudge_limit() {
            self.go_idle();
        }
    }

    /// Whether an order came that the model has not been shown.
    fn has_unseen_order(&self) -> bool {
        let seen = self
            .conversation
            .last_utterance()
            .and_then(|row| row.utterance())
            .map(|utterance| utterance.horizon)
            .unwrap_or_default();
        self.conversation
            .rows()
            .rev()
            .take_while(|row| row.seq > seen)
            .any(|row| matches!(row.kind(), Some(Kind::Prompt | Kind::Mission)))
    }

    fn pause(&mut self, after: Duration) {
        let alarm = Alarm(self.stamp());
        self.stage = Stage::Pausing { alarm };
        let until = Some(self.now.plus(after));
        match self.game.waiting(self.both()) {
            Some((GameWait::Transit, at)) => self.doing_until(Activity::InTransit, Some(at)),
            Some((GameWait::Cooldown, at)) => self.doing_until(Activity::OnCooldown, Some(at)),
            None => self.doing_until(Activity::Pausing, until),
        }
        self.effects.push(Effect::Wake {
            alarm,
            after,
            jitter: false,
        });
    }

    fn go_idle(&mut self) {
        let reason = format!("no user message after {} encouragements", self.nudges);
        self.enter(Stage::Idle, Some(reason.as_str().into()));
        let mut draft = Draft::default();
        self.host_into(&mut draft, Severity::Info, "idle", None, &reason);
        self.state_into(&mut draft);
        self.doing(Activity::Resting);
        self.record(draft);
    }

    /// The program is closing. A call that has left is waited for, so that its outcome is known;
    /// the state stays as it is, so that the next run can take it up.
    pub(super) fn wind_down(&mut self) {
        self.mode = Mode::Draining;
        let waits = matches!(
            &self.stage,
            Stage::InTurn {
                step: Step::Recording { .. }
                    | Step::Calling {
                        mark: SentMark::Writing(_) | SentMark::Sent,
                        ..
                    },
                ..
            }
        );
        if !waits {
            self.effects.push(Effect::Abort);
            self.effects.push(Effect::Leave);
        }
    }

    pub(super) fn rang(&mut self, alarm: Alarm) {
        match &self.stage {
            Stage::Pausing { alarm: waited } if *waited == alarm => self.go_on(),
            Stage::InTurn {
                step:
                    Step::CoolingDown {
                        alarm: waited,
                        attempt,
                    },
                ..
            } if *waited == alarm => {
                let attempt = *attempt;
                self.ask(attempt);
            }
            Stage::InTurn {
                step:
                    Step::Held {
                        alarm: waited,
                        attempt,
                        until,
                        ends,
                    },
                ..
            } if *waited == alarm => {
                let (attempt, until, ends) = (*attempt, *until, *ends);
                self.woke(attempt, until, ends);
            }
            Stage::Idle
            | Stage::Pausing { .. }
            | Stage::InTurn { .. }
            | Stage::Stopped
            | Stage::Errored(_) => {}
        }
    }
}
