//! The one table of all keys in all views. The help screen and the hints are generated from it.

use super::input_event::key_name;
use crossterm::event::KeyEvent;

mod anywhere;
mod going;

pub use anywhere::{GLOBAL_KEYS, GlobalAction, TARGET_KEYS, TargetAction};
pub use going::{MOVEMENT_KEYS, Movement};

/// What one or several keys do.
#[derive(Clone, Copy, Debug)]
pub struct Binding<G: 'static> {
    /// The keys. Hints show the first one.
    pub keys: &'static [KeyEvent],
    /// The action.
    pub gesture: G,
    /// The action in one word for the hints; empty if the hints leave it out.
    pub hint: &'static str,
    /// The action in a sentence for the help screen.
    pub help: &'static str,
}

pub(super) const fn bind<G>(
    keys: &'static [KeyEvent],
    gesture: G,
    hint: &'static str,
    help: &'static str,
) -> Binding<G> {
    Binding {
        keys,
        gesture,
        hint,
        help,
    }
}

/// The action of a key in this table.
#[must_use]
pub fn find<G: Copy>(table: &[Binding<G>], press: KeyEvent) -> Option<G> {
    table
        .iter()
        .find(|binding| binding.keys.contains(&press))
        .map(|binding| binding.gesture)
}

/// A line of the help screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    /// The names of the keys.
    pub keys: String,
    /// What they do.
    pub help: &'static str,
}

/// A part of the help screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// The title.
    pub title: &'static str,
    pub lines: Vec<Help>,
}

/// A chapter of the help screen, generated from a table.
#[must_use]
pub fn chapter<G>(title: &'static str, table: &[Binding<G>]) -> Chapter {
    let lines = table.iter().map(|binding| {
        let keys: Vec<String> = binding.keys.iter().map(|press| key_name(*press)).collect();
        Help {
            keys: keys.join("  "),
            help: binding.help,
        }
    });
    Chapter {
        title,
        lines: lines.collect(),
    }
}

/// The hints of a table: its first keys and their words.
pub fn hints<G>(table: &'static [Binding<G>]) -> impl Iterator<Item = (String, &'static str)> {
    table
        .iter()
        .filter(|binding| !binding.hint.is_empty())
        .filter_map(|binding| Some((key_name(*binding.keys.first()?), binding.hint)))
}

/// The sentence of each action in a table, with its first key.
pub fn action_help<G>(
    table: &'static [Binding<G>],
) -> Box<dyn Iterator<Item = (&'static str, KeyEvent)>> {
    Box::new(
        table
            .iter()
            .filter_map(|binding| Some((binding.help, *binding.keys.first()?))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::books::keys::BOOKS_KEYS;
    use crate::dashboard::conversation::keys::FOCUS_KEYS;
    use crate::dashboard::graphs::keys::GRAPH_KEYS;
    use crate::dashboard::log::keys::{LOG_KEYS, WHOLE_KEYS};
    use crate::dashboard::map::keys::MAP_KEYS;
    use crate::dashboard::overlay::keys::{INSPECTOR_KEYS, LIST_KEYS};
    use crate::dashboard::search::keys::SEARCH_KEYS;
    use crate::dashboard::table::keys::TABLE_KEYS;

    fn keys_of<G>(tables: &[Binding<G>]) -> Vec<KeyEvent> {
        tables
            .iter()
            .flat_map(|binding| binding.keys.iter().copied())
            .collect()
    }

    fn is_free_of_twins(keys: &[KeyEvent]) {
        for (place, press) in keys.iter().enumerate() {
            let name = key_name(*press);
            assert!(!keys[..place].contains(press), "{name} is bound twice");
        }
    }

    fn helps_of<G>(tables: &[Binding<G>]) -> Vec<&'static str> {
        tables.iter().map(|binding| binding.help).collect()
    }

    #[test]
    fn help_fits_its_line() {
        let all = [
            helps_of(GLOBAL_KEYS),
            helps_of(TARGET_KEYS),
            helps_of(MOVEMENT_KEYS),
            helps_of(TABLE_KEYS),
            helps_of(FOCUS_KEYS),
            helps_of(INSPECTOR_KEYS),
            helps_of(LIST_KEYS),
            helps_of(GRAPH_KEYS),
            helps_of(BOOKS_KEYS),
            helps_of(SEARCH_KEYS),
            helps_of(MAP_KEYS),
            helps_of(LOG_KEYS),
            helps_of(WHOLE_KEYS),
        ];
        for help in all.concat() {
            assert!(help.len() <= 52, "{help}");
        }
    }

    #[test]
    fn no_key_means_two_things_in_one_view() {
        let shared = [
            keys_of(GLOBAL_KEYS),
            keys_of(TARGET_KEYS),
            keys_of(MOVEMENT_KEYS),
        ]
        .concat();
        for view in [keys_of(TABLE_KEYS), keys_of(FOCUS_KEYS)] {
            is_free_of_twins(&[shared.clone(), view].concat());
        }
        is_free_of_twins(&keys_of(MAP_KEYS));
        for layer in [
            keys_of(INSPECTOR_KEYS),
            keys_of(LIST_KEYS),
            keys_of(BOOKS_KEYS),
            keys_of(SEARCH_KEYS),
            keys_of(LOG_KEYS),
            keys_of(WHOLE_KEYS),
        ] {
            is_free_of_twins(&[keys_of(MOVEMENT_KEYS), layer].concat());
        }
    }
}
