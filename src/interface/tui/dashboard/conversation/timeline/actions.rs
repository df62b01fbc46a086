//! What feeds the timeline, and what its keys and clicks do.

use actors::domain::ids::{Seq, Timestamp};
use actors::domain::samples::Minute;
use actors::domain::screen::StoreQuery;
use ratatui::layout::Rect;

use super::super::Focus;
use super::view;
use crate::dashboard::facts::Facts;
use crate::dashboard::outbox::Outbox;

impl Focus {
    /// Reads the samples of the conversation if it is time.
    pub(crate) fn refresh_timeline(&mut self, facts: &Facts, outbox: &mut Outbox) {
        if self.timeline.is_due(facts.moment) {
            let (id, mysis) = (outbox.next_read_id(), self.mysis());
            let times = (facts.now, facts.moment);
            let query = self.timeline.ask_for_samples(id, mysis, times);
            outbox.read_as(id, StoreQuery::Samples(query));
        }
    }

    /// Goes to the next or the previous minute in which something was said or done.
    pub(crate) fn step_in_timeline(&mut self, is_later: bool, outbox: &mut Outbox) {
        match self.timeline.beside(is_later) {
            Some(there) => self.go_to_minute(there, outbox),
            None if is_later => outbox.say("that is the newest minute"),
            None => outbox.say("the timeline has no earlier minute"),
        }
    }

    /// Goes to the minute in a column of the timeline, or to the last one before it.
    pub(crate) fn click_timeline(
        &mut self,
        now: Timestamp,
        (area, column): (Rect, u16),
        outbox: &mut Outbox,
    ) {
        let minute = view::minute_at(now, area, column);
        if let Some(there) = minute.and_then(|minute| self.timeline.upto(minute)) {
            self.go_to_minute(there, outbox);
        }
    }

    fn go_to_minute(&mut self, (minute, seq): (Minute, Seq), outbox: &mut Outbox) {
        self.timeline.cursor = Some(minute);
        self.move_in_transcript(outbox, |transcript| transcript.go_to(seq));
    }
}
