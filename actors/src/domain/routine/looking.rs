//! Looks: the calls of a run that only read, so that a lost call can be proven.

use serde_json::{Map, Value as Json};
use zoea_spacemolt::commands;

use super::RoutineStep;
use super::hold_look::{HoldLook, LOOK};
use super::lost_call::{ConfirmedCall, LostCall};
use super::run::{NextStep, RoutineRun, StepCall};

impl RoutineRun {
    pub(super) fn look(&self, lost_call: &LostCall) -> NextStep {
        if let Some(wait) = lost_call.wait() {
            return NextStep::Wait(wait);
        }
        NextStep::Call(self.look_at(lost_call.look()))
    }

    pub(super) fn look_at(&self, (number, command): (u32, &str)) -> StepCall {
        // After a restart nobody knows the server's tools yet, so its interface is that of the step.
        let step = self.routine.steps.get(self.at.step);
        let is_second = step.is_some_and(|step| commands::is_grouped(&step.tool));
        let second = commands::to_second(command, Map::new()).filter(|_| is_second);
        let (tool, arguments) = second.unwrap_or((command, Map::new()));
        StepCall {
            id: format!("{LOOK}{}.{number}", self.at.round),
            tool: tool.into(),
            arguments,
            has_moved: false,
        }
    }

    /// Lets it do without a look at the hold, because the server has none or nobody may call it.
    pub fn do_without_hold_look(&mut self) {
        self.hold_look = HoldLook::never();
    }

    /// Whether the goods in the hold, which alone can prove this call, are to be looked at first.
    pub(super) fn has_to_know_hold(
        &self,
        step: &RoutineStep,
        arguments: &Map<String, Json>,
    ) -> bool {
        let look = self.hold_look;
        self.exact_hold.is_none() && look.is_due(&step.tool, arguments, self.elapsed_ms)
    }

    pub fn end_wait(&mut self) {
        if let Some(lost_call) = &mut self.lost_call {
            lost_call.end_wait();
        }
    }

    /// What the newest look proved, once.
    pub fn take_confirmed(&mut self) -> Option<ConfirmedCall> {
        self.confirmed.take()
    }
}
