//! Holds: pauses of a lane for which its server asked.

use std::sync::Arc;
use std::time::Duration;

use super::AdmissionGate;
use super::lane::{LaneHold, LaneState};
use crate::ids::{Lane, Moment};

/// A pause is the same as the one before if it begins this soon after it.
const HOLDS_APART: Duration = Duration::from_secs(5);

impl LaneState {
    pub(super) fn hold_until(&mut self, until: Moment) {
        self.held_until = self.held_until.max(until);
    }

    /// The pause that keeps requests waiting now.
    pub(super) fn hold(&self, now: Moment) -> Option<&LaneHold> {
        let is_felt = self.waiting_count() > 0 && self.circuit.is_closed();
        self.hold
            .as_ref()
            .filter(|hold| is_felt && now < hold.until)
    }

    pub(super) fn end_hold(&mut self) {
        (self.held_until, self.hold) = (Moment(0), None);
    }
}

impl AdmissionGate {
    /// Pauses a lane until then, because its server said this.
    pub fn hold_lane(&mut self, lane: Lane, why: Arc<str>, until: Moment, now: Moment) {
        let lane = self.lanes.entry(lane).or_default();
        lane.hold_until(until);
        let before = lane.hold.take();
        let before = before.filter(|it| now.since(it.until) < HOLDS_APART);
        lane.hold = Some(LaneHold {
            since: before.map_or(now, |it| it.since),
            until: lane.held_until,
            text: why,
        });
    }

    /// The lanes that are paused while requests wait for them, and whose circuits are closed.
    pub fn holds(&self, now: Moment) -> impl Iterator<Item = (&Lane, &LaneHold)> {
        let lanes = self.lanes.iter();
        lanes.filter_map(move |(name, lane)| Some((name, lane.hold(now)?)))
    }
}
