//! The message log, and the errors that stay visible until they are dismissed.

pub(crate) mod view;

use std::collections::VecDeque;
use std::sync::Arc;

use actors::domain::ids::{Moment, Timestamp};

use super::text::tone::Tone;
use zoea_text::clean::one_line;

/// The most messages that are kept.
const MAX_MESSAGES: usize = 2000;
/// The most errors that stay visible. Older ones remain in the log.
const MAX_OPEN_ERRORS: usize = 20;

/// The recent messages.
#[derive(Clone, Debug, Default)]
pub struct MessageLog {
    messages: VecDeque<Arc<LogMessage>>,
    status: Vec<Arc<LogMessage>>,
    /// When the newest notice came. A notice is a message that answers the operator's input.
    said_at: Moment,
}

/// A message to the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMessage {
    /// When it happened.
    pub at: Timestamp,
    /// Its meaning, which decides its colour.
    pub tone: Tone,
    /// The Mysis that it is about; empty for the swarm.
    pub who: Arc<str>,
    /// A short stable word for its kind.
    pub code: &'static str,
    /// One line of text.
    pub text: Box<str>,
}

impl LogMessage {
    /// A message. Its text is cleaned and joined into one line.
    #[must_use]
    pub fn new(at: Timestamp, tone: Tone, who: &Arc<str>, code: &'static str, text: &str) -> Self {
        LogMessage {
            at,
            tone,
            who: who.clone(),
            code,
            text: one_line(text).into(),
        }
    }
}

impl LogMessage {
    /// Whether the message is a notice: it only answers the operator's input.
    #[must_use]
    pub fn is_notice(&self) -> bool {
        matches!(self.code, "said" | "screen")
    }
}

impl MessageLog {
    /// The messages, oldest first.
    #[must_use]
    pub fn messages(&self) -> &VecDeque<Arc<LogMessage>> {
        &self.messages
    }

    /// The errors that are not dismissed, oldest first.
    #[must_use]
    pub fn open_errors(&self) -> &[Arc<LogMessage>] {
        &self.status
    }

    /// The newest notice.
    #[must_use]
    pub fn newest_notice(&self) -> Option<&LogMessage> {
        let is_said = |message: &&Arc<LogMessage>| message.is_notice();
        self.messages
            .iter()
            .rev()
            .take(50)
            .find(is_said)
            .map(|message| &**message)
    }

    /// When the newest notice came.
    #[must_use]
    pub fn notice_at(&self) -> Moment {
        self.said_at
    }

    /// Adds a new message. An error stays visible until it is dismissed or resolved.
    pub fn add(&mut self, message: LogMessage, now: Moment) {
        if message.is_notice() {
            self.said_at = now;
        }
        let message = Arc::new(message);
        if self.messages.len() == MAX_MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back(message.clone());
        if message.tone != Tone::Fault {
            return;
        }
        let same =
            |known: &Arc<LogMessage>| known.code == message.code && known.text == message.text;
        self.status.retain(|known| !same(known));
        self.status.push(message);
        let surplus = self.status.len().saturating_sub(MAX_OPEN_ERRORS);
        self.status.drain(..surplus);
    }

    /// Adds earlier messages, oldest first. Known ones are skipped, and their errors do not stay
    /// visible.
    pub fn add_past(&mut self, past: Vec<LogMessage>) {
        let is_known = |message: &LogMessage| {
            let mut known = self.messages.iter();
            known.any(|known| {
                (known.at, &known.who, &known.text) == (message.at, &message.who, &message.text)
            })
        };
        let mut past: Vec<LogMessage> = past.into_iter().filter(|new| !is_known(new)).collect();
        let room = MAX_MESSAGES.saturating_sub(self.messages.len());
        past.drain(..past.len().saturating_sub(room));
        for message in past.into_iter().rev() {
            self.messages.push_front(Arc::new(message));
        }
        // Stored messages may be newer than messages that came as events.
        self.messages
            .make_contiguous()
            .sort_by_key(|message| message.at);
    }

    /// Removes the visible errors of a kind whose cause is gone.
    pub fn resolve(&mut self, code: &'static str) {
        self.status.retain(|message| message.code != code);
    }

    /// Dismisses the newest error. Returns `false` if there is none.
    pub fn dismiss(&mut self) -> bool {
        self.status.pop().is_some()
    }

    /// Dismisses all errors.
    pub fn dismiss_all(&mut self) {
        self.status.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_before_stands_where_it_happened() {
        let message = |at, text| LogMessage::new(Timestamp(at), Tone::Fault, &"".into(), "x", text);
        let mut log = MessageLog::default();
        log.add(message(3, "both"), Moment::default());
        log.add(message(4, "live"), Moment::default());
        log.dismiss_all();
        log.add_past(vec![
            message(1, "old"),
            message(3, "both"),
            message(5, "stored"),
        ]);
        let texts: Vec<&str> = log
            .messages()
            .iter()
            .map(|message| &*message.text)
            .collect();
        assert_eq!(texts, ["old", "both", "live", "stored"]);
        assert!(
            log.open_errors().is_empty(),
            "an error of before does not stay"
        );
    }

    #[test]
    fn errors_stay_until_they_are_dismissed_or_resolved() {
        let mut log = MessageLog::default();
        let add = |log: &mut MessageLog, tone, code, text| {
            let message = LogMessage::new(Timestamp(0), tone, &"".into(), code, text);
            log.add(message, Moment(0));
        };
        add(&mut log, Tone::Text, "created", "alpha was created");
        add(&mut log, Tone::Fault, "store_trouble", "disk\nfull");
        add(&mut log, Tone::Fault, "refused", "no");
        add(&mut log, Tone::Fault, "store_trouble", "disk full");
        assert_eq!(log.messages().len(), 4);
        assert_eq!(log.open_errors().len(), 2);
        log.resolve("store_trouble");
        assert_eq!(log.open_errors().len(), 1);
        assert!(log.dismiss());
        assert!(!log.dismiss());
    }
}
