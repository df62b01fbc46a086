//! Progress: noticing a Mysis that runs without getting anywhere.

use std::sync::Arc;

use crate::domain::event::Stuck;
use crate::domain::ids::Timestamp;
use crate::domain::message::{CallStatus, Severity};

use super::{Life, Stage};

/// How far a Mysis got in its last turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// Turns in a row without progress.
    turns: u32,
    /// The call that those turns repeated, if they made any.
    failing: Option<Attempt>,
    /// What the model is told about it.
    notice: Option<String>,
    /// Since when there is something to tell.
    since: Option<Timestamp>,
}

/// How far the turn under way got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum TurnProgress {
    /// It called no tool.
    #[default]
    Quiet,
    /// It made this one call, once or again and again, and it failed each time.
    Failing(Attempt),
    /// It made different calls, or one that succeeded.
    Moving,
}

/// A call as the model wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    tool: Arc<str>,
    arguments: Arc<str>,
}

impl TurnProgress {
    /// A call of the turn came back.
    fn called(&mut self, attempt: Attempt, status: CallStatus) {
        let is_first = *self == TurnProgress::Quiet;
        let is_same = *self == TurnProgress::Failing(attempt.clone());
        *self = if status != CallStatus::Done && (is_first || is_same) {
            TurnProgress::Failing(attempt)
        } else {
            TurnProgress::Moving
        };
    }
}

impl Progress {
    /// A turn is over. Gives what is to be noticed after `limit` turns without progress, and again
    /// after twice as many, and so on.
    fn turn_ended(&mut self, turn: TurnProgress, limit: u32) -> Option<String> {
        match turn {
            TurnProgress::Moving => {
                *self = Progress::default();
                return None;
            }
            TurnProgress::Quiet => self.turns = self.turns.saturating_add(1),
            TurnProgress::Failing(attempt) => {
                let is_another = self.failing.as_ref().is_some_and(|known| *known != attempt);
                if is_another {
                    self.turns = 0;
                    self.since = None;
                }
                self.turns = self.turns.saturating_add(1);
                self.failing = Some(attempt);
            }
        }
        let (times, rest) = (self.turns / limit.max(1), self.turns % limit.max(1));
        if rest != 0 || !times.is_power_of_two() {
            return None;
        }
        let what = match &self.failing {
            Some(Attempt { tool, arguments }) => {
                let arguments: String = arguments.chars().take(200).collect();
                format!("the same call failed again and again: {tool} {arguments}")
            }
            None => "no tool was called".to_string(),
        };
        let turns = self.turns;
        self.notice = Some(format!(
            "No progress in your last {turns} turns: {what}. Do something else: look at your \
             situation with a tool, choose another step towards your order, and take it."
        ));
        Some(format!(
            "no progress in the last {turns} turns: {what}; the model is told so"
        ))
    }
}

impl Life {
    /// A call of the turn under way came back.
    pub(super) fn note_call(&mut self, tool: &Arc<str>, arguments: &Arc<str>, status: CallStatus) {
        if let Stage::InTurn { turn, .. } = &mut self.stage {
            let attempt = Attempt {
                tool: tool.clone(),
                arguments: arguments.clone(),
            };
            turn.progress.called(attempt, status);
        }
    }

    /// Watches whether turns lead anywhere; tells the operator where they do not.
    pub(super) fn watch_progress(&mut self, turn: TurnProgress) {
        let limit = self.rules.no_progress_turns;
        if let Some(notice) = self.progress.turn_ended(turn, limit) {
            self.progress.since.get_or_insert(self.now);
            self.notice(Severity::Warn, "no_progress", None, &notice);
        }
    }

    /// The turns that lead nowhere, once there are enough of them to tell.
    pub(super) fn stuck(&self) -> Option<Stuck> {
        let failing = self.progress.failing.as_ref();
        Some(Stuck {
            since: self.progress.since?,
            turns: self.progress.turns,
            tool: failing.map(|attempt| attempt.tool.clone()),
        })
    }

    /// An order of the operator begins a new count.
    pub(super) fn forget_progress(&mut self) {
        self.progress = Progress::default();
    }

    /// What the model is told about its progress, until it makes some.
    pub(super) fn progress_notice(&self) -> Option<&String> {
        self.progress.notice.as_ref()
    }
}
