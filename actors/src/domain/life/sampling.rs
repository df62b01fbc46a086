//! Sampling: stores the samples of a Mysis with its other writes.

use crate::state::LifeState;
use crate::write::Write;

use super::record::WriteDraft;
use super::{Life, Mode};

impl Life {
    /// Whether it runs and cannot go on: it waits for admission, for the next attempt, or for the
    /// end of a pause.
    pub fn is_held_up(&self) -> bool {
        let activity = &self.doing.activity;
        let waits = activity.is_wait() || activity.question().is_some();
        waits && self.state() == LifeState::Running
    }

    /// Sets how long the swarm has been frozen since the start, in milliseconds.
    pub fn set_frozen_ms(&mut self, frozen_ms: u64) {
        self.frozen_ms = frozen_ms;
        self.samples.set_frozen_ms(frozen_ms);
    }

    pub fn set_frozen(&mut self, is_frozen: bool) {
        self.is_frozen = is_frozen;
    }

    pub(super) fn add_samples(&mut self, draft: &mut WriteDraft) {
        let mut writes = draft.writes.iter();
        // One that does not run may write nothing more: a late answer is its last row.
        let is_last = self.mode == Mode::Draining
            || self.state() != LifeState::Running
            || writes.any(|write| matches!(write, Write::State { .. }));
        let mysis = self.id;
        let hours = self.samples.take_unsaved(self.now.moment, is_last);
        let hours = hours.into_iter();
        draft
            .writes
            .extend(hours.map(|hour| Write::Samples { mysis, hour }));
    }

    /// Records all samples, because the program is closing.
    pub(super) fn record_last_samples(&mut self) {
        let mut draft = WriteDraft::default();
        self.add_samples(&mut draft);
        if !draft.writes.is_empty() {
            self.record_draft(draft);
        }
    }

    /// Records the samples of minutes that are over, if nothing else was recorded meanwhile. So a
    /// Mysis that waits has samples, too.
    pub(super) fn record_samples(&mut self) {
        if self.samples.has_unsaved_minute() && self.mode == Mode::Live {
            self.record_draft(WriteDraft::default());
        }
    }
}
