//! Progress: whether a Mysis gets anywhere, and what is done about one that does not.
//!
//! A pure state machine over what a Mysis has durable: its calls and their results, turn by turn.
//! Two things are watched: outcomes (credits, cargo, places, missions, skills, the ship) and
//! repetition (failing calls, circles of calls, words alone). Whoever gets nowhere climbs a ladder,
//! a rung at a time: told so, begun afresh, asked elsewhere, parked. A gain climbs down a rung.
//!
//! Bounded: some two KiB a Mysis, whatever happens. What of it survives a restart is its memo.

mod call_pattern;
mod checkpoint;
mod escalation;
mod order_intent;
mod outcome;
mod stall;
mod stall_window;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::ids::{Moment, Now, Seq, Timestamp};
use super::message::CallStatus;
use super::rules::ProgressRules;

use call_pattern::CallPattern;
use outcome::{Outcomes, format_millis, group_digits};
use stall_window::{CycleWindow, StallWindow, TurnJudgement};

pub use escalation::{EscalationOptions, EscalationStep};
pub use order_intent::{
    NO_GAIN_LINE, OrderIntent, expecting_gains, expecting_no_gain, suggests_no_gain,
};
pub use stall::{StallKind, StallVerdict, Stuck};

/// Turns between two memos where nothing important changed.
const CHECKPOINT_EVERY_TURNS: u32 = 8;

/// A tool call that came back.
#[derive(Clone, Copy, Debug)]
pub struct FinishedCall<'a> {
    /// The tool.
    pub tool: &'a Arc<str>,
    /// Its arguments.
    pub arguments: &'a Arc<str>,
    /// Whether it only reads.
    pub read_only: bool,
    /// How it ended.
    pub status: CallStatus,
    /// Its result.
    pub text: &'a str,
}

/// The watch on one Mysis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StallDetector {
    outcomes: Outcomes,
    call_pattern: CallPattern,
    stall_window: StallWindow,
    lap: CycleWindow,
    step: EscalationStep,
    /// The turns of the stretch when the rung was taken, and the moment.
    taken: (u32, Moment),
    /// Since when it is known to get nowhere, by the wall clock, and how.
    known: Option<(Timestamp, StallKind)>,
    /// What the model is told, until something gets better.
    notice: Option<String>,
    /// Rows before this one are not sent any more.
    afresh: Seq,
    /// Turns in a row whose answers nobody can judge.
    unjudged: u32,
    /// Whether that was told.
    is_unjudged_told: bool,
    /// Turns since the last memo.
    unsaved: u32,
    is_urgent: bool,
}

impl StallDetector {
    /// A call of the turn under way came back.
    pub fn on_call(&mut self, call: FinishedCall<'_>, now: Moment) {
        let is_done = call.status == CallStatus::Done;
        let gains = if is_done {
            self.outcomes
                .read_result(call.tool, call.read_only, call.text)
        } else {
            outcome::Gains::default()
        };
        self.stall_window.on_call(&call, gains);
        self.lap.on_call(gains);
        if self.call_pattern.on_call(&call, now) {
            self.is_urgent = true;
        }
    }

    /// A turn is over. `blatant` is after how many turns of words alone, or of one failing call,
    /// it is told.
    pub fn turn_ended(
        &mut self,
        rules: &ProgressRules,
        blatant: u32,
        errand: OrderIntent,
        means: EscalationOptions,
        now: Now,
    ) -> Option<StallVerdict> {
        let Now { wall, moment: now } = now;
        self.unsaved += 1;
        let turned = self.stall_window.end_turn(self.outcomes.is_known(), now);
        self.lap.end_turn(&self.call_pattern, turned, now);
        self.count_unjudged(turned);
        if !rules.is_on {
            return None;
        }
        if let Some(facts) = self.call_pattern.take_due_failure() {
            self.is_urgent = true;
            self.notice.get_or_insert_with(|| stall_notice(&facts));
            return Some(StallVerdict {
                way: StallKind::Ails,
                facts,
                step: None,
            });
        }
        // What a circle earns on its way round, it loses again.
        let gained = matches!(turned, TurnJudgement::Gained | TurnJudgement::Unjudged);
        if gained && !self.is_cycling(rules, blatant, errand, now) {
            self.climb_down(now);
            return None;
        }
        let Some(way) = self.stall_kind(rules, blatant, errand, now) else {
            if self
                .known
                .is_some_and(|(_, way)| way != StallKind::Idles && way != StallKind::Circles)
            {
                // What was blatant has ended; whether anything comes of it shows in time.
                self.known = None;
                self.notice = None;
            }
            return None;
        };
        self.judge_stall(way, rules, blatant, means, Now { wall, moment: now })
    }

    /// Counts the turns that nobody can judge.
    fn count_unjudged(&mut self, turned: TurnJudgement) {
        match turned {
            TurnJudgement::Unjudged | TurnJudgement::Repeated => {
                self.unjudged = self.unjudged.saturating_add(1);
            }
            TurnJudgement::Gained => {
                self.unjudged = 0;
                self.is_unjudged_told = false;
            }
            TurnJudgement::Nothing => {}
        }
    }

    /// What the operator is told, once, where answers cannot be judged: that only repetition and
    /// failures are watched.
    pub fn take_unjudged_notice(&mut self, rules: &ProgressRules) -> Option<String> {
        if !rules.is_on || self.is_unjudged_told || self.unjudged < rules.turns {
            return None;
        }
        self.is_unjudged_told = true;
        self.is_urgent = true;
        Some(format!(
            "the watch on progress cannot read from the answers of the last {} turns whether \
             anything is gained; it looks at repetition and failures alone",
            self.unjudged
        ))
    }

    /// How it gets nowhere, where it does.
    fn stall_kind(
        &self,
        rules: &ProgressRules,
        blatant: u32,
        errand: OrderIntent,
        now: Moment,
    ) -> Option<StallKind> {
        let stall_window = &self.stall_window;
        let waits = errand == OrderIntent::Waits;
        let lasts = |since: Moment| now.since(since) >= rules.at_least;
        if stall_window.same_failure() >= blatant {
            return Some(StallKind::Repeats);
        }
        if stall_window.quiet_turns() >= blatant && !waits {
            return Some(StallKind::Talks);
        }
        if stall_window.failing_turns() >= rules.turns / 2 && lasts(stall_window.since()) {
            return Some(StallKind::Fails);
        }
        if self.is_cycling(rules, blatant, errand, now) {
            return Some(StallKind::Circles);
        }
        let idles = stall_window.turns() >= rules.turns && lasts(stall_window.since());
        (idles && !waits).then_some(StallKind::Idles)
    }

    /// Whether it makes the same calls in the same order, and has nothing of it in the end.
    fn is_cycling(
        &self,
        rules: &ProgressRules,
        blatant: u32,
        errand: OrderIntent,
        now: Moment,
    ) -> bool {
        let is_allowed = errand == OrderIntent::Waits && self.lap.is_harmless();
        self.lap.is_futile(blatant.saturating_mul(2))
            && now.since(self.lap.since()) >= rules.at_least
            && !is_allowed
    }

    /// Takes the next rung where it is time to, or tells again.
    fn judge_stall(
        &mut self,
        way: StallKind,
        rules: &ProgressRules,
        blatant: u32,
        means: EscalationOptions,
        now: Now,
    ) -> Option<StallVerdict> {
        let Now { wall, moment: now } = now;
        let turns = self.turns_of(way);
        let (since, _) = *self.known.get_or_insert((wall, way));
        self.known = Some((since, way));
        let facts = self.describe_stall(way, now);
        let (at, when) = self.taken;
        let is_first = self.step == EscalationStep::Unescalated;
        let waited = self.stall_window.all_turns().saturating_sub(at) >= rules.turns / 2;
        let is_due = is_first || (waited && now.since(when) >= rules.at_least);
        let next = self.step.next_step(means).filter(|_| is_due);
        if let Some(step) = next {
            self.step = step;
            self.taken = (self.stall_window.all_turns(), now);
            self.is_urgent = true;
        } else if !(turns.is_multiple_of(blatant) && (turns / blatant).is_power_of_two()) {
            // Told when it was found out, then after twice as many turns, and so on.
            return None;
        }
        self.notice = Some(stall_notice(&facts));
        Some(StallVerdict {
            way,
            facts,
            step: next,
        })
    }

    /// Something got better.
    fn climb_down(&mut self, now: Moment) {
        if self.step > EscalationStep::Unescalated {
            self.step = self.step.step_below();
            self.taken = (self.stall_window.all_turns(), now);
            self.is_urgent = true;
        }
        self.known = None;
        self.notice = None;
    }

    /// An order of the operator begins a new count. What fails for days goes on to be counted.
    pub fn on_order(&mut self, now: Moment) {
        self.stall_window = StallWindow::default();
        self.lap = CycleWindow::default();
        self.known = None;
        self.notice = None;
        self.is_urgent |= self.step > EscalationStep::Unescalated;
        self.step = EscalationStep::Unescalated;
        self.taken = (0, now);
    }

    /// One that gets nowhere, as those who watch see it.
    #[must_use]
    pub fn stuck(&self) -> Option<Stuck> {
        let (since, way) = self.known?;
        Some(Stuck {
            since,
            turns: self.turns_of(way),
            way,
            tool: match way {
                StallKind::Repeats => self.stall_window.failing_tool(),
                StallKind::Talks
                | StallKind::Fails
                | StallKind::Circles
                | StallKind::Idles
                | StallKind::Ails => None,
            },
        })
    }

    /// What the model is told about it, until something gets better.
    #[must_use]
    pub fn notice(&self) -> Option<&String> {
        self.notice.as_ref()
    }

    /// How far it was taken.
    #[must_use]
    pub fn escalation_step(&self) -> EscalationStep {
        self.step
    }

    /// Rows before this one are not sent any more.
    #[must_use]
    pub fn context_reset(&self) -> Seq {
        self.afresh
    }

    /// The conversation begins at this row.
    pub fn reset_context(&mut self, at: Seq) {
        self.afresh = at;
        self.is_urgent = true;
    }

    fn turns_of(&self, way: StallKind) -> u32 {
        match way {
            StallKind::Talks => self.stall_window.quiet_turns(),
            StallKind::Repeats => self.stall_window.same_failure(),
            StallKind::Fails => self.stall_window.failing_turns(),
            StallKind::Circles => self.lap.turns(),
            StallKind::Idles | StallKind::Ails => self.stall_window.turns(),
        }
    }

    /// The facts, as a clause.
    fn describe_stall(&self, way: StallKind, now: Moment) -> String {
        let turns = self.turns_of(way);
        let what = match way {
            StallKind::Talks => "no tool was called".to_string(),
            StallKind::Repeats => self.stall_window.describe_failure(),
            StallKind::Fails => format!(
                "every call failed, the last one {}",
                self.stall_window.describe_failure()
            ),
            StallKind::Circles => {
                let names = self.call_pattern.cycle_tools();
                format!("the same calls in the same order: {}", names.join(", "))
            }
            StallKind::Idles | StallKind::Ails => {
                let (calls, failed) = self.stall_window.calls();
                format!("{} calls, {failed} of them failed", group_digits(calls))
            }
        };
        let since = match way {
            StallKind::Circles => self.lap.since(),
            StallKind::Talks
            | StallKind::Repeats
            | StallKind::Fails
            | StallKind::Idles
            | StallKind::Ails => self.stall_window.since(),
        };
        let mut facts = format!(
            "{turns} turns ({}): {what}",
            format_millis(now.millis_since(since))
        );
        let unchanged = self.outcomes.describe_figures();
        if !unchanged.is_empty() {
            facts.push_str(&format!("; nothing gained: {}", unchanged.join(", ")));
        }
        facts
    }
}

/// What the model is told.
fn stall_notice(facts: &str) -> String {
    format!(
        "No progress in your last {facts}. Do something else: look at your situation with a tool, \
         choose another step towards your order, and take it."
    )
}
