//! The legs of a watch as they are stored in the checkpoint of a Mysis' routines.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::ids::Seq;

use super::super::Each;
use super::leg::Leg;
use super::{CircleWatch, MAX_LEGS, find_circle};

#[derive(Serialize)]
pub(in super::super) struct WatchForm<'a> {
    legs: Vec<LegForm<'a>>,
    told: Option<&'a str>,
    upto: i64,
}

/// A leg as it is stored: tool, command, arguments, two flags, what it is made for, calls, credits, levels.
type LegForm<'a> = (
    &'a str,
    &'a str,
    &'a Map<String, Json>,
    [bool; 2],
    Option<&'static str>,
    u32,
    i64,
    [Option<u32>; 3],
);

impl CircleWatch {
    pub(in super::super) fn form(&self) -> WatchForm<'_> {
        WatchForm {
            legs: self.legs.iter().map(leg_form).collect(),
            told: self.told.as_deref(),
            upto: self.upto.0,
        }
    }

    /// Restores it. What cannot be read begins anew.
    #[must_use]
    pub fn restore(stored: &Json) -> CircleWatch {
        let legs = stored["legs"].as_array().into_iter().flatten();
        let legs: Option<Vec<Leg>> = legs.take(MAX_LEGS).map(read_leg).collect();
        let legs = legs.unwrap_or_default();
        CircleWatch {
            circle: find_circle(&legs),
            legs,
            hold: Vec::new(),
            upto: Seq(stored["upto"].as_i64().unwrap_or(0)),
            told: stored["told"].as_str().map(Into::into),
        }
    }
}

fn leg_form(leg: &Leg) -> LegForm<'_> {
    (
        &*leg.tool,
        &*leg.command,
        &leg.arguments,
        [leg.is_all, leg.has_failed],
        leg.each.map(Each::as_str),
        leg.done,
        leg.earned,
        [leg.fuel, leg.lowest_fuel, leg.lowest_hull],
    )
}

fn read_leg(stored: &Json) -> Option<Leg> {
    let count = |value: &Json| value.as_u64().and_then(|count| u32::try_from(count).ok());
    let (is, told) = (&stored[3], &stored[7]);
    Some(Leg {
        tool: stored[0].as_str()?.into(),
        command: stored[1].as_str()?.into(),
        arguments: stored[2].as_object()?.clone(),
        is_all: is[0].as_bool()?,
        has_failed: is[1].as_bool()?,
        each: stored[4].as_str().and_then(Each::parse),
        done: count(&stored[5])?,
        earned: stored[6].as_i64()?,
        fuel: count(&told[0]),
        lowest_fuel: count(&told[1]),
        lowest_hull: count(&told[2]),
    })
}
