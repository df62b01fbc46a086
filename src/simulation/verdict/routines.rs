//! Routines: whether the steps of each run follow one another, with nothing left out and nothing made
//! again, whatever was killed in between.

use std::collections::BTreeMap;

use actors::domain::ids::{CallKey, MysisId};
use actors::domain::message::{CallStatus, Row, RowBody};

use super::promises::Promise;

/// The most steps that may be left out between two calls, because nothing was due: the simulated
/// player's routine has one such step, for goods of which there may be none.
const MOST_LEFT_OUT: u32 = 1;

/// What the notice says of a run that goes on where an order ended it.
const GOES_ON: &str = " goes on in round ";

/// The runs of all Myses.
#[derive(Debug, Default)]
pub(super) struct RoutineChecker {
    of: BTreeMap<MysisId, Run>,
}

/// What is known of the newest run of a Mysis.
#[derive(Debug, Default)]
struct Run {
    /// The number of the routine's steps.
    steps: u32,
    is_over: bool,
    /// The last call.
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

/// A broken promise, and what was done.
pub(super) type Wrong = (Promise, String);

impl RoutineChecker {
    /// Checks a row that became durable. `has_executed` tells whether the game carried a call out.
    pub(super) fn on_row_stored(
        &mut self,
        mysis: MysisId,
        row: &Row,
        has_executed: impl Fn(CallKey) -> bool,
    ) -> Option<Wrong> {
        let run = self.of.entry(mysis).or_default();
        let wrong = if let RowBody::Call { calls, .. } = &row.body {
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
            run.hear(code, row.text(), has_executed)
        };
        let (promise, text) = wrong?;
        Some((promise, format!("a routine of {mysis}: {text}")))
    }
}

impl Run {
    /// Takes a new call of a step.
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
            let is_first = (1..=1 + MOST_LEFT_OUT).contains(&place.1) && place.0 == 1;
            let text = format!("it begins at {place:?}");
            return (!is_first).then_some((Promise::NotLost, text));
        };
        let text = format!("{place:?} follows {last:?} of {} steps", self.steps);
        match last.ended {
            // Nothing was done, so the same call is due.
            Some(CallStatus::NotExecuted) => {
                (place != last.place).then_some((Promise::NotLost, text))
            }
            Some(CallStatus::Done | CallStatus::Failed) => {
                if place == last.place {
                    return Some((Promise::NotTwice, text));
                }
                (!place.follows(last.place, self.steps)).then_some((Promise::NotLost, text))
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

    /// Takes a notice of the runtime.
    fn hear(
        &mut self,
        code: &str,
        text: &str,
        has_executed: impl Fn(CallKey) -> bool,
    ) -> Option<Wrong> {
        match code {
            "routine_started" => {
                let (before, _) = text.split_once(" steps")?;
                let steps = before.rsplit(' ').next()?.parse().ok()?;
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
    fn follows(self, last: Place, steps: u32) -> bool {
        let Place(round, step, made) = last;
        let repeats = self == Place(round, step, made + 1);
        let is_next = |from: u32| self.2 == 1 && (from..=from + MOST_LEFT_OUT).contains(&self.1);
        let goes_on = self.0 == round && is_next(step + 1);
        let begins_anew = self.0 == round + 1 && is_next(1) && step + MOST_LEFT_OUT >= steps;
        repeats || goes_on || begins_anew
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(id: &str) -> Place {
        Place::read(id).expect("a place")
    }

    #[test]
    fn steps_follow_one_another_and_none_is_left_out() {
        let follows = |last: &str, next: &str| place(next).follows(place(last), 8);
        for (last, next) in [
            ("r1.1.1", "r1.2.1"),
            ("r1.2.1", "r1.2.2"),
            ("r1.5.1", "r1.7.1"),
            ("r1.8.1", "r2.1.1"),
        ] {
            assert!(follows(last, next), "{next} after {last}");
        }
        for (last, next) in [
            ("r1.1.1", "r1.4.1"),
            ("r1.2.2", "r1.2.2"),
            ("r1.2.2", "r1.2.4"),
            ("r1.5.1", "r1.4.1"),
            ("r1.5.1", "r2.1.1"),
            ("r1.8.1", "r3.1.1"),
        ] {
            assert!(!follows(last, next), "{next} after {last}");
        }
        assert!(Place::read("look1.0").is_none());
    }
}
