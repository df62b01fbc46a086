//! What opens, feeds and steers the log.

use std::sync::Arc;

use actors::domain::event_record::EventRecord;
use actors::domain::reading::{EVENT_PAGE, EventQuery};
use actors::domain::screen::{ReadId, UiEffect};
use crossterm::event::KeyEvent;

use super::keys::{LOG_KEYS, LogAction, WHOLE_KEYS, WholeAction};
use super::lines::LineRules;
use super::list::LogView;
use super::message::LogMessage;
use super::whole::WholeEvent;
use crate::dashboard::Dashboard;
use crate::dashboard::conversation::transcript::text_search::Direction;
use crate::dashboard::keys::MOVEMENT_KEYS;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::query::{Query, QueryScope};
use crate::dashboard::text::tone::Tone;

impl Dashboard {
    /// Opens the log. One that is open already, behind another list, comes to the front.
    pub(in crate::dashboard) fn open_log(&mut self) {
        let mut layers = self.overlays.iter();
        if let Some(place) = layers.position(|layer| matches!(layer, Overlay::Log(_))) {
            return self.overlays.truncate(place + 1);
        }
        let offset = self.appearance.offset;
        let rules = LineRules {
            filter: super::filter::LogFilter::default(),
            only: None,
            unfolded: std::collections::BTreeSet::new(),
            unfolds_all: false,
            looked: self.looked.rule(),
            offset,
            today: offset.day(self.now),
        };
        let view = Box::new(LogView::new(rules));
        self.overlays.push(Overlay::Log(view));
        self.refresh_log();
    }

    /// Brings the open log up to date, and reads older events if it is at the oldest.
    pub(in crate::dashboard) fn refresh_log(&mut self) {
        let is_open = self.overlays.iter_mut().any(|layer| layer.log().is_some());
        if self.log.keeps_older() != is_open {
            Arc::make_mut(&mut self.log).keep_older(is_open);
        }
        let page = self.layout().page();
        let offset = self.appearance.offset;
        let today = offset.day(self.now);
        let Some(view) = self.overlays.iter_mut().find_map(Overlay::log) else {
            return;
        };
        (view.rules.offset, view.rules.today) = (offset, today);
        view.settle(&self.log, (page.width.saturating_sub(1), page.height));
        let Some(before) = view.wants_older(&self.log) else {
            return;
        };
        self.stamps += 1;
        let id = ReadId(self.stamps);
        view.awaited = Some(id);
        let query = EventQuery {
            before: Some(before),
            limit: EVENT_PAGE,
        };
        self.effects.push(UiEffect::ReadEvents { id, query });
    }

    pub(in crate::dashboard) fn press_in_log(&mut self, mut view: Box<LogView>, press: KeyEvent) {
        if let Some(whole) = view.whole.take() {
            return self.press_in_whole(view, whole, press);
        }
        let Some(action) = self.keymap.find(LOG_KEYS, press) else {
            let going = self.keymap.find(MOVEMENT_KEYS, press);
            if let Some(going) = going {
                view.complaint = None;
                view.move_to(going);
            }
            self.overlays.push(Overlay::Log(view));
            return match going {
                Some(_) => self.refresh_log(),
                None => self.press_over_list(press),
            };
        };
        match action {
            LogAction::Back if view.text_search.is_some() => view.find_text(""),
            LogAction::Back => return self.looked.look(self.now),
            LogAction::Whole => {
                let line = view.line_in_hand();
                view.whole = line.map(|line| WholeEvent::of(line.events()));
            }
            LogAction::Turn => view.toggle_fold(),
            LogAction::TurnAll => view.toggle_folds(),
            LogAction::Filter => view.next_filter(),
            LogAction::Only => view.toggle_only(),
            LogAction::Wrap => view.wraps = !view.wraps,
            LogAction::Find => {
                let text = view
                    .text_search
                    .as_ref()
                    .map(|known| known.text().to_string());
                self.overlays.push(Overlay::Log(view));
                let query = Query::new(QueryScope::Log, &text.unwrap_or_default());
                return self.overlays.push(Overlay::Query(query));
            }
            LogAction::NextMatch | LogAction::MatchBefore => {
                let way = match action == LogAction::NextMatch {
                    true => Direction::Forth,
                    false => Direction::Back,
                };
                self.overlays.push(Overlay::Log(view));
                return self.go_to_log_match(way);
            }
            LogAction::Copy => {
                if let Some(event) = view.event_in_hand() {
                    self.copy(&event.text);
                }
            }
        }
        self.overlays.push(Overlay::Log(view));
        self.refresh_log();
    }

    fn press_in_whole(&mut self, mut view: Box<LogView>, mut whole: WholeEvent, press: KeyEvent) {
        match self.keymap.find(WHOLE_KEYS, press) {
            Some(WholeAction::Back) => return self.overlays.push(Overlay::Log(view)),
            Some(WholeAction::Open) => match whole.place() {
                Some((mysis, row)) if self.roster.get(mysis).is_some() => {
                    self.looked.look(self.now);
                    self.open(mysis);
                    if let Some(row) = row {
                        self.go_in_transcript(|transcript| transcript.go_to(row));
                    }
                    return;
                }
                Some(_) => self.show_notice("that Mysis is no longer there"),
                None => self.show_notice("this is about the swarm; it has no conversation"),
            },
            Some(WholeAction::Copy) => self.copy(whole.text()),
            None => {
                let page = self.layout().page();
                let lines = whole.lines(self.appearance.offset, usize::from(page.width));
                if let Some(going) = self.keymap.find(MOVEMENT_KEYS, press) {
                    whole.scroll(going, lines.len(), usize::from(page.height));
                }
                view.whole = Some(whole);
                self.overlays.push(Overlay::Log(view));
                return self.press_over_list(press);
            }
        }
        view.whole = Some(whole);
        self.overlays.push(Overlay::Log(view));
    }

    /// Looks for a text in the log, from the line in hand to older ones; an empty text ends the search.
    pub(in crate::dashboard) fn find_in_log(&mut self, text: &str) {
        let Some(view) = self.overlays.iter_mut().find_map(Overlay::log) else {
            return;
        };
        view.find_text(text);
        if !text.is_empty() && !view.is_at_match() {
            self.go_to_log_match(Direction::Back);
        }
    }

    fn go_to_log_match(&mut self, way: Direction) {
        let has_older = self.log.has_older();
        let Some(view) = self.overlays.iter_mut().find_map(Overlay::log) else {
            return;
        };
        let Some(text) = view
            .text_search
            .as_ref()
            .map(|known| known.text().to_string())
        else {
            return self.show_notice("nothing is looked for; / does");
        };
        if view.go_to_match(way) {
            return self.refresh_log();
        }
        if way == Direction::Back && has_older {
            view.seeks = true;
            return self.refresh_log();
        }
        let side = match way {
            Direction::Back => "before this",
            Direction::Forth => "after this",
        };
        self.show_notice(&format!("`{text}` stands nowhere {side}"));
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
                self.tell_operator(Tone::Fault, "unreadable", &text);
            }
        }
    }

    /// Takes a page of older events, or the error of the store.
    pub fn on_older_events(&mut self, id: ReadId, read: Result<Vec<EventRecord>, String>) {
        let page = self.layout().page();
        let Some(view) = self.overlays.iter_mut().find_map(Overlay::log) else {
            return;
        };
        if view.awaited != Some(id) {
            return;
        }
        view.awaited = None;
        let records = match read {
            Ok(records) => records,
            Err(why) => {
                (view.seeks, view.complaint) = (false, Some(why.into()));
                return;
            }
        };
        let messages = records.iter().map(LogMessage::of).collect();
        Arc::make_mut(&mut self.log).add_older(messages);
        view.settle(&self.log, (page.width.saturating_sub(1), page.height));
        if view.seeks {
            view.seeks = false;
            self.go_to_log_match(Direction::Back);
        }
    }
}
