//! Routines: whether the steps of each run follow one another, with nothing left out and nothing made
//! again, whatever was killed in between.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use actors::domain::ids::{CallKey, MysisId};
use actors::domain::message::{CallRecord, CallStatus, Row, RowBody};
use actors::domain::routine::{ROUTINE_START, plain_name};
use serde_json::Value;

use super::promises::Promise;

type Written = BTreeMap<String, Steps>;

#[derive(Clone, Debug)]
enum Steps {
    /// Of each step, whether a round may leave it out: a condition decides, or there is nothing to make it for.
    Written(Arc<[bool]>),
    /// The number of a circle's steps. Its steps for goods may be left out, of which no two are neighbours.
    Found(u32),
}

/// What the notice says of a run that goes on where an order ended it.
const GOES_ON: &str = " goes on in round ";

#[derive(Debug, Default)]
pub(super) struct RoutineChecker {
    of: BTreeMap<MysisId, (Run, Written)>,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps::Found(0)
    }
}

#[derive(Debug, Default)]
struct Run {
    steps: Steps,
    is_over: bool,
    last: Option<Made>,
}

#[derive(Clone, Copy, Debug)]
struct Made {
    key: CallKey,
    place: Place,
    /// How it ended; `None` as long as nobody knows that.
    ended: Option<CallStatus>,
}

/// The place of a step's call: its round, step and repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place(u32, u32, u32);

pub(super) type Wrong = (Promise, String);

impl RoutineChecker {
    /// Checks a row that became durable. `has_executed` tells whether the game carried a call out.
    pub(super) fn on_row_stored(
        &mut self,
        mysis: MysisId,
        row: &Row,
        has_executed: impl Fn(CallKey) -> bool,
    ) -> Option<Wrong> {
        let (run, written) = self.of.entry(mysis).or_default();
        let wrong = if let RowBody::Call { calls, .. } = &row.body {
            written.extend(calls.iter().filter_map(read_routine));
            let call = calls.iter().find(|call| call.routine.is_some())?;
            let key = CallKey {
                seq: row.seq,
                position: 0,
            };
            run.make(key, Place::read(&call.id)?)
        } else if let Some((call, _, meta)) = row.result() {
            run.end_call(call, meta.status);
            None
        } else {
            let code = &row.host()?.code;
            run.on_notice(code, row.text(), written, has_executed)
        };
        let (promise, text) = wrong?;
        Some((promise, format!("a routine of {mysis}: {text}")))
    }
}

impl Run {
    fn make(&mut self, key: CallKey, place: Place) -> Option<Wrong> {
        let last = self.last.replace(Made {
            key,
            place,
            ended: None,
        });
        if self.is_over {
            let text = format!("{place:?} is made after its end");
            return Some((Promise::NotTwice, text));
        }
        let Some(last) = last else {
            let is_first = place.0 == 1 && place.2 == 1 && self.steps.may_leave_out(1..place.1);
            let text = format!("it begins at {place:?}");
            return (!is_first).then_some((Promise::NotLost, text));
        };
        let text = format!("{place:?} follows {last:?} of {} steps", self.steps.count());
        match last.ended {
            // Nothing was done, so the same call is due.
            Some(CallStatus::NotExecuted) => {
                (place != last.place).then_some((Promise::NotLost, text))
            }
            Some(CallStatus::Done | CallStatus::Failed) => {
                if place == last.place {
                    return Some((Promise::NotTwice, text));
                }
                (!place.follows(last.place, &self.steps)).then_some((Promise::NotLost, text))
            }
            Some(CallStatus::Unknown | CallStatus::Recorded | CallStatus::Sent) | None => {
                Some((Promise::NotTwice, text))
            }
        }
    }

    fn end_call(&mut self, call: CallKey, status: CallStatus) {
        if let Some(last) = self.last.as_mut().filter(|last| last.key == call) {
            last.ended = Some(status);
        }
    }

    fn on_notice(
        &mut self,
        code: &str,
        text: &str,
        written: &Written,
        has_executed: impl Fn(CallKey) -> bool,
    ) -> Option<Wrong> {
        match code {
            "routine_started" => {
                let steps = steps_of(text, written)?;
                // One that goes on follows what it made before.
                let last = self.last.filter(|_| text.contains(GOES_ON));
                *self = Run {
                    steps,
                    last,
                    ..Run::default()
                };
                None
            }
            "routine_ended" => {
                self.is_over = true;
                None
            }
            "outcome_proven" => {
                let last = self.last.as_mut()?;
                last.ended = Some(CallStatus::Done);
                let is_true = has_executed(last.key);
                let text = format!("{text}, and it never was");
                (!is_true).then_some((Promise::NotTwice, text))
            }
            _ => None,
        }
    }
}

impl Place {
    /// The place in the id of a step's call; `None` for a look.
    fn read(id: &str) -> Option<Place> {
        let mut parts = id.strip_prefix('r')?.split('.').map(str::parse);
        let mut next = || parts.next()?.ok();
        Some(Place(next()?, next()?, next()?))
    }

    /// Whether it may come after another one that was made.
    fn follows(self, last: Place, steps: &Steps) -> bool {
        let Place(round, step, made) = last;
        if self == Place(round, step, made + 1) {
            return true;
        }
        let goes_on = self.0 == round && self.1 > step && steps.may_leave_out(step + 1..self.1);
        let begins_anew = self.0 == round + 1
            && steps.may_leave_out(step + 1..steps.count() + 1)
            && steps.may_leave_out(1..self.1);
        self.2 == 1 && (goes_on || begins_anew)
    }
}

impl Steps {
    fn count(&self) -> u32 {
        match self {
            Steps::Written(steps) => u32::try_from(steps.len()).unwrap_or(u32::MAX),
            Steps::Found(count) => *count,
        }
    }

    /// Whether a round may leave all these steps out, which are counted from 1.
    fn may_leave_out(&self, numbers: Range<u32>) -> bool {
        match self {
            Steps::Written(steps) => {
                let mut places = numbers.map(|number| number as usize - 1);
                places.all(|place| steps.get(place) == Some(&true))
            }
            Steps::Found(_) => numbers.len() <= 1,
        }
    }
}

/// The routine that this call starts, if it has steps of its own.
fn read_routine(call: &CallRecord) -> Option<(String, Steps)> {
    if *call.name != *ROUTINE_START {
        return None;
    }
    let given: Value = serde_json::from_str(&call.arguments).ok()?;
    let may_be_left_out = |step: &Value| {
        ["when", "until", "each"]
            .iter()
            .any(|key| step.get(key).is_some())
    };
    let steps = given["steps"].as_array()?.iter().map(may_be_left_out);
    Some((
        plain_name(given["name"].as_str()?),
        Steps::Written(steps.collect()),
    ))
}

/// The steps of the routine that a notice says was started. One that the model did not write is a circle.
fn steps_of(notice: &str, written: &Written) -> Option<Steps> {
    let name = notice.strip_prefix("routine ")?.split(' ').next()?;
    let (before, _) = notice.split_once(" steps")?;
    let count: u32 = before.rsplit(' ').next()?.parse().ok()?;
    let known = written.get(name).filter(|steps| steps.count() == count);
    Some(known.cloned().unwrap_or(Steps::Found(count)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn place(id: &str) -> Place {
        Place::read(id).expect("a place")
    }

    /// The steps of a routine as its start tells them.
    fn written(steps: &Value) -> Steps {
        let call = CallRecord {
            id: "c".into(),
            name: ROUTINE_START.into(),
            arguments: json!({"name": "To and fro", "steps": steps})
                .to_string()
                .into(),
            status: CallStatus::Recorded,
            read_only: true,
            routine: None,
        };
        let (name, steps) = read_routine(&call).expect("a routine");
        let known = Written::from([(name, steps)]);
        let notice = "routine to-and-fro of the model begins: 6 steps, at most 9 rounds";
        steps_of(notice, &known).expect("its steps")
    }

    fn check(steps: &Steps, good: &[(&str, &str)], bad: &[(&str, &str)]) {
        for (last, next) in good {
            assert!(
                place(next).follows(place(last), steps),
                "{next} after {last}"
            );
        }
        for (last, next) in bad {
            assert!(
                !place(next).follows(place(last), steps),
                "{next} after {last}"
            );
        }
    }

    #[test]
    fn steps_follow_one_another_and_only_those_are_left_out_that_may_be() {
        let steps = written(&json!([
            {"tool": "travel"},
            {"tool": "mine", "until": {}},
            {"tool": "get_cargo", "when": {}},
            {"tool": "sell", "each": "cargo"},
            {"tool": "dock"},
            {"tool": "refuel", "when": {}}
        ]));
        let good = [
            ("r1.1.1", "r1.2.1"),
            ("r1.2.1", "r1.2.2"),
            ("r1.1.1", "r1.5.1"),
            ("r1.3.1", "r1.5.1"),
            ("r1.5.1", "r2.1.1"),
            ("r1.6.1", "r2.1.1"),
        ];
        let bad = [
            ("r1.1.1", "r1.6.1"),
            ("r1.2.2", "r1.2.2"),
            ("r1.2.2", "r1.2.4"),
            ("r1.1.1", "r1.3.2"),
            ("r1.5.1", "r1.4.1"),
            ("r1.4.1", "r2.1.1"),
            ("r1.5.1", "r2.2.1"),
            ("r1.6.1", "r3.1.1"),
        ];
        check(&steps, &good, &bad);
        assert!(Place::read("look1.0").is_none());
    }

    #[test]
    fn of_a_circle_no_two_neighbours_are_left_out() {
        let notice = "routine mine-sell of the runtime begins: 6 steps, at most 20 rounds";
        let steps = steps_of(notice, &Written::default()).expect("its steps");
        let good = [
            ("r1.1.1", "r1.3.1"),
            ("r1.5.1", "r2.1.1"),
            ("r1.6.1", "r2.2.1"),
        ];
        check(&steps, &good, &[("r1.1.1", "r1.4.1"), ("r1.4.1", "r2.1.1")]);
    }
}
