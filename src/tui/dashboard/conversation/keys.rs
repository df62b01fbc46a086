//! What keys do in a conversation.

use crate::dashboard::input_event::{key, letter};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::dashboard::keys::{Binding, bind};

/// What keys do in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FocusAction {
    /// Select the entry before.
    EntryUp,
    /// Select the next entry.
    EntryDown,
    /// Show the selected entry whole, or no longer.
    Turn,
    /// Show all entries whole, or no longer.
    TurnAll,
    /// Show all reasoning whole, or no longer.
    Reasoning,
    /// Look into the selected entry.
    Inspect,
    /// Copy the selected entry.
    Copy,
    /// Look for a text.
    Find,
    /// To the next place of the text.
    NextMatch,
    /// To the place of the text before.
    MatchBefore,
    /// To the error before.
    ErrorBefore,
    /// To the next error.
    NextError,
    /// To the order before.
    OrderBefore,
    /// To the next order.
    NextOrder,
    /// Show or hide the panel at the side.
    Panel,
    /// The Mysis before in the table.
    Previous,
    /// The next Mysis in the table.
    Next,
    /// Stop looking, dismiss an error, go back to the table.
    Back,
}

/// Keys of a conversation.
pub const FOCUS_KEYS: &[Binding<FocusAction>] = &[
    bind(
        &[key(KeyCode::Esc)],
        FocusAction::Back,
        "back",
        "stop looking, deselect, dismiss the error, go back",
    ),
    bind(
        &[letter('K'), KeyEvent::new(KeyCode::Up, KeyModifiers::SHIFT)],
        FocusAction::EntryUp,
        "entry",
        "select the entry before",
    ),
    bind(
        &[
            letter('J'),
            KeyEvent::new(KeyCode::Down, KeyModifiers::SHIFT),
        ],
        FocusAction::EntryDown,
        "",
        "select the next entry",
    ),
    bind(
        &[key(KeyCode::Enter), letter('i')],
        FocusAction::Inspect,
        "look into",
        "look into the selected entry",
    ),
    bind(
        &[letter(' ')],
        FocusAction::Turn,
        "unfold",
        "show the selected entry whole, or fold it",
    ),
    bind(
        &[letter('z')],
        FocusAction::TurnAll,
        "",
        "show all entries whole, or fold them",
    ),
    bind(
        &[letter('t')],
        FocusAction::Reasoning,
        "thoughts",
        "show all reasoning whole, or fold it",
    ),
    bind(&[letter('/')], FocusAction::Find, "find", "look for a text"),
    bind(
        &[letter('n')],
        FocusAction::NextMatch,
        "",
        "to the next place of the text",
    ),
    bind(
        &[letter('N')],
        FocusAction::MatchBefore,
        "",
        "to the place of the text before",
    ),
    bind(
        &[letter('e')],
        FocusAction::ErrorBefore,
        "error",
        "to the error before",
    ),
    bind(
        &[letter('E')],
        FocusAction::NextError,
        "",
        "to the next error",
    ),
    bind(
        &[letter('o')],
        FocusAction::OrderBefore,
        "",
        "to the order before",
    ),
    bind(
        &[letter('O')],
        FocusAction::NextOrder,
        "",
        "to the next order",
    ),
    bind(
        &[letter('y')],
        FocusAction::Copy,
        "",
        "copy the selected entry",
    ),
    bind(
        &[letter('p')],
        FocusAction::Panel,
        "panel",
        "show or hide the panel at the side",
    ),
    bind(
        &[key(KeyCode::Left), letter('[')],
        FocusAction::Previous,
        "",
        "the Mysis before",
    ),
    bind(
        &[key(KeyCode::Right), letter(']')],
        FocusAction::Next,
        "next",
        "the next Mysis",
    ),
];
