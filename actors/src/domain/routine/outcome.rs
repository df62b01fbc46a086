//! Outcomes: what the result of a step does to its run.

use zoea_spacemolt::results::read_facts;

use crate::message::CallStatus;
use crate::samples::GameFacts;

use super::arguments::goods_of;
use super::run::{RoutineEnd, RoutineRun};
use super::{MAX_READ_BYTES, RoutineStep};

/// How often a call that was not made is made again before the run ends.
const MAX_NOT_EXECUTED: u32 = 3;
/// The most bytes of a result in the reason why a run ended.
const MAX_QUOTED_BYTES: usize = 400;

/// The result of a step's call.
#[derive(Clone, Copy, Debug)]
pub struct StepResult<'a> {
    /// How the call ended.
    pub status: CallStatus,
    /// The result.
    pub text: &'a str,
    /// What it earned.
    pub earned: i64,
    /// What was known before and what is known now.
    pub before: &'a GameFacts,
    /// See `before`.
    pub now: &'a GameFacts,
}

impl RoutineRun {
    /// Takes the result of the present call, and goes on to the next one or ends.
    pub fn on_result(&mut self, result: StepResult<'_>) {
        let Some(step) = self.routine.steps.get(self.step).cloned() else {
            return;
        };
        if result.status == CallStatus::NotExecuted {
            // Nothing was done, so the same call is due.
            self.not_executed = self.not_executed.saturating_add(1);
            if self.not_executed >= MAX_NOT_EXECUTED {
                self.fail(&step, &result);
            }
            return;
        }
        self.not_executed = 0;
        self.calls = self.calls.saturating_add(1);
        self.made = self.made.saturating_add(1);
        self.made_in_round = self.made_in_round.saturating_add(1);
        if !self.goods.is_empty() {
            self.goods.remove(0);
        }
        self.earned = self.earned.saturating_add(result.earned);
        self.earned_in_round = self.earned_in_round.saturating_add(result.earned);
        match result.status {
            CallStatus::Done => self.on_good_result(&step, &result),
            CallStatus::Failed if step.may_fail => {
                if !step.is_each {
                    self.go_to_next_step();
                }
            }
            CallStatus::Failed
            | CallStatus::Unknown
            | CallStatus::NotExecuted
            | CallStatus::Recorded
            | CallStatus::Sent => self.fail(&step, &result),
        }
        self.note_damage(&result);
    }

    fn on_good_result(&mut self, step: &RoutineStep, result: &StepResult<'_>) {
        let text = Some(result.text).filter(|text| text.len() <= MAX_READ_BYTES);
        let Some(facts) = text.and_then(read_facts) else {
            return;
        };
        if let Some(goods) = goods_of(&facts) {
            self.hold = goods;
        }
        let likeness = self.likeness.get_mut(self.step);
        if let Some(news) = likeness.and_then(|likeness| likeness.take(&facts)) {
            let told = format!(
                "step {} ({}) told {news}, which it never did before: {}",
                self.step + 1,
                step.tool,
                quoted(result.text)
            );
            self.end(RoutineEnd::Unlike(told));
        }
    }

    fn fail(&mut self, step: &RoutineStep, result: &StepResult<'_>) {
        let told = format!(
            "step {} ({}): {}",
            self.step + 1,
            step.tool,
            quoted(result.text)
        );
        self.end(RoutineEnd::Failed(told));
    }

    /// A hull that falls is a fight or an accident.
    fn note_damage(&mut self, result: &StepResult<'_>) {
        if let Some((before, now)) = result.before.hull.now.zip(result.now.hull.now)
            && now < before
        {
            let told = format!("the hull fell from {before} to {now}");
            self.end(RoutineEnd::Lost(told));
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
