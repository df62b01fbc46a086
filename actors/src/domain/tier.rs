//! Tiers: how dear a provider a Mysis may ask now, by what its turns brought.
//!
//! It begins at the lowest tier that its role allows. It goes up on evidence: many calls of a turn
//! failed, it is stuck, or a new mission has to be planned. It comes down on success. A change of the
//! provider costs the cache of the prompt, so some turns lie between two changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ids::{MissionId, TurnNumber};
use super::role::TierRange;

/// As many failed calls of a turn are a failed plan.
const FAILED_CALLS: u32 = 3;
/// So many turns in a row with success lead one tier down.
const CALM_TURNS: u32 = 4;
/// The fewest turns between two changes.
const SETTLED_TURNS: i64 = 3;
/// From this spent share of a budget on, in percent, nobody goes up.
const SPARING_PERCENT: u64 = 75;
/// The longest reason that is read back.
const MAX_WHY_BYTES: usize = 500;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnOutcome {
    pub failed: u32,
    /// The calls that changed something and succeeded.
    pub acted: u32,
}

#[derive(Clone, Debug)]
pub struct TierFacts<'a> {
    pub range: TierRange,
    /// The tiers that providers have.
    pub known: &'a BTreeSet<u8>,
    pub turn: TurnNumber,
    pub mission: Option<MissionId>,
    pub stuck: Option<String>,
    /// The spent share of its budget or the swarm's, in percent.
    pub spent_percent: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct TierPlace {
    pub tier: u8,
    pub why: Arc<str>,
    pub since: TurnNumber,
}

zoea_records::stored_as_list!(TierPlace: tier, why, since);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TierLadder {
    place: Option<TierPlace>,
    mission: Option<MissionId>,
    /// The turns with success in a row.
    quiet_turns: u32,
    /// Why it should go up, until a turn brings success.
    requested: Option<String>,
    has_changed: bool,
}

impl TierLadder {
    pub fn place(&self) -> Option<&TierPlace> {
        self.place.as_ref()
    }

    pub fn turn_ended(&mut self, outcome: TurnOutcome) {
        if outcome.failed >= FAILED_CALLS {
            self.quiet_turns = 0;
            self.requested = Some(format!("{} calls of a turn failed", outcome.failed));
        } else if outcome.failed > 0 {
            self.quiet_turns = 0;
        } else if outcome.acted > 0 {
            self.quiet_turns = self.quiet_turns.saturating_add(1);
            self.requested = None;
        }
    }

    /// Decides where a turn begins. Returns whether the tier is another one now.
    pub fn turn_begins(&mut self, facts: &TierFacts<'_>) -> bool {
        let allowed = facts.known.iter().copied();
        let mut allowed = allowed.filter(|tier| facts.range.contains(*tier));
        let Some(lowest) = allowed.clone().next() else {
            return self.forget();
        };
        let is_new_mission = facts.mission.is_some() && facts.mission != self.mission;
        if facts.mission != self.mission {
            self.mission = facts.mission;
            self.has_changed = true;
        }
        let is_allowed = |of: &TierPlace| allowed.clone().any(|tier| tier == of.tier);
        let Some(place) = self.place.clone().filter(is_allowed) else {
            return self.go(lowest, "its role begins there", facts.turn);
        };
        if is_new_mission {
            self.requested = Some("a new mission has to be planned".to_string());
        }
        if let Some(how) = &facts.stuck {
            self.quiet_turns = 0;
            self.requested = Some(how.clone());
        }
        let settled = facts.turn.0.saturating_sub(place.since.0) >= SETTLED_TURNS;
        let is_sparing = facts.spent_percent > Some(SPARING_PERCENT);
        if let Some(why) = self.requested.clone() {
            let mut above = allowed.filter(|tier| *tier > place.tier);
            return match above.next() {
                Some(above) if settled && !is_sparing => self.go(above, &why, facts.turn),
                Some(_) | None => false,
            };
        }
        let below = allowed.rfind(|tier| *tier < place.tier);
        match below {
            Some(below) if settled && self.quiet_turns >= CALM_TURNS => {
                let why = format!("{} turns with success", self.quiet_turns);
                self.go(below, &why, facts.turn)
            }
            Some(_) | None => false,
        }
    }

    fn go(&mut self, tier: u8, why: &str, turn: TurnNumber) -> bool {
        self.place = Some(TierPlace {
            tier,
            why: why.into(),
            since: turn,
        });
        (self.quiet_turns, self.requested) = (0, None);
        self.has_changed = true;
        true
    }

    /// Forgets the tier, because there is none for this Mysis.
    pub fn forget(&mut self) -> bool {
        let had_one = self.place.take().is_some();
        self.has_changed |= had_one;
        (self.quiet_turns, self.requested) = (0, None);
        had_one
    }

    /// The text to store, if anything changed that a restart has to know.
    pub fn take_change(&mut self) -> Option<String> {
        if !std::mem::take(&mut self.has_changed) {
            return None;
        }
        let place = self.place.as_ref();
        let form = LadderForm {
            tier: place.map(|place| place.tier),
            why: place.map(|place| place.why.clone()),
            since: place.map(|place| place.since),
            mission: self.mission.map(|mission| mission.0.to_string()),
        };
        serde_json::to_string(&form).ok()
    }

    /// The ladder as it was stored. One that is not understood begins anew, at the lowest tier.
    pub fn restore(memo: Option<&str>) -> TierLadder {
        let form = memo.and_then(|memo| serde_json::from_str::<LadderForm>(memo).ok());
        let form = form.unwrap_or_default();
        let why = form.why.filter(|why| why.len() <= MAX_WHY_BYTES);
        let place = form.tier.zip(form.since).zip(why);
        let mission = form.mission.and_then(|text| text.parse().ok());
        TierLadder {
            place: place.map(|((tier, since), why)| TierPlace { tier, why, since }),
            mission: mission.map(MissionId),
            ..TierLadder::default()
        }
    }
}

#[derive(Default, Deserialize, Serialize)]
struct LadderForm {
    tier: Option<u8>,
    why: Option<Arc<str>>,
    since: Option<TurnNumber>,
    mission: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: TurnOutcome = TurnOutcome {
        failed: 3,
        acted: 1,
    };
    const GOOD: TurnOutcome = TurnOutcome {
        failed: 0,
        acted: 1,
    };
    const POOR: TurnOutcome = TurnOutcome {
        failed: 1,
        acted: 1,
    };
    const LOOKED: TurnOutcome = TurnOutcome {
        failed: 0,
        acted: 0,
    };

    /// A Mysis with a ladder, turn by turn.
    struct Scene {
        ladder: TierLadder,
        known: BTreeSet<u8>,
        range: TierRange,
        turn: i64,
        mission: Option<MissionId>,
        stuck: Option<String>,
        spent: Option<u64>,
    }

    impl Scene {
        fn new(known: &[u8], lowest: u8, highest: u8) -> Scene {
            let mut scene = Scene {
                ladder: TierLadder::default(),
                known: known.iter().copied().collect(),
                range: TierRange { lowest, highest },
                turn: 0,
                mission: Some(MissionId(1)),
                stuck: None,
                spent: None,
            };
            scene.begin();
            scene
        }

        fn begin(&mut self) -> bool {
            self.turn += 1;
            self.ladder.turn_begins(&TierFacts {
                range: self.range,
                known: &self.known,
                turn: TurnNumber(self.turn),
                mission: self.mission,
                stuck: self.stuck.clone(),
                spent_percent: self.spent,
            })
        }

        /// Ends a turn and begins the next one. Returns its tier.
        fn turn(&mut self, outcome: TurnOutcome) -> u8 {
            self.ladder.turn_ended(outcome);
            self.begin();
            self.tier()
        }

        fn turns(&mut self, outcomes: &[TurnOutcome]) -> Vec<u8> {
            outcomes.iter().map(|outcome| self.turn(*outcome)).collect()
        }

        fn tier(&self) -> u8 {
            self.ladder.place().map_or(0, |place| place.tier)
        }

        fn why(&self) -> &str {
            self.ladder.place().map_or("", |place| &place.why)
        }
    }

    #[test]
    fn it_begins_at_the_lowest_tier_that_there_is_and_the_role_allows() {
        for (known, lowest, highest, expected) in [
            (&[1, 2, 3][..], 1, 3, 1),
            (&[1, 2, 3], 2, 3, 2),
            (&[2, 3], 1, 3, 2),
            (&[3], 1, 2, 0),
            (&[], 1, 3, 0),
        ] {
            assert_eq!(Scene::new(known, lowest, highest).tier(), expected);
        }
    }

    #[test]
    fn failed_plans_lead_up_and_success_down_with_turns_between() {
        let mut scene = Scene::new(&[1, 2, 3], 1, 3);
        // The first turns of a tier change nothing; what failed is not forgotten.
        assert_eq!(scene.turns(&[BAD, LOOKED, LOOKED]), [1, 1, 2]);
        assert_eq!(scene.why(), "3 calls of a turn failed");
        assert_eq!(scene.turns(&[BAD, BAD, BAD]), [2, 2, 3]);
        assert_eq!(scene.turns(&[BAD; 9]), [3; 9], "there is no more");
        assert_eq!(
            scene.turns(&[GOOD, GOOD, POOR, GOOD, GOOD, GOOD, GOOD]),
            [3, 3, 3, 3, 3, 3, 2]
        );
        assert_eq!(scene.why(), "4 turns with success");
        assert_eq!(
            scene.turns(&[GOOD, LOOKED, GOOD, GOOD, GOOD]),
            [2, 2, 2, 2, 1]
        );
        assert_eq!(scene.turns(&[GOOD; 9]), [1; 9]);
    }

    #[test]
    fn success_takes_a_wish_back_that_came_too_early() {
        let mut scene = Scene::new(&[1, 2], 1, 2);
        assert_eq!(scene.turns(&[BAD, GOOD, GOOD, GOOD]), [1; 4]);
    }

    #[test]
    fn who_is_stuck_and_who_has_a_new_mission_goes_up() {
        let mut scene = Scene::new(&[1, 3], 1, 3);
        scene.turns(&[GOOD; 3]);
        scene.mission = Some(MissionId(2));
        assert_eq!(scene.turn(GOOD), 3, "a tier that nobody has is passed over");
        assert_eq!(scene.why(), "a new mission has to be planned");
        assert_eq!(scene.turns(&[GOOD; 4]), [3, 3, 3, 1]);
        scene.stuck = Some("it is stuck: 5 turns of words".to_string());
        assert_eq!(scene.turns(&[LOOKED; 3]), [1, 1, 3]);
        assert_eq!(scene.turns(&[GOOD; 9]), [3; 9], "as long as it is stuck");
    }

    #[test]
    fn a_budget_that_runs_low_keeps_it_where_it_is() {
        let mut scene = Scene::new(&[1, 2], 1, 2);
        scene.spent = Some(76);
        assert_eq!(scene.turns(&[BAD; 6]), [1; 6]);
        scene.spent = Some(75);
        assert_eq!(scene.turn(LOOKED), 2);
    }

    #[test]
    fn a_restart_and_a_new_configuration_keep_what_is_still_allowed() {
        let mut scene = Scene::new(&[1, 2, 3], 1, 3);
        scene.turns(&[BAD; 3]);
        let memo = scene.ladder.take_change();
        zoea_golden::hold_text("tier.json", memo.as_deref().unwrap_or_default());
        assert!(scene.ladder.take_change().is_none());
        let before = scene.ladder.place().cloned();
        scene.ladder = TierLadder::restore(memo.as_deref());
        assert_eq!(scene.ladder.place().cloned(), before);
        assert!(!scene.begin(), "the mission is known");
        scene.range.highest = 1;
        assert!(scene.begin());
        assert_eq!(scene.tier(), 1);
        scene.known.clear();
        assert!(scene.begin() && scene.ladder.place().is_none());
        for memo in ["", "{}", "[1]", r#"{"tier": 900, "why": "x", "since": 1}"#] {
            assert_eq!(
                TierLadder::restore(Some(memo)),
                TierLadder::default(),
                "{memo}"
            );
        }
    }
}
