//! What feeds the timeline, and what its keys and clicks do.

use actors::domain::ids::Seq;
use actors::domain::samples::Minute;
use actors::domain::screen::{StoreQuery, UiEffect};

use super::view;
use crate::dashboard::Dashboard;

impl Dashboard {
    /// Reads the samples of the open conversation if it is time.
    pub(in crate::dashboard) fn refresh_timeline(&mut self) {
        let moment = self.moment;
        let is_due = |focus: &&super::super::Focus| focus.timeline.is_due(moment);
        if self.focus.as_ref().filter(is_due).is_none() {
            return;
        }
        let id = self.next_read_id();
        if let Some(focus) = &mut self.focus {
            let mysis = focus.mysis();
            let query = focus
                .timeline
                .ask_for_samples(id, mysis, (self.now, moment));
            self.effects.push(UiEffect::Read {
                id,
                query: StoreQuery::Samples(query),
            });
        }
    }

    /// Goes to the next or the previous minute in which something was said or done.
    pub(in crate::dashboard) fn step_in_timeline(&mut self, is_later: bool) {
        if self.layout().timeline.height == 0 {
            return self.show_notice("the timeline needs a taller terminal");
        }
        let Some(focus) = &self.focus else {
            return;
        };
        match focus.timeline.beside(is_later) {
            Some(there) => self.go_to_minute(there),
            None if is_later => self.show_notice("that is the newest minute"),
            None => self.show_notice("the timeline has no earlier minute"),
        }
    }

    /// Goes to the minute in a column of the timeline, or to the last one before it.
    pub(in crate::dashboard) fn click_timeline(&mut self, column: u16) {
        let area = self.layout().timeline;
        let minute = view::minute_at(self.now, area, column);
        let there = self
            .focus
            .as_ref()
            .and_then(|focus| focus.timeline.upto(minute?));
        if let Some(there) = there {
            self.go_to_minute(there);
        }
    }

    fn go_to_minute(&mut self, (minute, seq): (Minute, Seq)) {
        if let Some(focus) = &mut self.focus {
            focus.timeline.cursor = Some(minute);
        }
        self.go_in_transcript(|transcript| transcript.go_to(seq));
    }
}
