//! Queries: a line in which the operator writes what to look for.

use super::field::Field;
use super::input_event::{Key, Press};

/// What the operator looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Where.
    pub within: Within,
    /// What.
    pub field: Field,
}

/// Where something is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// Among the Myses of the table, at every letter.
    Table,
    /// In the conversation, once it is written.
    Conversation,
    /// In the entry that is looked into.
    Entry,
}

/// What a key meant to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queried {
    /// What is written may have changed.
    Changed,
    /// It is written.
    Done,
    /// Nothing is looked for.
    Leave,
    /// It means nothing here.
    Unused,
}

impl Query {
    /// Begins with what was looked for last.
    #[must_use]
    pub fn new(within: Within, text: &str) -> Query {
        Query {
            within,
            field: Field::holding(text),
        }
    }

    /// Does what a key does in a query.
    pub fn press(&mut self, press: Press) -> Queried {
        match press.key {
            Key::Enter => Queried::Done,
            Key::Esc => Queried::Leave,
            Key::Char('c') if press.ctrl => Queried::Leave,
            Key::Backspace if self.field.is_empty() => Queried::Leave,
            Key::Up | Key::Down | Key::PageUp | Key::PageDown | Key::Tab | Key::Function(_) => {
                Queried::Unused
            }
            Key::Char(_)
            | Key::Backspace
            | Key::Delete
            | Key::Left
            | Key::Right
            | Key::Home
            | Key::End => {
                self.field.press(press);
                Queried::Changed
            }
        }
    }
}
