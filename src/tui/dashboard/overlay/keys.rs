//! What keys do in what lies over a view: an entry that is looked into, the log, help.

use crate::dashboard::input_event::{key, letter};
use crossterm::event::KeyCode;

use crate::dashboard::keys::{Binding, bind};

/// What keys do in an entry that is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InspectorAction {
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
pub enum ListAction {
    /// A page down.
    PageDown,
    /// Show only what is more serious, in the end everything.
    Severity,
    /// Close it.
    Back,
}

/// Keys of an entry that is looked into.
pub const INSPECTOR_KEYS: &[Binding<InspectorAction>] = &[
    bind(
        &[key(KeyCode::Esc), letter('q')],
        InspectorAction::Back,
        "back",
        "back to the conversation",
    ),
    bind(
        &[key(KeyCode::Enter), letter(' ')],
        InspectorAction::Turn,
        "fold",
        "open or close",
    ),
    bind(
        &[key(KeyCode::Right), letter('l')],
        InspectorAction::Open,
        "",
        "open, or go inside",
    ),
    bind(
        &[key(KeyCode::Left), letter('h')],
        InspectorAction::Close,
        "",
        "close, or go outside",
    ),
    bind(
        &[letter('z')],
        InspectorAction::TurnAll,
        "fold all",
        "open or close everything",
    ),
    bind(
        &[letter('/')],
        InspectorAction::Find,
        "find",
        "look for a text",
    ),
    bind(
        &[letter('n')],
        InspectorAction::NextMatch,
        "next",
        "to the next place of the text",
    ),
    bind(
        &[letter('N')],
        InspectorAction::MatchBefore,
        "",
        "to the place of the text before",
    ),
    bind(
        &[letter('y')],
        InspectorAction::Copy,
        "copy",
        "copy what is selected",
    ),
    bind(
        &[letter('Y')],
        InspectorAction::CopyAll,
        "copy all",
        "copy everything",
    ),
    bind(
        &[letter('w')],
        InspectorAction::Write,
        "write",
        "write everything to a file",
    ),
];

/// Keys of the log, of help, of a request.
pub const LIST_KEYS: &[Binding<ListAction>] = &[
    bind(
        &[key(KeyCode::Esc), letter('q')],
        ListAction::Back,
        "close",
        "close it",
    ),
    bind(
        &[letter('f')],
        ListAction::Severity,
        "only serious",
        "show what is more serious, in the end everything",
    ),
    bind(&[letter(' ')], ListAction::PageDown, "", "a page down"),
];
