//! Stall windows: what happened since the last gain.

use std::sync::Arc;

use crate::ids::Moment;
use crate::message::CallStatus;

use super::FinishedCall;
use super::call_pattern::CallPattern;
use super::outcome::Gains;

/// The most characters of arguments in a notice.
const MAX_ARGUMENT_CHARS: usize = 200;

/// This many calls count as a turn of a cycle, because turns may be long.
const CALLS_PER_CYCLE_TURN: u32 = 4;

/// The turns since the last gain.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StallWindow {
    pub(super) since: Option<Moment>,
    /// Turns with calls that can be judged and brought no gain.
    pub(super) turns: u32,
    /// All turns, including those without calls.
    pub(super) all_turns: u32,
    /// The newest turns in a row without calls.
    pub(super) quiet: u32,
    /// The newest turns in a row in which every call failed.
    pub(super) failing: u32,
    /// The only call of the newest turns, if it failed each time, and the number of those turns.
    pub(super) same: Option<(Attempt, u32)>,
    /// The calls, and how many of them failed.
    pub(super) calls: (u64, u64),
    pub(super) turn: TurnNotes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnJudgement {
    Gained,
    /// It is unknown whether there was a gain, but the answers were new.
    Unjudged,
    /// It is unknown whether there was a gain, and the answers were the same as before.
    Repeated,
    /// There was no gain.
    Nothing,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Attempt {
    tool: Arc<str>,
    arguments: Arc<str>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TurnNotes {
    calls: u32,
    failed: u32,
    gained: bool,
    is_novel: bool,
    /// The results from which outcomes can be read, and those from which they cannot.
    readable: u32,
    unreadable: u32,
    /// Its only call, as long as that fails each time.
    only: Option<Attempt>,
    last_failed: Option<Attempt>,
}

impl StallWindow {
    pub(super) fn on_call(&mut self, call: &FinishedCall<'_>, gains: Gains) {
        let turn = &mut self.turn;
        let attempt = || Attempt {
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
        };
        turn.calls += 1;
        turn.gained |= gains.any;
        turn.is_novel |= gains.is_novel;
        match gains.is_readable {
            Some(true) => turn.readable += 1,
            Some(false) => turn.unreadable += 1,
            None => {}
        }
        if call.status == CallStatus::Done {
            turn.only = None;
            return;
        }
        turn.failed += 1;
        turn.only = match turn.only.take() {
            None if turn.calls == 1 => Some(attempt()),
            Some(known) if known == attempt() => Some(known),
            None | Some(_) => None,
        };
        turn.last_failed = Some(attempt());
    }

    /// Ends the turn. `knows_outcomes` is whether outcomes could ever be read from the server's
    /// answers.
    pub(super) fn end_turn(&mut self, knows_outcomes: bool, now: Moment) -> TurnJudgement {
        let turn = std::mem::take(&mut self.turn);
        let succeeded = turn.calls > turn.failed;
        let is_judged = knows_outcomes && turn.readable >= turn.unreadable;
        let turned = match (turn.gained, succeeded && !is_judged, turn.is_novel) {
            (true, _, _) => TurnJudgement::Gained,
            (false, true, true) => TurnJudgement::Unjudged,
            (false, true, false) => TurnJudgement::Repeated,
            (false, false, _) => TurnJudgement::Nothing,
        };
        if matches!(turned, TurnJudgement::Gained | TurnJudgement::Unjudged) {
            let all_turns = self.all_turns.saturating_add(1);
            *self = StallWindow {
                all_turns,
                ..StallWindow::default()
            };
            return turned;
        }
        self.since.get_or_insert(now);
        self.all_turns = self.all_turns.saturating_add(1);
        self.calls.0 += u64::from(turn.calls);
        self.calls.1 += u64::from(turn.failed);
        if turn.calls == 0 {
            self.quiet = self.quiet.saturating_add(1);
            return turned;
        }
        if turned == TurnJudgement::Nothing {
            self.turns = self.turns.saturating_add(1);
        }
        self.quiet = 0;
        self.failing = if turn.failed == turn.calls {
            self.failing.saturating_add(1)
        } else {
            0
        };
        self.same = match (turn.only, self.same.take()) {
            (Some(only), Some((known, turns))) if known == only => Some((known, turns + 1)),
            (Some(only), _) => Some((only, 1)),
            (None, _) => turn.last_failed.map(|attempt| (attempt, 0)),
        };
        turned
    }

    /// The number of turns in a row whose only call was the same failing one.
    pub(super) fn same_failure(&self) -> u32 {
        self.same.as_ref().map_or(0, |(_, turns)| *turns)
    }

    pub(super) fn failing_tool(&self) -> Option<Arc<str>> {
        self.same.as_ref().map(|(attempt, _)| attempt.tool.clone())
    }

    pub(super) fn describe_failure(&self) -> String {
        let Some((Attempt { tool, arguments }, _)) = &self.same else {
            return "a call failed".to_string();
        };
        let arguments: String = arguments.chars().take(MAX_ARGUMENT_CHARS).collect();
        format!("the same call failed again and again: {tool} {arguments}")
    }
}

/// The turns in which the same calls were made in the same order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CycleWindow {
    pub(super) since: Option<Moment>,
    pub(super) turns: u32,
    calls: u32,
    /// Credits earned minus credits spent, according to the results.
    net: i64,
    gained: bool,
    /// Whether all of the calls only read and were answered.
    pub(super) is_harmless: bool,
}

impl CycleWindow {
    pub(super) fn on_call(&mut self, gains: Gains) {
        self.calls = self.calls.saturating_add(1);
        self.net = self.net.saturating_add(gains.net);
        self.gained |= gains.lasting;
    }

    pub(super) fn end_turn(
        &mut self,
        call_pattern: &CallPattern,
        turned: TurnJudgement,
        now: Moment,
    ) {
        // If the answers of a cycle change and cannot be read, it is unknown what the cycle brings.
        if !call_pattern.is_circling() || turned == TurnJudgement::Unjudged {
            *self = CycleWindow::default();
            return;
        }
        self.since.get_or_insert(now);
        self.turns = self.turns.saturating_add(1);
        self.is_harmless = call_pattern.is_harmless();
        if self.gained || self.net > 0 {
            *self = CycleWindow::default();
        }
    }

    /// Whether the cycle has lasted this many turns, or as many calls as those can have, without
    /// any gain.
    pub(super) fn is_futile(&self, turns: u32) -> bool {
        self.turns >= turns || self.calls >= turns.saturating_mul(CALLS_PER_CYCLE_TURN)
    }
}
