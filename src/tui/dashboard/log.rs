//! The message log: what flew past, and the errors that stay until they are dismissed.

pub(crate) mod view;

use std::collections::VecDeque;
use std::sync::Arc;

use actors::domain::ids::{Moment, Timestamp};

use super::text::tone::Tone;
use actors::domain::clean::one_line;

/// Messages that are kept.
const MAX_MESSAGES: usize = 2000;
/// Errors that stay; older ones are still in the log.
const MAX_OPEN_ERRORS: usize = 20;

/// What flew past.
#[derive(Clone, Debug, Default)]
pub struct MessageLog {
    messages: VecDeque<Arc<LogMessage>>,
    standing: Vec<Arc<LogMessage>>,
    /// When the newest message came that answers something the operator did.
    said_at: Moment,
}

/// Something that the operator was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMessage {
    /// When.
    pub at: Timestamp,
    /// What it means.
    pub tone: Tone,
    /// Whom it is about; empty: the swarm.
    pub who: Arc<str>,
    /// A short stable word for it.
    pub code: &'static str,
    /// What was said; one line.
    pub text: Box<str>,
}

impl LogMessage {
    /// A message; its text is made fit for one line.
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
    /// Whether it only answers something the operator did.
    #[must_use]
    pub fn is_notice(&self) -> bool {
        matches!(self.code, "said" | "screen")
    }
}

impl MessageLog {
    /// The messages, the oldest first.
    #[must_use]
    pub fn messages(&self) -> &VecDeque<Arc<LogMessage>> {
        &self.messages
    }

    /// The errors that nobody has dismissed, the oldest first.
    #[must_use]
    pub fn open_errors(&self) -> &[Arc<LogMessage>] {
        &self.standing
    }

    /// The newest message that answers something the operator did.
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

    /// When that message came.
    #[must_use]
    pub fn notice_at(&self) -> Moment {
        self.said_at
    }

    /// Adds a message that comes now; an error stays until it is dismissed or resolved.
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
        self.standing.retain(|known| !same(known));
        self.standing.push(message);
        let surplus = self.standing.len().saturating_sub(MAX_OPEN_ERRORS);
        self.standing.drain(..surplus);
    }

    /// Adds messages of before, the oldest first; those that are there already are left out, and an
    /// error of before does not stay.
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
        // What is only read from the store may be newer than what is known already.
        self.messages
            .make_contiguous()
            .sort_by_key(|message| message.at);
    }

    /// What such errors were about is mended.
    pub fn resolve(&mut self, code: &'static str) {
        self.standing.retain(|message| message.code != code);
    }

    /// Dismisses the newest error; `false` where there is none.
    pub fn dismiss(&mut self) -> bool {
        self.standing.pop().is_some()
    }

    /// Dismisses all errors.
    pub fn dismiss_all(&mut self) {
        self.standing.clear();
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
