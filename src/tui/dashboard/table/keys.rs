//! What keys do in the table of Myses.

use crate::dashboard::input_event::{ctrl, key, letter};
use crossterm::event::KeyCode;

use crate::dashboard::keys::{Binding, bind};

/// What keys do in the table of Myses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableAction {
    /// Open the conversation.
    Open,
    /// A new Mysis.
    New,
    /// Show only some.
    Filter,
    /// Show those in the next state.
    State,
    /// Sort by the next column.
    Sort,
    /// Sort the other way round.
    Turn,
    /// Mark, or no longer.
    Mark,
    /// Mark from the last mark to here.
    MarkRange,
    /// Mark all, or none.
    MarkAll,
    /// To the next one who needs the operator.
    NextNeed,
    /// Mark all who have the same need.
    MarkAlike,
    /// Dismiss an error, drop marks, show all.
    Back,
}

/// Keys of the table of Myses.
pub const TABLE_KEYS: &[Binding<TableAction>] = &[
    bind(
        &[key(KeyCode::Enter), key(KeyCode::Right)],
        TableAction::Open,
        "open",
        "open the conversation",
    ),
    bind(&[letter('n')], TableAction::New, "new", "create a Mysis"),
    bind(
        &[letter('/')],
        TableAction::Filter,
        "filter",
        "show whom it fits: word, !word, ~regex",
    ),
    bind(
        &[letter('f')],
        TableAction::State,
        "",
        "show those in the next state",
    ),
    bind(
        &[letter(' ')],
        TableAction::Mark,
        "mark",
        "mark for orders to many",
    ),
    bind(
        &[letter('V')],
        TableAction::MarkRange,
        "",
        "mark from the last mark to here",
    ),
    bind(
        &[letter('*'), ctrl('a')],
        TableAction::MarkAll,
        "",
        "mark all that are shown, or none",
    ),
    bind(
        &[letter('o')],
        TableAction::Sort,
        "sort",
        "sort by the next column",
    ),
    bind(
        &[letter('O')],
        TableAction::Turn,
        "",
        "sort the other way round",
    ),
    bind(
        &[letter('!')],
        TableAction::NextNeed,
        "",
        "to the next one who needs you",
    ),
    bind(
        &[letter('=')],
        TableAction::MarkAlike,
        "",
        "mark all who have the same trouble",
    ),
    bind(
        &[key(KeyCode::Esc)],
        TableAction::Back,
        "",
        "dismiss the error, drop marks, show all",
    ),
];
