//! The keys as the operator chose them (`[tui.keys]`), on top of those of the tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossterm::event::KeyEvent;
use serde::{Deserialize, Serialize};

use super::anywhere::QUIT;
use super::{Binding, Chapter, Help, KeyTable, NamedAction};
use crate::dashboard::input_event::{ctrl, key_name};

/// The keys that the operator chose, by the names of the actions. All others are as in the tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keymap(Arc<BTreeMap<String, Vec<KeyEvent>>>);

impl Keymap {
    /// Gives these actions these keys. Ctrl-C quits in any case: it is what everybody tries.
    pub fn new(mut chosen: BTreeMap<String, Vec<KeyEvent>>) -> Keymap {
        if let Some(keys) = chosen.get_mut(QUIT)
            && !keys.contains(&ctrl('c'))
        {
            keys.push(ctrl('c'));
        }
        Keymap(Arc::new(chosen))
    }

    pub fn keys(&self, action: &NamedAction) -> &[KeyEvent] {
        self.0.get(action.name).map_or(action.keys, Vec::as_slice)
    }

    pub fn is_chosen(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub fn find<G: Copy>(&self, table: &[Binding<G>], press: KeyEvent) -> Option<G> {
        table
            .iter()
            .find(|binding| self.keys(&binding.action).contains(&press))
            .map(|binding| binding.gesture)
    }

    /// The name of the first key of an action; empty if the table has no such action.
    pub fn key_of<G: PartialEq>(&self, table: &[Binding<G>], action: G) -> String {
        self.key_where(table, |binding| binding.gesture == action)
    }

    /// The name of the first key of the action of this name; empty if the table has no such action.
    pub fn key_named<G>(&self, table: &[Binding<G>], name: &str) -> String {
        self.key_where(table, |binding| binding.action.name == name)
    }

    fn key_where<G>(&self, table: &[Binding<G>], is_it: impl Fn(&Binding<G>) -> bool) -> String {
        let binding = table.iter().find(|binding| is_it(binding));
        let key = binding.and_then(|binding| self.first_key(&binding.action));
        key.map(key_name).unwrap_or_default()
    }

    pub fn chapter(&self, table: &KeyTable) -> Chapter {
        let lines = table.actions.iter().map(|action| {
            let keys = self.keys(action).iter();
            let keys: Vec<String> = keys.map(|press| key_name(*press)).collect();
            Help {
                keys: keys.join("  "),
                help: action.help,
            }
        });
        Chapter {
            title: table.title,
            lines: lines.collect(),
        }
    }

    /// The hints of a table: its first keys and their words.
    pub fn hints(&self, table: &KeyTable) -> Vec<(String, &'static str)> {
        let hinted = table.actions.iter().filter(|it| !it.hint.is_empty());
        let hints = hinted.filter_map(|action| {
            let key = self.first_key(action)?;
            Some((key_name(key), action.hint))
        });
        hints.collect()
    }

    pub fn action_help(&self, table: &KeyTable) -> Vec<(&'static str, KeyEvent)> {
        let helps = table.actions.iter().filter_map(|action| {
            let key = self.first_key(action)?;
            Some((action.help, key))
        });
        helps.collect()
    }

    fn first_key(&self, action: &NamedAction) -> Option<KeyEvent> {
        self.keys(action).first().copied()
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use super::*;
    use crate::dashboard::input_event::{key, letter};
    use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction};

    #[test]
    fn a_chosen_key_takes_the_place_of_all_usual_ones() {
        let f5 = key(KeyCode::F(5));
        let keymap = Keymap::new(BTreeMap::from([("help".to_string(), vec![f5])]));
        assert_eq!(keymap.find(GLOBAL_KEYS, f5), Some(GlobalAction::Help));
        assert_eq!(keymap.find(GLOBAL_KEYS, letter('?')), None);
        assert_eq!(
            keymap.find(GLOBAL_KEYS, letter('q')),
            Some(GlobalAction::Quit)
        );
        assert_eq!(keymap.key_of(GLOBAL_KEYS, GlobalAction::Help), "F5");
        let chapter = keymap.chapter(&KeyTable::of("all", GLOBAL_KEYS));
        let line = chapter
            .lines
            .iter()
            .find(|line| line.help == "show this help");
        assert_eq!(line.map(|line| &*line.keys), Some("F5"));
    }

    #[test]
    fn ctrl_c_quits_whatever_was_chosen() {
        let keymap = Keymap::new(BTreeMap::from([("quit".to_string(), vec![letter('Q')])]));
        for press in [letter('Q'), ctrl('c')] {
            assert_eq!(keymap.find(GLOBAL_KEYS, press), Some(GlobalAction::Quit));
        }
        assert_eq!(keymap.find(GLOBAL_KEYS, letter('q')), None);
    }
}
