//! The checkpoint of a Mysis' routines: the run with its cursor, and the routines that it knows by
//! name. It is stored in one commit with the rows that it belongs to.
//!
//! What is only shown or learnt again has its default where it is not understood. A run, its doubts, its end and its
//! money are refused as a whole, because with a part of them a call would be made twice.

use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};

use super::circle::CircleWatch;
use super::prices::SeenPrices;
use super::reading::read_routine;
use super::run::RoutineRun;
use super::{Routine, shown};

const MAX_KNOWN: usize = 4;

/// It is stored by these names, in their order.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct RoutineMemo {
    #[serde(default, deserialize_with = "shown")]
    pub circles: CircleWatch,
    /// Those that ran before, the newest last.
    #[serde(default, deserialize_with = "known")]
    pub known: Vec<Arc<Routine>>,
    /// The run that an order ended, as long as it can go on where it stands.
    pub paused: Option<Box<RoutineRun>>,
    #[serde(default, deserialize_with = "shown")]
    pub prices: Arc<SeenPrices>,
    /// The report of a run that no call waits for, until the model has seen it.
    #[serde(default, deserialize_with = "shown")]
    pub report: Option<Arc<str>>,
    pub run: Option<Box<RoutineRun>>,
    /// The calls that routines made: the model was asked for none of them. `None` if it is not known.
    #[serde(default = "no_calls")]
    pub spared: Option<u64>,
    /// Whether a call of unknown outcome may still be on its way: no look can prove another one then.
    #[serde(default, rename = "unsettled")]
    pub is_unsettled: bool,
}

fn no_calls() -> Option<u64> {
    Some(0)
}

impl RoutineMemo {
    pub fn find(&self, name: &str) -> Option<&Arc<Routine>> {
        self.known.iter().find(|known| *known.name == *name)
    }

    /// The run of this routine that can go on. No other one can from now on.
    pub fn take_paused(&mut self, routine: &Routine) -> Option<Box<RoutineRun>> {
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

    /// One of which only this is known: there was one, and what it says is not understood. So no call of it goes
    /// on, none of unknown outcome is proven, and what its routines spared is not known.
    pub fn unknown() -> RoutineMemo {
        RoutineMemo {
            spared: None,
            is_unsettled: true,
            ..RoutineMemo::default()
        }
    }

    pub fn to_text(&self) -> String {
        let text = serde_json::to_string(self);
        debug_assert!(text.is_ok(), "every member has a form in JSON");
        text.unwrap_or_default()
    }

    /// Restores it.
    ///
    /// # Errors
    /// Why it is not understood.
    pub fn restore(text: &str) -> Result<RoutineMemo, String> {
        let mut memo: RoutineMemo =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        memo.circles.find_again();
        for run in memo.run.iter_mut().chain(&mut memo.paused) {
            let steps = run.routine.steps.len();
            run.likeness.resize_with(steps, Default::default);
        }
        Ok(memo)
    }
}

impl Default for RoutineMemo {
    fn default() -> RoutineMemo {
        RoutineMemo {
            run: None,
            paused: None,
            known: Vec::new(),
            report: None,
            circles: CircleWatch::default(),
            prices: Arc::default(),
            spared: no_calls(),
            is_unsettled: false,
        }
    }
}

/// The routines that are understood.
fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Arc<Routine>>, D::Error> {
    let stored: Vec<Json> = shown(from)?;
    let known = stored.into_iter().map(serde_json::from_value);
    Ok(known.filter_map(Result::ok).collect())
}

impl<'de> Deserialize<'de> for Routine {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Routine, D::Error> {
        let given = Map::<String, Json>::deserialize(from)?;
        read_routine(&given).map_err(|mistakes| D::Error::custom(mistakes.join("; ")))
    }
}
