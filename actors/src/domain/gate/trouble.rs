//! Trouble: a lane's server that did not serve the last calls, before its circuit says that it is away.
//! The lights come from it. It lasts until the server serves a call again, so that one that alternates
//! between serving nobody and saying something has one trouble with its whole age.

use std::sync::Arc;

use super::circuit::{Blame, CallOutcome, Transition};
use super::lane::{LaneState, LaneTrouble};
use super::{AdmissionGate, MAX_OUTAGE};
use crate::ids::{Lane, Moment, MysisId, Now, Timestamp};
use crate::model::ServiceReturn;

/// What speaks against a server.
struct Failure<'a> {
    text: &'a Arc<str>,
    /// Whether it is the server's for certain, not one conversation's.
    is_certain: bool,
    needs_operator: bool,
}

impl LaneState {
    /// Takes what a call tells of the server. Returns that it serves again, if it was away when the program
    /// ended or the rules changed.
    pub(super) fn note_trouble(
        &mut self,
        who: Option<MysisId>,
        blame: Blame,
        outcome: &CallOutcome,
        now: Moment,
    ) -> Option<Transition> {
        if matches!(outcome, CallOutcome::Works { .. } | CallOutcome::Answers) {
            self.trouble = None;
            // The end of an outage of before a restart or a reload is news.
            let is_back = self.away_before.take().is_some() && self.circuit.is_closed();
            return is_back.then_some(Transition::Closed);
        }
        let failure = failure_of(outcome, blame, |who| self.has_trouble_of_another(who))?;
        let before = self.trouble.take();
        let since = before.as_ref().map(|it| it.since).or(self.away_before);
        self.trouble = Some(LaneTrouble {
            since: since.unwrap_or(now),
            text: failure.text.clone(),
            is_servers: failure.is_certain || before.as_ref().is_some_and(|it| it.is_servers),
            needs_operator: failure.needs_operator,
            who: before.map_or(who, |it| it.who),
        });
        None
    }

    fn has_trouble_of_another(&self, who: Option<MysisId>) -> bool {
        let trouble = self.trouble.as_ref();
        trouble.is_some_and(|trouble| trouble.who != who)
    }

    /// An outage began with the first failure, not when the circuit opened.
    pub(super) fn date_outage_back(&mut self) {
        if let (Some(trouble), Some(absence)) = (&self.trouble, self.circuit.outage_mut()) {
            absence.since = trouble.since;
        }
    }
}

/// What an outcome says against the server; `None` if nothing.
fn failure_of<'a>(
    outcome: &'a CallOutcome,
    blame: Blame,
    is_shared: impl Fn(Option<MysisId>) -> bool,
) -> Option<Failure<'a>> {
    let (is_repeated, may_be_own) = match blame {
        Blame::Own => (false, true),
        Blame::Server { who, count, others } => {
            let is_repeated = count > 1;
            (is_repeated, others > 0 && !is_repeated && !is_shared(who))
        }
    };
    let (text, is_certain, needs_operator) = match outcome {
        CallOutcome::Works { .. } | CallOutcome::Answers | CallOutcome::Dropped => return None,
        // What one conversation alone gets says nothing against the server.
        CallOutcome::Fails { .. }
        | CallOutcome::OutOfService { .. }
        | CallOutcome::Refuses { .. }
            if blame == Blame::Own =>
        {
            return None;
        }
        CallOutcome::Fails {
            text,
            is_unreachable,
            ..
        } => (text, *is_unreachable || !may_be_own, false),
        CallOutcome::OutOfService { text, ends_by, .. } => {
            (text, !may_be_own, *ends_by == ServiceReturn::Operator)
        }
        CallOutcome::Refuses {
            text,
            is_of_all: true,
            ..
        } => (text, !may_be_own, true),
        // A pause that it asks for once is no refusal to serve.
        CallOutcome::Refuses {
            text,
            wait: Some(_),
            ..
        } => (text, is_repeated, false),
        // What a conversation says may be what is refused.
        CallOutcome::Refuses { .. } if may_be_own => return None,
        CallOutcome::Refuses { text, .. } => (text, false, false),
    };
    Some(Failure {
        text,
        is_certain,
        needs_operator,
    })
}

impl AdmissionGate {
    /// The servers that did not serve the last calls, and whose circuits are closed.
    pub fn troubles(&self) -> impl Iterator<Item = (&Lane, &LaneTrouble)> {
        let lanes = self.lanes.iter();
        lanes
            .filter(|(_, lane)| lane.outage().is_none())
            .filter_map(|(name, lane)| Some((name, lane.trouble.as_ref()?)))
    }

    /// Notes since when servers were away as the program ended. That counts until they serve a call.
    pub fn note_away_before(&mut self, away: &[(Lane, Timestamp)], now: Now) {
        for (lane, since) in away {
            let since = now.moment_of(*since, MAX_OUTAGE);
            let lane = self.lanes.entry(lane.clone()).or_default();
            lane.away_before = Some(since);
            if let Some(trouble) = &mut lane.trouble {
                trouble.since = since;
                lane.date_outage_back();
            }
        }
    }

    /// Takes what a call that needed no admission tells of its server.
    pub fn note_outcome(&mut self, lane: &Lane, who: MysisId, outcome: &CallOutcome, now: Moment) {
        let state = self.lanes.entry(lane.clone()).or_default();
        let blame = state.find_owner(Some(who), outcome, now);
        let back = state.note_trouble(Some(who), blame, outcome, now);
        let turn = state.circuit.note_call(blame, outcome);
        self.on_transition(lane, turn.or(back));
    }
}
