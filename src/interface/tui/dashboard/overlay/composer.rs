//! The composer: the operator writes to one Mysis, to several, or to the swarm.

pub(crate) mod view;

use actors::domain::bounds::estimated_tokens;
use actors::domain::ids::MysisId;
use actors::domain::progress::{OrderIntent, expecting_gains, expecting_no_gain, suggests_no_gain};

use crate::dashboard::history::{InputHistory, Recall};
use crate::dashboard::input_event::has_ctrl;
use crate::dashboard::text::field::TextField;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComposeTarget {
    Swarm,
    Myses(Vec<MysisId>),
    Notes(Vec<MysisId>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composer {
    pub target: ComposeTarget,
    pub field: TextField,
    recall: Recall,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComposerOutcome {
    Used,
    Send(String),
    /// The operator's editor is to change the text.
    Edit,
    /// The composer closes and the text becomes a draft.
    Leave,
    Discard,
    /// The composer has no use for the key.
    Unused,
}

impl Composer {
    pub fn new(target: ComposeTarget, draft: &str) -> Composer {
        Composer {
            target,
            field: TextField::with_text(draft),
            recall: Recall::default(),
        }
    }

    pub fn press(&mut self, press: KeyEvent, history: &InputHistory) -> ComposerOutcome {
        let breaks_line = KeyModifiers::ALT | KeyModifiers::SHIFT;
        match (press.code, has_ctrl(press)) {
            (KeyCode::Char('j'), true) => self.field.insert("\n"),
            (KeyCode::Enter, _) if press.modifiers.intersects(breaks_line) => {
                self.field.insert("\n");
            }
            (KeyCode::Enter, _) => return ComposerOutcome::Send(self.field.text().to_string()),
            (KeyCode::Esc, _) => return ComposerOutcome::Leave,
            (KeyCode::Char('c'), true) => return ComposerOutcome::Discard,
            (KeyCode::Up, _) if !self.field.up() => self.older(history),
            (KeyCode::Down, _) if !self.field.down() => self.newer(history),
            (KeyCode::Char('o'), true) => return ComposerOutcome::Edit,
            (KeyCode::Char('g'), true) if self.is_order() => self.toggle_gain(),
            (KeyCode::Char('p'), true) => self.older(history),
            (KeyCode::Char('n'), true) => self.newer(history),
            (KeyCode::Up | KeyCode::Down, _) => {}
            _ if self.field.press(press) => {}
            _ => return ComposerOutcome::Unused,
        }
        ComposerOutcome::Used
    }

    /// Whether the text becomes an order. Only orders are judged by their gains.
    pub fn is_order(&self) -> bool {
        match self.target {
            ComposeTarget::Swarm | ComposeTarget::Myses(_) => true,
            ComposeTarget::Notes(_) => false,
        }
    }

    /// What the stall detection will assume about the order, if it is not the default.
    pub fn gain_hint(&self) -> Option<String> {
        if !self.is_order() {
            return None;
        }
        let text = self.field.text();
        if OrderIntent::of(text) == OrderIntent::Waits {
            return Some("no gain expected".to_string());
        }
        let word = suggests_no_gain(text)?;
        Some(format!("\"{word}\": no gain expected? ^G says so"))
    }

    /// The tokens that the text adds to every request, if it is a note.
    pub fn added_tokens(&self) -> Option<u64> {
        (!self.is_order()).then(|| note_tokens(self.field.text()))
    }

    /// Adds or removes the mark that says that the order expects no gain.
    fn toggle_gain(&mut self) {
        let text = self.field.text();
        let other = match OrderIntent::of(text) {
            OrderIntent::Waits => expecting_gains(text),
            OrderIntent::Works => expecting_no_gain(text),
        };
        self.field.replace(&other);
    }

    fn older(&mut self, history: &InputHistory) {
        if let Some(text) = self.recall.older(history, self.field.text()) {
            self.field.replace(&text);
        }
    }

    fn newer(&mut self, history: &InputHistory) {
        if let Some(text) = self.recall.newer(history) {
            self.field.replace(&text);
        }
    }
}

/// The tokens that a note adds to every request, by estimate.
pub fn note_tokens(text: &str) -> u64 {
    estimated_tokens(u64::try_from(text.trim().len()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::input_event::ctrl;

    #[test]
    fn a_key_says_in_the_order_that_no_gain_is_expected_and_takes_it_back() {
        let mut composer = Composer::new(ComposeTarget::Swarm, "Guard the gate");
        let asks = Some("\"guard\": no gain expected? ^G says so".to_string());
        assert_eq!(composer.gain_hint(), asks);
        let press = |composer: &mut Composer| composer.press(ctrl('g'), &InputHistory::default());
        assert_eq!(press(&mut composer), ComposerOutcome::Used);
        assert_eq!(composer.field.text(), "Guard the gate\n[no gain expected]");
        assert_eq!(composer.gain_hint().as_deref(), Some("no gain expected"));
        press(&mut composer);
        assert_eq!(composer.field.text(), "Guard the gate");
        let mut note = Composer::new(ComposeTarget::Notes(Vec::new()), "wait");
        assert_eq!(note.gain_hint(), None);
        press(&mut note);
        assert_eq!(note.field.text(), "wait");
    }
}
