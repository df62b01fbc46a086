//! The gate: who may ask the outside now, and who waits (CONTRACT.md: `max_concurrency`,
//! `requests_per_minute`, `logins_per_minute`).
//!
//! One gate for the whole swarm, with a lane for each provider and one for logins. A lane limits
//! what is in flight and how fast new requests begin; the operator's direct orders go first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::ids::Timestamp;

/// What is asked of the outside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// A model call to the provider of that name.
    Provider(Arc<str>),
    /// MCP initialise, login or register.
    Logins,
}

/// What a lane allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneRules {
    /// How many may be in flight; absent: any number.
    pub max_in_flight: Option<usize>,
    /// How many may begin in a minute, evenly paced; absent: any number.
    pub per_minute: Option<u32>,
    /// How many may begin at once after a quiet time.
    pub burst: u32,
}

/// Names one who was let in, or who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PassId(pub u64);

/// All lanes.
#[derive(Debug, Default)]
pub struct Gate {
    rules: BTreeMap<Lane, LaneRules>,
    lanes: BTreeMap<Lane, LaneState>,
}

#[derive(Debug, Default)]
struct LaneState {
    in_flight: BTreeSet<PassId>,
    urgent: VecDeque<PassId>,
    patient: VecDeque<PassId>,
    /// When the pace allows the next one, if a whole burst were still to be spent at that moment.
    paced_to: Timestamp,
    held_until: Timestamp,
}

impl Gate {
    /// Sets what the lanes allow; a lane without rules lets everybody in.
    pub fn set_rules(&mut self, rules: BTreeMap<Lane, LaneRules>) {
        self.rules = rules;
    }

    /// Somebody wants in.
    pub fn queue(&mut self, lane: Lane, pass: PassId, is_urgent: bool) {
        let lane = self.lanes.entry(lane).or_default();
        if is_urgent {
            lane.urgent.push_back(pass);
        } else {
            lane.patient.push_back(pass);
        }
    }

    /// Somebody who was let in, or who waited, is done.
    pub fn leave(&mut self, lane: &Lane, pass: PassId) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.in_flight.remove(&pass);
            lane.urgent.retain(|waiting| *waiting != pass);
            lane.patient.retain(|waiting| *waiting != pass);
        }
    }

    /// The outside asks to be left alone until then.
    pub fn hold(&mut self, lane: Lane, until: Timestamp) {
        let lane = self.lanes.entry(lane).or_default();
        lane.held_until = lane.held_until.max(until);
    }

    /// Lets in all who may come in now.
    pub fn admit(&mut self, now: Timestamp) -> Vec<PassId> {
        let mut admitted = Vec::new();
        for (name, lane) in &mut self.lanes {
            let rules = self.rules.get(name);
            while lane.opens_at(rules, now).is_some_and(|at| at <= now) {
                let next = lane.urgent.pop_front().or_else(|| lane.patient.pop_front());
                let Some(pass) = next else {
                    break;
                };
                lane.enter(rules, pass, now);
                admitted.push(pass);
            }
        }
        admitted
    }

    /// When somebody who waits may come in without anybody leaving; `None` where that never is.
    #[must_use]
    pub fn wakes_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.lanes
            .iter()
            .filter(|(_, lane)| lane.waiting() > 0)
            .filter_map(|(name, lane)| lane.opens_at(self.rules.get(name), now))
            .min()
    }

    /// How many wait before a lane, and until when it is held.
    #[must_use]
    pub fn waiting(&self, lane: &Lane) -> (usize, Timestamp) {
        self.lanes
            .get(lane)
            .map_or((0, Timestamp(0)), |lane| (lane.waiting(), lane.held_until))
    }
}

impl LaneState {
    fn waiting(&self) -> usize {
        self.urgent.len() + self.patient.len()
    }

    /// When the next may come in; `None` while too many are in flight.
    fn opens_at(&self, rules: Option<&LaneRules>, now: Timestamp) -> Option<Timestamp> {
        let Some(rules) = rules else {
            return Some(self.held_until);
        };
        if rules
            .max_in_flight
            .is_some_and(|max| self.in_flight.len() >= max)
        {
            return None;
        }
        let paced = match rules.interval() {
            Some(interval) => {
                let lead = interval.saturating_mul(rules.burst.saturating_sub(1));
                // A clock that was set back must not close the lane for that long.
                let latest = now.plus(lead + interval);
                Timestamp(self.paced_to.min(latest).0 - millis(lead))
            }
            None => Timestamp(0),
        };
        Some(paced.max(self.held_until))
    }

    fn enter(&mut self, rules: Option<&LaneRules>, pass: PassId, now: Timestamp) {
        self.in_flight.insert(pass);
        if let Some(interval) = rules.and_then(LaneRules::interval) {
            self.paced_to = self.paced_to.max(now).plus(interval);
        }
    }
}

impl LaneRules {
    /// The time between two beginnings at an even pace.
    fn interval(&self) -> Option<Duration> {
        self.per_minute
            .map(|count| Duration::from_secs(60) / count.max(1))
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(rules: LaneRules) -> Gate {
        let mut gate = Gate::default();
        gate.set_rules([(Lane::Logins, rules)].into());
        gate
    }

    fn queue(gate: &mut Gate, passes: std::ops::Range<u64>) {
        for pass in passes {
            gate.queue(Lane::Logins, PassId(pass), false);
        }
    }

    #[test]
    fn no_more_than_allowed_are_in_flight_and_urgent_ones_go_first() {
        let mut gate = gate(LaneRules {
            max_in_flight: Some(2),
            per_minute: None,
            burst: 2,
        });
        queue(&mut gate, 0..3);
        gate.queue(Lane::Logins, PassId(9), true);
        assert_eq!(gate.admit(Timestamp(5)), [PassId(9), PassId(0)]);
        assert_eq!(gate.wakes_at(Timestamp(5)), None);
        gate.leave(&Lane::Logins, PassId(9));
        assert_eq!(gate.admit(Timestamp(6)), [PassId(1)]);
    }

    #[test]
    fn after_a_burst_the_pace_is_even() {
        let mut gate = gate(LaneRules {
            max_in_flight: None,
            per_minute: Some(60),
            burst: 3,
        });
        queue(&mut gate, 0..10);
        let start = Timestamp(1_000_000);
        assert_eq!(gate.admit(start).len(), 3);
        assert_eq!(gate.wakes_at(start), Some(Timestamp(1_001_000)));
        assert_eq!(gate.admit(Timestamp(1_000_999)).len(), 0);
        assert_eq!(gate.admit(Timestamp(1_001_000)).len(), 1);
        assert_eq!(gate.admit(Timestamp(1_003_500)).len(), 2);
    }

    #[test]
    fn nobody_comes_in_while_a_lane_is_held() {
        let mut gate = gate(LaneRules {
            max_in_flight: None,
            per_minute: None,
            burst: 1,
        });
        queue(&mut gate, 0..2);
        gate.hold(Lane::Logins, Timestamp(500));
        assert_eq!(gate.admit(Timestamp(499)), []);
        assert_eq!(gate.wakes_at(Timestamp(499)), Some(Timestamp(500)));
        assert_eq!(gate.admit(Timestamp(500)).len(), 2);
    }

    #[test]
    fn a_clock_set_back_does_not_close_a_lane() {
        let mut gate = gate(LaneRules {
            max_in_flight: None,
            per_minute: Some(60),
            burst: 1,
        });
        queue(&mut gate, 0..2);
        assert_eq!(gate.admit(Timestamp(9_000_000)).len(), 1);
        assert_eq!(gate.wakes_at(Timestamp(1000)), Some(Timestamp(2000)));
    }

    #[test]
    fn who_gives_up_waiting_is_forgotten() {
        let mut gate = gate(LaneRules {
            max_in_flight: Some(1),
            per_minute: None,
            burst: 1,
        });
        queue(&mut gate, 0..3);
        assert_eq!(gate.admit(Timestamp(1)), [PassId(0)]);
        gate.leave(&Lane::Logins, PassId(1));
        gate.leave(&Lane::Logins, PassId(0));
        assert_eq!(gate.admit(Timestamp(1)), [PassId(2)]);
        assert_eq!(gate.waiting(&Lane::Logins).0, 0);
    }
}
