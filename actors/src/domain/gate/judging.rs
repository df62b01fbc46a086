//! Judging: what a lane concludes from what its conversations get, and who makes its next trial call.

use super::circuit::{CallOutcome, Outage, Transition};
use super::lane::LaneState;
use super::owners::Blame;
use super::{AdmissionGate, AdmissionRequest};
use crate::ids::{Lane, Moment, MysisId, PermitId};
use crate::model::{OthersGet, ServiceReturn};

impl AdmissionGate {
    /// What the other conversations of a lane got since this one began to fail.
    pub fn others_get(&self, lane: &Lane, who: MysisId, now: Moment) -> OthersGet {
        let lane = self.lanes.get(lane);
        lane.map_or(OthersGet::Nobody, |lane| lane.owners.others_get(who, now))
    }

    /// Lets servers that are away be tried at once. What is known of them stays.
    pub fn try_at_once(&mut self, now: Moment) {
        for lane in self.lanes.values_mut() {
            if let Some(absence) = lane.circuit.outage_mut() {
                absence.next_try = now;
            }
        }
        let game = self.lanes.get(&Lane::Game).and_then(LaneState::outage);
        if game.is_some_and(|away| away.ends_by == Some(ServiceReturn::Operator)) {
            // A game that refused access pauses all logins, too.
            self.lanes.entry(Lane::Logins).or_default().end_hold();
        }
    }
}

impl LaneState {
    /// Takes over what another process told of the server. Where this one is served, an outage is
    /// doubted until the next call is over.
    pub(super) fn take_over(&mut self, shared: Option<Outage>, now: Moment) -> Option<Transition> {
        self.doubted = None;
        self.trouble = self.trouble.take().filter(|_| shared.is_some());
        match shared {
            Some(shared) if self.circuit.is_closed() && self.owners.is_serving(now) => {
                self.doubted = Some(shared);
                None
            }
            Some(shared) => self.circuit.take_over(Some(shared)),
            None => {
                self.owners.note_served_beside(now);
                let back = self.away_before.take().map(|_| Transition::Closed);
                self.circuit.take_over(None).or(back)
            }
        }
    }

    /// Where a trial call is due, the one is next that was served last or failed the longest ago, so
    /// that nobody's own failure keeps the others out.
    pub(super) fn let_another_try(&mut self, now: Moment) {
        if self.circuit.is_closed() || !self.is_trial_due(now) {
            return;
        }
        let failed =
            |(_, request): &(PermitId, AdmissionRequest)| self.owners.last_failure(request.asker);
        let waiting = self.urgent.iter().chain(&self.patient).enumerate();
        let first = waiting.min_by_key(|(place, waiting)| (failed(waiting), *place));
        let Some((place, _)) = first else {
            return;
        };
        let chosen = match place.checked_sub(self.urgent.len()) {
            None => self.urgent.remove(place),
            Some(place) => self.patient.remove(place),
        };
        self.urgent.extend(chosen);
        self.urgent.rotate_right(1);
    }

    /// Notes what a conversation got. Returns whose a failure may be.
    pub(super) fn find_owner(
        &mut self,
        who: Option<MysisId>,
        outcome: &CallOutcome,
        now: Moment,
    ) -> Blame {
        let Some(who) = who else {
            return Blame::NOBODYS;
        };
        self.owners.end(who);
        match outcome {
            CallOutcome::Works { is_bare: true, .. } => self.owners.note_served_beside(now),
            CallOutcome::Works { is_bare: false, .. } => self.owners.on_served(who, now),
            // A refusal of all is no failure of one Mysis.
            CallOutcome::OutOfService {
                is_of_all: true, ..
            } => drop(self.owners.on_failed(who, now)),
            CallOutcome::Refuses { .. }
            | CallOutcome::Fails { .. }
            | CallOutcome::OutOfService { .. } => return self.owners.on_failed(who, now),
            CallOutcome::Dropped | CallOutcome::Answers => {}
        }
        Blame::NOBODYS
    }

    /// A call that is over decides about what another process told.
    pub(super) fn settle_doubt(
        &mut self,
        blame: Blame,
        outcome: &CallOutcome,
    ) -> Option<Transition> {
        match outcome {
            CallOutcome::Works { .. } => {
                self.doubted = None;
                None
            }
            CallOutcome::Fails { .. } | CallOutcome::OutOfService { .. } if blame != Blame::Own => {
                let shared = self.doubted.take()?;
                self.circuit.take_over(Some(shared))
            }
            CallOutcome::Fails { .. }
            | CallOutcome::OutOfService { .. }
            | CallOutcome::Dropped
            | CallOutcome::Answers
            | CallOutcome::Refuses { .. } => None,
        }
    }
}
