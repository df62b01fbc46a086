//! A leg: acting calls in a row that are alike.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::message::CallStatus;
use crate::samples::{GameFacts, Gauge};

use super::super::Each;
use super::super::arguments::{EachOne, ITEM, MISSION, QUANTITY};
use super::EndedCall;

/// Commands that hand over goods of the hold. All of them in a row are one leg.
pub(super) const GOODS_COMMANDS: [&str; 3] = ["sell", "deposit_items", "jettison"];
/// The command that asks for the reward of a mission, which has another id each time.
pub(super) const REWARD_COMMAND: &str = "complete_mission";

/// Acting calls in a row that are alike.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(super) struct Candidate {
    pub(super) tool: Arc<str>,
    pub(super) command: Arc<str>,
    /// The arguments. What is known of the ship stands as its word in braces.
    pub(super) arguments: Map<String, Json>,
    pub(super) outcome: LegOutcome,
    /// What it hands over, or is rewarded for, each time another one: those stand as their words.
    pub(super) each: Option<Each>,
    pub(super) done: u32,
    pub(super) earned: i64,
    pub(super) levels: LegLevels,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct LegOutcome {
    pub(super) is_all: bool,
    pub(super) has_failed: bool,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub(super) struct LegLevels {
    /// The last fuel that was told by its end.
    pub(super) fuel: Option<u32>,
    pub(super) lowest_fuel: Option<u32>,
    pub(super) lowest_hull: Option<u32>,
}

zoea_records::stored_as_list!(Candidate: tool, command, arguments, outcome, each, done, earned, levels);
zoea_records::stored_as_list!(LegOutcome: is_all, has_failed);
zoea_records::stored_as_list!(LegLevels: fuel, lowest_fuel, lowest_hull);

impl Candidate {
    pub(super) fn of(
        ended: &EndedCall<'_>,
        command: &str,
        mut arguments: Map<String, Json>,
        one: Option<&EachOne>,
    ) -> Candidate {
        match one {
            Some(EachOne::Goods(sold)) => {
                for argument in arguments.values_mut() {
                    if argument.as_str() == Some(&sold.item) {
                        *argument = format!("{{{ITEM}}}").into();
                    } else if argument.as_i64() == Some(sold.quantity) {
                        *argument = format!("{{{QUANTITY}}}").into();
                    }
                }
            }
            Some(EachOne::Mission(id)) => {
                for argument in arguments.values_mut() {
                    if argument.as_str() == Some(id) {
                        *argument = format!("{{{MISSION}}}").into();
                    }
                }
            }
            None => name_known(&mut arguments, ended.before),
        }
        let is_good = ended.status == CallStatus::Done;
        Candidate {
            tool: ended.call.name.clone(),
            command: command.into(),
            arguments,
            each: one.map(|one| match one {
                EachOne::Goods(_) => Each::Cargo,
                EachOne::Mission(_) => Each::Missions,
            }),
            outcome: LegOutcome {
                is_all: true,
                has_failed: !is_good,
            },
            done: u32::from(is_good),
            earned: 0,
            levels: LegLevels::default(),
        }
    }

    /// Whether two legs are the same step.
    pub(super) fn is_like(&self, other: &Candidate) -> bool {
        self.tool == other.tool && self.arguments == other.arguments
    }

    /// Adds a leg of the same step that follows.
    pub(super) fn add(&mut self, other: &Candidate) {
        self.done = self.done.saturating_add(other.done);
        self.outcome.has_failed |= other.outcome.has_failed;
        self.outcome.is_all &= other.outcome.is_all;
        self.add_figures(other.earned, other.levels);
    }

    pub(super) fn add_figures(&mut self, earned: i64, later: LegLevels) {
        self.earned = self.earned.saturating_add(earned);
        self.levels = LegLevels {
            fuel: later.fuel.or(self.levels.fuel),
            lowest_fuel: least(self.levels.lowest_fuel, later.lowest_fuel),
            lowest_hull: least(self.levels.lowest_hull, later.lowest_hull),
        };
    }

    /// Takes what a call within it, or after it, told and earned.
    pub(super) fn see(&mut self, ended: &EndedCall<'_>) {
        let now = ended.now;
        let levels = LegLevels {
            fuel: now.fuel.now,
            lowest_fuel: now.fuel.now,
            lowest_hull: now.hull.now,
        };
        self.add_figures(ended.earned, levels);
        // An empty hold proves that everything was handed over, whatever a look told before.
        self.outcome.is_all |= self.each == Some(Each::Cargo) && now.cargo.now == Some(0);
    }
}

/// The lower one of two figures, as far as they are known.
fn least(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    one.into_iter().chain(other).min()
}

/// Puts words in place of numbers that are those of the ship.
fn name_known(arguments: &mut Map<String, Json>, known: &GameFacts) {
    let Gauge { now, most } = known.cargo;
    let free = now.zip(most).map(|(now, most)| most.saturating_sub(now));
    for argument in arguments.values_mut() {
        // A single unit is said without a look at the ship.
        let number = argument.as_u64().filter(|number| *number > 1);
        let Some(number) = number.and_then(|number| u32::try_from(number).ok()) else {
            continue;
        };
        if Some(number) == free {
            *argument = "{cargo_free}".into();
        } else if Some(number) == now {
            *argument = "{cargo}".into();
        }
    }
}
