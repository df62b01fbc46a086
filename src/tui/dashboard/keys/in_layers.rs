//! What keys do in what lies over a view: an entry that is looked into, the log, help.

use crate::dashboard::input_event::Key;

use super::{Binding, bind, key, letter};

/// What keys do in an entry that is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InEntry {
    /// Open or close.
    Turn,
    /// Open.
    Open,
    /// Close.
    Close,
    /// Open or close everything.
    TurnAll,
    /// Look for a text.
    Find,
    /// To the next place of the text.
    NextMatch,
    /// To the place of the text before.
    MatchBefore,
    /// Copy what is selected.
    Copy,
    /// Copy everything.
    CopyAll,
    /// Write everything to a file.
    Write,
    /// Back to the conversation.
    Back,
}

/// What keys do in a list that is only read: the log, help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InList {
    /// A page down.
    PageDown,
    /// Show only what is more serious, in the end everything.
    Severity,
    /// Close it.
    Back,
}

/// Keys of an entry that is looked into.
pub const IN_ENTRY: &[Binding<InEntry>] = &[
    bind(
        &[key(Key::Esc), letter('q')],
        InEntry::Back,
        "back",
        "back to the conversation",
    ),
    bind(
        &[key(Key::Enter), letter(' ')],
        InEntry::Turn,
        "fold",
        "open or close",
    ),
    bind(
        &[key(Key::Right), letter('l')],
        InEntry::Open,
        "",
        "open, or go inside",
    ),
    bind(
        &[key(Key::Left), letter('h')],
        InEntry::Close,
        "",
        "close, or go outside",
    ),
    bind(
        &[letter('z')],
        InEntry::TurnAll,
        "fold all",
        "open or close everything",
    ),
    bind(&[letter('/')], InEntry::Find, "find", "look for a text"),
    bind(
        &[letter('n')],
        InEntry::NextMatch,
        "next",
        "to the next place of the text",
    ),
    bind(
        &[letter('N')],
        InEntry::MatchBefore,
        "",
        "to the place of the text before",
    ),
    bind(
        &[letter('y')],
        InEntry::Copy,
        "copy",
        "copy what is selected",
    ),
    bind(
        &[letter('Y')],
        InEntry::CopyAll,
        "copy all",
        "copy everything",
    ),
    bind(
        &[letter('w')],
        InEntry::Write,
        "write",
        "write everything to a file",
    ),
];

/// Keys of the log, of help, of a request.
pub const IN_LIST: &[Binding<InList>] = &[
    bind(
        &[key(Key::Esc), letter('q')],
        InList::Back,
        "close",
        "close it",
    ),
    bind(
        &[letter('f')],
        InList::Severity,
        "only serious",
        "show what is more serious, in the end everything",
    ),
    bind(&[letter(' ')], InList::PageDown, "", "a page down"),
];
