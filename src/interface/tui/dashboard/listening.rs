//! Takes the swarm's events.

use std::sync::Arc;

use actors::domain::event::{
    EventKind, MysisRef, MysisStatus, RosterChange, SwarmCondition, SwarmEvent,
};
use actors::domain::event_record::EventRecord;
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::message::{Row, RowBody, Severity};
use actors::domain::needs::NeedBook;
use actors::domain::rules::SwarmRules;
use actors::domain::screen::SwarmSnapshot;
use actors::domain::standing::StandingKind;
use zoea_text::redact::Redactor;

use super::Dashboard;
use super::conversation::Focus;
use super::inspector::Inspector;
use super::log::message::LogMessage;
use super::text::tone::Tone;

impl Dashboard {
    /// Takes the state of the whole swarm. Facts that it does not contain are dropped.
    pub fn restore(&mut self, snapshot: SwarmSnapshot) {
        Arc::make_mut(&mut self.roster).replace(&snapshot.statuses);
        Arc::make_mut(&mut self.need_book).replace(snapshot.statuses.iter(), self.now);
        self.mission = snapshot.mission;
        self.take_rules(snapshot.rules, snapshot.redactor);
        self.table.invalidate();
        self.forget_reads();
        self.close_gone_focus();
        self.reread_conversation();
    }

    /// Takes new rules and known secrets.
    pub fn take_rules(&mut self, rules: Arc<SwarmRules>, redactor: Arc<Redactor>) {
        self.rules = Some(rules);
        self.redactor = redactor;
        self.first_minute.invalidate();
    }

    /// Takes an event of the swarm.
    pub fn on_event(&mut self, event: &SwarmEvent) {
        if NeedBook::concerns(&event.what) {
            Arc::make_mut(&mut self.need_book).on_event(event);
        }
        let who = event.mysis.as_ref();
        match &event.what {
            EventKind::StatusChanged(status) => self.update_status(status),
            EventKind::Stored(row) => {
                if let Some(who) = who {
                    self.on_row_stored(who.id, row);
                }
            }
            EventKind::Roster(RosterChange::Deleted) => self.on_deleted(who),
            EventKind::Mission(mission) => self.mission.clone_from(mission),
            EventKind::Condition(condition) => self.on_condition(condition),
            EventKind::Notice {
                severity,
                code,
                text,
            } => self.on_notice(event.at, (*severity, code), text),
            EventKind::Shutdown => self.closing = Some(event.at),
            // The log has them as records.
            EventKind::Roster(_)
            | EventKind::StateChanged { .. }
            | EventKind::Turn(_)
            | EventKind::Learned(_) => {}
        }
    }

    fn on_condition(&mut self, condition: &SwarmCondition) {
        match condition {
            SwarmCondition::Budget(spending) => self.spending = spending.clone(),
            SwarmCondition::Outages(outages) => {
                self.outages = outages.clone();
                // Who waits for a server has another state now.
                self.table.invalidate_figures();
                self.unhide_what_is_over();
            }
            SwarmCondition::Silence(silence) => {
                self.silence.clone_from(silence);
                self.unhide_what_is_over();
            }
            SwarmCondition::Standing(standing) => self.standing = standing.clone(),
            SwarmCondition::Freeze(since) => self.on_freeze_changed(*since),
        }
    }

    fn update_status(&mut self, status: &Arc<MysisStatus>) {
        let before = self.roster.get(status.id);
        let was_elsewhere = before.is_some_and(|member| member.status.elsewhere.is_some());
        if Arc::make_mut(&mut self.roster).update_member(status) {
            self.table.invalidate();
        } else {
            self.table.invalidate_figures();
        }
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

    /// Takes a row that a Mysis stored just now.
    pub(super) fn on_row_stored(&mut self, mysis: MysisId, row: &Arc<Row>) {
        if let RowBody::Reply(utterance) = &row.body
            && !utterance.text.trim().is_empty()
        {
            Arc::make_mut(&mut self.roster).record_words(mysis, row.seq);
        }
        self.take_row(mysis, row);
    }

    pub(super) fn take_row(&mut self, mysis: MysisId, row: &Arc<Row>) {
        let may_concern_orders =
            row.utterance().is_some() || matches!(row.body, RowBody::Mission { .. });
        if may_concern_orders && !self.orders.receipts().is_empty() {
            Arc::make_mut(&mut self.orders).on_row_stored(mysis, row);
        }
        if let Some(focus) = self.focus_on(mysis) {
            focus.on_row_stored(row);
        }
        let preview = self.preview.as_mut();
        if let Some(preview) = preview.filter(|preview| preview.mysis() == mysis) {
            preview.transcript().on_row_stored(row);
        }
        if self.log.awaits(mysis) {
            Arc::make_mut(&mut self.log).on_row_stored(mysis, row);
        }
    }

    fn on_deleted(&mut self, who: Option<&MysisRef>) {
        if let Some(who) = who {
            Arc::make_mut(&mut self.roster).remove(who.id);
            self.table.invalidate();
            self.close_gone_focus();
        }
    }

    /// Takes what was just recorded of an event or an order.
    pub fn on_recorded(&mut self, record: &EventRecord) {
        Arc::make_mut(&mut self.log).add(LogMessage::of(record));
    }

    /// Takes the newest stored events, or the error of the store.
    pub fn on_past_events(&mut self, read: Result<Vec<EventRecord>, String>) {
        match read {
            Ok(records) => {
                let messages = records.iter().map(LogMessage::of).collect();
                Arc::make_mut(&mut self.log).add_newest(messages);
            }
            Err(why) => {
                let text = format!("what happened before cannot be read: {why}");
                self.notify_operator(Tone::Fault, "unreadable", &text);
            }
        }
    }

    /// A notice is in the log as a record. An error of the program stays visible besides, unless it is one
    /// that lasts, which the banner has. It goes when a notice says that it is over.
    fn on_notice(&mut self, at: Timestamp, (severity, code): (Severity, &'static str), text: &str) {
        Arc::make_mut(&mut self.log).end_errors(code, text);
        if severity == Severity::Error && StandingKind::of_code(code).is_none() {
            Arc::make_mut(&mut self.log).raise_error(at, code, text, self.moment);
        }
    }

    /// Tells this operator something.
    pub(super) fn notify_operator(&mut self, tone: Tone, code: &str, text: &str) {
        let message = LogMessage::own(self.now, tone, code, text);
        Arc::make_mut(&mut self.log).add_own(message, self.moment);
    }

    fn focus_on(&mut self, id: MysisId) -> Option<&mut Focus> {
        self.focus.as_mut().filter(|focus| focus.mysis() == id)
    }

    /// Closes the conversation of a Mysis that no longer exists.
    fn close_gone_focus(&mut self) {
        let Some(mysis) = self.focus.as_ref().map(Focus::mysis) else {
            return;
        };
        if self.roster.get(mysis).is_none() && !self.return_to_list() {
            self.focus = None;
            self.close_view::<Inspector>();
        }
    }
}
