//! Passes the swarm's events on: to the facts, and to the views that keep something of them.

use std::sync::Arc;

use actors::domain::event::{EventKind, MysisStatus, RosterChange, SwarmCondition, SwarmEvent};
use actors::domain::event_record::EventRecord;
use actors::domain::ids::MysisId;
use actors::domain::message::Row;
use actors::domain::rules::SwarmRules;
use actors::domain::screen::SwarmSnapshot;
use zoea_text::redact::Redactor;

use super::Dashboard;
use super::conversation::Focus;
use super::inspector::Inspector;
use super::log::message::LogMessage;
use super::overlay::query::QueryScope;
use super::text::tone::Tone;

impl Dashboard {
    pub fn restore(&mut self, snapshot: SwarmSnapshot) {
        self.facts.restore(snapshot);
        self.first_minute.invalidate();
        self.table.invalidate();
        self.forget_reads();
        self.close_gone_focus();
        self.reread_conversation();
    }

    pub fn take_rules(&mut self, rules: Arc<SwarmRules>, redactor: Arc<Redactor>) {
        self.facts.take_rules(rules, redactor);
        self.first_minute.invalidate();
    }

    pub fn on_event(&mut self, event: &SwarmEvent) {
        let who = event.mysis.as_ref().map(|who| who.id);
        let member = who.and_then(|who| self.facts.roster.get(who));
        let was_elsewhere = member.is_some_and(|member| member.status.elsewhere.is_some());
        let frozen = self.facts.frozen_since;
        if self.facts.on_event(event) {
            self.table.invalidate();
        }
        match &event.what {
            EventKind::StatusChanged(status) => self.on_status(status, was_elsewhere),
            EventKind::Stored(row) => {
                if let Some(who) = who {
                    self.on_row_stored(who, row);
                }
            }
            EventKind::Roster(RosterChange::Deleted) => self.close_gone_focus(),
            EventKind::Condition(SwarmCondition::Outages(_)) => {
                // Who waits for a server has another state now.
                self.table.invalidate_figures();
                self.banner.unhide_what_is_over(&self.facts);
            }
            EventKind::Condition(SwarmCondition::Silence(_)) => {
                self.banner.unhide_what_is_over(&self.facts);
            }
            EventKind::Condition(SwarmCondition::Freeze(since)) if frozen != *since => {
                self.layers.close_question_of_thaw();
            }
            EventKind::Condition(_)
            | EventKind::Mission(_)
            | EventKind::Notice { .. }
            | EventKind::Shutdown
            | EventKind::Roster(_)
            | EventKind::StateChanged { .. }
            | EventKind::Turn(_)
            | EventKind::Learned(_) => {}
        }
    }

    fn on_status(&mut self, status: &Arc<MysisStatus>, was_elsewhere: bool) {
        self.table.invalidate_figures();
        if let Some(focus) = self.focus_on(status.id) {
            focus.transcript.rename(&status.name);
            match (was_elsewhere, &status.elsewhere) {
                (_, Some(_)) => focus.following.note_change(),
                // What its process stored last was not told here.
                (true, None) => self.reread_conversation(),
                (false, None) => {}
            }
        }
    }

    pub(super) fn on_row_stored(&mut self, mysis: MysisId, row: &Arc<Row>) {
        self.facts.note_words(mysis, row);
        self.take_row(mysis, row);
    }

    pub(super) fn take_row(&mut self, mysis: MysisId, row: &Arc<Row>) {
        self.facts.take_row(mysis, row);
        if let Some(focus) = self.focus_on(mysis) {
            focus.on_row_stored(row);
        }
        let preview = self.preview.as_mut();
        if let Some(preview) = preview.filter(|preview| preview.mysis() == mysis) {
            preview.transcript().on_row_stored(row);
        }
    }

    pub fn on_recorded(&mut self, record: &EventRecord) {
        Arc::make_mut(&mut self.facts.log).add(LogMessage::of(record));
    }

    /// Takes the newest stored events, or the error of the store.
    pub fn on_past_events(&mut self, read: Result<Vec<EventRecord>, String>) {
        match read {
            Ok(records) => self.facts.take_newest(&records),
            Err(why) => {
                let text = format!("what happened before cannot be read: {why}");
                self.facts.notify(Tone::Fault, "unreadable", &text);
            }
        }
    }

    fn focus_on(&mut self, id: MysisId) -> Option<&mut Focus> {
        self.focus.as_mut().filter(|focus| focus.mysis() == id)
    }

    /// Closes the conversation of a Mysis that no longer exists.
    fn close_gone_focus(&mut self) {
        let Some(mysis) = self.focus.as_ref().map(Focus::mysis) else {
            return;
        };
        if self.facts.roster.get(mysis).is_some() {
            return;
        }
        self.layers.remove_view::<Inspector>();
        // A line of the inspector would be taken by another view.
        self.layers.remove_lines(QueryScope::Entry);
        // What is being written stays on top, so that its next letters are no keys.
        let open = std::mem::take(&mut self.layers);
        if self.return_to_list() {
            self.layers.all.extend(open.all);
        } else {
            (self.focus, self.layers) = (None, open);
        }
    }

    /// Reads the end of the open conversation anew, because rows may have been stored unnoticed.
    fn reread_conversation(&mut self) {
        if let Some(focus) = &mut self.focus {
            focus.read_anew(&mut self.outbox);
        }
    }

    /// Lets the views ask again for what they wait for, because the answers may be lost.
    pub(super) fn forget_reads(&mut self) {
        if let Some(preview) = &mut self.preview {
            preview.forget_read();
        }
        self.layers.forget_reads();
    }
}
