//! Failing: what becomes of a question that was not answered.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::compose::SMALLEST_BUDGET;
use crate::domain::event::Activity;
use crate::domain::fault::FaultKind;
use crate::domain::gate::Lane;
use crate::domain::message::Severity;
use crate::domain::model::{LONGEST_RETRY_AFTER, ModelFault};

use super::input::{Alarm, Effect, TaskId};
use super::{Life, Stage, Step};

/// How long one stands aside whose try was in vain, before it queues again.
const ASIDE: Duration = Duration::from_secs(1);

impl Life {
    /// The model could not be asked, or its answer could not be had.
    pub(super) fn model_failed(&mut self, attempt: u32, provider: &Arc<str>, fault: ModelFault) {
        let (text, retry_after) = match fault {
            ModelFault::Permanent { text } => return self.fail(FaultKind::Permanent, text),
            ModelFault::TooLong { text } => return self.shorten(attempt, text),
            ModelFault::Adapted { text } => {
                self.notice(Severity::Warn, "adapted", None, &text);
                return self.ask(attempt);
            }
            ModelFault::Transient { text, retry_after } => (text, retry_after),
            ModelFault::NoDescriptor { text } => return self.await_descriptor(attempt, &text),
            ModelFault::Unreachable { text } | ModelFault::Empty { text, .. } => (text, None),
        };
        let Some(wait) = self.retry_wait(attempt) else {
            return self.wait_out(attempt, provider, &text);
        };
        let after = retry_after.map_or(wait, |asked| asked.min(LONGEST_RETRY_AFTER));
        self.retry(attempt, &text, after);
    }

    /// How long is waited after the first try, or the next one; `None` where that was the last.
    pub(super) fn retry_wait(&self, attempt: u32) -> Option<Duration> {
        let place = usize::try_from(attempt).unwrap_or(usize::MAX);
        self.provider()?.retry.get(place).copied()
    }

    /// Waits, then asks again.
    fn retry(&mut self, attempt: u32, text: &str, after: Duration) {
        let tries = self.provider().map_or(0, |rules| rules.retry.len());
        let attempt = attempt + 1;
        let notice = format!("{text}; retry {attempt} of {tries} in {after:?}");
        self.notice(Severity::Warn, "retry", Some(attempt), &notice);
        let alarm = Alarm(self.stamp());
        self.step(Step::CoolingDown { alarm, attempt });
        let until = Some(self.now.plus(after));
        self.doing_until(Activity::CoolingDown(text.into()), until);
        self.effects.push(Effect::Wake {
            alarm,
            after,
            jitter: true,
        });
    }

    /// The provider is away: that is no fault of the Mysis, which waits for as long as it takes and
    /// goes on by itself (DESIGN 2). It asks again at once, and the gate keeps it waiting until the
    /// provider is back, tries it or leads to another.
    fn wait_out(&mut self, attempt: u32, provider: &Arc<str>, text: &str) {
        if !std::mem::replace(&mut self.told_away, true) {
            let notice = format!("{text}; waiting until {provider} can be asked again");
            self.notice(Severity::Warn, "waits", None, &notice);
        }
        let alarm = Alarm(self.stamp());
        self.step(Step::CoolingDown { alarm, attempt });
        self.doing(Activity::Queueing(Lane::Provider(provider.clone())));
        self.effects.push(Effect::Wake {
            alarm,
            after: ASIDE,
            jitter: true,
        });
    }

    /// Its try of a provider that is away was in vain, and is none of its own.
    pub(super) fn still_away(&mut self, work: TaskId, provider: &Arc<str>, fault: &ModelFault) {
        let Some((attempt, ..)) = self.asked(work) else {
            return;
        };
        self.book_empty(provider, fault);
        self.wait_out(attempt, provider, fault.text());
    }

    /// The work that asked went down: that is a fault of ours, and no weather.
    pub(super) fn asking_died(&mut self, work: TaskId, text: String) {
        let Some((attempt, ..)) = self.asked(work) else {
            return;
        };
        match self.retry_wait(attempt) {
            Some(wait) => self.retry(attempt, &text, wait),
            None => self.fail(FaultKind::Crash, text),
        }
    }

    /// An answer without a choice was paid for.
    pub(super) fn book_empty(&mut self, provider: &Arc<str>, fault: &ModelFault) {
        let text = "an answer without a choice counts";
        self.book_aside(provider, fault.usage(), "empty_answer", text);
    }

    /// The request is more than the model can take: it is composed anew, half as large, and asked
    /// once again. What was learnt holds until the Mysis has another model.
    fn shorten(&mut self, attempt: u32, text: String) {
        let Stage::InTurn { turn, .. } = &mut self.stage else {
            return;
        };
        let (model_calls, asked) = (turn.model_calls, turn.asked_bytes);
        let half = (asked / 2).max(SMALLEST_BUDGET);
        if turn.shortened_at == Some(model_calls) || half >= asked {
            let advice = "set the provider's context_tokens, or a smaller swarm.context_budget";
            return self.fail(FaultKind::Permanent, format!("{text}; {advice}"));
        }
        turn.shortened_at = Some(model_calls);
        self.most_bytes = Some(half);
        let notice = format!("{text}; requests are kept below {half} bytes from here on");
        self.notice(Severity::Warn, "shortened", None, &notice);
        self.ask(attempt);
    }
}
