//! Holding: a turn that must not call the model, because the budget is spent. This is a pause and
//! no error. The Mysis runs, shows the reason, and goes on by itself.

use std::sync::Arc;
use std::time::Duration;

use crate::event::Activity;
use crate::ids::{Moment, Timestamp};
use crate::message::Severity;
use crate::rules::SwarmRules;

use super::input::TaskId;
use super::{Life, TurnStep};

/// The longest single timer. A machine that was suspended has lost count of time.
const MAX_SLEEP: Duration = Duration::from_secs(60);

/// The longest pause: a day.
const MAX_PAUSE_MS: u64 = 86_400_000;
const MAX_PAUSE: Duration = Duration::from_millis(MAX_PAUSE_MS);

const NO_DESCRIPTOR_WAIT: Duration = Duration::from_secs(15);

impl Life {
    /// Handles a lack of file descriptors on this machine. No request was sent, so no attempt is
    /// used up and no provider is to blame. The request is repeated when others may have released
    /// theirs. The operator is told once, until an answer comes.
    pub(super) fn await_descriptor(&mut self, attempt: u32, text: &str) {
        if !std::mem::replace(&mut self.sent_notices.lacks_descriptor, true) {
            self.record_notice(Severity::Warn, "no_descriptor", text);
        }
        self.cool_down(attempt, text, NO_DESCRIPTOR_WAIT);
    }

    /// The model must not be called before a certain time.
    pub(super) fn on_held(&mut self, work: TaskId, why: &Arc<str>, until: Timestamp) {
        let Some((attempt, ..)) = self.pending_request(work) else {
            return;
        };
        if self.sent_notices.held_until != Some(until) {
            self.sent_notices.held_until = Some(until);
            self.record_notice(Severity::Warn, "budget_spent", why);
        }
        self.set_activity_until(Activity::Paused(why.clone()), Some(until));
        let left = Duration::from_millis(until.since(self.now.wall)).min(MAX_PAUSE);
        self.sleep_until(until, self.now.moment.plus(left), attempt);
    }

    /// Composes a request again that was not sent.
    pub(super) fn ask_again(&mut self, work: TaskId) {
        if let Some((attempt, ..)) = self.pending_request(work) {
            self.ask_model(attempt);
        }
    }

    fn sleep_until(&mut self, until: Timestamp, ends: Moment, attempt: u32) {
        let left = ends.since(self.now.moment);
        let alarm = self.wake_after(left.min(MAX_SLEEP), false);
        self.set_step(TurnStep::Held {
            alarm,
            attempt,
            until,
            ends,
        });
    }

    /// Handles the timer of a held turn: asks again, or sets the next timer. The pause ends with
    /// its day by the wall clock. It also ends when it has lasted long enough by the monotonic
    /// clock, and when the wall clock was set to another day. The gate decides then.
    pub(super) fn on_hold_alarm(&mut self, attempt: u32, until: Timestamp, ends: Moment) {
        let is_over = self.now.wall >= until || self.now.moment >= ends;
        let is_another_day = until.since(self.now.wall) > MAX_PAUSE_MS;
        if is_over || is_another_day {
            return self.ask_model(attempt);
        }
        self.sleep_until(until, ends, attempt);
    }

    /// Takes new rules. A held turn may have budget now.
    pub(super) fn take_rules(&mut self, rules: Arc<SwarmRules>) {
        let are_other_roles = self.rules.roles != rules.roles;
        let is_new_budget = self.rules.budget != rules.budget || are_other_roles;
        let (old, new) = (&self.rules.tools, &rules.tools);
        let are_other_tools = old.filters != new.filters || old.list != new.list || are_other_roles;
        self.rules = rules;
        self.put_profile_in_force();
        if are_other_tools {
            self.choose_tools();
        }
        let hold = self.rules.held_of_a_result();
        self.conversation.limit_results(hold);
        if let Some(TurnStep::Held { attempt, .. }) = self.stage.step()
            && is_new_budget
        {
            let attempt = *attempt;
            self.sent_notices.held_until = None;
            self.ask_model(attempt);
        }
    }
}
