//! The legs of a watch as they are stored in the checkpoint of a Mysis' routines.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::ids::Seq;

use super::super::Each;
use super::candidate::Candidate;
use super::{CircleWatch, MAX_CANDIDATES, find_circle};

#[derive(Default, Deserialize, Serialize)]
pub(in super::super) struct WatchForm<'a> {
    legs: Vec<CandidateForm<'a>>,
    #[serde(rename = "told")]
    reported: Option<Cow<'a, str>>,
    upto: Seq,
}

/// A leg as it is stored: tool, command, arguments, two flags, what it is made for, calls, credits, levels.
type CandidateForm<'a> = (
    Cow<'a, str>,
    Cow<'a, str>,
    Cow<'a, Map<String, Json>>,
    [bool; 2],
    Option<Cow<'a, str>>,
    u32,
    i64,
    [Option<u32>; 3],
);

impl CircleWatch {
    pub(in super::super) fn form(&self) -> WatchForm<'_> {
        WatchForm {
            legs: self.candidates.iter().map(candidate_form).collect(),
            reported: self.reported.as_deref().map(Cow::from),
            upto: self.upto,
        }
    }

    /// Restores it. Legs of which one is not understood begin anew.
    pub(in super::super) fn restore(form: WatchForm<'_>) -> CircleWatch {
        let legs = form.legs.into_iter().take(MAX_CANDIDATES);
        let legs: Option<Vec<Candidate>> = legs.map(candidate_of).collect();
        let legs = legs.unwrap_or_default();
        CircleWatch {
            circle: find_circle(&legs),
            candidates: legs,
            hold: Vec::new(),
            upto: form.upto,
            reported: form.reported.map(Into::into),
        }
    }
}

fn candidate_form(candidate: &Candidate) -> CandidateForm<'_> {
    (
        (&*candidate.tool).into(),
        (&*candidate.command).into(),
        Cow::Borrowed(&candidate.arguments),
        [candidate.is_all, candidate.has_failed],
        candidate.each.map(|each| each.as_str().into()),
        candidate.done,
        candidate.earned,
        [candidate.fuel, candidate.lowest_fuel, candidate.lowest_hull],
    )
}

fn candidate_of(form: CandidateForm<'_>) -> Option<Candidate> {
    let (tool, command, arguments, flags, each, done, earned, levels) = form;
    let [is_all, has_failed] = flags;
    let [fuel, lowest_fuel, lowest_hull] = levels;
    let each = match each {
        Some(word) => Some(Each::parse(&word)?),
        None => None,
    };
    Some(Candidate {
        tool: tool.into(),
        command: command.into(),
        arguments: arguments.into_owned(),
        is_all,
        has_failed,
        each,
        done,
        earned,
        fuel,
        lowest_fuel,
        lowest_hull,
    })
}
