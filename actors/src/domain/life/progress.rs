//! Progress: what a Mysis' life makes of the watch on it.

use crate::domain::compose::Owner;
use crate::domain::conversation::OpenCall;
use crate::domain::event::{Activity, PARKED};
use crate::domain::ids::Now;
use crate::domain::message::Severity;
use crate::domain::progress::{
    Called, EscalationStep, Means, OrderIntent, StallDetector, Stuck, Verdict,
};
use crate::domain::write::Write;

use super::record::Draft;
use super::{Life, Route, Stage, ToolOutcome};

impl Life {
    /// A call of the turn under way came back.
    pub(super) fn note_call(&mut self, open: &OpenCall, outcome: &ToolOutcome) {
        let called = Called {
            tool: &open.call.name,
            arguments: &open.call.arguments,
            read_only: open.call.read_only,
            status: outcome.status,
            text: &outcome.text,
        };
        self.watch.called(called, self.moment);
    }

    /// A turn is over: tells of one that gets nowhere, and takes the next step. Gives whether the
    /// Mysis is to be parked, and why.
    pub(super) fn watch_progress(&mut self, errand: OrderIntent) -> Option<String> {
        let rules = self.rules.clone();
        let means = Means {
            has_other_provider: self.other_route().is_some(),
            may_park: rules.progress.parks,
        };
        let blatant = rules.no_progress_turns.max(1);
        let verdict = self
            .watch
            .turn_ended(&rules.progress, blatant, errand, means, self.both());
        let mut draft = Draft::default();
        let reason = verdict.and_then(|verdict| self.heed(&mut draft, &verdict));
        if let Some(text) = self.watch.take_unjudged_notice(&rules.progress) {
            self.host_into(&mut draft, Severity::Info, "progress_unjudged", None, &text);
        }
        if let Some(memo) = self.watch.due_memo(self.both()) {
            let memo = self.redactor.clean(&memo).as_ref().into();
            draft.writes.push(Write::Watched {
                mysis: self.id,
                memo,
            });
        }
        if !draft.writes.is_empty() {
            self.record(draft);
        }
        reason
    }

    /// Tells the operator, and does what the rung asks for.
    fn heed(&mut self, draft: &mut Draft, verdict: &Verdict) -> Option<String> {
        let facts = format!("no progress in the last {}", verdict.facts);
        let (code, text) = match verdict.rung {
            None | Some(EscalationStep::Ground | EscalationStep::Nudged) => {
                ("no_progress", format!("{facts}; the model is told so"))
            }
            Some(EscalationStep::Afresh) => {
                let text = format!("{facts}; its conversation begins afresh with these facts");
                ("fresh_start", text)
            }
            Some(EscalationStep::Elsewhere) => {
                let other = self.other_route().map(|route| route.provider);
                let text = format!("{facts}; {} is asked now", other.unwrap_or_default());
                ("other_provider", text)
            }
            Some(EscalationStep::Parked) => ("parked", format!("{PARKED}{facts}")),
        };
        if verdict.rung == Some(EscalationStep::Afresh) {
            self.watch.begin_afresh(self.conversation.last().next());
        }
        self.host_into(draft, Severity::Warn, code, None, &text);
        (verdict.rung == Some(EscalationStep::Parked)).then_some(text)
    }

    /// Stops for good, until the operator says something (DESIGN 2).
    pub(super) fn park(&mut self, reason: &str) {
        self.enter(Stage::Idle, Some(reason.into()));
        let mut draft = Draft::default();
        self.state_into(&mut draft);
        self.doing(Activity::Resting);
        self.record(draft);
    }

    /// Drops from the window what stands before the point where the conversation begins afresh.
    pub(super) fn begin_afresh(&mut self) {
        let (at, window) = (self.watch.context_reset(), self.rules.context_window);
        self.conversation.begin_afresh(at, window);
    }

    /// What a turn's order asks for.
    pub(super) fn errand(&self, owner: &Owner) -> OrderIntent {
        match owner {
            Owner::Prompt(seq) => {
                let mut rows = self.conversation.rows();
                let order = rows.find(|row| row.seq == *seq);
                order.map_or(OrderIntent::Works, |row| OrderIntent::of(row.text()))
            }
            Owner::Mission { text, .. } => OrderIntent::of(text),
            Owner::Nudge(_) => OrderIntent::Works,
        }
    }

    /// Whom to ask in place of its own provider, once it was taken so far.
    pub(super) fn route_of_the_rung(&self) -> Option<Route> {
        let is_due = self.watch.rung() >= EscalationStep::Elsewhere && self.rules.progress.is_on;
        self.other_route().filter(|_| is_due)
    }

    fn other_route(&self) -> Option<Route> {
        let own = &self.profile.provider;
        let fallback = || self.provider().and_then(|of| of.fallback.as_ref());
        let named = self.rules.progress.provider.as_ref().or_else(fallback)?;
        let is_other = named != own && self.rules.providers.contains_key(named);
        is_other.then(|| self.route(named.clone()))
    }

    /// The turns that lead nowhere, once there are enough of them to tell.
    pub(super) fn stuck(&self) -> Option<Stuck> {
        self.watch.stuck()
    }

    /// An order of the operator begins a new count.
    pub(super) fn forget_progress(&mut self) {
        self.watch.ordered(self.moment);
    }

    /// What the model is told about its progress, until it makes some.
    pub(super) fn progress_notice(&self) -> Option<String> {
        let notice = self.watch.notice()?;
        if self.watch.rung() < EscalationStep::Afresh {
            return Some(notice.clone());
        }
        Some(format!(
            "{notice} Your conversation was begun afresh for that reason: what you said and did \
             before is not shown any more, only your order and what is known of the game."
        ))
    }
}

/// Takes up what was known of its progress.
pub(super) fn recalled(memo: Option<&str>, now: Now) -> StallDetector {
    memo.map(|memo| StallDetector::recalled(memo, now))
        .unwrap_or_default()
}
