//! All tables of keys, and which of them work at the same time.

use std::iter;

use crossterm::event::KeyEvent;

use super::conversation::keys::FOCUS_KEYS;
use super::first_minute::FIRST_KEYS;
use super::keys::{
    BEFORE_VIEWS, GLOBAL_KEYS, KeyTable, Keymap, MOVEMENT_KEYS, NamedAction, TARGET_KEYS,
};
use super::table::keys::TABLE_KEYS;
use super::views::{OPENING_KEYS, VIEWS};

#[derive(Clone, Debug)]
pub struct KeyTables {
    pub table: KeyTable,
    pub conversation: KeyTable,
    pub views: Vec<KeyTable>,
    /// The table of Myses while there is none.
    pub empty_swarm: KeyTable,
    pub movement: KeyTable,
    pub targets: KeyTable,
    pub global: KeyTable,
}

pub fn key_tables() -> KeyTables {
    KeyTables {
        table: KeyTable::of("The table of Myses", TABLE_KEYS),
        conversation: KeyTable::of("A conversation", FOCUS_KEYS),
        views: VIEWS.iter().map(|view| (view.keys)()).collect(),
        empty_swarm: KeyTable::of("A swarm without a Mysis", FIRST_KEYS),
        movement: KeyTable::of("Moving, in every view", MOVEMENT_KEYS),
        targets: KeyTable::of("The chosen Myses: marked, open or selected", TARGET_KEYS),
        global: KeyTable::of("Everywhere", GLOBAL_KEYS).with(BEFORE_VIEWS, &OPENING_KEYS),
    }
}

impl KeyTables {
    /// All of them, those that work everywhere first.
    #[must_use]
    pub fn into_list(self) -> Vec<KeyTable> {
        let mut all = vec![
            self.global,
            self.targets,
            self.movement,
            self.table,
            self.empty_swarm,
            self.conversation,
        ];
        all.extend(self.views);
        all
    }
}

pub fn named_actions() -> Vec<NamedAction> {
    let tables = key_tables().into_list().into_iter();
    tables.flat_map(|table| table.actions).collect()
}

#[derive(Clone, Copy, Debug)]
pub struct KeyCollision {
    pub key: KeyEvent,
    /// The two actions, the one whose key was chosen first.
    pub actions: [NamedAction; 2],
}

/// The keys that do two things in one view. What lies over a view has its keys before the view.
pub fn key_collisions(keymap: &Keymap) -> Vec<KeyCollision> {
    let all = key_tables();
    let (movement, targets, global) = (&all.movement, &all.targets, &all.global);
    let mut together = vec![
        vec![&all.table, movement, targets, global],
        vec![&all.conversation, movement, targets, global],
        vec![&all.empty_swarm, movement, global],
    ];
    for (spec, view) in VIEWS.iter().zip(&all.views) {
        let moves = spec.moves.then_some(movement);
        together.push(iter::once(view).chain(moves).collect());
    }
    let mut collisions: Vec<KeyCollision> = Vec::new();
    for tables in together {
        let actions = tables.iter().flat_map(|table| &table.actions);
        let actions: Vec<NamedAction> = actions.copied().collect();
        for (place, action) in actions.iter().enumerate() {
            add_collisions(keymap, *action, &actions[place + 1..], &mut collisions);
        }
    }
    // An empty swarm is left by creating a Mysis, and its own keys go before those of the table.
    let mut actions = all.table.actions.iter();
    if let Some(new) = actions.find(|action| action.name == "new") {
        add_collisions(keymap, *new, &all.empty_swarm.actions, &mut collisions);
    }
    collisions
}

fn add_collisions(
    keymap: &Keymap,
    action: NamedAction,
    others: &[NamedAction],
    collisions: &mut Vec<KeyCollision>,
) {
    let is_known = |known: &KeyCollision, other: &NamedAction| {
        let names = [action.name, other.name];
        known.actions.iter().all(|it| names.contains(&it.name))
    };
    for key in keymap.keys(&action) {
        for other in others {
            let other_keys = keymap.keys(other);
            if !other_keys.contains(key) || collisions.iter().any(|it| is_known(it, other)) {
                continue;
            }
            let mut actions = [action, *other];
            if !keymap.is_chosen(action.name) {
                actions.reverse();
            }
            collisions.push(KeyCollision { key: *key, actions });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::dashboard::input_event::{key_name, letter};

    #[test]
    fn help_fits_its_line() {
        for action in named_actions() {
            assert!(action.help.len() <= 52, "{}", action.help);
        }
    }

    #[test]
    fn no_two_actions_have_the_same_name() {
        let actions = named_actions();
        let names: BTreeSet<&str> = actions.iter().map(|action| action.name).collect();
        assert_eq!(names.len(), actions.len());
        for name in names {
            let is_plain = name.chars().all(|it| it.is_ascii_lowercase() || it == '_');
            assert!(is_plain && !name.is_empty(), "{name}");
        }
    }

    #[test]
    fn no_key_means_two_things_in_one_view() {
        let collisions = key_collisions(&Keymap::default());
        let texts = collisions.iter().map(|it| {
            let [one, other] = it.actions.map(|action| action.name);
            format!("{}: {one} and {other}", key_name(it.key))
        });
        assert_eq!(texts.collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn a_chosen_key_that_is_taken_collides_once() {
        let keymap = Keymap::new(BTreeMap::from([("graphs".to_string(), vec![letter('m')])]));
        let collisions = key_collisions(&keymap);
        assert_eq!(collisions.len(), 1);
        assert_eq!(
            collisions[0].actions.map(|action| action.name),
            ["graphs", "message"]
        );
    }

    #[test]
    fn two_actions_may_exchange_their_keys() {
        let keymap = Keymap::new(BTreeMap::from([
            ("graphs".to_string(), vec![letter('m')]),
            ("message".to_string(), vec![letter('g')]),
        ]));
        assert!(key_collisions(&keymap).is_empty());
    }
}
