//! Editing: changes of a routine that a Mysis knows. The run of one takes them between two calls, and
//! its cursor stays at its step.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::gain::Gain;
use super::likeness::Likeness;
use super::reading::read_routine;
use super::run::RoutineRun;
use super::{Routine, RoutineMemo, RoutineStep};

/// The routine with the given members in the place of its own; null takes one away.
///
/// # Errors
/// Everything that is wrong with it.
pub fn with_changes(
    routine: &Routine,
    changes: &Map<String, Json>,
) -> Result<Routine, Vec<String>> {
    let Json::Object(mut members) = json!(routine) else {
        return Err(vec!["a routine is a JSON object".to_string()]);
    };
    for (member, value) in changes.iter().filter(|(member, _)| *member != "name") {
        match value {
            Json::Null => members.remove(member),
            Json::Bool(_)
            | Json::Number(_)
            | Json::String(_)
            | Json::Array(_)
            | Json::Object(_) => members.insert(member.clone(), value.clone()),
        };
    }
    read_routine(&members)
}

impl RoutineMemo {
    /// The routine of this name; without a name the one that runs, else the newest. What runs comes
    /// before what is known, with the changes that wait for its next step.
    pub fn to_edit(&self, name: Option<&str>) -> Option<&Arc<Routine>> {
        let running = self.run.as_ref().map(|run| run.newest_form());
        let running = running.filter(|run| name.is_none_or(|name| *run.name == *name));
        running.or_else(|| match name {
            Some(name) => self.find(name),
            None => self.known.last(),
        })
    }

    pub fn is_running(&self, name: &str) -> bool {
        let run = self.run.as_ref();
        run.is_some_and(|run| *run.routine.name == *name)
    }

    /// Puts the changed form in the place of the routine of its name, also where that runs or may go on.
    pub fn edit(&mut self, routine: &Arc<Routine>) {
        for known in &mut self.known {
            if known.name == routine.name {
                known.clone_from(routine);
            }
        }
        for run in self.run.iter_mut().chain(&mut self.paused) {
            if run.routine.name == routine.name {
                run.edited = Some(routine.clone());
            }
        }
    }
}

impl RoutineRun {
    pub(super) fn newest_form(&self) -> &Arc<Routine> {
        self.edited.as_ref().unwrap_or(&self.routine)
    }

    /// Takes the changes that wait, where no call is under way. A call whose outcome is looked for is
    /// not over, and neither is a round of which only the end is missing. Returns whether there were any.
    pub(super) fn take_edit(&mut self) -> bool {
        if self.at.step >= self.routine.steps.len() {
            return false;
        }
        let Some(edited) = self.edited.take_if(|_| self.lost_call.is_none()) else {
            return false;
        };
        let mut due = (0..).zip(&self.routine.steps).skip(self.at.step);
        let kept =
            due.find_map(|(place, step)| Some((place, nearest(&edited.steps, step, place)?)));
        let is_the_same = kept.is_some_and(|(before, _)| before == self.at.step);
        // Where no step that is left of the round is there any more, the round begins anew.
        self.at.step = kept.map_or(0, |(_, now)| now);
        if !is_the_same {
            self.at.made = 0;
            self.due.clear();
        }
        let likeness = (0..).zip(&edited.steps).map(|(place, step)| {
            let before = nearest(&self.routine.steps, step, place);
            let before = before.and_then(|before| self.likeness.get(before));
            before.cloned().unwrap_or_default()
        });
        self.likeness = likeness.collect::<Vec<Likeness>>();
        if edited.earns != self.routine.earns {
            self.gain = Gain::expecting(edited.earns);
        }
        self.routine = edited;
        true
    }
}

/// The place of the step that makes the same call, the nearest one if there are several.
fn nearest(steps: &[RoutineStep], wanted: &RoutineStep, place: usize) -> Option<usize> {
    let is_same = |step: &RoutineStep| {
        step.tool == wanted.tool && step.arguments == wanted.arguments && step.each == wanted.each
    };
    let places = (0..).zip(steps).filter(|(_, step)| is_same(step));
    places
        .map(|(other, _)| other)
        .min_by_key(|other| place.abs_diff(*other))
}
