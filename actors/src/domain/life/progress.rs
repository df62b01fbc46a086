//! Progress: how a Mysis' life reacts to the verdicts of the stall detection.

use std::time::Duration;

use crate::compose::TurnOwner;
use crate::conversation::PendingCall;
use crate::event::{Activity, PARKED_PREFIX};
use crate::game::GameReading;
use crate::ids::Now;
use crate::memo::MemoKind;
use crate::message::Severity;
use crate::progress::{
    EscalationOptions, EscalationStep, FinishedCall, OrderIntent, StallDetector, StallVerdict,
    TurnEnd,
};
use crate::record::StoredHistory;

use super::record::WriteDraft;
use super::{Life, LifeStage, Route, ToolOutcome};

impl Life {
    fn unfrozen_now(&self) -> Now {
        unfrozen(self.now, self.frozen_ms)
    }

    pub(super) fn watch_call(
        &mut self,
        open: &PendingCall,
        outcome: &ToolOutcome,
        reading: &GameReading<'_>,
    ) {
        let called = FinishedCall {
            tool: &open.call.command(),
            arguments: &open.call.arguments,
            read_only: open.call.read_only,
            status: outcome.status,
            reading,
        };
        self.watch.on_call(called, self.unfrozen_now().moment);
        self.count_call(open, outcome);
    }

    /// Ends a turn for the stall detection, reports a verdict and takes the next step. Returns the
    /// reason if the Mysis is to be parked.
    pub(super) fn watch_progress(&mut self, intent: OrderIntent) -> Option<String> {
        let rules = self.rules.clone();
        let options = EscalationOptions {
            has_other_provider: self.other_route().is_some(),
            may_park: rules.progress.parks,
            has_succeeded: self.pace.has_succeeded,
        };
        let verdict = self.watch.turn_ended(TurnEnd {
            rules: &rules.progress,
            no_progress_limit: rules.no_progress_turns.max(1),
            intent,
            options,
            now: self.unfrozen_now(),
        });
        let mut draft = WriteDraft::default();
        let reason = verdict.and_then(|verdict| self.apply_verdict(&mut draft, &verdict));
        if let Some(text) = self.watch.take_unjudged_notice(&rules.progress) {
            self.add_host_notice(&mut draft, Severity::Info, "progress_unjudged", &text);
        }
        if let Some(memo) = self.watch.due_checkpoint(self.unfrozen_now()) {
            self.add_memo(&mut draft, MemoKind::Watch, &memo);
        }
        if !draft.writes.is_empty() {
            draft.let_wait();
            self.record_draft(draft);
        }
        reason
    }

    fn apply_verdict(&mut self, draft: &mut WriteDraft, verdict: &StallVerdict) -> Option<String> {
        let facts = format!("no progress in the last {}", verdict.facts);
        let (code, text) = match verdict.step {
            None | Some(EscalationStep::Unescalated | EscalationStep::Notified) => (
                "no_progress",
                format!("{facts}; the model gets this notice"),
            ),
            Some(EscalationStep::ContextReset) => {
                let next = self.conversation.last_seq().next();
                self.watch.reset_context(next);
                let text = format!("{facts}; its conversation begins afresh with these facts");
                ("fresh_start", text)
            }
            Some(EscalationStep::OtherProvider) => {
                let other = self.other_route().map(|route| route.provider);
                let text = format!("{facts}; {} is asked now", other.unwrap_or_default());
                ("other_provider", text)
            }
            Some(EscalationStep::Parked) => ("parked", format!("{PARKED_PREFIX}{facts}")),
        };
        self.add_host_notice(draft, Severity::Warn, code, &text);
        (verdict.step == Some(EscalationStep::Parked)).then_some(text)
    }

    /// Ends a turn for the watch on value. Returns the reason if the Mysis is to be parked because it
    /// costs more than it brings. An order that expects no gain, or has not been seen yet, begins
    /// the window anew.
    pub(super) fn watch_value(&mut self, intent: OrderIntent, has_unseen: bool) -> Option<String> {
        let (now, sums) = (self.unfrozen_now().moment, self.samples.figures().value);
        if intent == OrderIntent::Waits || has_unseen {
            self.value.begin(now, sums);
            return None;
        }
        let facts = self.value.turn_ended(&self.rules.value, now, sums)?;
        let text = format!("{PARKED_PREFIX}{facts}");
        self.record_notice(Severity::Warn, "parked", &text);
        Some(text)
    }

    /// Parks the Mysis until the operator gives an order (DESIGN 2).
    pub(super) fn park(&mut self, reason: &str) {
        self.enter_stage(LifeStage::Idle, Some(reason.into()));
        let mut draft = WriteDraft::default();
        self.add_state(&mut draft);
        self.set_activity(Activity::Resting);
        self.record_draft(draft);
    }

    /// Drops the rows before the reset of the context from the window.
    pub(super) fn begin_afresh(&mut self) {
        let (at, window) = (self.watch.context_reset(), self.rules.context_window);
        self.conversation.begin_afresh(at, window);
    }

    pub(super) fn order_intent(&self, owner: &TurnOwner) -> OrderIntent {
        match owner {
            TurnOwner::Prompt(seq) => {
                let mut rows = self.conversation.rows();
                let order = rows.find(|row| row.seq == *seq);
                order.map_or(OrderIntent::Works, |row| OrderIntent::of(row.text()))
            }
            // What is done brings nothing more.
            TurnOwner::Mission { .. } if self.pace.done.is_some() => OrderIntent::Waits,
            TurnOwner::Mission { text, .. } => OrderIntent::of(text),
            TurnOwner::Nudge(_) => OrderIntent::Works,
        }
    }

    /// The provider to use instead of the Mysis' own, once that step was taken.
    pub(super) fn route_of_the_rung(&self) -> Option<Route> {
        let is_due = self.watch.escalation_step() >= EscalationStep::OtherProvider
            && self.rules.progress.is_on;
        self.other_route().filter(|_| is_due)
    }

    fn other_route(&self) -> Option<Route> {
        let own = &self.profile.provider;
        let fallback = || self.provider_rules().and_then(|of| of.fallback.as_ref());
        let named = self.rules.progress.provider.as_ref().or_else(fallback)?;
        let is_other = named != own && self.rules.providers.contains_key(named);
        is_other.then(|| self.route_to(named.clone()))
    }

    /// Begins a new count, because the operator gave an order.
    pub(super) fn forget_progress(&mut self) {
        let now = self.unfrozen_now().moment;
        self.watch.on_order(now);
        self.value.begin(now, self.samples.figures().value);
    }

    /// The notice for the model about its progress, until there is a gain.
    pub(super) fn progress_notice(&self) -> Option<String> {
        let notice = self.watch.notice()?;
        if self.watch.escalation_step() < EscalationStep::ContextReset {
            return Some(notice.clone());
        }
        Some(format!(
            "{notice} Your conversation was begun afresh for that reason: what you said and did \
             before is not shown any more, only your order and what is known now."
        ))
    }
}

/// The time by a monotonic clock that stands still while the swarm is frozen: who is not allowed to do
/// anything is not stuck.
fn unfrozen(now: Now, frozen_ms: u64) -> Now {
    Now {
        moment: now.moment.minus(Duration::from_millis(frozen_ms)),
        ..now
    }
}

pub(super) fn restore_detector(past: &StoredHistory, now: Now, frozen_ms: u64) -> StallDetector {
    let memo = past.memo(MemoKind::Watch);
    memo.map(|memo| StallDetector::restore(memo, unfrozen(now, frozen_ms)))
        .unwrap_or_default()
}
