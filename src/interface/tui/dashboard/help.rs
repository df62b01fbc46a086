//! The help screen, made from the tables of keys.

use crossterm::event::KeyEvent;
use ratatui::layout::{Alignment, Rect};

use super::Dashboard;
use super::keys::{GLOBAL_KEYS, GlobalAction, KeyTable, Keymap, MOVEMENT_KEYS, Movement};
use super::layout::{ScreenLayout, row_of};
use super::overlay::keys::{LIST_KEYS, ListAction};
use super::text::tone::{StyledLine, Tone};
use super::text::width;
use super::toolkit::view::{Pressed, View, ViewSpec};
use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

const KEYS_COLUMNS: usize = 18;

/// What is fixed of the help screen.
pub const SPEC: ViewSpec = ViewSpec {
    opening: None,
    keys: || KeyTable::of("This help", LIST_KEYS),
    moves: true,
};

/// The help screen.
#[derive(Clone, Debug, Default)]
pub struct HelpView {
    /// The first line in sight.
    top: usize,
}

impl View for HelpView {
    fn hints(&self, keymap: &Keymap) -> Vec<(String, &'static str)> {
        let going = |going| keymap.key_of(MOVEMENT_KEYS, going);
        let scroll = format!("{} {}", going(Movement::Up), going(Movement::Down));
        vec![
            (keymap.key_of(LIST_KEYS, ListAction::Back), "close"),
            (scroll, "scroll"),
            (going(Movement::PageDown), "a page"),
        ]
    }

    /// The key that opened it also closes it.
    fn press(&mut self, board: &mut Dashboard, press: KeyEvent) -> Pressed {
        let page = usize::from(board.size().1.saturating_sub(4)).max(1);
        let last = lines(board).len().saturating_sub(page);
        let keymap = board.keymap();
        let going = match keymap.find(LIST_KEYS, press) {
            Some(ListAction::Back) => return Pressed::Closes,
            Some(ListAction::PageDown) => Some(Movement::PageDown),
            None => keymap.find(MOVEMENT_KEYS, press),
        };
        if keymap.find(GLOBAL_KEYS, press) == Some(GlobalAction::Help) {
            return Pressed::Closes;
        }
        let Some(going) = going else {
            return Pressed::Passes;
        };
        self.top = match going {
            Movement::Up => self.top.saturating_sub(1),
            Movement::Down => self.top + 1,
            Movement::PageUp => self.top.saturating_sub(page),
            Movement::PageDown => self.top + page,
            Movement::First => 0,
            Movement::Last => last,
        };
        self.top = self.top.min(last);
        Pressed::Stays
    }

    fn paint(&self, board: &Dashboard, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        paint(board, self.top, layout.below_banner(), painter);
    }
}

fn paint(dashboard: &Dashboard, top: usize, screen: Rect, painter: &mut Painter<'_>) {
    let area = centre_area(screen, 76, screen.height.saturating_sub(2));
    let inside = painter.frame(area, "keys", Ground::Panel);
    let lines = lines(dashboard);
    let rows = usize::from(inside.height);
    painter.lines(inside, lines.iter().skip(top));
    if lines.len() > top + rows {
        let foot = row_of(inside, inside.height);
        painter.text_at(foot, 0, Alignment::Right, " ↓ more ", Tone::Hint);
    }
}

fn lines(dashboard: &Dashboard) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for chapter in dashboard.help() {
        lines.push(StyledLine::of(chapter.title, Tone::Brand));
        for help in chapter.lines {
            let keys = width::fit(&help.keys, KEYS_COLUMNS);
            lines.push(StyledLine::of(format!("  {keys}"), Tone::Key).with(help.help, Tone::Text));
        }
        lines.push(StyledLine::default());
    }
    lines
}
