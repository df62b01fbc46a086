//! Actions of a conversation: what its keys do.

use super::keys::FocusAction;
use super::transcript::Transcript;
use super::transcript::pages::{Load, PAGE};
use super::transcript::text_search::Direction;
use super::{SeekKind, SeekResult};
use crate::dashboard::Dashboard;
use crate::dashboard::action::TerminalAction;
use crate::dashboard::appearance::Panel;
use crate::dashboard::inspector::{Inspector, whole_text};
use crate::dashboard::keys::Movement;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::query::{Query, QueryScope};
use actors::domain::ids::Seq;
use actors::domain::message::Row;
use actors::domain::reading::PageQuery;
use actors::domain::screen::{ReadId, StoreQuery, UiEffect};

use std::sync::Arc;

impl Dashboard {
    pub(in crate::dashboard) fn run_in_focus(&mut self, gesture: FocusAction) {
        match gesture {
            FocusAction::EntryUp => self.change_transcript(|it| it.select_next(Direction::Back)),
            FocusAction::EntryDown => self.change_transcript(|it| it.select_next(Direction::Forth)),
            FocusAction::Turn => self.change_transcript(|it| match it.selected() {
                Some(seq) => it.toggle_entry(seq),
                None => it.select_next(Direction::Back),
            }),
            FocusAction::TurnAll => self.change_transcript(Transcript::turn_all),
            FocusAction::Reasoning => self.change_transcript(Transcript::turn_reasoning),
            FocusAction::Results => self.change_transcript(Transcript::turn_results),
            FocusAction::Inspect => self.inspect(),
            FocusAction::Copy => self.copy_selected(),
            FocusAction::Find => self.ask_what_to_find(),
            FocusAction::NextMatch => self.go_to_match(Direction::Forth),
            FocusAction::MatchBefore => self.go_to_match(Direction::Back),
            FocusAction::ErrorBefore => self.seek_row(SeekKind::Error, Direction::Back),
            FocusAction::NextError => self.seek_row(SeekKind::Error, Direction::Forth),
            FocusAction::OrderBefore => self.seek_row(SeekKind::Order, Direction::Back),
            FocusAction::NextOrder => self.seek_row(SeekKind::Order, Direction::Forth),
            FocusAction::MinuteBefore => self.step_in_timeline(false),
            FocusAction::NextMinute => self.step_in_timeline(true),
            FocusAction::Panel => self.turn_panel(),
            FocusAction::Previous => self.open_beside(-1),
            FocusAction::Next => self.open_beside(1),
            FocusAction::Back => self.back_in_focus(),
        }
    }

    pub(in crate::dashboard) fn go_in_focus(&mut self, movement: Movement) {
        let page = usize::from(self.layout().body.height).max(2) - 1;
        match movement {
            Movement::Up => self.scroll(1, Direction::Back),
            Movement::Down => self.scroll(1, Direction::Forth),
            Movement::PageUp => self.scroll(page, Direction::Back),
            Movement::PageDown => self.scroll(page, Direction::Forth),
            Movement::First => self.go_in_transcript(Transcript::go_to_top),
            Movement::Last => self.go_in_transcript(Transcript::go_to_bottom),
        }
    }

    fn change_transcript(&mut self, change: impl FnOnce(&mut Transcript)) {
        if let Some(focus) = &mut self.focus {
            change(&mut focus.transcript);
        }
    }

    pub(in crate::dashboard) fn scroll(&mut self, lines: usize, way: Direction) {
        self.change_transcript(|transcript| transcript.scroll(lines, way));
    }

    /// Moves in the conversation and loads the rows there.
    pub(in crate::dashboard) fn go_in_transcript(
        &mut self,
        go: impl FnOnce(&mut Transcript) -> Option<Load>,
    ) {
        let load = self
            .focus
            .as_mut()
            .and_then(|focus| go(&mut focus.transcript));
        self.load(load);
    }

    /// Sends the query for a page of the conversation.
    pub(in crate::dashboard) fn load(&mut self, load: Option<Load>) {
        let stamp = self.next_read_id();
        let (Some(load), Some(focus)) = (load, &mut self.focus) else {
            return;
        };
        focus.transcript.expect(stamp, load);
        let page = PageQuery {
            mysis: focus.mysis(),
            from: load.from,
            limit: PAGE,
            kinds: Vec::new(),
        };
        self.effects.push(UiEffect::Read {
            id: stamp,
            query: StoreQuery::Page(page),
        });
    }

    fn open_beside(&mut self, by: isize) {
        let shown = self.focus.as_ref().map(super::Focus::mysis);
        if let Some(id) = shown.and_then(|id| self.table.beside(id, by)) {
            self.open(id);
        }
    }

    fn turn_panel(&mut self) {
        let is_shown = self.layout().panel.width > 0;
        self.appearance.panel = if is_shown {
            Panel::Hidden
        } else {
            Panel::Shown
        };
    }

    fn selected_row(&mut self) -> Option<Arc<Row>> {
        let transcript = &self.focus.as_ref()?.transcript;
        let newest = transcript.visible_lines().last().map(|line| line.entry.seq);
        let seq = transcript.selected().or(newest)?;
        transcript.pages().row(seq).cloned()
    }

    fn inspect(&mut self) {
        if let Some(row) = self.selected_row() {
            let inspector = Inspector::of(row, self.appearance.offset);
            self.overlays.push(Overlay::View(Box::new(inspector)));
        }
    }

    fn copy_selected(&mut self) {
        if let Some(row) = self.selected_row() {
            self.copy(&whole_text(&row));
        }
    }

    pub(in crate::dashboard) fn copy(&mut self, text: &str) {
        let lines = text.lines().count().max(1);
        self.actions.push(TerminalAction::Copy(text.into()));
        self.show_notice(&format!(
            "{lines} line{} sent to the terminal's clipboard",
            if lines == 1 { "" } else { "s" }
        ));
    }

    pub(in crate::dashboard) fn write(&mut self, name: String, text: &str) {
        let text = text.into();
        self.actions.push(TerminalAction::Write { name, text });
    }

    fn ask_what_to_find(&mut self) {
        let text_search = self
            .focus
            .as_ref()
            .and_then(|focus| focus.transcript.text_search.as_ref());
        let text = text_search.map_or("", |text_search| text_search.text());
        self.overlays
            .push(Overlay::Query(Query::new(QueryScope::Conversation, text)));
    }

    /// Searches a text in the open conversation.
    pub(in crate::dashboard) fn find_text(&mut self, text: &str) {
        let stamps = [self.next_read_id(), self.next_read_id()];
        let Some(focus) = &mut self.focus else {
            return self.show_notice("open a conversation first");
        };
        let questions = focus.start_search(text, stamps);
        for (stamp, search) in questions {
            self.effects.push(UiEffect::Read {
                id: stamp,
                query: StoreQuery::Search(search),
            });
        }
        self.go_to_match(Direction::Back);
    }

    /// Searches a text in the open conversation, beginning at a row that contains it.
    pub(in crate::dashboard) fn find_text_at(&mut self, text: &str, seq: Seq) {
        let stamps = [self.next_read_id(), self.next_read_id()];
        let Some(focus) = &mut self.focus else {
            return;
        };
        let questions = focus.start_search(text, stamps);
        if let Some(text_search) = &mut focus.transcript.text_search {
            text_search.current = Some(seq);
        }
        for (stamp, search) in questions {
            self.effects.push(UiEffect::Read {
                id: stamp,
                query: StoreQuery::Search(search),
            });
        }
        self.go_in_transcript(|transcript| transcript.go_to_place(seq));
    }

    fn go_to_match(&mut self, way: Direction) {
        let Some(focus) = &mut self.focus else {
            return;
        };
        let transcript = &mut focus.transcript;
        let Some(text_search) = &mut transcript.text_search else {
            return self.show_notice("no search is active; / begins one");
        };
        if let Some(next) = text_search.next(text_search.current, way) {
            text_search.current = Some(next);
            self.go_in_transcript(|transcript| transcript.go_to(next));
        }
    }

    fn seek_row(&mut self, what: SeekKind, way: Direction) {
        let stamp = self.next_read_id();
        let Some(focus) = &mut self.focus else {
            return;
        };
        let found = focus.seek(what, way, stamp);
        self.on_seek_result(found, what, stamp);
    }

    /// Goes to the row that a search found, or continues the search.
    pub(in crate::dashboard) fn on_seek_result(
        &mut self,
        found: SeekResult,
        what: SeekKind,
        stamp: ReadId,
    ) {
        match found {
            SeekResult::Here(seq) => self.go_in_transcript(|transcript| transcript.go_to(seq)),
            SeekResult::Ask(page) => self.effects.push(UiEffect::Read {
                id: stamp,
                query: StoreQuery::Page(page),
            }),
            SeekResult::Nowhere => {
                self.show_notice(&format!("no further {} in this direction", what.as_str()))
            }
            SeekResult::Stale => {}
        }
    }

    fn back_in_focus(&mut self) {
        let Some(focus) = &mut self.focus else {
            return;
        };
        if focus.stop_seeking() || self.return_to_list() {
            return;
        }
        let Some(focus) = &mut self.focus else {
            return;
        };
        if focus.transcript.text_search.is_some() {
            focus.transcript.find(None);
            return focus.transcript.select(None);
        }
        if focus.transcript.selected().is_some() {
            return focus.transcript.select(None);
        }
        if !self.dismiss() {
            self.focus = None;
        }
    }
}
