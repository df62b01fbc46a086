//! What the keys of the inspector do.

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::{Position, Rect};

use super::{Inspector, view};
use crate::dashboard::Dashboard;
use crate::dashboard::conversation::transcript::text_search::Direction;
use crate::dashboard::handling::{WHEEL_LINES, wheel_direction};
use crate::dashboard::keys::{KeyTable, Keymap, MOVEMENT_KEYS};
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::overlay::keys::{INSPECTOR_KEYS, InspectorAction};
use crate::dashboard::overlay::query::QueryScope;
use crate::dashboard::toolkit::view::{Pointed, Pressed, View, ViewSpec};
use crate::painter::Painter;

/// What is fixed of the inspector.
pub const SPEC: ViewSpec = ViewSpec {
    opening: None,
    keys: || KeyTable::of("An entry or a request that is looked into", INSPECTOR_KEYS),
    moves: true,
};

impl View for Inspector {
    fn hints(&self, keymap: &Keymap) -> Vec<(String, &'static str)> {
        keymap.hints(INSPECTOR_KEYS)
    }

    fn keys(&self) -> Option<KeyTable> {
        Some((SPEC.keys)())
    }

    fn press(&mut self, board: &mut Dashboard, press: KeyEvent) -> Pressed {
        let Some(action) = board.keymap().find(INSPECTOR_KEYS, press) else {
            if let Some(movement) = board.keymap().find(MOVEMENT_KEYS, press) {
                self.move_to(movement);
            }
            return Pressed::Passes;
        };
        match action {
            InspectorAction::Turn => self.turn(),
            InspectorAction::Open => self.open(),
            InspectorAction::Close => self.close(),
            InspectorAction::TurnAll => self.turn_all(),
            InspectorAction::NextMatch => self.next_match(Direction::Forth),
            InspectorAction::MatchBefore => self.next_match(Direction::Back),
            InspectorAction::Copy => board.copy(&self.text()),
            InspectorAction::Write => board.write(self.file_name(), &self.whole_text()),
            InspectorAction::CopyAll => board.copy(&self.whole_text()),
            InspectorAction::Raw => self.turn_raw(),
            InspectorAction::Find => {
                let known = self.text_search.as_ref();
                let text = known.map_or("", |known| known.text()).to_string();
                return Pressed::then(move |board| board.open_line(QueryScope::Entry, &text));
            }
            InspectorAction::Back => return Pressed::Closes,
        }
        Pressed::Stays
    }

    fn paint(&self, _: &Dashboard, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint(self, layout, painter);
    }

    fn poll(&mut self, _: &mut Dashboard, page: Rect) {
        self.resize(page.width.saturating_sub(2), page.height);
    }

    fn take_line(&mut self, _: &mut Dashboard, text: Option<&str>) {
        self.find(text.unwrap_or_default());
    }

    fn point(&mut self, mouse: MouseEvent, page: Rect) -> Pointed {
        if let Some(way) = wheel_direction(mouse) {
            self.scroll(WHEEL_LINES, way);
        } else if page.contains(Position::new(mouse.column, mouse.row)) {
            self.click(usize::from(mouse.row - page.y));
        }
        Pointed::Used
    }
}
