//! What opens, feeds and steers the log.

use actors::domain::reading::{EVENT_PAGE, EventQuery};
use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery};
use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::{Position, Rect};

use super::keys::{LOG_KEYS, LogAction, WHOLE_KEYS, WholeAction};
use super::lines::LineRules;
use super::list::LogView;
use super::message::LogMessage;
use super::view;
use super::whole::WholeEvent;
use crate::dashboard::Dashboard;
use crate::dashboard::conversation::transcript::text_search::Direction;
use crate::dashboard::handling::wheel_direction;
use crate::dashboard::input_event::letter;
use crate::dashboard::keys::{KeyTable, Keymap, MOVEMENT_KEYS, bind};
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::overlay::query::QueryScope;
use crate::dashboard::toolkit::view::{Opening, Pointed, Pressed, View, ViewSpec};
use crate::painter::Painter;

/// What is fixed of the log.
pub const SPEC: ViewSpec = ViewSpec {
    opening: Some(bind(
        "log",
        &[letter('L')],
        Opening(|board| board.open_view(new_log)),
        "log",
        "show the event log",
    )),
    keys: || KeyTable::of("The log", LOG_KEYS),
    moves: true,
};

/// What is fixed of an event of the log that is shown whole.
pub const WHOLE_SPEC: ViewSpec = ViewSpec {
    opening: None,
    keys: || KeyTable::of("An event of the log, whole", WHOLE_KEYS),
    moves: true,
};

fn new_log(board: &Dashboard) -> LogView {
    let offset = board.appearance.offset;
    LogView::new(LineRules {
        filter: super::filter::LogFilter::default(),
        only: None,
        unfolded: std::collections::BTreeSet::new(),
        unfolds_all: false,
        looked: board.looked.rule(),
        offset,
        today: offset.day(board.now),
    })
}

impl View for LogView {
    fn hints(&self, keymap: &Keymap) -> Vec<(String, &'static str)> {
        match self.whole {
            Some(_) => keymap.hints(WHOLE_KEYS),
            None => keymap.hints(LOG_KEYS),
        }
    }

    fn keys(&self) -> Option<KeyTable> {
        Some((SPEC.keys)())
    }

    fn press(&mut self, board: &mut Dashboard, press: KeyEvent) -> Pressed {
        if let Some(whole) = self.whole.take() {
            return self.press_in_whole(board, whole, press);
        }
        let Some(action) = board.keymap().find(LOG_KEYS, press) else {
            let Some(movement) = board.keymap().find(MOVEMENT_KEYS, press) else {
                return Pressed::Passes;
            };
            self.complaint = None;
            self.move_to(movement);
            return Pressed::Stays;
        };
        match action {
            LogAction::Back if self.text_search.is_some() => self.find_text(""),
            LogAction::Back => {
                board.looked.look(board.now);
                return Pressed::Closes;
            }
            LogAction::Whole => {
                let line = self.line_in_hand();
                self.whole = line.map(|line| WholeEvent::of(line.events()));
            }
            LogAction::Turn => self.toggle_fold(),
            LogAction::TurnAll => self.toggle_folds(),
            LogAction::Filter => self.next_filter(),
            LogAction::Only => self.toggle_only(),
            LogAction::Wrap => self.wraps = !self.wraps,
            LogAction::Find => {
                let known = self.text_search.as_ref();
                let text = known.map_or("", |known| known.text()).to_string();
                return Pressed::then(move |board| board.open_line(QueryScope::Log, &text));
            }
            LogAction::NextMatch => self.step_to_match(board, Direction::Forth),
            LogAction::MatchBefore => self.step_to_match(board, Direction::Back),
            LogAction::Copy => {
                if let Some(event) = self.event_in_hand() {
                    board.copy(&event.text);
                }
            }
        }
        Pressed::Stays
    }

    fn paint(&self, board: &Dashboard, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint_log(board, self, layout, painter);
    }

    /// Brings the lines up to date, and reads older events if the oldest is in sight.
    fn poll(&mut self, board: &mut Dashboard, page: Rect) {
        let offset = board.appearance.offset;
        (self.rules.offset, self.rules.today) = (offset, offset.day(board.now));
        self.update_lines(&board.log, (page.width.saturating_sub(1), page.height));
        if let Some(before) = self.wants_older(&board.log) {
            self.awaited = Some(board.read(StoreQuery::Events(EventQuery {
                before: Some(before),
                limit: EVENT_PAGE,
            })));
        }
    }

    fn awaits(&self, id: ReadId) -> bool {
        self.awaited == Some(id)
    }

    fn take(&mut self, board: &mut Dashboard, _: ReadId, read: Result<StoreAnswer, String>) {
        self.awaited = None;
        let records = match read {
            Ok(answer) => answer.try_as_events().unwrap_or_default(),
            Err(why) => {
                (self.seeks, self.complaint) = (false, Some(why.into()));
                return;
            }
        };
        let messages = records.iter().map(LogMessage::of).collect();
        std::sync::Arc::make_mut(&mut board.log).add_older(messages);
        let page = board.layout().page();
        self.update_lines(&board.log, (page.width.saturating_sub(1), page.height));
        if std::mem::take(&mut self.seeks) {
            self.step_to_match(board, Direction::Back);
        }
    }

    /// Looks for a text, from the line in hand to older ones.
    fn take_line(&mut self, board: &mut Dashboard, text: Option<&str>) {
        let text = text.unwrap_or_default();
        self.find_text(text);
        if !text.is_empty() && !self.is_at_match() {
            self.step_to_match(board, Direction::Back);
        }
    }

    /// The first click takes a line in hand. A second one shows it whole.
    fn point(&mut self, mouse: MouseEvent, page: Rect) -> Pointed {
        if wheel_direction(mouse).is_some() {
            return Pointed::AsKeys;
        }
        if page.contains(Position::new(mouse.column, mouse.row)) {
            self.click(usize::from(mouse.row - page.y));
        }
        Pointed::Used
    }
}

impl LogView {
    fn press_in_whole(
        &mut self,
        board: &mut Dashboard,
        mut whole: WholeEvent,
        press: KeyEvent,
    ) -> Pressed {
        match board.keymap().find(WHOLE_KEYS, press) {
            Some(WholeAction::Back) => return Pressed::Stays,
            Some(WholeAction::Open) => match whole.place() {
                Some((mysis, row)) if board.roster.get(mysis).is_some() => {
                    board.looked.look(board.now);
                    board.open(mysis);
                    if let Some(row) = row {
                        board.go_in_transcript(|transcript| transcript.go_to(row));
                    }
                    return Pressed::Closes;
                }
                Some(_) => board.show_notice("that Mysis is no longer there"),
                None => board.show_notice("this is about the swarm; it has no conversation"),
            },
            Some(WholeAction::Copy) => board.copy(whole.text()),
            None => {
                let movement = board.keymap().find(MOVEMENT_KEYS, press);
                if let Some(movement) = movement {
                    let page = board.layout().page();
                    let lines = whole.lines(board.appearance.offset, usize::from(page.width));
                    whole.scroll(movement, lines.len(), usize::from(page.height));
                }
                self.whole = Some(whole);
                return match movement {
                    Some(_) => Pressed::Stays,
                    None => Pressed::Passes,
                };
            }
        }
        self.whole = Some(whole);
        Pressed::Stays
    }

    /// Goes to the next line with the searched text. Older events are read until one has it.
    fn step_to_match(&mut self, board: &mut Dashboard, way: Direction) {
        let Some(text) = self.text_search.as_ref().map(|known| known.text()) else {
            return board.show_notice("no search is active; / begins one");
        };
        let text = text.to_string();
        if self.go_to_match(way) {
            return;
        }
        if way == Direction::Back && board.log.has_older() {
            self.seeks = true;
            return;
        }
        let side = match way {
            Direction::Back => "before this",
            Direction::Forth => "after this",
        };
        board.show_notice(&format!("no match for `{text}` {side}"));
    }
}
