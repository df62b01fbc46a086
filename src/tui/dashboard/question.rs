//! Questions: what is asked before something is done that cannot be taken back.

use actors::domain::ids::MysisId;

use super::input_event::{Key, Press};

/// A question to the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub about: About,
    /// What it says, line by line.
    pub lines: Vec<String>,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// These are to be deleted.
    Delete(Vec<MysisId>),
    /// These are to be stopped.
    Stop(Vec<MysisId>),
    /// The program is to close.
    Quit,
}

/// What the operator said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Yes.
    Yes,
    /// No.
    No,
    /// Nothing that answers it.
    Nothing,
}

impl Question {
    /// What a key says. What is lost for good wants a clear yes.
    #[must_use]
    pub fn press(&self, press: Press) -> Said {
        let may_insist = self.about == About::Quit;
        let is_light = !matches!(self.about, About::Delete(_));
        match press.key {
            Key::Char('y' | 'Y') => Said::Yes,
            Key::Enter if is_light => Said::Yes,
            Key::Char('q') if may_insist => Said::Yes,
            Key::Char('c') if may_insist && press.ctrl => Said::Yes,
            Key::Char('n' | 'N') | Key::Esc => Said::No,
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
            | Key::Function(_) => Said::Nothing,
        }
    }

    /// The keys that answer it.
    #[must_use]
    pub fn keys(&self) -> &'static str {
        match self.about {
            About::Delete(_) => "y delete   n keep",
            About::Stop(_) => "y stop   n leave them",
            About::Quit => "y quit   n stay",
        }
    }
}
