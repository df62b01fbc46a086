//! The tier of a Mysis' provider: what its turns are judged by, and what follows.

use std::sync::Arc;

use crate::conversation::PendingCall;
use crate::memo::MemoKind;
use crate::message::{CallStatus, Severity};
use crate::record::MysisProfile;
use crate::rules::SwarmRules;
use crate::tier::{TierFacts, TierLadder, TurnOutcome};

use super::record::WriteDraft;
use super::{Life, ToolOutcome};

#[derive(Debug, Default)]
pub(super) struct TierView {
    pub(super) ladder: TierLadder,
    /// The spent share of its budget or the swarm's, in percent, as the gate told it last.
    pub(super) spent_percent: Option<u64>,
}

impl TierView {
    pub(super) fn restore(memo: Option<&str>) -> TierView {
        TierView {
            ladder: TierLadder::restore(memo),
            spent_percent: None,
        }
    }

    pub(super) fn profile_in_force(
        &self,
        rules: &SwarmRules,
        own: &Arc<MysisProfile>,
    ) -> Arc<MysisProfile> {
        let reached = self.ladder.place().map(|place| place.tier);
        rules.profile_in_force(own, reached)
    }
}

impl Life {
    /// The providers that may take the place of the present one: those of its tier.
    pub(super) fn providers_alike(&self) -> Vec<Arc<str>> {
        let range = self.rules.tier_range(&self.own_profile);
        let tier = self.tier.ladder.place().filter(|_| range.is_some());
        tier.map(|place| self.rules.providers_of_tier(place.tier))
            .unwrap_or_default()
    }

    pub(super) fn count_call(&mut self, open: &PendingCall, outcome: &ToolOutcome) {
        let Some(turn) = self.stage.turn_mut() else {
            return;
        };
        let TurnOutcome { failed, acted } = &mut turn.outcome;
        // A routine may try what fails.
        match outcome.status {
            _ if open.call.routine.is_some() => {}
            // A call that makes no sense is not executed.
            CallStatus::Failed | CallStatus::NotExecuted => *failed += 1,
            CallStatus::Done if !open.call.read_only => *acted += 1,
            CallStatus::Done | CallStatus::Recorded | CallStatus::Sent | CallStatus::Unknown => {}
        }
    }

    /// Chooses the tier of a turn that begins. Without tiers nothing changes.
    pub(super) fn choose_tier(&mut self) {
        let stuck = self.watch.stuck();
        let stuck = stuck.map(|stuck| {
            let (way, turns) = (stuck.way.as_str(), stuck.turns);
            format!("it is stuck ({way}, {turns} turns)")
        });
        let has_changed = match self.rules.tier_range(&self.own_profile) {
            Some(range) => self.tier.ladder.turn_begins(&TierFacts {
                range,
                known: &self.rules.known_tiers(),
                turn: self.turn,
                mission: self.mission.as_ref().map(|mission| mission.id),
                stuck,
                spent_percent: self.tier.spent_percent,
            }),
            None => self.tier.ladder.forget(),
        };
        let mut draft = WriteDraft::default();
        if has_changed {
            self.put_profile_in_force();
        }
        if let Some(place) = self.tier.ladder.place().filter(|_| has_changed) {
            let text = format!(
                "tier {} ({}): {}",
                place.tier, self.profile.provider, place.why
            );
            self.add_host_notice(&mut draft, Severity::Info, "tier", &text);
        }
        if let Some(memo) = self.tier.ladder.take_change() {
            self.add_memo(&mut draft, MemoKind::Tier, &memo);
            self.record_draft(draft);
        }
    }
}
