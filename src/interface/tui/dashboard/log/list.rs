//! The log as it is seen: the line in hand, what is searched and shown, and the window on the lines.

use std::sync::Arc;

use actors::domain::event_record::EventId;
use actors::domain::screen::ReadId;
use ratatui::layout::Rect;

use super::MessageLog;
use super::lines::{LineRules, LogFilter, LogLine, lines_of};
use super::message::LogMessage;
use super::rows::rows_of;
use super::whole::WholeEvent;
use crate::dashboard::conversation::transcript::text_search::{Direction, TextSearch};
use crate::dashboard::keys::Movement;

#[derive(Clone, Debug, Default)]
pub struct LogView {
    pub(crate) rules: LineRules,
    pub(crate) text_search: Option<TextSearch>,
    pub(crate) wraps: bool,
    pub(crate) whole: Option<WholeEvent>,
    lines: Arc<Vec<LogLine>>,
    /// The places of the lines that have the searched text.
    found: Arc<Vec<usize>>,
    made_of: Option<(u64, LineRules)>,
    /// The event of the line in hand; `None`: the newest line, also of those that come.
    selected: Option<EventId>,
    /// How many lines of the window are above the line in hand.
    above: usize,
    /// The columns and rows of the window.
    size: (u16, u16),
    pub(super) awaited: Option<ReadId>,
    /// Why older events cannot be read.
    pub(super) complaint: Option<Arc<str>>,
    /// Whether older events are read until one has the searched text.
    pub(super) seeks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogWindow {
    pub(crate) top: usize,
    /// The line behind the last one.
    pub(crate) end: usize,
    /// The line in hand; `None` if there is none.
    pub(crate) selected: Option<usize>,
}

impl LogView {
    pub(super) fn new(rules: LineRules) -> LogView {
        LogView {
            rules,
            above: usize::MAX,
            ..LogView::default()
        }
    }

    pub(super) fn update_lines(&mut self, log: &MessageLog, page: Rect) {
        // The scrollbar has a column of its own.
        self.size = (page.width.saturating_sub(1), page.height);
        let made_of = (log.version(), self.rules.clone());
        if self.made_of.as_ref() != Some(&made_of) {
            self.lines = Arc::new(lines_of(log, &self.rules));
            self.made_of = Some(made_of);
            self.update_found();
        }
        let window = self.window();
        if let Some(selected) = window.selected {
            self.above = selected - window.top;
        }
    }

    pub(crate) fn lines(&self) -> &[LogLine] {
        &self.lines
    }

    /// The place of the line in hand. An event that is no longer shown gives way to the newest one.
    fn place(&self) -> Option<usize> {
        let of_event = |id: EventId| {
            let mut lines = self.lines.iter();
            lines.position(|line| line.events().iter().any(|event| event.id == id))
        };
        let selected = self.selected.and_then(of_event);
        selected.or_else(|| self.newest())
    }

    fn newest(&self) -> Option<usize> {
        self.lines.iter().rposition(|line| line.event().is_some())
    }

    pub(crate) fn line_in_hand(&self) -> Option<&LogLine> {
        self.lines.get(self.place()?)
    }

    pub(crate) fn event_in_hand(&self) -> Option<&Arc<LogMessage>> {
        self.line_in_hand()?.event()
    }

    fn height(&self, place: usize) -> usize {
        let (columns, _) = self.size;
        let rows = |line| rows_of(line, &self.rules, usize::from(columns), self.wraps).len();
        self.lines.get(place).map_or(0, rows).max(1)
    }

    /// The part of the lines that is in sight. The line in hand always is.
    pub(crate) fn window(&self) -> LogWindow {
        let rows = usize::from(self.size.1).max(1);
        let Some(selected) = self.place() else {
            let end = self.lines.len().min(rows);
            return LogWindow {
                top: 0,
                end,
                selected: None,
            };
        };
        let mut top = selected.saturating_sub(self.above);
        let mut used: usize = (selected - top.max(selected.saturating_sub(rows)) + 1).min(rows);
        top = top.max(selected + 1 - used);
        used = (top..=selected).map(|place| self.height(place)).sum();
        while used > rows && top < selected {
            used -= self.height(top);
            top += 1;
        }
        let mut end = selected + 1;
        while end < self.lines.len() && used + self.height(end) <= rows {
            used += self.height(end);
            end += 1;
        }
        // The rows that the last lines leave free, and the rules above the first event.
        let is_end = end == self.lines.len();
        while top > 0 && used + self.height(top - 1) <= rows {
            let is_rule = self.lines[..top].iter().all(|line| line.event().is_none());
            if !is_end && !is_rule {
                break;
            }
            top -= 1;
            used += self.height(top);
        }
        LogWindow {
            top,
            end,
            selected: Some(selected),
        }
    }

    fn line_at(&self, row: usize) -> Option<usize> {
        let window = self.window();
        let mut used = 0;
        (window.top..window.end).find(|place| {
            used += self.height(*place);
            row < used
        })
    }

    /// Takes the line in this row in hand, or shows it whole if it is that already.
    pub(crate) fn click(&mut self, row: usize) {
        let place = self.line_at(row);
        if place.is_some() && place == self.place() {
            self.show_whole();
        } else if place.is_some_and(|place| self.lines[place].event().is_some()) {
            self.select(place);
        }
    }

    pub(super) fn show_whole(&mut self) {
        let line = self.line_in_hand();
        self.whole = line.map(|line| WholeEvent::of(line.events()));
    }

    pub(super) fn move_to(&mut self, movement: Movement) {
        if movement == Movement::Last {
            return self.select(None);
        }
        let Some(place) = self.place() else {
            return;
        };
        let (last, rows) = (self.lines.len() - 1, usize::from(self.size.1));
        let goal = movement.lead_from(place, last, rows);
        // A rule is no line to take in hand: the next event beyond it is, else the nearest before it.
        let is_event = |place: &usize| self.lines[*place].event().is_some();
        let next = match goal < place {
            true => (0..=goal).rev().chain(goal..place).find(is_event),
            false => (goal..=last).chain((place..goal).rev()).find(is_event),
        };
        if next.is_some() {
            self.select(next);
        }
    }

    /// Takes a line in hand: this one, or the newest of all that come.
    pub(super) fn select(&mut self, place: Option<usize>) {
        let before = self.place();
        let newest = self.newest();
        let place = place.filter(|place| Some(*place) != newest);
        let event = place.and_then(|place| self.lines.get(place)?.event());
        self.selected = event.map(|event| event.id);
        self.above = match (before, place) {
            // The window stays where it is as long as the line in hand is in it.
            (Some(before), Some(place)) => (self.above.min(before) + place).saturating_sub(before),
            (None, _) | (_, None) => usize::MAX,
        };
    }

    pub(super) fn toggle_fold(&mut self) {
        let Some(line) = self.line_in_hand().cloned() else {
            return;
        };
        self.rules.unfolds_all = false;
        match &line {
            LogLine::Events(events) if events.len() > 1 => {
                self.rules
                    .unfolded
                    .extend(events.iter().map(|event| event.id));
            }
            LogLine::Unfolded(event, _) => {
                let events = self.lines.iter().flat_map(LogLine::events);
                for alike in events.filter(|other| other.is_alike(event)) {
                    self.rules.unfolded.remove(&alike.id);
                }
            }
            LogLine::Events(_) | LogLine::Day(_) | LogLine::Looked(_) => {}
        }
    }

    pub(super) fn toggle_folds(&mut self) {
        self.rules.unfolds_all = !self.rules.unfolds_all;
        self.rules.unfolded.clear();
    }

    /// Shows the events of the Mysis in hand only, or those of all.
    pub(super) fn toggle_only(&mut self) {
        self.rules.only = match self.rules.only {
            Some(_) => None,
            None => {
                let name = self.event_in_hand().map(|event| event.who.clone());
                name.filter(|name| !name.is_empty())
            }
        };
    }

    /// Whether not everything is shown.
    pub(crate) fn is_narrowed(&self) -> bool {
        self.rules.filter != LogFilter::All || self.rules.only.is_some()
    }

    /// The event before which older ones are to be read now; `None` if none are.
    pub(super) fn wants_older(&self, log: &MessageLog) -> Option<EventId> {
        let is_free = self.awaited.is_none() && self.complaint.is_none() && self.whole.is_none();
        let is_own = self.rules.filter == LogFilter::Own;
        let is_wanted = || self.seeks || self.window().top == 0;
        let is_due = is_free && !is_own && log.has_older() && is_wanted();
        log.oldest().filter(|_| is_due)
    }

    /// Looks for a text; an empty one ends the search.
    pub(super) fn find_text(&mut self, text: &str) {
        self.seeks = false;
        self.text_search = (!text.is_empty()).then(|| TextSearch::of(text));
        self.update_found();
    }

    fn update_found(&mut self) {
        let places = (0..self.lines.len()).filter(|place| self.has_text(&self.lines[*place]));
        self.found = Arc::new(places.collect());
    }

    fn has_text(&self, line: &LogLine) -> bool {
        self.text_search.as_ref().is_some_and(|text_search| {
            let mut events = line.events().iter();
            events.any(|event| {
                text_search.is_within(&event.text) || text_search.is_within(&event.who)
            })
        })
    }

    /// How many lines have the searched text, and the number of the one in hand among them; 0 if it is none of
    /// them.
    pub(crate) fn matches(&self) -> (usize, usize) {
        let in_hand = self.place();
        let number = self.found.iter().position(|place| Some(*place) == in_hand);
        (self.found.len(), number.map_or(0, |number| number + 1))
    }

    /// Goes to the next line with the searched text. Returns whether there is one.
    pub(super) fn go_to_match(&mut self, way: Direction) -> bool {
        let in_hand = self.place().unwrap_or_default();
        let mut found = self.found.iter().copied();
        let next = match way {
            Direction::Back => found.rev().find(|place| *place < in_hand),
            Direction::Forth => found.find(|place| *place > in_hand),
        };
        if let Some(next) = next {
            self.select(Some(next));
        }
        next.is_some()
    }

    /// Whether the line in hand has the searched text.
    pub(super) fn is_at_match(&self) -> bool {
        self.line_in_hand().is_some_and(|line| self.has_text(line))
    }
}
