//! The inspector as a view: what its keys do, and how it is drawn.

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::{Position, Rect};

use super::Inspector;
use crate::dashboard::conversation::transcript::text_search::{Direction, text_of};
use crate::dashboard::facts::Facts;
use crate::dashboard::handling::{WHEEL_LINES, wheel_direction};
use crate::dashboard::keys::{KeyTable, Movement};
use crate::dashboard::layout::{ScreenLayout, row_of, without_left};
use crate::dashboard::outbox::Request;
use crate::dashboard::overlay::keys::{INSPECTOR_KEYS, InspectorAction};
use crate::dashboard::overlay::query::QueryScope;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::toolkit::page::begin_page;
use crate::dashboard::toolkit::view::{Pointed, Pressed, View, ViewContext, ViewSpec};
use crate::painter::Painter;
use crate::theme::Ground;

pub const SPEC: ViewSpec = ViewSpec {
    opening: None,
    keys: || KeyTable::of("The inspected entry or request", INSPECTOR_KEYS),
    moves: true,
};

impl View for Inspector {
    fn spec(&self) -> &'static ViewSpec {
        &SPEC
    }

    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        let Some(action) = context.facts.keymap.find(INSPECTOR_KEYS, press) else {
            return Pressed::Passes;
        };
        match action {
            InspectorAction::Turn => self.turn(),
            InspectorAction::Open => self.open(),
            InspectorAction::Close => self.close(),
            InspectorAction::TurnAll => self.turn_all(),
            InspectorAction::NextMatch => self.next_match(Direction::Forth),
            InspectorAction::MatchBefore => self.next_match(Direction::Back),
            InspectorAction::Copy => context.outbox.copy(&self.text()),
            InspectorAction::Write => context.outbox.write(self.file_name(), &self.whole_text()),
            InspectorAction::CopyAll => context.outbox.copy(&self.whole_text()),
            InspectorAction::Raw => self.turn_raw(),
            InspectorAction::Find => {
                let text = text_of(self.text_search.as_ref());
                (context.outbox).request(Request::WriteLine(QueryScope::Entry, text));
            }
            InspectorAction::Back => return Pressed::Closes,
        }
        Pressed::Stays
    }

    fn go(&mut self, _: &mut ViewContext<'_>, movement: Movement) {
        self.move_to(movement);
    }

    fn paint(&self, _: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        let lines = self.lines.len();
        let bottom = self.top + usize::from(layout.page().height);
        let place = format!("  {} of {lines} ", bottom.min(lines));
        let room = usize::from(layout.title.width).saturating_sub(place.len() + 1);
        let title = format!(" {}", width::clip(&self.title, room));
        let body = begin_page(layout, &StyledLine::of(title, Tone::Brand), painter);
        painter.line_at_right(layout.title, 0, &StyledLine::of(place, Tone::Dim));
        let mut was_selected = false;
        for (row, (line, is_selected)) in (0..body.height).zip(self.visible()) {
            let whole = row_of(body, row);
            if is_selected {
                painter.fill(whole, Ground::Selected);
                if !was_selected {
                    painter.text(whole, 0, "▌", Tone::Accent);
                }
            }
            was_selected = is_selected;
            painter.line(without_left(whole, 2), 0, line);
        }
    }

    fn poll(&mut self, _: &mut ViewContext<'_>, page: Rect) {
        self.resize(page.width.saturating_sub(2), page.height);
    }

    fn take_line(&mut self, _: &mut ViewContext<'_>, text: Option<&str>) {
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
