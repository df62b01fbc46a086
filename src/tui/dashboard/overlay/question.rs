//! Questions before an action that cannot be undone.

pub(crate) mod view;

use std::sync::Arc;

use actors::domain::ids::MysisId;

use crate::dashboard::input_event::has_ctrl;
use crossterm::event::{KeyCode, KeyEvent};

/// A question to the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmDialog {
    /// The action to confirm.
    pub about: ActionToConfirm,
    /// The lines of the question.
    pub lines: Vec<String>,
}

/// An action that needs a confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionToConfirm {
    /// Deleting these Myses.
    Delete(Vec<MysisId>),
    /// Stopping these Myses.
    Stop(Vec<MysisId>),
    /// Thawing the swarm.
    Thaw,
    /// Draining the process with this name.
    Drain(Arc<str>),
    /// Leaving a routine that is changed and not saved.
    LeaveRoutine,
    /// Closing the program.
    Quit,
}

/// The operator's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmAnswer {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Another way: the swarm goes on without this terminal.
    LeaveRunning,
    /// The key is no answer.
    Nothing,
}

impl ConfirmDialog {
    /// The answer of a key. An action that destroys data needs `y`.
    #[must_use]
    pub fn press(&self, press: KeyEvent) -> ConfirmAnswer {
        let may_insist = self.about == ActionToConfirm::Quit;
        let is_light = !matches!(
            self.about,
            ActionToConfirm::Delete(_) | ActionToConfirm::LeaveRoutine
        );
        match (press.code, has_ctrl(press)) {
            (KeyCode::Char('y' | 'Y'), _) => ConfirmAnswer::Yes,
            (KeyCode::Enter, _) if is_light => ConfirmAnswer::Yes,
            (KeyCode::Char('h' | 'H'), false) if may_insist => ConfirmAnswer::LeaveRunning,
            (KeyCode::Char('n' | 'N') | KeyCode::Esc, _) => ConfirmAnswer::No,
            _ => ConfirmAnswer::Nothing,
        }
    }

    /// The keys that answer the question.
    #[must_use]
    pub fn keys(&self) -> &'static str {
        match self.about {
            ActionToConfirm::Delete(_) => "y delete   n keep",
            ActionToConfirm::Stop(_) => "y stop   n leave them",
            ActionToConfirm::Thaw => "y thaw   n leave it frozen",
            ActionToConfirm::Drain(_) => "y drain   n leave it",
            ActionToConfirm::LeaveRoutine => "y leave   n go on writing",
            ActionToConfirm::Quit => "y quit   h leave it running   n stay",
        }
    }
}
