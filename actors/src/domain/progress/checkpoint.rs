//! Checkpoints: the part of the state that is stored, so that a restart continues counting.
//!
//! A checkpoint contains wall-clock times and the time when it was written. Only the differences
//! count. Time in which no process ran does not count, whatever the wall clock says.

use std::time::Duration;

use serde_json::{Value, json};

use crate::ids::{Moment, Now, Seq, Timestamp};

use super::call_pattern::{CallPattern, RecurringFailure};
use super::outcome::{MAX_STATES, Outcomes};
use super::stall_window::StallWindow;
use super::{CHECKPOINT_EVERY_TURNS, EscalationStep, StallDetector};

/// The most places in a checkpoint; the newest are kept.
const MAX_STORED_PLACES: usize = 16;

impl StallDetector {
    pub fn due_checkpoint(&mut self, now: Now) -> Option<String> {
        if !self.is_urgent && self.unsaved < CHECKPOINT_EVERY_TURNS {
            return None;
        }
        self.is_urgent = false;
        self.unsaved = 0;
        Some(self.checkpoint(now))
    }

    pub(super) fn checkpoint(&self, now: Now) -> String {
        let wall = |moment: Moment| now.wall_at(moment).0;
        let (since, counts, calls) = self.stall_window.counts();
        let outcomes = &self.outcomes;
        let places = outcomes.places.len().saturating_sub(MAX_STORED_PLACES);
        let places: Vec<u32> = outcomes.places.iter().skip(places).copied().collect();
        let recurring_failures = self
            .call_pattern
            .recurring_failures()
            .iter()
            .map(|ailment| {
                json!([
                    &*ailment.tool,
                    &*ailment.code,
                    ailment.times,
                    wall(ailment.first),
                    wall(ailment.last)
                ])
            });
        let step = EscalationStep::ALL
            .iter()
            .position(|step| *step == self.step);
        json!({
            "rung": step,
            "at": now.wall.0,
            "taken": [self.taken.0, wall(self.taken.1)],
            "afresh": self.afresh.0,
            "since": since.map_or(0, wall),
            "counts": counts,
            "calls": [calls.0, calls.1],
            "credits": outcomes.credits,
            "cargo": outcomes.cargo,
            "skills": outcomes.skills,
            "explored": outcomes.explored,
            "missions": outcomes.missions,
            "ship": outcomes.ship,
            "places": places,
            "place": outcomes.place.as_deref(),
            "unjudged": [self.unjudged, u32::from(self.is_unjudged_told)],
            "ailments": recurring_failures.collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// Restores the state from a checkpoint. An unreadable one gives an empty state.
    #[must_use]
    pub fn restore(memo: &str, now: Now) -> StallDetector {
        let Ok(memo) = serde_json::from_str::<Value>(memo) else {
            return StallDetector::default();
        };
        let whole = |value: &Value| value.as_i64().unwrap_or_default();
        let small = |value: &Value| u32::try_from(whole(value)).unwrap_or_default();
        let large = |value: &Value| u64::try_from(whole(value)).unwrap_or_default();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let marked = |value: &Value| value.as_u64().and_then(|mark| u32::try_from(mark).ok());
        let marks = |value: &Value| list(value).iter().filter_map(marked).collect::<Vec<_>>();
        let states = |value: &Value| marks(value).into_iter().take(MAX_STATES).collect();
        let written = Timestamp(whole(&memo["at"]));
        let moment = |value: &Value| {
            let seen = written.since(Timestamp(whole(value)));
            now.moment.minus(Duration::from_millis(seen))
        };
        let since = (whole(&memo["since"]) != 0).then(|| moment(&memo["since"]));
        let step = usize::try_from(whole(&memo["rung"])).unwrap_or_default();
        let counts = [0, 1, 2, 3].map(|place| small(&memo["counts"][place]));
        let calls = (large(&memo["calls"][0]), large(&memo["calls"][1]));
        let recurring_failures =
            list(&memo["ailments"])
                .into_iter()
                .map(|ailment| RecurringFailure {
                    tool: ailment[0].as_str().unwrap_or_default().into(),
                    code: ailment[1].as_str().unwrap_or_default().into(),
                    times: small(&ailment[2]),
                    first: moment(&ailment[3]),
                    last: moment(&ailment[4]),
                });
        StallDetector {
            outcomes: Outcomes {
                credits: memo["credits"].as_i64(),
                cargo: memo["cargo"].as_i64(),
                skills: memo["skills"].as_i64(),
                explored: memo["explored"].as_i64(),
                missions: states(&memo["missions"]),
                ship: states(&memo["ship"]),
                places: list(&memo["places"]).iter().filter_map(marked).collect(),
                place: memo["place"].as_str().map(Into::into),
                ..Outcomes::default()
            },
            call_pattern: CallPattern::restore(recurring_failures.collect()),
            stall_window: StallWindow::restore(since, counts, calls),
            step: EscalationStep::ALL.get(step).copied().unwrap_or_default(),
            taken: (small(&memo["taken"][0]), moment(&memo["taken"][1])),
            afresh: Seq(whole(&memo["afresh"])),
            unjudged: small(&memo["unjudged"][0]),
            is_unjudged_told: small(&memo["unjudged"][1]) > 0,
            ..StallDetector::default()
        }
    }
}
