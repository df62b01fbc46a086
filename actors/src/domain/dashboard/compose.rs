//! Composing: the operator writes to one Mysis, to several, or to the swarm.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::ids::MysisId;

use super::field::Field;
use super::history::{History, Recall};
use super::press::{Key, Press};

/// Whom the operator writes to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A mission for the swarm.
    Swarm,
    /// A direct message to these.
    Myses(Vec<MysisId>),
    /// Persistent context for these.
    Notes(Vec<MysisId>),
}

/// Text on its way to somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composer {
    /// Whom to.
    pub target: Target,
    /// The text.
    pub field: Field,
    recall: Recall,
}

/// What a key meant to a composer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Composed {
    /// It was used.
    Used,
    /// The text is to be sent.
    Send(String),
    /// The operator turns away; the text is kept.
    Leave,
    /// It means nothing here.
    Unused,
}

impl Composer {
    /// Begins to write where the operator left off.
    #[must_use]
    pub fn new(target: Target, draft: &str) -> Composer {
        Composer {
            target,
            field: Field::holding(draft),
            recall: Recall::default(),
        }
    }

    /// Does what a key does in a text that is to be sent.
    pub fn press(&mut self, press: Press, history: &History) -> Composed {
        let is_line_end = matches!(press.key, Key::Char('j')) && press.ctrl
            || press.key == Key::Enter && (press.alt || press.shift);
        match press.key {
            _ if is_line_end => self.field.insert("\n"),
            Key::Enter => return Composed::Send(self.field.text().to_string()),
            Key::Esc => return Composed::Leave,
            Key::Up if !self.field.up() => self.older(history),
            Key::Down if !self.field.down() => self.newer(history),
            Key::Char('p') if press.ctrl => self.older(history),
            Key::Char('n') if press.ctrl => self.newer(history),
            Key::Up | Key::Down => {}
            Key::Char(_)
            | Key::Tab
            | Key::Backspace
            | Key::Delete
            | Key::Left
            | Key::Right
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown
            | Key::Function(_) => {
                if !self.field.press(press) {
                    return Composed::Unused;
                }
            }
        }
        Composed::Used
    }

    fn older(&mut self, history: &History) {
        if let Some(text) = self.recall.older(history, self.field.text()) {
            self.field.replace(&text);
        }
    }

    fn newer(&mut self, history: &History) {
        if let Some(text) = self.recall.newer(history) {
            self.field.replace(&text);
        }
    }
}

/// What was begun and not sent, by whom it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drafts {
    texts: Arc<BTreeMap<Target, String>>,
}

impl Drafts {
    /// What was begun for somebody.
    #[must_use]
    pub fn get(&self, target: &Target) -> &str {
        self.texts.get(target).map_or("", String::as_str)
    }

    /// Keeps what was begun for somebody.
    pub fn keep(&mut self, target: &Target, text: &str) {
        if self.get(target) == text {
            return;
        }
        let texts = Arc::make_mut(&mut self.texts);
        if text.is_empty() {
            texts.remove(target);
        } else {
            texts.insert(target.clone(), text.to_string());
        }
    }
}
