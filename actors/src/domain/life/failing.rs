//! Failures of model calls.

use std::sync::Arc;
use std::time::Duration;

use crate::backoff::Backoff;
use crate::compose::MIN_BUDGET_BYTES;
use crate::event::Activity;
use crate::fault::MysisFaultKind;
use crate::ids::Lane;
use crate::message::{HostMeta, RowBody, Severity};
use crate::model::{
    ContextLimit, MAX_OBEYED_RETRY_AFTER, ModelFault, OthersGet, RefusalHint, ReportedUse,
};
use crate::tokens::context_shortage;

use super::input::TaskId;
use super::record::WriteDraft;
use super::{Life, TurnStep};

/// How long a Mysis waits after a failed trial call before it asks for admission again.
const REQUEUE_WAIT: Duration = Duration::from_secs(1);

/// How long it waits between two tries while only its own requests fail.
const FIRST_OWN_WAIT: Duration = Duration::from_secs(4);
const LONGEST_OWN_WAIT: Duration = Duration::from_secs(300);

/// A model call that failed.
#[derive(Clone, Copy)]
pub(super) struct Failed<'a> {
    pub(super) attempt: u32,
    pub(super) provider: &'a Arc<str>,
    pub(super) fault: &'a ModelFault,
    pub(super) others: OthersGet,
}

impl Life {
    pub(super) fn model_failed(&mut self, failed: &Failed<'_>) {
        if let (true, ModelFault::TooLong { text, .. }) =
            (self.trials.form.is_fixed_text(), failed.fault)
        {
            // Whatever the server says of a fixed text, that is not too long.
            let fault = &ModelFault::Transient {
                text: text.clone(),
                retry_after: None,
            };
            return self.model_failed(&Failed { fault, ..*failed });
        }
        if self.judge_by_trial(failed) {
            return;
        }
        let (attempt, text) = (failed.attempt, failed.fault.text());
        let retry_after = match failed.fault {
            ModelFault::Permanent { .. } | ModelFault::Refused { .. } => {
                return match self.leave_out_fallbacks(failed.provider) {
                    Some(own) => self.wait_out(&Failed {
                        provider: &own,
                        others: OthersGet::Nobody,
                        ..*failed
                    }),
                    None => self.fail_turn(MysisFaultKind::Permanent, text.to_string()),
                };
            }
            ModelFault::TooLong { limit, .. } => {
                if self.shorten_request(failed, *limit) {
                    return;
                }
                let advice = "set the provider's context_tokens, or a smaller swarm.context_budget";
                // The server, or our reading of it, may be wrong about the reason.
                let fault = &refused(format!("{text}; {advice}"));
                return self.model_failed(&Failed { fault, ..*failed });
            }
            ModelFault::OutOfService { .. } => return self.wait_out(failed),
            ModelFault::Adapted { .. } => {
                self.record_notice(Severity::Warn, "adapted", text);
                return self.ask_model(attempt);
            }
            ModelFault::NoDescriptor { .. } => return self.await_descriptor(attempt, text),
            ModelFault::Transient { retry_after, .. } => *retry_after,
            ModelFault::Unreachable { .. } | ModelFault::Empty { .. } => None,
        };
        let Some(wait) = self.retry_wait(attempt) else {
            return self.wait_out(failed);
        };
        let after = retry_after.map_or(wait, |asked| asked.min(MAX_OBEYED_RETRY_AFTER));
        self.retry_later(attempt, text, after);
    }

    /// Asks its own provider alone until it is served, if this one is another: what a fallback refuses is
    /// no fault of the Mysis, and its own provider may take it. Returns its own provider then.
    fn leave_out_fallbacks(&mut self, provider: &Arc<str>) -> Option<Arc<str>> {
        let own = self.recipient().provider;
        self.trials.is_own_only |= own != *provider;
        (own != *provider).then_some(own)
    }

    /// The wait before the next attempt; `None` after the last one.
    pub(super) fn retry_wait(&self, attempt: u32) -> Option<Duration> {
        let place = usize::try_from(attempt).unwrap_or(usize::MAX);
        self.provider_rules()?.retry.get(place).copied()
    }

    /// Waits, then asks again.
    fn retry_later(&mut self, attempt: u32, text: &str, after: Duration) {
        let tries = self.provider_rules().map_or(0, |rules| rules.retry.len());
        let attempt = attempt + 1;
        let meta = HostMeta {
            severity: Severity::Warn,
            code: "retry".into(),
            attempt: Some(attempt),
            bill: None,
        };
        let notice = format!("{text}; retry {attempt} of {tries} in {after:?}").into();
        let mut draft = WriteDraft::default();
        self.append_row(&mut draft, RowBody::Host { text: notice, meta });
        self.record_draft(draft);
        self.cool_down(attempt, text, after);
    }

    pub(super) fn cool_down(&mut self, attempt: u32, text: &str, after: Duration) {
        let alarm = self.wake_after(after, true);
        self.set_step(TurnStep::CoolingDown { alarm, attempt });
        let until = Some(self.now.wall.plus(after));
        let lane = Lane::Provider(self.profile.provider.clone());
        self.set_activity_until(Activity::CoolingDown(lane, text.into()), until);
    }

    /// Waits for a provider that is away. That is no fault of the Mysis, which waits as long as
    /// necessary and goes on by itself (DESIGN 2). It asks for admission at once, and the gate
    /// keeps it waiting until the provider is back, a trial call is due, or a fallback is
    /// available. While others are served, the provider is not away: it waits by itself then, longer
    /// each time.
    pub(super) fn wait_out(&mut self, failed: &Failed<'_>) {
        let (provider, text) = (failed.provider, failed.fault.text());
        if !std::mem::replace(&mut self.sent_notices.is_away, true) {
            let notice = format!("{text}; waiting until {provider} accepts requests");
            self.record_notice(Severity::Warn, "waits", &notice);
        }
        let own_reason = match failed.others {
            OthersGet::Refused | OthersGet::Nobody => None,
            // What the server said then is not what it says to others now.
            OthersGet::Served | OthersGet::Both => Some(format!(
                "the server answers other Myses, and this one got: {text}"
            )),
            OthersGet::Unknown => Some(text.to_string()),
        };
        let lane = Lane::Provider(provider.clone());
        let (after, activity, until) = match own_reason {
            // Where another provider can be asked, that one is asked next.
            None if self.has_another_route() => (REQUEUE_WAIT, Activity::CallingModel, None),
            None => (REQUEUE_WAIT, Activity::Queueing(lane), None),
            Some(why) => {
                let wait = self.next_own_wait();
                let until = Some(self.now.wall.plus(wait));
                (wait, Activity::CoolingDown(lane, why.into()), until)
            }
        };
        let alarm = self.wake_after(after, true);
        self.set_step(TurnStep::CoolingDown {
            alarm,
            attempt: failed.attempt,
        });
        self.set_activity_until(activity, until);
    }

    fn has_another_route(&self) -> bool {
        !self.trials.is_own_only && self.model_routes().len() > 1
    }

    fn next_own_wait(&mut self) -> Duration {
        let Some(turn) = self.stage.turn_mut() else {
            return REQUEUE_WAIT;
        };
        let rounds = turn.own_rounds;
        turn.own_rounds = rounds.saturating_add(1);
        Backoff::new(FIRST_OWN_WAIT, LONGEST_OWN_WAIT).nth_wait(rounds)
    }

    /// Handles a failed trial call to a provider that is away. It uses up no attempt.
    pub(super) fn still_away(
        &mut self,
        work: TaskId,
        provider: &Arc<str>,
        (fault, others): (&ModelFault, OthersGet),
    ) {
        let Some((attempt, ..)) = self.pending_request(work) else {
            return;
        };
        self.book_empty(provider, fault);
        let failed = Failed {
            attempt,
            provider,
            fault,
            others,
        };
        if !self.judge_by_trial(&failed) {
            self.wait_out(&failed);
        }
    }

    /// Handles a panic of the task that called the model. That is our own fault and no outage.
    pub(super) fn asking_died(&mut self, work: TaskId, text: String) {
        let Some((attempt, ..)) = self.pending_request(work) else {
            return;
        };
        match self.retry_wait(attempt) {
            Some(wait) => self.retry_later(attempt, &text, wait),
            None => self.fail_turn(MysisFaultKind::Crash, text),
        }
    }

    /// Handles a login that only the operator can make possible. Waiting does not cure that.
    pub(super) fn login_refused(&mut self, work: TaskId, text: String) {
        if self.pending_request(work).is_some() {
            self.fail_turn(MysisFaultKind::Permanent, text);
        }
    }

    /// Records the cost of an answer without a choice.
    pub(super) fn book_empty(&mut self, provider: &Arc<str>, fault: &ModelFault) {
        let text = "an answer without a choice was dropped; its cost counts";
        let reported = ReportedUse {
            usage: fault.usage(),
            stated_cost: None,
        };
        self.charge_with_notice(provider, reported, "empty_answer", text);
    }

    /// Tells the operator once that the tools leave no room for a turn in the model's context.
    pub(super) fn emit_small_context(&mut self) {
        if self.sent_notices.lacks_context {
            return;
        }
        let context = self.provider_rules().and_then(|rules| rules.context_tokens);
        let shortage =
            context.and_then(|tokens| context_shortage(tokens, self.session.offer.tools()));
        if let Some(text) = shortage {
            self.sent_notices.lacks_context = true;
            self.record_notice(Severity::Warn, "small_context", &text);
        }
    }

    /// Shortens the request that exceeds the model's context, and asks again: to what the server states,
    /// then and otherwise to half of it. The limit stays until the Mysis gets another model.
    /// Returns whether it could be shortened.
    fn shorten_request(&mut self, failed: &Failed<'_>, limit: Option<ContextLimit>) -> bool {
        let (provider, text) = (failed.provider, failed.fault.text());
        // The first request of a life is composed before the tools are known.
        self.emit_small_context();
        let tools = self.session.offer.tools().bytes();
        let is_own = self.recipient().provider == *provider;
        let Some(turn) = self.stage.turn_mut() else {
            return false;
        };
        let asked = turn.asked_bytes;
        // What the server states is believed once.
        let limit_now = limit.filter(|_| turn.shortenings == 0);
        let fitting = limit_now.and_then(|limit| fitting_bytes(asked, tools, limit));
        let half = fitting.unwrap_or(asked / 2).max(MIN_BUDGET_BYTES);
        if turn.shortenings >= MAX_SHORTENINGS || half >= asked {
            return false;
        }
        turn.shortenings += 1;
        self.most_bytes = Some(half);
        self.trials.shortened_by = Some(provider.clone());
        if is_own {
            self.trials.said.get_or_insert_with(|| text.to_string());
        }
        let advice = limit.map_or_else(String::new, |limit| {
            let tokens = limit.context;
            format!(
                "; set the provider's context_tokens = {tokens}, or give its server a larger one"
            )
        });
        let notice = format!("{text}; requests are kept below {half} bytes from now on{advice}");
        self.record_notice(Severity::Warn, "shortened", &notice);
        self.ask_model(failed.attempt);
        true
    }
}

pub(super) fn refused(text: String) -> ModelFault {
    ModelFault::Refused {
        text,
        usage: None,
        hint: RefusalHint::default(),
    }
}

const MAX_SHORTENINGS: u8 = 4;

/// The bytes of messages that fit into a context beside the tools, if these messages and tools had
/// too many tokens for it. A tenth is left for the answer.
fn fitting_bytes(messages: usize, tools: usize, limit: ContextLimit) -> Option<usize> {
    let asked = u64::try_from(messages.saturating_add(tools)).ok()?;
    let room = asked
        .checked_mul(limit.context)?
        .checked_div(limit.prompt)?;
    let room = usize::try_from(room / 10 * 9).ok()?.saturating_sub(tools);
    (limit.context < limit.prompt && room < messages).then_some(room)
}
