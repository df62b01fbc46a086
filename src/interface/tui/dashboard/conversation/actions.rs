//! Actions of a conversation: what its keys do.

use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq, Timestamp};
use actors::domain::message::Row;
use actors::domain::reading::{PageFrom, PageQuery, SearchIn, SearchQuery};
use actors::domain::samples::Minute;
use actors::domain::screen::{ReadId, StoreQuery};
use ratatui::layout::Rect;

use super::keys::{FOCUS_KEYS, FocusAction};
use super::timeline::view::minute_at;
use super::transcript::text_search::{Direction, TextSearch, text_of};
use super::{ActiveSeek, Focus, SeekKind};
use crate::dashboard::inspector::whole_text;
use crate::dashboard::keys::{Keymap, Movement};
use crate::dashboard::outbox::{Outbox, Request};
use crate::dashboard::overlay::query::QueryScope;

/// The most search hits that are requested.
const PLACES: usize = 500;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FocusOutcome {
    Used,
    Inspect(Arc<Row>),
    /// Goes to the next minute of the timeline, or to the one before.
    StepInTimeline(bool),
    TurnPanel,
    /// Opens the conversation beside it in the table.
    OpenBeside(isize),
    Back,
}

impl Focus {
    pub(crate) fn run(
        &mut self,
        gesture: FocusAction,
        keymap: &Keymap,
        outbox: &mut Outbox,
    ) -> FocusOutcome {
        let transcript = &mut self.transcript;
        match gesture {
            FocusAction::EntryUp => transcript.select_next(Direction::Back),
            FocusAction::EntryDown => transcript.select_next(Direction::Forth),
            FocusAction::Turn => match transcript.selected() {
                Some(seq) => transcript.toggle_entry(seq),
                None => transcript.select_next(Direction::Back),
            },
            FocusAction::TurnAll => transcript.turn_all(),
            FocusAction::Reasoning => transcript.turn_reasoning(),
            FocusAction::Results => transcript.turn_results(),
            FocusAction::Inspect => {
                return self
                    .selected_row()
                    .map_or(FocusOutcome::Used, FocusOutcome::Inspect);
            }
            FocusAction::Copy => {
                if let Some(row) = self.selected_row() {
                    outbox.copy(&whole_text(&row));
                }
            }
            FocusAction::Find => {
                let text = text_of(transcript.text_search.as_ref());
                outbox.request(Request::WriteLine(QueryScope::Conversation, text));
            }
            FocusAction::NextMatch => self.go_to_match(Direction::Forth, keymap, outbox),
            FocusAction::MatchBefore => self.go_to_match(Direction::Back, keymap, outbox),
            FocusAction::ErrorBefore => self.seek_row(SeekKind::Error, Direction::Back, outbox),
            FocusAction::NextError => self.seek_row(SeekKind::Error, Direction::Forth, outbox),
            FocusAction::OrderBefore => self.seek_row(SeekKind::Order, Direction::Back, outbox),
            FocusAction::NextOrder => self.seek_row(SeekKind::Order, Direction::Forth, outbox),
            FocusAction::MinuteBefore => return FocusOutcome::StepInTimeline(false),
            FocusAction::NextMinute => return FocusOutcome::StepInTimeline(true),
            FocusAction::Panel => return FocusOutcome::TurnPanel,
            FocusAction::Previous => return FocusOutcome::OpenBeside(-1),
            FocusAction::Next => return FocusOutcome::OpenBeside(1),
            FocusAction::Back => return FocusOutcome::Back,
        }
        FocusOutcome::Used
    }

    /// Moves in it. `height`: the rows of its area.
    pub(crate) fn go(&mut self, movement: Movement, height: u16) {
        let page = usize::from(height).max(2) - 1;
        let transcript = &mut self.transcript;
        match movement {
            Movement::Up => transcript.scroll(1, Direction::Back),
            Movement::Down => transcript.scroll(1, Direction::Forth),
            Movement::PageUp => transcript.scroll(page, Direction::Back),
            Movement::PageDown => transcript.scroll(page, Direction::Forth),
            Movement::First => transcript.go_to_top(),
            Movement::Last => transcript.go_to_bottom(),
        }
    }

    fn selected_row(&self) -> Option<Arc<Row>> {
        self.transcript.pages().row(self.position()).cloned()
    }

    /// Starts a text search, which goes on in the store.
    fn search(&mut self, text: &str, outbox: &mut Outbox) {
        self.searches.clear();
        if text.trim().is_empty() {
            return self.transcript.find(None);
        }
        let text_search = TextSearch::of(text);
        for within in [SearchIn::Messages, SearchIn::Reasoning] {
            let query = SearchQuery {
                mysis: Some(self.mysis()),
                ..text_search.query(within, PLACES)
            };
            (self.searches).insert(outbox.read(StoreQuery::Search(query)));
        }
        self.transcript.find(Some(text_search));
    }

    pub(crate) fn find_text(&mut self, text: &str, keymap: &Keymap, outbox: &mut Outbox) {
        self.search(text, outbox);
        self.go_to_match(Direction::Back, keymap, outbox);
    }

    /// Searches a text in the conversation, beginning at a row that contains it.
    pub(crate) fn find_text_at(&mut self, text: &str, seq: Seq, outbox: &mut Outbox) {
        self.search(text, outbox);
        if let Some(text_search) = &mut self.transcript.text_search {
            text_search.current = Some(seq);
        }
        self.transcript.go_to_place(seq);
    }

    /// Takes the hits of a search in the store. When the last one came, says how many there are, and goes to the newest.
    pub(crate) fn take_found(
        &mut self,
        stamp: ReadId,
        rows: &[(MysisId, Arc<Row>)],
        keymap: &Keymap,
        outbox: &mut Outbox,
    ) {
        if !self.searches.remove(&stamp) {
            return;
        }
        let mysis = self.mysis();
        let Some(text_search) = &mut self.transcript.text_search else {
            return;
        };
        let had = text_search.current.is_some();
        let own = rows.iter().filter(|(owner, _)| *owner == mysis);
        own.for_each(|(_, row)| text_search.check_row(row));
        if !self.searches.is_empty() {
            return;
        }
        let (text, count) = (text_search.text(), text_search.places().len());
        let newest = text_search.places().last().copied();
        let words = match count {
            0 => format!("no match for `{text}` in this conversation"),
            _ if rows.len() >= PLACES => format!("the newest {count} matches of `{text}`"),
            1 => format!("1 match of `{text}`"),
            _ => {
                let key = |action| keymap.key_of(FOCUS_KEYS, action);
                let (next, before) = (key(FocusAction::NextMatch), key(FocusAction::MatchBefore));
                format!("{count} matches of `{text}`; {next} and {before} go through them")
            }
        };
        outbox.say(&words);
        if let (false, Some(newest)) = (had, newest) {
            text_search.current = Some(newest);
            self.transcript.go_to(newest);
        }
    }

    /// Goes to the next or the previous minute in which something was said or done.
    pub(crate) fn step_in_timeline(&mut self, is_later: bool, outbox: &mut Outbox) {
        match self.timeline.beside(is_later) {
            Some(there) => self.go_to_minute(there),
            None if is_later => outbox.say("that is the newest minute"),
            None => outbox.say("the timeline has no earlier minute"),
        }
    }

    /// Goes to the minute in a column of the timeline, or to the last one before it.
    pub(crate) fn click_timeline(&mut self, now: Timestamp, area: Rect, column: u16) {
        let minute = minute_at(now, area, column);
        if let Some(there) = minute.and_then(|minute| self.timeline.upto(minute)) {
            self.go_to_minute(there);
        }
    }

    fn go_to_minute(&mut self, (minute, seq): (Minute, Seq)) {
        self.timeline.cursor = Some(minute);
        self.transcript.go_to(seq);
    }

    fn go_to_match(&mut self, way: Direction, keymap: &Keymap, outbox: &mut Outbox) {
        let Some(text_search) = &mut self.transcript.text_search else {
            let key = keymap.key_of(FOCUS_KEYS, FocusAction::Find);
            return outbox.say(&format!("no search is active; {key} begins one"));
        };
        if let Some(next) = text_search.next(text_search.current, way) {
            text_search.current = Some(next);
            self.transcript.go_to(next);
        }
    }

    /// Goes to the next row of a kind: one in memory, else one in the store.
    fn seek_row(&mut self, what: SeekKind, way: Direction, outbox: &mut Outbox) {
        let from = self.position();
        let held = self.transcript.pages().rows();
        let place = self.transcript.pages().index_of(from);
        let is_next = |row: &&Arc<Row>| row.seq > from && what.is(row);
        let (found, end) = match way {
            Direction::Back => {
                let found = held.iter().take(place).rev().find(|row| what.is(row));
                (found, held.front())
            }
            Direction::Forth => (held.iter().skip(place).find(is_next), held.back()),
        };
        let reached = end.map_or(from, |row| row.seq);
        match found.map(|row| row.seq) {
            Some(found) => self.transcript.go_to(found),
            None => self.seek_beyond(what, way, reached, outbox),
        }
    }

    /// Searches on in the store, from the row up to which the search has come.
    fn seek_beyond(&mut self, what: SeekKind, way: Direction, reached: Seq, outbox: &mut Outbox) {
        let stamp = outbox.read(StoreQuery::Page(PageQuery {
            mysis: self.mysis(),
            from: match way {
                Direction::Back => PageFrom::Before(reached),
                Direction::Forth => PageFrom::After(reached),
            },
            limit: what.limit(),
            kinds: what.kinds(),
        }));
        self.seeking = Some(ActiveSeek {
            stamp,
            what,
            way,
            reached,
        });
    }

    /// Takes a page of the store that the search asked for: goes to the row, or searches on. Returns whether it did.
    pub(crate) fn take_sought(
        &mut self,
        stamp: ReadId,
        page: &[Arc<Row>],
        outbox: &mut Outbox,
    ) -> bool {
        let is_asked = |seeking: &mut ActiveSeek| seeking.stamp == stamp;
        let Some(ActiveSeek { what, way, .. }) = self.seeking.take_if(is_asked) else {
            return false;
        };
        let (found, end) = match way {
            Direction::Back => (page.iter().rev().find(|row| what.is(row)), page.first()),
            Direction::Forth => (page.iter().find(|row| what.is(row)), page.last()),
        };
        match (found, end) {
            (Some(found), _) => self.transcript.go_to(found.seq),
            (None, Some(end)) if page.len() >= what.limit() => {
                self.seek_beyond(what, way, end.seq, outbox);
            }
            (None, _) => outbox.say(&format!("no further {} in this direction", what.as_str())),
        }
        true
    }

    /// Ends a search, or unselects an entry. Returns whether there was one.
    pub(crate) fn unselect(&mut self) -> bool {
        let transcript = &mut self.transcript;
        let is_searched = transcript.text_search.is_some();
        if is_searched {
            transcript.find(None);
        }
        let is_used = is_searched || transcript.selected().is_some();
        if is_used {
            transcript.select(None);
        }
        is_used
    }

    /// The first click selects an entry. A second one expands or folds it.
    pub(crate) fn click(&mut self, row: usize) {
        let transcript = &mut self.transcript;
        match transcript.entry_at(row).map(|entry| entry.seq) {
            Some(seq) if transcript.selected() == Some(seq) => transcript.toggle_entry(seq),
            clicked => transcript.select(clicked),
        }
    }
}
