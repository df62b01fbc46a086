//! Routines: what a Mysis has proven, code repeats (decision 225).
//!
//! A routine is data: steps with their calls, guards, an end, and how many rounds may pass before
//! the model looks again. A run is its cursor with figures. Both are pure; the life of a Mysis makes
//! the calls.

mod arguments;
mod checkpoint;
mod circle;
mod condition;
mod editing;
mod ends;
mod gain;
mod hold_look;
mod likeness;
mod looking;
mod lost_call;
mod outcome;
mod prices;
mod reading;
mod report;
mod run;
mod schema;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use strum::{EnumCount, VariantArray};
use zoea_game::Reading;

use crate::game::GameReading;
use crate::ids::{CallKey, Seq};
use crate::message::{CallRecord, CallStatus};
use crate::samples::GameFacts;

pub use checkpoint::RoutineMemo;
pub use circle::{Circle, CircleOffer, CircleWatch, acts_in_game};
pub use condition::{Condition, KnownValues};
pub use editing::with_changes;
pub use ends::{RoutineEnd, RunSource};
pub use lost_call::{ConfirmedCall, settles};
pub use outcome::saves_a_call;
pub use prices::SeenPrices;
pub use reading::{is_routine_name, plain_name, read_routine};
pub use run::{NextStep, RoutineRun, StepCall};
pub use schema::{ROUTINE_START, speaks_of_routines, start_tool};

pub const MAX_STEPS: usize = 24;
/// The most guards of a routine, and the most comparisons of a condition.
const MAX_COMPARISONS: usize = 8;
/// The most rounds between two looks of the model.
const MAX_ROUNDS: u32 = 200;
/// The rounds of a routine that names none, such as a circle.
pub const DEFAULT_ROUNDS: u32 = 20;
/// The most repetitions of a step in a round, and those of a repeated step that names none.
const MAX_REPETITIONS: u32 = 100;
const DEFAULT_REPETITIONS: u32 = 50;
/// The longest name, in bytes.
const MAX_NAME_BYTES: usize = 40;
/// The most bytes of the arguments of a step.
const MAX_ARGUMENTS_BYTES: usize = 1000;

/// As JSON it is what [`read_routine`] reads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Routine {
    pub name: Arc<str>,
    /// The steps of a round, in order; at least one of them acts.
    pub steps: Vec<RoutineStep>,
    /// What has to hold before each step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<Condition>,
    /// What ends it when a round is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Condition>,
    /// How many rounds it makes before the model looks again.
    pub rounds: u32,
    /// The credits that a round earned before, if that is known. A run is measured by them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earns: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoutineStep {
    /// The tool, or the command that one of the tools carries out.
    pub tool: Arc<str>,
    /// The arguments. Texts such as `{cargo}` stand for what is known when the call is made.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
    /// The step is left out unless this holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// The step is repeated until this holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Condition>,
    /// The most calls of it in a round; `None` for a single one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Whether a failure of it ends only its repetitions.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_fail: bool,
    /// What it is made once for, each time another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<Each>,
}

/// What a step is made once for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, VariantArray)]
pub enum Each {
    /// Each kind of goods in the hold, as the last `get_cargo` tells them.
    Cargo,
    /// Each mission that is done and waits for its reward, as the last `get_active_missions` tells.
    Missions,
}

impl Each {
    /// Its word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Each::Cargo => "cargo",
            Each::Missions => "missions",
        }
    }
}

zoea_records::read_by_word!(pub Each);
zoea_records::stored_by_word!(Each);

/// A call that has ended, with what was known of the game before and after it.
#[derive(Clone, Copy, Debug)]
pub struct EndedCall<'a> {
    pub call: &'a CallRecord,
    pub key: CallKey,
    /// The row of its result.
    pub seq: Seq,
    pub status: CallStatus,
    pub reading: &'a GameReading<'a>,
    pub earned: i64,
    pub before: &'a GameFacts,
    pub now: &'a GameFacts,
    /// Whether no earlier call of unknown outcome may still be on its way. Where one may, a look cannot tell
    /// which of the two it shows.
    pub is_settled: bool,
}

impl<'a> EndedCall<'a> {
    /// What it tells, if it succeeded.
    fn facts(&self) -> Option<&'a dyn Reading> {
        let is_good = self.status == CallStatus::Done;
        self.reading.facts().filter(|_| is_good)
    }
}

/// What becomes of circles that Myses repeat (`[routines]`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoutineRules {
    pub mode: CircleMode,
}

/// What the runtime does with a circle that earned in each of its last rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CircleMode {
    /// Nothing: nobody is told.
    Off,
    /// Model and operator are told, and may start it as a routine.
    #[default]
    Offer,
    /// It begins as a routine with the next turn.
    Auto,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct RoutineStatus {
    pub name: Arc<str>,
    pub source: RunSource,
    /// The round, from 1.
    pub round: u32,
    pub rounds: u32,
    #[serde(default)]
    pub step: Arc<str>,
    /// The calls so far. The model was asked for none of them.
    pub calls: u32,
    pub earned: i64,
    /// The credits earned in an hour at this rate; `None` in the first minute.
    pub earned_an_hour: Option<i64>,
}

/// A part of a checkpoint that is only shown, or learnt again.
fn shown<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    let text = <&'de RawValue>::deserialize(from)?.get();
    Ok(serde_json::from_str(text).unwrap_or_default())
}
