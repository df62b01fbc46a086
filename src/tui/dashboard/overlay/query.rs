//! Queries: a line in which the operator writes what to look for.

pub(crate) mod view;

use crate::dashboard::input_event::has_ctrl;
use crate::dashboard::text::field::TextField;
use crossterm::event::{KeyCode, KeyEvent};

/// What the operator looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Where.
    pub within: QueryScope,
    /// What.
    pub field: TextField,
}

/// Where something is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryScope {
    /// Among the Myses of the table, at every letter.
    Table,
    /// In the conversation, once it is written.
    Conversation,
    /// In the entry that is looked into.
    Entry,
}

/// What a key meant to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryOutcome {
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
    pub fn new(within: QueryScope, text: &str) -> Query {
        Query {
            within,
            field: TextField::with_text(text),
        }
    }

    /// Does what a key does in a query.
    pub fn press(&mut self, press: KeyEvent) -> QueryOutcome {
        match (press.code, has_ctrl(press)) {
            (KeyCode::Enter, _) => QueryOutcome::Done,
            (KeyCode::Esc, _) | (KeyCode::Char('c'), true) => QueryOutcome::Leave,
            (KeyCode::Backspace, _) if self.field.is_empty() => QueryOutcome::Leave,
            (KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown, _)
            | (KeyCode::Tab | KeyCode::BackTab | KeyCode::F(_), _) => QueryOutcome::Unused,
            _ => {
                self.field.press(press);
                QueryOutcome::Changed
            }
        }
    }
}
