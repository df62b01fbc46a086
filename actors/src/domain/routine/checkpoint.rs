//! The checkpoint of a Mysis' routines: the run with its cursor, and the routines that it knows by
//! name. It is stored in one commit with the rows that it belongs to.

mod writing;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;
use zoea_game::reading::Goods;

use crate::ids::{CallKey, Seq};

use super::Routine;
use super::arguments::EachOne;
use super::circle::CircleWatch;
use super::gain::Gain;
use super::hold_look::HoldLook;
use super::likeness::Likeness;
use super::lost_call::LostCall;
use super::prices::PriceBook;
use super::reading::read_routine;
use super::run::{RoundStart, RoutineEnd, RoutineRun, RunSource};

const MAX_KNOWN: usize = 4;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoutineMemo {
    pub run: Option<RoutineRun>,
    /// The run that an order ended, as long as it can go on where it stands.
    pub paused: Option<RoutineRun>,
    /// Those that ran before, the newest last.
    pub known: Vec<Arc<Routine>>,
    /// The report of a run that no call waits for, until the model has seen it.
    pub report: Option<Arc<str>>,
    /// What the model repeats.
    pub circles: CircleWatch,
    /// The prices that were seen.
    pub prices: Arc<PriceBook>,
    /// The calls that routines made: the model was asked for none of them.
    pub spared: u64,
    /// Whether a call of unknown outcome may still be on its way: no look can prove another one then.
    pub is_unsettled: bool,
}

impl RoutineMemo {
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<Routine>> {
        self.known.iter().find(|known| *known.name == *name)
    }

    /// The run of this routine that can go on. No other one can from now on.
    pub fn take_paused(&mut self, routine: &Routine) -> Option<RoutineRun> {
        self.paused
            .take()
            .filter(|run| **run.newest_form() == *routine)
    }

    pub fn keep(&mut self, routine: &Arc<Routine>) {
        self.known.retain(|known| known.name != routine.name);
        self.known.push(routine.clone());
        if self.known.len() > MAX_KNOWN {
            self.known.remove(0);
        }
    }

    /// Restores it. What cannot be read, as after a change of the form, is left out.
    #[must_use]
    pub fn restore(text: &str) -> RoutineMemo {
        let stored: Json = serde_json::from_str(text).unwrap_or_default();
        let known = stored["known"].as_array().into_iter().flatten();
        RoutineMemo {
            run: read_run(&stored["run"]),
            paused: read_run(&stored["paused"]),
            known: known.filter_map(routine_of).map(Arc::new).collect(),
            report: stored["report"].as_str().map(Into::into),
            circles: CircleWatch::restore(&stored["circles"]),
            prices: Arc::new(PriceBook::restore(&stored["prices"])),
            spared: stored["spared"].as_u64().unwrap_or(0),
            is_unsettled: stored["unsettled"] == true,
        }
    }
}

fn routine_of(stored: &Json) -> Option<Routine> {
    read_routine(stored.as_object()?).ok()
}

fn read_run(stored: &Json) -> Option<RoutineRun> {
    let routine = Arc::new(routine_of(&stored["routine"])?);
    let count = |value: &Json| value.as_u64().and_then(|count| u32::try_from(count).ok());
    let goods = |stored: &Json| elements(stored).filter_map(read_goods).collect::<Vec<_>>();
    let at = &stored["at"];
    let gain = &stored["gain"];
    let newest = gain[3].as_array().into_iter().flatten();
    let mut likeness: Vec<Likeness> = stored["likeness"]
        .as_array()
        .into_iter()
        .flatten()
        .map(read_likeness)
        .collect();
    likeness.resize(routine.steps.len(), Likeness::default());
    Some(RoutineRun {
        edited: routine_of(&stored["edited"]).map(Arc::new),
        source: source_of(&stored["call"])?,
        round: count(&at[0])?,
        step: usize::try_from(count(&at[1])?).ok()?,
        made: count(&at[2])?,
        made_in_round: count(&at[3])?,
        not_executed: count(&at[4])?,
        due: elements(&stored["due"]).filter_map(read_each).collect(),
        hold: goods(&stored["hold"]),
        missions: elements(&stored["missions"]).filter_map(read_id).collect(),
        exact_hold: stored["exact"].is_array().then(|| goods(&stored["exact"])),
        hold_look: HoldLook {
            at: stored["looked"][0].as_u64(),
            failures: count(&stored["looked"][1]).unwrap_or(0),
        },
        lost_call: LostCall::restore(&stored["doubt"]),
        confirmed: None,
        calls: count(&stored["calls"])?,
        earned: stored["earned"][0].as_i64()?,
        earned_in_round: stored["earned"][1].as_i64()?,
        at_round: RoundStart {
            cargo: count(&stored["cargo"]),
        },
        credits_at_start: stored["credits"].as_i64(),
        gain: Gain {
            good: (gain[0].as_i64()?, count(&gain[1])?),
            poor: count(&gain[2])?,
            newest: newest.filter_map(Json::as_i64).collect(),
        },
        likeness,
        tick_at_start: stored["tick"].as_i64(),
        elapsed_ms: stored["ms"].as_u64()?,
        end: end_of(&stored["end"]),
        routine,
    })
}

fn elements(stored: &Json) -> impl Iterator<Item = &Json> {
    stored.as_array().into_iter().flatten()
}

fn read_id(stored: &Json) -> Option<String> {
    stored.as_str().map(str::to_string)
}

fn read_goods(stored: &Json) -> Option<Goods> {
    Some(Goods {
        item: stored[0].as_str()?.to_string(),
        quantity: stored[1].as_i64()?,
    })
}

fn read_each(stored: &Json) -> Option<EachOne> {
    match stored.as_str() {
        Some(id) => Some(EachOne::Mission(id.to_string())),
        None => read_goods(stored).map(EachOne::Goods),
    }
}

fn source_of(call: &Json) -> Option<RunSource> {
    Some(match call {
        Json::Null => RunSource::Operator,
        Json::String(_) => RunSource::Runtime,
        Json::Array(_) | Json::Bool(_) | Json::Number(_) | Json::Object(_) => {
            RunSource::Model(CallKey {
                seq: Seq(call[0].as_i64()?),
                position: u16::try_from(call[1].as_u64()?).ok()?,
            })
        }
    })
}

fn read_likeness(stored: &Json) -> Likeness {
    let members = stored[1].as_array().into_iter().flatten();
    let members: BTreeSet<String> = members
        .filter_map(|member| member.as_str().map(str::to_string))
        .collect();
    Likeness {
        results: stored[0]
            .as_u64()
            .and_then(|count| u32::try_from(count).ok())
            .unwrap_or(0),
        members,
    }
}

fn end_of(stored: &Json) -> Option<RoutineEnd> {
    let told = stored[1].as_str().unwrap_or_default().to_string();
    Some(match stored[0].as_str()? {
        "rounds" => RoutineEnd::RoundsOver,
        "reached" => RoutineEnd::Reached(told),
        "guard" => RoutineEnd::Guard(told),
        "failed" => RoutineEnd::Failed(told),
        "unlike" => RoutineEnd::ResultMismatch(told),
        "lost" => RoutineEnd::Lost(told),
        "poor" => RoutineEnd::GainFell(told),
        "no_progress" => RoutineEnd::NoProgress,
        "order" => RoutineEnd::Order,
        "interrupted" => RoutineEnd::Interrupted(told),
        _ => RoutineEnd::Stopped,
    })
}
