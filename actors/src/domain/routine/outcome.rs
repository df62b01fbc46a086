//! Outcomes: what the result of a step does to its run.

use crate::message::CallStatus;

use super::arguments::done_missions;
use super::ends::RoutineEnd;
use super::hold_look::LOOK;
use super::lost_call::{LostCall, hold_after};
use super::run::RoutineRun;
use super::{EndedCall, RoutineStep};

/// How often a call that was not made is made again before the run ends.
const MAX_NOT_EXECUTED: u32 = 3;
/// The command whose result tells which missions are done.
const ACTIVE_MISSIONS: &str = "get_active_missions";
/// The most bytes of a result in the reason why a run ended.
const MAX_QUOTED_BYTES: usize = 400;

/// Whether a result counts as that of a call which a routine made in the model's place: the call with this id was
/// made, and it was no look of the routine's own.
pub fn saves_a_call(id: &str, status: CallStatus) -> bool {
    status != CallStatus::NotExecuted && !id.starts_with(LOOK)
}

/// How the results of looks begin that are not made, now or later.
const NO_LOOKS: [&str; 2] = ["Error: unknown_tool", "Error: not_allowed"];

impl RoutineRun {
    /// Takes the result of the present call, and goes on to the next one or ends.
    pub fn on_result(&mut self, result: &EndedCall<'_>) {
        if self.lost_call.is_some() {
            return self.take_look(result);
        }
        if result.call.id.starts_with(LOOK) {
            return self.take_look_at_hold(result);
        }
        let Some(step) = self.routine.steps.get(self.at.step).cloned() else {
            return;
        };
        if result.status == CallStatus::NotExecuted {
            // Nothing was done, so the same call is due.
            self.at.not_executed = self.at.not_executed.saturating_add(1);
            if self.at.not_executed >= MAX_NOT_EXECUTED {
                self.fail(&step, result);
            }
            return;
        }
        if result.status == CallStatus::Unknown && result.is_settled {
            let hold = self.exact_hold.as_deref();
            self.lost_call = LostCall::of(result.key, result.call, result.before, hold);
            if self.lost_call.is_some() {
                // What the game shows decides.
                return;
            }
        }
        self.at.not_executed = 0;
        self.count_call();
        self.count_earned(result.earned);
        match result.status {
            CallStatus::Done => self.on_good_result(&step, result),
            CallStatus::Failed if step.may_fail => {
                if step.each.is_none() {
                    self.go_to_next_step();
                }
            }
            CallStatus::Failed
            | CallStatus::Unknown
            | CallStatus::NotExecuted
            | CallStatus::Recorded
            | CallStatus::Sent => self.fail(&step, result),
        }
        self.note_damage(result);
    }

    fn count_call(&mut self) {
        self.calls = self.calls.saturating_add(1);
        self.at.made = self.at.made.saturating_add(1);
        self.at.made_in_round = self.at.made_in_round.saturating_add(1);
        if !self.due.is_empty() {
            self.due.remove(0);
        }
    }

    fn count_earned(&mut self, earned: i64) {
        self.earned.all = self.earned.all.saturating_add(earned);
        self.earned.in_round = self.earned.in_round.saturating_add(earned);
    }

    /// Takes a look at what became of a call. A call that was carried out is counted. Without a proof the
    /// run ends in time, and nothing is made again.
    fn take_look(&mut self, look: &EndedCall<'_>) {
        self.count_earned(look.earned);
        let Some(mut lost_call) = self.lost_call.take() else {
            return;
        };
        let facts = look.facts();
        // A look that cannot be made tells nothing however often it is tried.
        let is_impossible = || {
            NO_LOOKS
                .iter()
                .any(|why| look.reading.text().starts_with(why))
        };
        let is_lost = look.status != CallStatus::Done && !is_impossible();
        let hold = self.exact_hold.as_deref();
        let confirmed = lost_call.take(facts, is_lost, hold, self.elapsed_ms);
        match &confirmed {
            Some(_) => {
                self.at.not_executed = 0;
                self.count_call();
                let docked = look.now.docked;
                let hold = self.exact_hold.take();
                self.exact_hold = hold_after(hold, look.call, facts, docked);
            }
            None if lost_call.is_hopeless() => {
                let command = lost_call.command();
                let reason = format!("the outcome of {command} is unknown, and no look proves it");
                self.end(RoutineEnd::Failed(reason));
            }
            None => self.lost_call = Some(lost_call),
        }
        self.confirmed = confirmed;
        self.note_damage(look);
    }

    /// Takes the look at the hold before a step that only goods can prove.
    fn take_look_at_hold(&mut self, look: &EndedCall<'_>) {
        self.count_earned(look.earned);
        self.exact_hold = look.facts().and_then(|facts| facts.goods());
        let shows_hold = self.exact_hold.is_some();
        self.hold_look.take(shows_hold, self.elapsed_ms);
        self.note_damage(look);
    }

    fn on_good_result(&mut self, step: &RoutineStep, result: &EndedCall<'_>) {
        let facts = result.facts();
        let hold = self.exact_hold.take();
        self.exact_hold = hold_after(hold, result.call, facts, result.before.docked);
        let Some(facts) = facts else {
            return;
        };
        if let Some(goods) = facts.goods() {
            self.hold = goods;
        }
        if *result.call.command() == *ACTIVE_MISSIONS
            && let Some(missions) = done_missions(facts)
        {
            self.missions = missions;
        }
        let likeness = self.likeness.get_mut(self.at.step);
        if let Some(news) = likeness.and_then(|likeness| likeness.take(facts)) {
            let reason = format!(
                "step {} ({}) reported {news}, which it never did before: {}",
                self.at.step + 1,
                step.tool,
                quoted(result.reading.text())
            );
            self.end(RoutineEnd::ResultMismatch(reason));
        }
    }

    fn fail(&mut self, step: &RoutineStep, result: &EndedCall<'_>) {
        let reason = format!(
            "step {} ({}): {}",
            self.at.step + 1,
            step.tool,
            quoted(result.reading.text())
        );
        self.end(RoutineEnd::Failed(reason));
    }

    /// A hull that falls is a fight or an accident.
    fn note_damage(&mut self, result: &EndedCall<'_>) {
        if let Some((before, now)) = result.before.hull.now.zip(result.now.hull.now)
            && now < before
        {
            let reason = format!("the hull fell from {before} to {now}");
            self.end(RoutineEnd::Lost(reason));
        }
    }
}

fn quoted(text: &str) -> String {
    let text = text.trim();
    match text.len() > MAX_QUOTED_BYTES {
        true => format!("{}…", &text[..text.floor_char_boundary(MAX_QUOTED_BYTES)]),
        false => text.to_string(),
    }
}
