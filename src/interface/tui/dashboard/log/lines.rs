//! The lines of the log: which events are shown, what folds, and where a day or the unseen begins.

use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::event_record::EventId;
use actors::domain::ids::Timestamp;

use super::MessageLog;
use super::filter::LogFilter;
use super::folding::{Fold, fold};
use super::message::LogMessage;
use crate::dashboard::text::figures::UtcOffset;

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
