//! The legs of a watch as they are stored in the checkpoint of a Mysis' routines.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::ids::Seq;

use super::super::Each;
use super::candidate::Candidate;
use super::{CircleWatch, MAX_CANDIDATES, find_circle};

#[derive(Serialize)]
pub(in super::super) struct WatchForm<'a> {
    legs: Vec<CandidateForm<'a>>,
    told: Option<&'a str>,
    upto: i64,
}

/// A leg as it is stored: tool, command, arguments, two flags, what it is made for, calls, credits, levels.
type CandidateForm<'a> = (
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
            legs: self.candidates.iter().map(candidate_form).collect(),
            told: self.told.as_deref(),
            upto: self.upto.0,
        }
    }

    /// Restores it. What cannot be read begins anew.
    #[must_use]
    pub fn restore(stored: &Json) -> CircleWatch {
        let legs = stored["legs"].as_array().into_iter().flatten();
        let legs: Option<Vec<Candidate>> = legs.take(MAX_CANDIDATES).map(read_candidate).collect();
        let legs = legs.unwrap_or_default();
        CircleWatch {
            circle: find_circle(&legs),
            candidates: legs,
            hold: Vec::new(),
            upto: Seq(stored["upto"].as_i64().unwrap_or(0)),
            told: stored["told"].as_str().map(Into::into),
        }
    }
}

fn candidate_form(candidate: &Candidate) -> CandidateForm<'_> {
    (
        &*candidate.tool,
        &*candidate.command,
        &candidate.arguments,
        [candidate.is_all, candidate.has_failed],
        candidate.each.map(Each::as_str),
        candidate.done,
        candidate.earned,
        [candidate.fuel, candidate.lowest_fuel, candidate.lowest_hull],
    )
}

fn read_candidate(stored: &Json) -> Option<Candidate> {
    let count = |value: &Json| value.as_u64().and_then(|count| u32::try_from(count).ok());
    let (is, told) = (&stored[3], &stored[7]);
    Some(Candidate {
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
