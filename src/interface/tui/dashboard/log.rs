//! The log: the events and orders of the swarm, what the program tells this operator alone, and the errors
//! that stay visible until they are dismissed.

pub mod keys;
pub mod list;
pub mod looking;
pub mod message;

pub(crate) mod folding;
pub(crate) mod rows;
pub(crate) mod whole;

pub mod actions;
mod lines;
mod view;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event_record::{EventId, EventRecordKind};
use actors::domain::ids::{Moment, MysisId, Seq, Timestamp};
use actors::domain::message::{Row, RowBody};
use actors::domain::reading::{EVENT_PAGE, MAX_EVENTS};

use super::text::tone::Tone;
use message::LogMessage;

/// The most events that are kept while nobody looks at older ones.
const MAX_MESSAGES: usize = 2000;
const MAX_OWN_MESSAGES: usize = 200;
/// The most errors that stay visible. Older ones remain in the log.
const MAX_OPEN_ERRORS: usize = 20;
/// How long an error that answers the operator's own input stays visible.
const OWN_ERROR_SHOW_TIME: Duration = Duration::from_secs(60);

/// The notices after which an error is over, with the error's code.
const ENDS: [(&str, &str); 5] = [
    ("circuit_closed", OUT_OF_SERVICE),
    ("game_back", OUT_OF_SERVICE),
    ("reloaded", "reload_failed"),
    ("limits_renewed", "limits_lapsed"),
    ("leases_renewed", "leases_lapsed"),
];
/// The code of the error that a server serves no requests. Its text begins with the server.
const OUT_OF_SERVICE: &str = "out_of_service";

#[derive(Clone, Debug, Default)]
pub struct MessageLog {
    /// The events, oldest first.
    messages: VecDeque<Arc<LogMessage>>,
    /// What this operator was told, oldest first.
    own: VecDeque<Arc<LogMessage>>,
    status: Vec<OpenError>,
    /// When the newest notice came. A notice is a message that answers the operator's input.
    said_at: Moment,
    has_older: bool,
    /// Whether the operator looks at older events, so that they are kept.
    keeps_older: bool,
    /// Grows with every change of what the log shows.
    version: u64,
}

#[derive(Clone, Debug)]
struct OpenError {
    message: Arc<LogMessage>,
    since: Moment,
}

impl OpenError {
    fn is_over(&self, now: Moment) -> bool {
        self.message.kind.is_none() && now.since(self.since) >= OWN_ERROR_SHOW_TIME
    }
}

impl MessageLog {
    pub fn messages(&self) -> &VecDeque<Arc<LogMessage>> {
        &self.messages
    }

    pub fn own_messages(&self) -> &VecDeque<Arc<LogMessage>> {
        &self.own
    }

    /// The errors that are not dismissed, oldest first.
    pub fn open_errors(&self) -> impl DoubleEndedIterator<Item = &LogMessage> + ExactSizeIterator {
        self.status.iter().map(|open| &*open.message)
    }

    pub fn newest_notice(&self) -> Option<&LogMessage> {
        let own = self.own.iter().rev();
        own.map(|message| &**message).find(|own| own.is_notice())
    }

    pub fn notice_at(&self) -> Moment {
        self.said_at
    }

    pub fn has_older(&self) -> bool {
        self.has_older && self.messages.len() < MAX_EVENTS
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn oldest(&self) -> Option<EventId> {
        self.messages.front().map(|message| message.id)
    }

    /// Adds what the operator is told. An error stays visible for a while, or until it is dismissed.
    pub fn add_own(&mut self, mut message: LogMessage, now: Moment) {
        if message.is_notice() {
            self.said_at = now;
        }
        self.version += 1;
        // The line in hand is known by its id. Those of stored events are above zero.
        message.id = EventId(i64::MIN.saturating_add_unsigned(self.version));
        let message = Arc::new(message);
        if self.own.len() == MAX_OWN_MESSAGES {
            self.own.pop_front();
        }
        self.own.push_back(message.clone());
        if message.tone == Tone::Fault {
            self.show_error(message, now);
        }
    }

    /// Shows an error of the swarm until it is dismissed.
    pub fn raise_error(&mut self, at: Timestamp, code: &str, text: &str, now: Moment) {
        let message = LogMessage {
            kind: Some(EventRecordKind::Notice),
            ..LogMessage::own(at, Tone::Fault, code, text)
        };
        self.show_error(Arc::new(message), now);
    }

    fn show_error(&mut self, message: Arc<LogMessage>, now: Moment) {
        let same = |known: &OpenError| {
            known.message.code == message.code && known.message.text == message.text
        };
        self.status.retain(|known| !same(known));
        self.status.push(OpenError {
            message,
            since: now,
        });
        let surplus = self.status.len().saturating_sub(MAX_OPEN_ERRORS);
        self.status.drain(..surplus);
    }

    /// Adds an event. One that is known is skipped.
    pub fn add(&mut self, message: LogMessage) {
        // What is told twice was told lately.
        let newest = self.messages.iter().rev().take(MAX_MESSAGES);
        if newest.into_iter().any(|known| known.id == message.id) {
            return;
        }
        self.version += 1;
        let later = self.messages.iter().rev();
        let place = self.messages.len() - later.take_while(|known| known.at > message.at).count();
        self.messages.insert(place, Arc::new(message));
        self.keep_newest();
    }

    pub fn add_newest(&mut self, stored: Vec<LogMessage>) {
        self.has_older |= stored.len() >= EVENT_PAGE;
        self.add_stored(stored);
    }

    /// Adds a page of stored events before the oldest one here, oldest first.
    pub fn add_older(&mut self, stored: Vec<LogMessage>) {
        let (is_full, before) = (stored.len() >= EVENT_PAGE, self.messages.len());
        // A page without anything new would be read again and again.
        self.has_older = false;
        self.add_stored(stored);
        self.has_older |= is_full && self.messages.len() > before;
    }

    /// Known messages are skipped, but for the answers to them, which are news.
    fn add_stored(&mut self, stored: Vec<LogMessage>) {
        self.version += 1;
        let known: BTreeSet<EventId> = self.messages.iter().map(|known| known.id).collect();
        let mut all: Vec<Arc<LogMessage>> = Vec::new();
        for message in stored {
            if !known.contains(&message.id) {
                all.push(Arc::new(message));
            } else if let Some(answer) = message.answered {
                self.record_answer(message.id, answer);
            }
        }
        all.extend(self.messages.drain(..));
        // Stored messages may be newer than messages that came as events. The sort is stable.
        all.sort_by_key(|message| message.at);
        self.messages = all.into();
        self.keep_newest();
    }

    fn keep_newest(&mut self) {
        let most = match self.keeps_older {
            true => MAX_EVENTS,
            false => MAX_MESSAGES,
        };
        let surplus = self.messages.len().saturating_sub(most);
        self.messages.drain(..surplus);
        self.has_older |= surplus > 0;
    }

    pub fn keeps_older(&self) -> bool {
        self.keeps_older
    }

    pub fn keep_older(&mut self, keeps_older: bool) {
        self.keeps_older = keeps_older;
        if !keeps_older {
            self.version += 1;
            self.keep_newest();
        }
    }

    /// Whether a row that a Mysis stored answers messages.
    pub fn is_answered_by(&self, mysis: MysisId, row: &Row) -> bool {
        let is_reply = matches!(row.body, RowBody::Reply(_));
        is_reply && (self.messages.iter()).any(|message| message.is_answered_by(mysis, row))
    }

    /// Takes a row that a Mysis stored, which may be the answer to messages.
    pub fn on_row_stored(&mut self, mysis: MysisId, row: &Row) {
        for message in &mut self.messages {
            if message.is_answered_by(mysis, row) {
                self.version += 1;
                Arc::make_mut(message).answered = Some(row.seq);
            }
        }
    }

    fn record_answer(&mut self, id: EventId, answer: Seq) {
        let message = self.messages.iter_mut().rev().find(|known| known.id == id);
        if let Some(message) = message
            && message.answered.is_none()
        {
            Arc::make_mut(message).answered = Some(answer);
        }
    }

    /// Whether an error that answers the operator's own input is visible.
    pub fn shows_own_error(&self) -> bool {
        self.open_errors().any(|error| error.kind.is_none())
    }

    pub fn has_old_error(&self, now: Moment) -> bool {
        self.status.iter().any(|open| open.is_over(now))
    }

    pub fn drop_old_errors(&mut self, now: Moment) {
        self.status.retain(|open| !open.is_over(now));
    }

    /// Removes the errors that are over with this notice. A server that works ends its own alone.
    pub fn end_errors(&mut self, code: &str, text: &str) {
        let whom = text.split_once(" works again");
        let whom = whom.map(|(whom, _)| format!("{whom} "));
        self.status.retain(|open| {
            let LogMessage {
                code: error, text, ..
            } = &*open.message;
            let is_whom = whom.as_ref().is_none_or(|whom| text.starts_with(whom));
            !(is_whom && ENDS.contains(&(code, &**error)))
        });
    }

    /// Removes the errors that answered the operator's own input, which succeeded since.
    pub fn end_own_errors(&mut self) {
        self.status.retain(|open| open.message.kind.is_some());
    }

    /// Dismisses the newest error. Returns `false` if there is none.
    pub fn dismiss(&mut self) -> bool {
        self.status.pop().is_some()
    }

    pub fn dismiss_all(&mut self) {
        self.status.clear();
    }
}

#[cfg(test)]
mod tests;
