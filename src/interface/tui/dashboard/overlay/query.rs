//! The one-line input for searches and for the table's filter.

pub(crate) mod view;

use crate::dashboard::input_event::has_ctrl;
use crate::dashboard::text::field::TextField;
use crossterm::event::{KeyCode, KeyEvent};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub within: QueryScope,
    pub field: TextField,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryScope {
    /// The Myses of the table. The filter follows each keystroke.
    Table,
    /// The conversation. The search begins with Enter.
    Conversation,
    /// The entry in the inspector.
    Entry,
    /// All conversations. The search begins with Enter.
    Swarm,
    /// The Myses that start the routine in the editor. It begins with Enter.
    Routine,
    Log,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryOutcome {
    Changed,
    Done,
    /// The query closes and the search ends.
    Leave,
    /// The query has no use for the key.
    Unused,
}

impl Query {
    pub fn new(within: QueryScope, text: &str) -> Query {
        Query {
            within,
            field: TextField::with_text(text),
        }
    }

    pub fn hints(&self) -> &'static [(&'static str, &'static str)] {
        match self.within {
            QueryScope::Routine => &[("Enter", "start"), ("Esc", "leave")],
            QueryScope::Swarm => &[("Enter", "search"), ("Esc", "leave")],
            QueryScope::Table | QueryScope::Conversation | QueryScope::Entry | QueryScope::Log => {
                &[("Enter", "keep"), ("Esc", "drop")]
            }
        }
    }

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
