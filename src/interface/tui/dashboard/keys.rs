//! The one table of all keys in all views. The help screen and the hints are generated from it.

use crossterm::event::KeyEvent;

mod anywhere;
mod keymap;
mod movement;
mod notation;

pub use anywhere::{BEFORE_VIEWS, GLOBAL_KEYS, GlobalAction, TARGET_KEYS, TargetAction};
pub use keymap::Keymap;
pub use movement::{MOVEMENT_KEYS, Movement};
pub use notation::{KeyMistake, key_text, parse_key};

/// An action of any table, without what it does to the dashboard.
#[derive(Clone, Copy, Debug)]
pub struct NamedAction {
    /// The stable name of the action, under which `[tui.keys]` gives it other keys. No two actions
    /// have the same.
    pub name: &'static str,
    /// The keys, unless the operator chose others. Hints show the first one.
    pub keys: &'static [KeyEvent],
    /// The action in one word for the hints; empty if the hints leave it out.
    pub hint: &'static str,
    /// The action in a sentence for the help screen.
    pub help: &'static str,
    /// The same where the tools are no game's; empty if the action is a game's only.
    pub help_without_game: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub struct Binding<G: 'static> {
    pub action: NamedAction,
    pub gesture: G,
}

impl<G: Copy> Binding<G> {
    pub(super) const fn without_game(mut self, help: &'static str) -> Binding<G> {
        self.action.help_without_game = help;
        self
    }
}

pub(super) const fn bind<G>(
    name: &'static str,
    keys: &'static [KeyEvent],
    gesture: G,
    hint: &'static str,
    help: &'static str,
) -> Binding<G> {
    let action = NamedAction {
        name,
        keys,
        hint,
        help,
        help_without_game: help,
    };
    Binding { action, gesture }
}

#[derive(Clone, Debug)]
pub struct KeyTable {
    /// The title of its chapter in the help.
    pub title: &'static str,
    pub actions: Vec<NamedAction>,
}

impl KeyTable {
    pub fn of<G>(title: &'static str, table: &'static [Binding<G>]) -> KeyTable {
        let actions = table.iter().map(|binding| binding.action);
        KeyTable {
            title,
            actions: actions.collect(),
        }
    }

    /// The table without what is a game's only, unless the tools may be a game's.
    #[must_use]
    pub fn for_tools(mut self, of_game: bool) -> KeyTable {
        if !of_game {
            self.actions.retain(|it| !it.help_without_game.is_empty());
            for action in &mut self.actions {
                action.help = action.help_without_game;
            }
        }
        self
    }

    #[must_use]
    pub fn with<G>(mut self, place: usize, table: &'static [Binding<G>]) -> KeyTable {
        let more = KeyTable::of(self.title, table).actions;
        self.actions.splice(place..place, more);
        self
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    pub keys: String,
    pub help: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    pub title: &'static str,
    pub lines: Vec<Help>,
}
