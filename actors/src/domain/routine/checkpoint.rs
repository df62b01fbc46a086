//! The checkpoint of a Mysis' routines: the run with its cursor, and the routines that it knows by
//! name. It is stored in one commit with the rows that it belongs to.

mod form;

use std::sync::Arc;

use super::Routine;
use super::circle::CircleWatch;
use super::prices::SeenPrices;
use super::run::RoutineRun;

const MAX_KNOWN: usize = 4;

#[derive(Clone, Debug, PartialEq)]
pub struct RoutineMemo {
    pub run: Option<Box<RoutineRun>>,
    /// The run that an order ended, as long as it can go on where it stands.
    pub paused: Option<Box<RoutineRun>>,
    /// Those that ran before, the newest last.
    pub known: Vec<Arc<Routine>>,
    /// The report of a run that no call waits for, until the model has seen it.
    pub report: Option<Arc<str>>,
    pub circles: CircleWatch,
    pub prices: Arc<SeenPrices>,
    /// The calls that routines made: the model was asked for none of them. `None` if it is not known.
    pub spared: Option<u64>,
    /// Whether a call of unknown outcome may still be on its way: no look can prove another one then.
    pub is_unsettled: bool,
}

impl RoutineMemo {
    #[must_use]
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
    #[must_use]
    pub fn unknown() -> RoutineMemo {
        RoutineMemo {
            spared: None,
            is_unsettled: true,
            ..RoutineMemo::default()
        }
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
            spared: Some(0),
            is_unsettled: false,
        }
    }
}
