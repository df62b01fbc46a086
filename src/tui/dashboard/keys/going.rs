//! Keys that go somewhere, in every view alike.

use crate::dashboard::input_event::{Key, Press};

use super::{Binding, bind, key, letter};

/// Where a key goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// One up.
    Up,
    /// One down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the beginning.
    First,
    /// To the end.
    Last,
}

/// Keys of the table, of a conversation, of an entry, of lists.
pub const MOVEMENT_KEYS: &[Binding<Movement>] = &[
    bind(&[key(Key::Up), letter('k')], Movement::Up, "", "up"),
    bind(&[key(Key::Down), letter('j')], Movement::Down, "", "down"),
    bind(
        &[key(Key::PageUp), Press::ctrl('b')],
        Movement::PageUp,
        "",
        "a page up",
    ),
    bind(
        &[key(Key::PageDown), Press::ctrl('f')],
        Movement::PageDown,
        "",
        "a page down",
    ),
    bind(
        &[letter('g'), key(Key::Home)],
        Movement::First,
        "top",
        "to the beginning",
    ),
    bind(
        &[letter('G'), key(Key::End)],
        Movement::Last,
        "bottom",
        "to the end; a conversation follows from there",
    ),
];
