//! What keys do in the table of Myses.

use crate::dashboard::input_event::{Key, Press};

use super::{Binding, bind, key, letter};

/// What keys do in the table of Myses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTable {
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
pub const IN_TABLE: &[Binding<InTable>] = &[
    bind(
        &[key(Key::Enter), key(Key::Right)],
        InTable::Open,
        "open",
        "open the conversation",
    ),
    bind(&[letter('n')], InTable::New, "new", "create a Mysis"),
    bind(
        &[letter('/')],
        InTable::Filter,
        "filter",
        "show whom it fits: word, !word, ~regex",
    ),
    bind(
        &[letter('f')],
        InTable::State,
        "",
        "show those in the next state",
    ),
    bind(
        &[letter(' ')],
        InTable::Mark,
        "mark",
        "mark for orders to many",
    ),
    bind(
        &[letter('V')],
        InTable::MarkRange,
        "",
        "mark from the last mark to here",
    ),
    bind(
        &[letter('*'), Press::ctrl('a')],
        InTable::MarkAll,
        "",
        "mark all that are shown, or none",
    ),
    bind(
        &[letter('o')],
        InTable::Sort,
        "sort",
        "sort by the next column",
    ),
    bind(
        &[letter('O')],
        InTable::Turn,
        "",
        "sort the other way round",
    ),
    bind(
        &[letter('!')],
        InTable::NextNeed,
        "",
        "to the next one who needs you",
    ),
    bind(
        &[letter('=')],
        InTable::MarkAlike,
        "",
        "mark all who have the same trouble",
    ),
    bind(
        &[key(Key::Esc)],
        InTable::Back,
        "",
        "dismiss the error, drop marks, show all",
    ),
];
