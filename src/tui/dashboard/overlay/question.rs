//! Questions: what is asked before something is done that cannot be taken back.

pub(crate) mod view;

use actors::domain::ids::MysisId;

use crate::dashboard::input_event::{Key, Press};

/// A question to the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmDialog {
    /// What is asked.
    pub about: ActionToConfirm,
    /// What it says, line by line.
    pub lines: Vec<String>,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionToConfirm {
    /// These are to be deleted.
    Delete(Vec<MysisId>),
    /// These are to be stopped.
    Stop(Vec<MysisId>),
    /// The program is to close.
    Quit,
}

/// What the operator said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmAnswer {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Nothing that answers it.
    Nothing,
}

impl ConfirmDialog {
    /// What a key says. What is lost for good wants a clear yes.
    #[must_use]
    pub fn press(&self, press: Press) -> ConfirmAnswer {
        let may_insist = self.about == ActionToConfirm::Quit;
        let is_light = !matches!(self.about, ActionToConfirm::Delete(_));
        match press.key {
            Key::Char('y' | 'Y') => ConfirmAnswer::Yes,
            Key::Enter if is_light => ConfirmAnswer::Yes,
            Key::Char('q') if may_insist => ConfirmAnswer::Yes,
            Key::Char('c') if may_insist && press.ctrl => ConfirmAnswer::Yes,
            Key::Char('n' | 'N') | Key::Esc => ConfirmAnswer::No,
            Key::Char(_)
            | Key::Enter
            | Key::Tab
            | Key::Backspace
            | Key::Delete
            | Key::Up
            | Key::Down
            | Key::Left
            | Key::Right
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown
            | Key::Function(_) => ConfirmAnswer::Nothing,
        }
    }

    /// The keys that answer it.
    #[must_use]
    pub fn keys(&self) -> &'static str {
        match self.about {
            ActionToConfirm::Delete(_) => "y delete   n keep",
            ActionToConfirm::Stop(_) => "y stop   n leave them",
            ActionToConfirm::Quit => "y quit   n stay",
        }
    }
}
