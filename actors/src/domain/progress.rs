//! Progress: whether a Mysis makes progress, and what is done if it does not.
//!
//! It is a pure state machine over a Mysis' stored calls and results, turn by turn. It watches
//! outcomes (credits, cargo, places, missions, skills, the ship) and repetition (failing calls,
//! cycles of calls, replies without calls). A stuck Mysis is escalated step by step: it is notified, its context is reset,
//! another provider is used, it is parked. A gain goes one step back, unless it was stuck again and again and earns nothing.
//!
//! The state takes at most about two KiB for each Mysis. A checkpoint of it survives a restart.

mod call_pattern;
mod checkpoint;
mod escalation;
mod lapse;
mod order_intent;
mod outcome;
mod stall;
mod stall_window;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use zoea_text::figures::group_digits;

use super::game::GameReading;
use super::ids::{Moment, Now, Seq, Timestamp};
use super::message::CallStatus;
use super::rules::ProgressRules;
use super::tool::is_own;

use call_pattern::CallPattern;
use lapse::Lapse;
use outcome::{Outcomes, format_millis};
use stall::stall_notice;
use stall_window::{CycleWindow, StallWindow, TurnJudgement};

pub use escalation::{EscalationOptions, EscalationStep};
pub use order_intent::{
    NO_GAIN_LINE, OrderIntent, expecting_gains, expecting_no_gain, suggests_no_gain,
};
pub use stall::{StallKind, StallVerdict, Stuck};

/// The turns between two checkpoints if nothing important changed.
const CHECKPOINT_EVERY_TURNS: u32 = 8;

#[derive(Clone, Copy, Debug)]
pub struct FinishedCall<'a> {
    pub tool: &'a Arc<str>,
    pub arguments: &'a Arc<str>,
    /// Whether the tool only reads.
    pub read_only: bool,
    pub status: CallStatus,
    pub reading: &'a GameReading<'a>,
}

/// What a turn that ends is judged by.
#[derive(Clone, Copy, Debug)]
pub struct TurnEnd<'a> {
    pub rules: &'a ProgressRules,
    /// The number of turns without calls, or with one failing call, after which the Mysis counts as stuck.
    pub no_progress_limit: u32,
    pub intent: OrderIntent,
    pub options: EscalationOptions,
    pub now: Now,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StallDetector {
    outcomes: Outcomes,
    call_pattern: CallPattern,
    stall_window: StallWindow,
    cycle: CycleWindow,
    step: EscalationStep,
    /// The window's turns and the time when the present step was taken.
    taken: (u32, Moment),
    /// Since when the Mysis is known to be stuck, by the wall clock, and in which way.
    known: Option<(Timestamp, StallKind)>,
    /// Since when it is stuck with interruptions.
    lapse: Option<Lapse>,
    /// The notice for the model, until there is a gain.
    notice: Option<String>,
    /// Rows before this one are no longer sent.
    afresh: Seq,
    /// The number of turns in a row whose answers cannot be judged.
    unjudged: u32,
    is_unjudged_reported: bool,
    /// The turns since the last checkpoint.
    unsaved: u32,
    is_urgent: bool,
}

impl StallDetector {
    pub fn on_call(&mut self, call: FinishedCall<'_>, now: Moment) {
        let is_done = call.status == CallStatus::Done;
        let outcomes = &mut self.outcomes;
        let gains = match is_done {
            true if call.reading.is_of_a_game() || is_own(call.tool) => {
                outcomes.read_result(call.tool, call.read_only, call.reading)
            }
            true => outcomes.take_unreadable(call.tool, call.reading.text()),
            false => outcome::Gains::default(),
        };
        self.stall_window.on_call(&call, gains);
        self.cycle.on_call(gains);
        if self.call_pattern.on_call(&call, now) {
            self.is_urgent = true;
        }
    }

    pub fn turn_ended(&mut self, end: TurnEnd<'_>) -> Option<StallVerdict> {
        let now = end.now.moment;
        self.unsaved += 1;
        let turned = self.stall_window.end_turn(self.outcomes.is_known(), now);
        self.cycle.end_turn(&self.call_pattern, turned, now);
        self.count_unjudged(turned);
        if !end.rules.is_on {
            return None;
        }
        if let Some(facts) = self.call_pattern.due.take() {
            self.is_urgent = true;
            self.notice.get_or_insert_with(|| stall_notice(&facts));
            return Some(StallVerdict { facts, step: None });
        }
        // What a cycle earns on its way is lost again before its end, so it does not count as a
        // gain.
        let gained = matches!(turned, TurnJudgement::Gained | TurnJudgement::Unjudged);
        if gained && !self.is_cycling(end) {
            self.climb_down(now);
            return None;
        }
        let Some(way) = self.stall_kind(end) else {
            if self
                .known
                .is_some_and(|(_, way)| way != StallKind::Inactive && way != StallKind::Looping)
            {
                // The obvious problem has ended. Whether there are gains again will only show
                // later.
                self.get_on();
            }
            return None;
        };
        self.judge_stall(way, end)
    }

    /// Counts the turns whose answers cannot be judged.
    fn count_unjudged(&mut self, turned: TurnJudgement) {
        match turned {
            TurnJudgement::Unjudged | TurnJudgement::Repeated => {
                self.unjudged = self.unjudged.saturating_add(1);
            }
            TurnJudgement::Gained => {
                self.unjudged = 0;
                self.is_unjudged_reported = false;
            }
            TurnJudgement::Nothing => {}
        }
    }

    /// The notice for the operator that answers cannot be judged and only repetition and failures
    /// are watched. It is given once.
    pub fn take_unjudged_notice(&mut self, rules: &ProgressRules) -> Option<String> {
        if !rules.is_on || self.is_unjudged_reported || self.unjudged < rules.turns {
            return None;
        }
        self.is_unjudged_reported = true;
        self.is_urgent = true;
        Some(format!(
            "the watch on progress finds no figures in the answers \
             of the last {} turns; it judges repetition and failures only",
            self.unjudged
        ))
    }

    /// In which way the Mysis is stuck; `None` if it is not.
    fn stall_kind(&self, end: TurnEnd<'_>) -> Option<StallKind> {
        let (stall_window, rules) = (&self.stall_window, end.rules);
        let waits = end.intent == OrderIntent::Waits;
        let since = stall_window.since.unwrap_or_default();
        let lasts = end.now.moment.since(since) >= rules.at_least;
        if stall_window.same_failure() >= end.no_progress_limit {
            return Some(StallKind::Repeats);
        }
        if stall_window.quiet >= end.no_progress_limit && !waits {
            return Some(StallKind::OnlyText);
        }
        if stall_window.failing >= rules.turns / 2 && lasts {
            return Some(StallKind::AllCallsFail);
        }
        if self.is_cycling(end) {
            return Some(StallKind::Looping);
        }
        let idles = stall_window.turns >= rules.turns && lasts;
        (idles && !waits).then_some(StallKind::Inactive)
    }

    /// Whether it repeats the same calls in the same order and gains nothing by it.
    fn is_cycling(&self, end: TurnEnd<'_>) -> bool {
        let is_allowed = end.intent == OrderIntent::Waits && self.cycle.is_harmless;
        let since = self.cycle.since.unwrap_or_default();
        self.cycle
            .is_futile(end.no_progress_limit.saturating_mul(2))
            && end.now.moment.since(since) >= end.rules.at_least
            && !is_allowed
    }

    /// Takes the next step of the escalation if it is due, or repeats the notice.
    fn judge_stall(&mut self, way: StallKind, end: TurnEnd<'_>) -> Option<StallVerdict> {
        let TurnEnd {
            rules,
            no_progress_limit,
            intent: _,
            options,
            now: Now { wall, moment: now },
        } = end;
        let turns = self.turns_of(way);
        let turn = self.stall_window.all_turns;
        if self.known.is_none() {
            let lately = (turn, rules.turns.saturating_mul(2));
            let credits = self.outcomes.credits;
            self.lapse = Some(Lapse::begin(self.lapse, wall, lately, credits));
        }
        let since = self.lapse.map_or(wall, |lapse| lapse.since);
        self.known = Some((since, way));
        let facts = self.describe_stall(way, now);
        let (at, when) = self.taken;
        let is_first = self.step == EscalationStep::Unescalated;
        let waited = turn.saturating_sub(at) >= rules.turns / 2;
        let is_due = is_first || (waited && now.since(when) >= rules.at_least);
        // Who wrote words alone after calls that succeeded may be done, and must not forget that.
        let may_be_done = way == StallKind::OnlyText && options.has_succeeded;
        let may_take = |step: &EscalationStep| !may_be_done || *step <= EscalationStep::Notified;
        let next = self.step.next_step(options);
        let next = next.filter(|step| is_due && may_take(step));
        if let Some(step) = next {
            self.step = step;
            self.taken = (turn, now);
            self.is_urgent = true;
        } else if !(turns.is_multiple_of(no_progress_limit)
            && (turns / no_progress_limit).is_power_of_two())
        {
            // The notice comes when the problem is detected, then after twice as many turns, and so
            // on.
            return None;
        }
        self.notice = Some(stall_notice(&facts));
        Some(StallVerdict { facts, step: next })
    }

    fn get_on(&mut self) {
        if let Some(lapse) = self.lapse.as_mut().filter(|_| self.known.is_some()) {
            lapse.ended = self.stall_window.all_turns;
        }
        self.known = None;
        self.notice = None;
    }

    /// Goes one step back after a gain that leads out.
    fn climb_down(&mut self, now: Moment) {
        let credits = self.outcomes.credits;
        let leads_out = self.lapse.is_none_or(|lapse| lapse.ends_by_gain(credits));
        if leads_out && self.step > EscalationStep::Unescalated {
            self.step = self.step.step_below();
            self.taken = (self.stall_window.all_turns, now);
            self.is_urgent = true;
        }
        self.get_on();
    }

    /// Begins a new window, because the operator gave an order. Failures that recur for days are
    /// counted on.
    pub fn on_order(&mut self, now: Moment) {
        self.stall_window = StallWindow::default();
        self.cycle = CycleWindow::default();
        self.known = None;
        self.lapse = None;
        self.notice = None;
        self.is_urgent |= self.step > EscalationStep::Unescalated;
        self.step = EscalationStep::Unescalated;
        self.taken = (0, now);
    }

    /// The stuck Mysis as watchers see it; `None` if it is not stuck.
    pub fn stuck(&self) -> Option<Stuck> {
        let (since, way) = self.known?;
        let tool = self.stall_window.failing_tool();
        Some(Stuck {
            since,
            turns: self.turns_of(way),
            way,
            tool: tool.filter(|_| way == StallKind::Repeats),
        })
    }

    /// The notice for the model, until there is a gain.
    pub fn notice(&self) -> Option<&String> {
        self.notice.as_ref()
    }

    pub fn escalation_step(&self) -> EscalationStep {
        self.step
    }

    /// Rows before this one are no longer sent.
    pub fn context_reset(&self) -> Seq {
        self.afresh
    }

    pub fn reset_context(&mut self, at: Seq) {
        self.afresh = at;
        self.is_urgent = true;
    }

    fn turns_of(&self, way: StallKind) -> u32 {
        match way {
            StallKind::OnlyText => self.stall_window.quiet,
            StallKind::Repeats => self.stall_window.same_failure(),
            StallKind::AllCallsFail => self.stall_window.failing,
            StallKind::Looping => self.cycle.turns,
            StallKind::Inactive => self.stall_window.turns,
        }
    }

    fn describe_stall(&self, way: StallKind, now: Moment) -> String {
        let turns = self.turns_of(way);
        let what = match way {
            StallKind::OnlyText => "no tool was called".to_string(),
            StallKind::Repeats => self.stall_window.describe_failure(),
            StallKind::AllCallsFail => format!(
                "every call failed, the last one {}",
                self.stall_window.describe_failure()
            ),
            StallKind::Looping => {
                let names = self.call_pattern.cycle_tools();
                format!("the same calls in the same order: {}", names.join(", "))
            }
            StallKind::Inactive => {
                let (calls, failed) = self.stall_window.calls;
                format!("{} calls, {failed} of them failed", group_digits(calls))
            }
        };
        let since = match way == StallKind::Looping {
            true => self.cycle.since,
            false => self.stall_window.since,
        };
        let lasted = format_millis(now.millis_since(since.unwrap_or_default()));
        let mut facts = format!("{turns} turns ({lasted}): {what}");
        let unchanged = self.outcomes.describe_figures();
        if !unchanged.is_empty() {
            facts.push_str(&format!("; nothing gained: {}", unchanged.join(", ")));
        }
        facts
    }
}
