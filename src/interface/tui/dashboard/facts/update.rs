//! What events change in the facts.

use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::event::{EventKind, RosterChange, SwarmCondition, SwarmEvent};
use actors::domain::event_record::EventRecord;
use actors::domain::ids::{MysisId, Now, Timestamp};
use actors::domain::message::{Row, RowBody, Severity};
use actors::domain::needs::{ListedNeed, NeedBook};
use actors::domain::rules::SwarmRules;
use actors::domain::screen::SwarmSnapshot;
use actors::domain::standing::StandingKind;
use zoea_text::redact::Redactor;

use super::Facts;
use crate::dashboard::log::message::LogMessage;
use crate::dashboard::money::money_of;
use crate::dashboard::servers::server_lights;
use crate::dashboard::text::tone::Tone;

impl Facts {
    pub(crate) fn tick(&mut self, now: Now) {
        (self.now, self.moment) = (now.wall, now.moment);
        if self.log.has_old_error(self.moment) {
            Arc::make_mut(&mut self.log).drop_old_errors(self.moment);
        }
    }

    /// Takes the state of the whole swarm. Facts that it does not contain are dropped.
    pub(crate) fn restore(&mut self, snapshot: SwarmSnapshot) {
        Arc::make_mut(&mut self.roster).replace(&snapshot.statuses);
        Arc::make_mut(&mut self.need_book).replace(snapshot.statuses.iter(), self.now);
        self.mission = snapshot.mission;
        self.take_rules(snapshot.rules, snapshot.redactor);
    }

    pub(crate) fn take_rules(&mut self, rules: Arc<SwarmRules>, redactor: Arc<Redactor>) {
        (self.rules, self.redactor) = (Some(rules), redactor);
    }

    /// Takes an event of the swarm. Returns whether a Mysis came, went or has another name.
    pub(crate) fn on_event(&mut self, event: &SwarmEvent) -> bool {
        if NeedBook::concerns(&event.what) {
            Arc::make_mut(&mut self.need_book).on_event(event);
        }
        let who = event.mysis.as_ref();
        match &event.what {
            EventKind::StatusChanged(status) => {
                return Arc::make_mut(&mut self.roster).update_member(status);
            }
            EventKind::Roster(RosterChange::Deleted) => {
                if let Some(who) = who {
                    Arc::make_mut(&mut self.roster).remove(who.id);
                }
                return who.is_some();
            }
            EventKind::Mission(mission) => self.mission.clone_from(mission),
            EventKind::Condition(condition) => self.on_condition(condition),
            EventKind::Notice {
                severity,
                code,
                text,
            } => self.on_notice(event.at, (*severity, code), text),
            EventKind::Shutdown => self.closing_since = Some(event.at),
            // The log has most of them as records, and rows go to conversations, too.
            EventKind::Stored(_)
            | EventKind::Roster(_)
            | EventKind::StateChanged { .. }
            | EventKind::Turn(_)
            | EventKind::Learned(_) => {}
        }
        false
    }

    fn on_condition(&mut self, condition: &SwarmCondition) {
        match condition {
            SwarmCondition::Budget(spending) => self.spending = spending.clone(),
            SwarmCondition::Outages(outages) => self.outages = outages.clone(),
            SwarmCondition::Silence(silence) => self.silence.clone_from(silence),
            SwarmCondition::Standing(standing) => self.standing = standing.clone(),
            SwarmCondition::Freeze(since) => self.frozen_since = *since,
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

    pub(crate) fn note_words(&mut self, mysis: MysisId, row: &Row) {
        if let RowBody::Reply(utterance) = &row.body
            && !utterance.text.trim().is_empty()
        {
            Arc::make_mut(&mut self.roster).record_words(mysis, row.seq);
        }
    }

    pub(crate) fn take_row(&mut self, mysis: MysisId, row: &Arc<Row>) {
        let may_concern_orders =
            row.utterance().is_some() || matches!(row.body, RowBody::Mission { .. });
        if may_concern_orders && !self.orders.receipts().is_empty() {
            Arc::make_mut(&mut self.orders).on_row_stored(mysis, row);
        }
        if self.log.is_answered_by(mysis, row) {
            Arc::make_mut(&mut self.log).on_row_stored(mysis, row);
        }
    }

    pub(crate) fn take_newest(&mut self, records: &[EventRecord]) {
        let messages = records.iter().map(LogMessage::of).collect();
        Arc::make_mut(&mut self.log).add_newest(messages);
    }

    pub(crate) fn take_older(&mut self, records: &[EventRecord]) {
        let messages = records.iter().map(LogMessage::of).collect();
        Arc::make_mut(&mut self.log).add_older(messages);
    }

    pub(crate) fn notify(&mut self, tone: Tone, code: &str, text: &str) {
        let message = LogMessage::own(self.now, tone, code, text);
        Arc::make_mut(&mut self.log).add_own(message, self.moment);
    }

    /// Brings up to date what is summed up for a picture. Returns who needs the operator and did not before.
    pub(crate) fn sum_up(&mut self) -> String {
        self.counts = self.roster.counts();
        (self.token_rate).take_total(self.roster.tokens_used(), self.moment);
        (self.turn_rate).take_total(self.roster.turns_made(), self.moment);
        self.money = money_of(self.roster.members().values(), self.now);
        let servers = server_lights(&self.roster, &self.outages);
        if *self.servers != servers {
            self.servers = Arc::new(servers);
        }
        self.list_needs()
    }

    fn list_needs(&mut self) -> String {
        let needs = self.need_book.list(self.now);
        if *self.needs != needs {
            self.needs = Arc::new(needs);
        }
        let needed: BTreeSet<MysisId> = self.needing_myses().collect();
        if self.needed.as_deref() == Some(&needed) {
            return String::new();
        }
        let before = self.needed.take();
        let is_new = |need: &&ListedNeed| {
            let known = before.as_deref();
            let mut myses = need.myses.iter();
            known.is_some_and(|known| myses.any(|mysis| !known.contains(&mysis.id)))
        };
        let newly = self.needs.iter().filter(is_new);
        let newly: Vec<String> = newly.map(ListedNeed::whose).collect();
        // Before the first snapshot of the swarm no need is new.
        self.needed = self.rules.is_some().then(|| Arc::new(needed));
        newly.join(", ")
    }
}
