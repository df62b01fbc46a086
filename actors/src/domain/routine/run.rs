//! A run of a routine: its cursor, what its steps told, and what ends it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use zoea_game::reading::Goods;

use crate::samples::GameFacts;

use super::arguments::{EachOne, each_of, fill_in};
use super::condition::KnownValues;
use super::ends::{RoutineEnd, RunSource, read_source, write_source};
use super::gain::Gain;
use super::hold_look::HoldLook;
use super::likeness::Likeness;
use super::lost_call::{ConfirmedCall, LostCall};
use super::prices::SeenPrices;
use super::{Routine, RoutineStatus, RoutineStep};

/// Its checkpoint has these members.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RoutineRun {
    pub(super) at: Cursor,
    #[serde(
        rename = "call",
        serialize_with = "write_source",
        deserialize_with = "read_source"
    )]
    pub(super) source: RunSource,
    pub(super) calls: u32,
    /// The used space of its hold where the round began.
    #[serde(rename = "cargo")]
    pub(super) cargo_at_round: Option<u32>,
    #[serde(rename = "credits")]
    pub(super) credits_at_start: Option<i64>,
    /// The last call, if its outcome is unknown and a look may prove it.
    #[serde(rename = "doubt")]
    pub(super) lost_call: Option<LostCall>,
    /// What the present step is still to be made for.
    #[serde(default)]
    pub(super) due: Vec<EachOne>,
    pub(super) earned: Earned,
    /// Its changed form, which is in force from the next call on.
    pub(super) edited: Option<Arc<Routine>>,
    pub(super) end: Option<RoutineEnd>,
    /// The goods in the hold, as long as they are known exactly.
    #[serde(rename = "exact")]
    pub(super) exact_hold: Option<Vec<Goods>>,
    pub(super) gain: Gain,
    #[serde(default)]
    pub(super) hold: Vec<Goods>,
    #[serde(default)]
    pub(super) likeness: Vec<Likeness>,
    #[serde(default, rename = "looked")]
    pub(super) hold_look: HoldLook,
    /// The missions that were done at the last look at them.
    #[serde(default)]
    pub(super) missions: Vec<String>,
    #[serde(rename = "ms")]
    pub(super) elapsed_ms: u64,
    pub(super) routine: Arc<Routine>,
    #[serde(rename = "tick")]
    pub(super) tick_at_start: Option<i64>,
    #[serde(skip)]
    pub(super) confirmed: Option<ConfirmedCall>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The round, from 1.
    pub(super) round: u32,
    pub(super) step: usize,
    /// The calls of the present step in this round.
    pub(super) made: u32,
    pub(super) made_in_round: u32,
    /// How often the present call was not made.
    pub(super) not_executed: u32,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub(super) struct Earned {
    pub(super) all: i64,
    pub(super) in_round: i64,
}

zoea_records::stored_as_list!(Cursor: round, step, made, made_in_round, not_executed);
zoea_records::stored_as_list!(Earned: all, in_round);

#[derive(Clone, Debug, PartialEq)]
pub enum NextStep {
    Call(StepCall),
    /// It waits so long before it looks again.
    Wait(Duration),
    /// A round is over. The watch on progress judges it.
    RoundOver,
    Over,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StepCall {
    /// The id of the call, which tells its round and step.
    pub id: String,
    pub tool: Arc<str>,
    pub arguments: Map<String, Json>,
    /// Whether the cursor came to this call without a result that would have been stored with it.
    pub has_moved: bool,
}

impl RoutineRun {
    pub fn new(
        routine: Arc<Routine>,
        source: RunSource,
        facts: &GameFacts,
        tick: Option<i64>,
    ) -> RoutineRun {
        RoutineRun {
            likeness: vec![Likeness::default(); routine.steps.len()],
            gain: Gain::expecting(routine.earns),
            routine,
            edited: None,
            source,
            at: Cursor {
                round: 1,
                step: 0,
                made: 0,
                made_in_round: 0,
                not_executed: 0,
            },
            due: Vec::new(),
            hold: Vec::new(),
            missions: Vec::new(),
            exact_hold: None,
            hold_look: HoldLook::default(),
            lost_call: None,
            confirmed: None,
            calls: 0,
            earned: Earned::default(),
            cargo_at_round: facts.cargo.now,
            credits_at_start: facts.credits,
            tick_at_start: tick,
            elapsed_ms: 0,
            end: None,
        }
    }

    pub fn routine(&self) -> &Arc<Routine> {
        &self.routine
    }

    pub fn source(&self) -> RunSource {
        self.source
    }

    /// For how long it has run, in milliseconds.
    pub fn elapsed_ms(&self) -> u64 {
        self.elapsed_ms
    }

    pub fn add_time(&mut self, ms: u64) {
        self.elapsed_ms = self.elapsed_ms.saturating_add(ms);
    }

    /// Whether it ended because all its rounds were made, and so where it began.
    pub fn is_whole(&self) -> bool {
        self.end == Some(RoutineEnd::RoundsOver)
    }

    /// Whether it can go on where it stands: an order came between two of its calls.
    pub fn can_resume(&self) -> bool {
        self.end == Some(RoutineEnd::Order) && self.lost_call.is_none()
    }

    #[must_use]
    pub fn resumed_by(self, source: RunSource) -> RoutineRun {
        RoutineRun {
            source,
            end: None,
            ..self
        }
    }

    /// The round that it is in, from 1.
    pub fn round(&self) -> u32 {
        self.at.round
    }

    /// Ends it before its next step. The first reason stays.
    pub fn end(&mut self, end: RoutineEnd) {
        self.end.get_or_insert(end);
    }

    pub fn known(
        &self,
        facts: &GameFacts,
        prices: &Arc<SeenPrices>,
        tick: Option<i64>,
    ) -> KnownValues {
        KnownValues {
            facts: facts.clone(),
            prices: prices.clone(),
            ticks: tick
                .zip(self.tick_at_start)
                .map(|(tick, start)| tick.saturating_sub(start)),
            minutes: i64::try_from(self.elapsed_ms / 60_000).unwrap_or(i64::MAX),
            earned_an_hour: self.earned_an_hour(),
        }
    }

    pub(super) fn earned_an_hour(&self) -> Option<i64> {
        let ms = i64::try_from(self.elapsed_ms).unwrap_or(i64::MAX);
        (ms >= 60_000).then(|| self.earned.all.saturating_mul(60) / (ms / 60_000))
    }

    pub fn status(&self) -> RoutineStatus {
        RoutineStatus {
            name: self.routine.name.clone(),
            source: self.source,
            round: self.at.round.min(self.routine.rounds),
            rounds: self.routine.rounds,
            step: self.describe_step().into(),
            calls: self.calls,
            earned: self.earned.all,
            earned_an_hour: self.earned_an_hour(),
        }
    }

    /// The next step. It changes nothing but the cursor, and from the same cursor and facts it finds
    /// the same step again.
    pub fn next(&mut self, known: &KnownValues) -> NextStep {
        let mut has_moved = false;
        loop {
            if self.end.is_some() {
                return NextStep::Over;
            }
            has_moved |= self.take_edit();
            if let Some(lost_call) = &self.lost_call {
                return self.look(lost_call);
            }
            let Some(step) = self.routine.clone().steps.get(self.at.step).cloned() else {
                self.end_round(known);
                return NextStep::RoundOver;
            };
            // A step that is made for each of several takes them when it begins.
            has_moved |= step.each.is_some() && self.at.made == 0;
            if !self.is_due(&step, known) {
                self.go_to_next_step();
                has_moved = true;
                continue;
            }
            let mut guards = self.routine.guards.iter();
            if let Some(objection) = guards.find_map(|guard| guard.objection(known)) {
                self.end(RoutineEnd::Guard(objection));
                continue;
            }
            match fill_in(&step.arguments, known, self.due.first()) {
                Ok(arguments) if self.has_to_know_hold(&step, &arguments) => {
                    return NextStep::Call(StepCall {
                        has_moved,
                        ..self.look_at((0, "get_cargo"))
                    });
                }
                Ok(arguments) => {
                    let (round, number, made) = (self.at.round, self.at.step + 1, self.at.made + 1);
                    return NextStep::Call(StepCall {
                        id: format!("r{round}.{number}.{made}"),
                        tool: step.tool.clone(),
                        arguments,
                        has_moved,
                    });
                }
                Err(word) => {
                    let reason =
                        format!("step {} needs {word}, which is not known", self.at.step + 1);
                    self.end(RoutineEnd::Failed(reason));
                }
            }
        }
    }

    /// Whether the present step is to be made once more in this round.
    fn is_due(&mut self, step: &RoutineStep, known: &KnownValues) -> bool {
        if self.at.made == 0 {
            self.due = each_of(step.each, &self.hold, &self.missions);
            let is_wanted = |when: &super::Condition| when.holds(known) == Some(true);
            if !step.when.as_ref().is_none_or(is_wanted) {
                return false;
            }
        }
        let is_enough = |until: &super::Condition| until.holds(known) == Some(true);
        if step.until.as_ref().is_some_and(is_enough) {
            return false;
        }
        match step.each {
            Some(_) => !self.due.is_empty(),
            None => self.at.made < step.most.unwrap_or(1),
        }
    }

    pub(super) fn go_to_next_step(&mut self) {
        self.at.step += 1;
        self.at.made = 0;
        self.due.clear();
    }

    fn end_round(&mut self, known: &KnownValues) {
        if self.at.made_in_round == 0 {
            let reason = "no step was due in a whole round".to_string();
            return self.end(RoutineEnd::Failed(reason));
        }
        let cargo = known.facts.cargo.now;
        let has_more_cargo = cargo
            .zip(self.cargo_at_round)
            .is_some_and(|(now, before)| now > before);
        self.gain.take(self.earned.in_round, has_more_cargo);
        if self.gain.has_fallen() {
            self.end(RoutineEnd::GainFell(self.describe_fall()));
        }
        let before = self.credits_at_start.filter(|credits| *credits > 0);
        if let Some((now, before)) = known.facts.credits.zip(before)
            && now < before / 2
        {
            let reason = format!("of {before} credits at its start {now} are left");
            self.end(RoutineEnd::Lost(reason));
        }
        if let Some(until) = &self.routine.until
            && until.holds(known) == Some(true)
        {
            let reached = until.describe();
            self.end(RoutineEnd::Reached(reached));
        }
        if self.at.round >= self.routine.rounds {
            self.end(RoutineEnd::RoundsOver);
        }
        self.at.round = self.at.round.saturating_add(1);
        (self.at.step, self.at.made, self.at.made_in_round) = (0, 0, 0);
        self.earned.in_round = 0;
        self.due.clear();
        self.cargo_at_round = cargo;
    }
}
