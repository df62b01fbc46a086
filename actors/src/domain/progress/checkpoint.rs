//! Checkpoints: the part of the state that is stored, so that a restart continues counting.
//!
//! A checkpoint contains wall-clock times and the time when it was written. Only the differences
//! count. Time in which no process ran does not count, whatever the wall clock says.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::ids::{Moment, Now, Seq, Timestamp};

use super::call_pattern::{CallPattern, RecurringFailure};
use super::outcome::{MAX_STATES, Outcomes};
use super::stall_window::StallWindow;
use super::{CHECKPOINT_EVERY_TURNS, EscalationStep, StallDetector};

/// The most places in a checkpoint; the newest are kept.
const MAX_STORED_PLACES: usize = 16;

/// The checkpoint as it is stored. What a build of before did not write has its default.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct CheckpointForm {
    /// The step of escalation, by its place.
    rung: usize,
    at: Timestamp,
    taken: (u32, Timestamp),
    afresh: Seq,
    /// When the window began; 0 if it did not.
    since: Timestamp,
    counts: [u32; 4],
    calls: (u64, u64),
    #[serde(flatten)]
    outcomes: Outcomes,
    /// How many were not judged, and whether that was told.
    unjudged: (u32, u32),
    ailments: Vec<FailureForm>,
}

/// The tool, the code, how often, the first time, and the last one.
type FailureForm = (Arc<str>, Arc<str>, u32, Timestamp, Timestamp);

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
        let wall = |moment: Moment| now.wall_at(moment);
        let (window, outcomes) = (&self.stall_window, &self.outcomes);
        let failures = self.call_pattern.recurring_failures.iter();
        let failures = failures.map(|of| {
            let (tool, code) = (of.tool.clone(), of.code.clone());
            (tool, code, of.times, wall(of.first), wall(of.last))
        });
        let form = CheckpointForm {
            rung: self.step as usize,
            at: now.wall,
            taken: (self.taken.0, wall(self.taken.1)),
            afresh: self.afresh,
            since: window.since.map_or(Timestamp(0), wall),
            counts: [window.turns, window.all_turns, window.quiet, window.failing],
            calls: window.calls,
            outcomes: Outcomes {
                places: newest(&outcomes.places, MAX_STORED_PLACES),
                ..outcomes.clone()
            },
            unjudged: (self.unjudged, u32::from(self.is_unjudged_reported)),
            ailments: failures.collect(),
        };
        let text = serde_json::to_string(&form);
        debug_assert!(text.is_ok(), "every member has a form in JSON");
        text.unwrap_or_default()
    }

    /// Restores the state from a checkpoint. One that is not understood gives an empty state, which counts anew.
    pub fn restore(memo: &str, now: Now) -> StallDetector {
        let Ok(form) = serde_json::from_str::<CheckpointForm>(memo) else {
            return StallDetector::default();
        };
        let moment = |at: Timestamp| {
            let seen = form.at.since(at);
            now.moment.minus(Duration::from_millis(seen))
        };
        let failures = form.ailments.into_iter();
        let failures = failures.map(|(tool, code, times, first, last)| RecurringFailure {
            tool,
            code,
            times,
            first: moment(first),
            last: moment(last),
        });
        let since = (form.since != Timestamp(0)).then(|| moment(form.since));
        let [turns, all_turns, quiet, failing] = form.counts;
        let step = EscalationStep::VARIANTS.get(form.rung);
        StallDetector {
            outcomes: Outcomes {
                missions: newest(&form.outcomes.missions, MAX_STATES),
                ship: newest(&form.outcomes.ship, MAX_STATES),
                places: newest(&form.outcomes.places, MAX_STORED_PLACES),
                ..form.outcomes
            },
            call_pattern: CallPattern::restore(failures.collect()),
            stall_window: StallWindow {
                since,
                turns,
                all_turns,
                quiet,
                failing,
                calls: form.calls,
                ..StallWindow::default()
            },
            step: step.copied().unwrap_or_default(),
            taken: (form.taken.0, moment(form.taken.1)),
            afresh: form.afresh,
            unjudged: form.unjudged.0,
            is_unjudged_reported: form.unjudged.1 > 0,
            ..StallDetector::default()
        }
    }
}

fn newest(marks: &VecDeque<u32>, most: usize) -> VecDeque<u32> {
    let older = marks.len().saturating_sub(most);
    marks.iter().skip(older).copied().collect()
}
