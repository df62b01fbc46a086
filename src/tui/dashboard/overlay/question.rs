//! Questions: what is asked before something is done that cannot be taken back.

pub(crate) mod view;

use actors::domain::ids::MysisId;

use crate::dashboard::input_event::has_ctrl;
use crossterm::event::{KeyCode, KeyEvent};

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
    pub fn press(&self, press: KeyEvent) -> ConfirmAnswer {
        let may_insist = self.about == ActionToConfirm::Quit;
        let is_light = !matches!(self.about, ActionToConfirm::Delete(_));
        match (press.code, has_ctrl(press)) {
            (KeyCode::Char('y' | 'Y'), _) => ConfirmAnswer::Yes,
            (KeyCode::Enter, _) if is_light => ConfirmAnswer::Yes,
            (KeyCode::Char('q'), _) | (KeyCode::Char('c'), true) if may_insist => {
                ConfirmAnswer::Yes
            }
            (KeyCode::Char('n' | 'N') | KeyCode::Esc, _) => ConfirmAnswer::No,
            _ => ConfirmAnswer::Nothing,
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
