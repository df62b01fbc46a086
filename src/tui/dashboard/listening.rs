//! Takes the swarm's events.

use std::sync::Arc;

use actors::domain::event::{EventKind, MysisRef, MysisStatus, SwarmEvent};
use actors::domain::event_record::{EventRecord, EventRecordKind, describe_change};
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::message::{Row, RowBody, Severity};
use actors::domain::rules::SwarmRules;
use actors::domain::screen::SwarmSnapshot;
use actors::domain::state::LifeState;
use zoea_text::redact::Redactor;

use super::Dashboard;
use super::conversation::Focus;
use super::log::LogMessage;
use super::overlay::Overlay;
use super::text::tone::Tone;

impl Dashboard {
    /// Takes the state of the whole swarm. Facts that it does not contain are dropped.
    pub fn restore(&mut self, snapshot: SwarmSnapshot) {
        Arc::make_mut(&mut self.roster).replace(&snapshot.statuses);
        self.mission = snapshot.mission;
        self.take_rules(snapshot.rules, snapshot.redactor);
        self.table.invalidate();
        if let Some(focus) = &mut self.focus {
            focus.transcript.invalidate_end();
        }
        if let Some(graphs) = self.overlays.iter_mut().find_map(Overlay::graphs) {
            graphs.forget_read();
        }
        self.close_gone_focus();
    }

    /// Takes new rules and known secrets.
    pub fn take_rules(&mut self, rules: Arc<SwarmRules>, redactor: Arc<Redactor>) {
        self.rules = Some(rules);
        self.redactor = redactor;
        self.first_minute.invalidate();
    }

    /// Takes an event of the swarm.
    pub fn on_event(&mut self, event: &SwarmEvent) {
        let who = event.mysis.as_ref();
        match &event.what {
            EventKind::StatusChanged(status) => self.update_status(status),
            EventKind::Stored(row) => {
                if let Some(who) = who {
                    self.on_row_stored(who, row);
                }
            }
            EventKind::Created => {
                self.log_message(event.at, Tone::Text, who, "created", "was created")
            }
            EventKind::Deleted => self.on_deleted(event.at, who),
            EventKind::StateChanged { from, to, reason } => {
                self.on_state_change(event.at, who, (*from, *to), reason.as_deref());
            }
            EventKind::Mission(mission) => self.mission.clone_from(mission),
            EventKind::BudgetChanged(spending) => self.spending = spending.clone(),
            EventKind::OutagesChanged(outages) => {
                self.outages = outages.clone();
                // Who waits for a server has another state now.
                self.table.invalidate_figures();
            }
            EventKind::SilenceChanged(silence) => self.silence.clone_from(silence),
            EventKind::FreezeChanged(since) => self.on_freeze_changed(*since),
            EventKind::Notice {
                severity,
                code,
                text,
            } => self.on_notice(event.at, who, (*severity, code), text),
            EventKind::Shutdown => self.closing = Some(event.at),
            EventKind::TurnStarted { .. }
            | EventKind::TurnEnded { .. }
            | EventKind::ModelReplied { .. }
            | EventKind::ToolCalled { .. }
            | EventKind::ToolReturned { .. }
            | EventKind::Learned(_) => {}
        }
    }

    fn update_status(&mut self, status: &Arc<MysisStatus>) {
        if Arc::make_mut(&mut self.roster).update_member(status) {
            self.table.invalidate();
        } else {
            self.table.invalidate_figures();
        }
        if let Some(focus) = self.focus_on(status.id) {
            focus.transcript.rename(&status.name);
        }
    }

    fn on_row_stored(&mut self, who: &MysisRef, row: &Arc<Row>) {
        if let RowBody::Reply(utterance) = &row.body
            && !utterance.text.trim().is_empty()
        {
            Arc::make_mut(&mut self.roster).record_words(who.id, row.seq);
        }
        let may_concern_orders =
            row.utterance().is_some() || matches!(row.body, RowBody::Mission { .. });
        if may_concern_orders && !self.orders.receipts().is_empty() {
            Arc::make_mut(&mut self.orders).on_row_stored(who.id, row);
        }
        if let Some(focus) = self.focus_on(who.id) {
            focus.on_row_stored(row);
        }
        if let RowBody::Host { text, meta } = &row.body {
            let tone = match meta.severity {
                Severity::Info => return,
                Severity::Warn => Tone::Warning,
                Severity::Error => Tone::Errored,
            };
            self.log_message(row.at, tone, Some(who), "host", text);
        }
    }

    fn on_deleted(&mut self, at: Timestamp, who: Option<&MysisRef>) {
        self.log_message(at, Tone::Text, who, "deleted", "was deleted");
        if let Some(who) = who {
            Arc::make_mut(&mut self.roster).remove(who.id);
            self.table.invalidate();
            self.close_gone_focus();
        }
    }

    fn on_state_change(
        &mut self,
        at: Timestamp,
        who: Option<&MysisRef>,
        (from, to): (LifeState, LifeState),
        reason: Option<&str>,
    ) {
        let tone = tone_of(to);
        let text = describe_change(from, to, reason);
        self.log_message(at, tone, who, "state", &text);
    }

    fn on_notice(
        &mut self,
        at: Timestamp,
        who: Option<&MysisRef>,
        (severity, code): (Severity, &'static str),
        text: &str,
    ) {
        let tone = match severity {
            Severity::Info => Tone::Text,
            Severity::Warn => Tone::Warning,
            Severity::Error => Tone::Fault,
        };
        if matches!(code, "store_healed" | "store_restarted") {
            Arc::make_mut(&mut self.log).resolve("store_trouble");
        }
        self.log_message(at, tone, who, code, text);
    }

    /// Takes stored events from before the terminal was there.
    pub fn take_past_events(&mut self, records: &[EventRecord]) {
        let messages = records.iter().map(message_of).collect();
        Arc::make_mut(&mut self.log).add_past(messages);
    }

    /// Adds a message to the log.
    pub(super) fn log_message(
        &mut self,
        at: Timestamp,
        tone: Tone,
        who: Option<&MysisRef>,
        code: &'static str,
        text: &str,
    ) {
        let who = who.map(|who| who.name.clone()).unwrap_or_default();
        let message = LogMessage::new(at, tone, &who, code, text);
        Arc::make_mut(&mut self.log).add(message, self.moment);
    }

    fn focus_on(&mut self, id: MysisId) -> Option<&mut Focus> {
        self.focus.as_mut().filter(|focus| focus.mysis() == id)
    }

    /// Closes the conversation of a Mysis that no longer exists.
    fn close_gone_focus(&mut self) {
        let Some(mysis) = self.focus.as_ref().map(Focus::mysis) else {
            return;
        };
        if self.roster.get(mysis).is_none() {
            self.focus = None;
            self.overlays
                .retain(|layer| !matches!(layer, Overlay::Inspect(_)));
        }
    }
}

fn tone_of(state: LifeState) -> Tone {
    match state {
        LifeState::Running => Tone::Running,
        LifeState::Idle => Tone::Idle,
        LifeState::Stopped => Tone::Stopped,
        LifeState::Errored => Tone::Errored,
    }
}

/// A stored event as the log shows it, with the same words as when it happened.
fn message_of(record: &EventRecord) -> LogMessage {
    let (code, tone) = match record.kind {
        EventRecordKind::State => ("state", LifeState::parse(&record.code).map(tone_of)),
        EventRecordKind::Notice if record.mysis.is_some() => ("host", None),
        EventRecordKind::Notice => ("notice", None),
        EventRecordKind::Need => ("need", None),
        EventRecordKind::Order => ("order", None),
    };
    let tone = tone.unwrap_or(match record.severity {
        Severity::Info => Tone::Text,
        Severity::Warn => Tone::Warning,
        Severity::Error => Tone::Errored,
    });
    let who = record.mysis.as_ref().map(|who| who.name.clone());
    let who = who.unwrap_or_default();
    let text = match record.source {
        Some(source) => format!("{} (by {source})", record.text),
        None => record.text.to_string(),
    };
    LogMessage::new(record.at, tone, &who, code, &text)
}
