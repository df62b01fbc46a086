//! Questions before an action that cannot be undone.

pub(crate) mod view;

use std::borrow::Cow;
use std::sync::Arc;

use actors::domain::ids::MysisId;

use crate::dashboard::input_event::has_ctrl;
use crossterm::event::{KeyCode, KeyEvent};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmDialog {
    pub about: ActionToConfirm,
    pub lines: Vec<String>,
    /// The number to type where a `y` that slips costs too much.
    pub number: Option<NumberToType>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberToType {
    wanted: usize,
    typed: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionToConfirm {
    Delete(Vec<MysisId>),
    Stop(Vec<MysisId>),
    Start(Vec<MysisId>),
    /// Trying the servers at once that these Myses wait for.
    TryNow(Vec<MysisId>),
    /// Giving these Myses this long note.
    Note(Vec<MysisId>, Arc<str>),
    TakeLoops(Vec<MysisId>),
    Thaw,
    Drain(Arc<str>),
    /// Leaving a routine that is changed and not saved.
    LeaveRoutine,
    /// Stopping the process until the shell continues it.
    Suspend,
    Quit,
}

impl ActionToConfirm {
    /// Whether it concerns the program as a whole, so that it is asked in any terminal, and the swarm
    /// may go on without this terminal instead.
    pub fn is_about_program(&self) -> bool {
        matches!(self, ActionToConfirm::Suspend | ActionToConfirm::Quit)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmAnswer {
    Yes,
    No,
    /// Another way: the swarm goes on without this terminal.
    LeaveRunning,
    /// The key is no answer.
    Nothing,
}

impl NumberToType {
    pub fn new(wanted: usize) -> NumberToType {
        NumberToType {
            wanted,
            typed: String::new(),
        }
    }

    fn press(&mut self, press: KeyEvent) -> ConfirmAnswer {
        if press.code == KeyCode::Enter && self.typed.parse() == Ok(self.wanted) {
            return ConfirmAnswer::Yes;
        }
        if matches!(press.code, KeyCode::Char('n' | 'N') | KeyCode::Esc) {
            return ConfirmAnswer::No;
        }
        if press.code == KeyCode::Backspace {
            self.typed.pop();
        }
        if let KeyCode::Char(digit) = press.code
            && digit.is_ascii_digit()
            && self.typed.len() < 9
        {
            self.typed.push(digit);
        }
        ConfirmAnswer::Nothing
    }
}

impl ConfirmDialog {
    /// A question that one key answers.
    pub fn new(about: ActionToConfirm, lines: Vec<String>) -> ConfirmDialog {
        ConfirmDialog {
            about,
            lines,
            number: None,
        }
    }

    /// The answer of a key. Only the keys that are offered answer: one that was typed ahead confirms nothing.
    pub fn press(&mut self, press: KeyEvent) -> ConfirmAnswer {
        if let Some(number) = &mut self.number {
            return number.press(press);
        }
        match (press.code, has_ctrl(press)) {
            (KeyCode::Char('y' | 'Y'), _) => ConfirmAnswer::Yes,
            (KeyCode::Char('h' | 'H'), false) if self.about.is_about_program() => {
                ConfirmAnswer::LeaveRunning
            }
            (KeyCode::Char('n' | 'N') | KeyCode::Esc, _) => ConfirmAnswer::No,
            _ => ConfirmAnswer::Nothing,
        }
    }

    pub fn keys(&self) -> Cow<'static, str> {
        if let Some(NumberToType { wanted, typed }) = &self.number {
            return format!("type {wanted}, then Enter: {typed:_<2}   Esc keep").into();
        }
        let keys = match self.about {
            ActionToConfirm::Delete(_) => "y delete   n keep",
            ActionToConfirm::Stop(_) => "y stop   n leave them",
            ActionToConfirm::Start(_) => "y start   n leave them",
            ActionToConfirm::TryNow(_) => "y try   n leave them",
            ActionToConfirm::Note(..) => "y add it   n keep writing",
            ActionToConfirm::TakeLoops(_) => "y take them   n leave them",
            ActionToConfirm::Thaw => "y thaw   n leave it frozen",
            ActionToConfirm::Drain(_) => "y drain   n leave it",
            ActionToConfirm::LeaveRoutine => "y discard   n keep writing",
            ActionToConfirm::Suspend => "y stop   h leave it running   n stay",
            ActionToConfirm::Quit => "y quit   h leave it running   n stay",
        };
        keys.into()
    }
}
