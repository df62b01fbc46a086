//! The lines of the log: which events are shown, what folds, and where a day or the unseen begins.

use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::event_record::{EventId, EventRecordKind};
use actors::domain::ids::Timestamp;
use strum::VariantArray;

use super::MessageLog;
use super::folding::{Fold, fold};
use super::message::LogMessage;
use crate::dashboard::text::figures::UtcOffset;
use crate::dashboard::toolkit::list::step_in;

/// Which messages are shown, in the order of the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, VariantArray)]
pub(crate) enum LogFilter {
    #[default]
    All,
    Warnings,
    Errors,
    Orders,
    Notices,
    States,
    /// What the program told this operator alone.
    Own,
}

impl LogFilter {
    #[must_use]
    pub(crate) fn next(self) -> LogFilter {
        step_in(Self::VARIANTS, self, true)
    }

    #[must_use]
    pub(crate) fn shows(self, message: &LogMessage) -> bool {
        match self {
            LogFilter::All | LogFilter::Own => true,
            LogFilter::Warnings => message.is_trouble(),
            LogFilter::Errors => message.is_error(),
            LogFilter::Orders => message.kind == Some(EventRecordKind::Order),
            LogFilter::Notices => matches!(
                message.kind,
                Some(EventRecordKind::Notice | EventRecordKind::Need)
            ),
            LogFilter::States => message.kind == Some(EventRecordKind::State),
        }
    }

    /// The words that the screen shows.
    #[must_use]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            LogFilter::All => "all events",
            LogFilter::Warnings => "warnings and errors",
            LogFilter::Errors => "errors",
            LogFilter::Orders => "orders",
            LogFilter::Notices => "notices",
            LogFilter::States => "changes of state",
            LogFilter::Own => "notices of this terminal",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineRules {
    pub(crate) filter: LogFilter,
    /// The name of the only Mysis that is shown.
    pub(crate) only: Option<Arc<str>>,
    pub(crate) unfolded: BTreeSet<EventId>,
    pub(crate) unfolds_all: bool,
    /// What is newer came while nobody looked.
    pub(crate) looked: Option<Timestamp>,
    pub(crate) offset: UtcOffset,
    pub(crate) today: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LogLine {
    Day(String),
    /// What comes below came while nobody looked.
    Looked(Timestamp),
    /// Events that tell the same, oldest first, or one event.
    Events(Vec<Arc<LogMessage>>),
    /// One of several events that tell the same and are unfolded; `true` for the first of them.
    Unfolded(Arc<LogMessage>, bool),
}

impl LogLine {
    /// The event that stands for the line; `None` for a rule.
    pub(crate) fn event(&self) -> Option<&Arc<LogMessage>> {
        self.events().first()
    }

    pub(crate) fn events(&self) -> &[Arc<LogMessage>] {
        match self {
            LogLine::Day(_) | LogLine::Looked(_) => &[],
            LogLine::Events(events) => events,
            LogLine::Unfolded(event, _) => std::slice::from_ref(event),
        }
    }
}

pub(crate) fn lines_of(log: &MessageLog, rules: &LineRules) -> Vec<LogLine> {
    let all = match rules.filter == LogFilter::Own {
        true => log.own_messages(),
        false => log.messages(),
    };
    let shown = all.iter().filter(|message| {
        let is_meant = rules.only.as_ref().is_none_or(|name| message.who == *name);
        is_meant && rules.filter.shows(message)
    });
    let shown: Vec<Arc<LogMessage>> = shown.cloned().collect();
    let day = |message: &LogMessage| rules.offset.day(message.at);
    let is_new = |message: &LogMessage| rules.looked.is_some_and(|looked| message.at > looked);
    let folds = fold(&shown, |before, after| {
        day(before) != day(after) || is_new(before) != is_new(after)
    });
    let (mut lines, mut last_day, mut was_new) = (Vec::new(), rules.today.clone(), true);
    for Fold { events, .. } in folds {
        let Some(first) = events.first() else {
            continue;
        };
        let today = day(first);
        if today != last_day {
            lines.push(LogLine::Day(today.clone()));
            last_day = today;
        }
        // Where everything is new there is no line to draw.
        if let (false, true, Some(looked)) = (was_new, is_new(first), rules.looked) {
            lines.push(LogLine::Looked(looked));
        }
        was_new = is_new(first);
        let is_unfolded = |event: &Arc<LogMessage>| rules.unfolded.contains(&event.id);
        let is_open = rules.unfolds_all || events.iter().any(is_unfolded);
        if is_open && events.len() > 1 {
            let unfolded = events.into_iter().enumerate();
            lines.extend(unfolded.map(|(place, event)| LogLine::Unfolded(event, place == 0)));
        } else {
            lines.push(LogLine::Events(events));
        }
    }
    lines
}
