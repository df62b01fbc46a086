//! The keys for movement, the same in every view.

use crate::dashboard::input_event::{ctrl, key, letter};
use crossterm::event::KeyCode;

use super::{Binding, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
}

impl Movement {
    /// The place in a list to which it leads from this one. `last` is the list's last place, and a page
    /// of `height` lines keeps one line of the page before.
    #[must_use]
    pub fn lead_from(self, place: usize, last: usize, height: usize) -> usize {
        let page = height.max(2) - 1;
        let place = match self {
            Movement::Up => place.saturating_sub(1),
            Movement::Down => place + 1,
            Movement::PageUp => place.saturating_sub(page),
            Movement::PageDown => place + page,
            Movement::First => 0,
            Movement::Last => last,
        };
        place.min(last)
    }
}

#[rustfmt::skip]
pub const MOVEMENT_KEYS: &[Binding<Movement>] = &[
    bind("up", &[key(KeyCode::Up), letter('k')], Movement::Up, "", "up"),
    bind("down", &[key(KeyCode::Down), letter('j')], Movement::Down, "", "down"),
    bind("page_up", &[key(KeyCode::PageUp), ctrl('b')], Movement::PageUp, "", "a page up"),
    bind("page_down", &[key(KeyCode::PageDown), ctrl('f')], Movement::PageDown, "", "a page down"),
    bind("top", &[key(KeyCode::Home), letter('<')], Movement::First, "top", "to the beginning"),
    bind("bottom", &[key(KeyCode::End), letter('>')], Movement::Last, "bottom", "to the end; new entries show at once"),
];
