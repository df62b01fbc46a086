//! All tables of keys, and which of them work at the same time.

use crossterm::event::KeyEvent;

use super::books::keys::BOOKS_KEYS;
use super::conversation::keys::FOCUS_KEYS;
use super::first_minute::keys::FIRST_KEYS;
use super::graphs::keys::GRAPH_KEYS;
use super::keys::{GLOBAL_KEYS, KeyTable, Keymap, MOVEMENT_KEYS, NamedAction, TARGET_KEYS};
use super::log::keys::{LOG_KEYS, WHOLE_KEYS};
use super::map::keys::MAP_KEYS;
use super::overlay::keys::{INSPECTOR_KEYS, LIST_KEYS};
use super::processes::keys::PROCESSES_KEYS;
use super::routine_editor::keys::ROUTINE_KEYS;
use super::search::keys::SEARCH_KEYS;
use super::table::keys::TABLE_KEYS;

/// The tables of all views, and those that they share.
#[derive(Clone, Debug)]
pub struct KeyTables {
    pub table: KeyTable,
    pub conversation: KeyTable,
    pub inspector: KeyTable,
    pub graphs: KeyTable,
    pub books: KeyTable,
    pub search: KeyTable,
    pub map: KeyTable,
    pub processes: KeyTable,
    pub routine: KeyTable,
    pub log: KeyTable,
    pub whole_event: KeyTable,
    pub lists: KeyTable,
    /// The table of Myses while there is none.
    pub empty_swarm: KeyTable,
    pub movement: KeyTable,
    pub targets: KeyTable,
    pub global: KeyTable,
}

/// All tables.
#[must_use]
pub fn key_tables() -> KeyTables {
    KeyTables {
        table: KeyTable::of("The table of Myses", TABLE_KEYS),
        conversation: KeyTable::of("A conversation", FOCUS_KEYS),
        inspector: KeyTable::of("An entry or a request that is looked into", INSPECTOR_KEYS),
        graphs: KeyTable::of("The graphs", GRAPH_KEYS),
        books: KeyTable::of("The books", BOOKS_KEYS),
        search: KeyTable::of("A search across the swarm", SEARCH_KEYS),
        map: KeyTable::of("The map", MAP_KEYS),
        processes: KeyTable::of("The processes", PROCESSES_KEYS),
        routine: KeyTable::of("The text of a routine", ROUTINE_KEYS),
        log: KeyTable::of("The log", LOG_KEYS),
        whole_event: KeyTable::of("An event of the log, whole", WHOLE_KEYS),
        lists: KeyTable::of("This help", LIST_KEYS),
        empty_swarm: KeyTable::of("A swarm without a Mysis", FIRST_KEYS),
        movement: KeyTable::of("Going about, in every view", MOVEMENT_KEYS),
        targets: KeyTable::of("The Myses in hand: marked, open or selected", TARGET_KEYS),
        global: KeyTable::of("Everywhere", GLOBAL_KEYS),
    }
}

impl KeyTables {
    /// All of them, those that work everywhere first.
    #[must_use]
    pub fn into_list(self) -> Vec<KeyTable> {
        vec![
            self.global,
            self.targets,
            self.movement,
            self.table,
            self.empty_swarm,
            self.conversation,
            self.inspector,
            self.graphs,
            self.books,
            self.search,
            self.map,
            self.processes,
            self.routine,
            self.log,
            self.whole_event,
            self.lists,
        ]
    }
}

/// All actions whose keys can be chosen.
#[must_use]
pub fn named_actions() -> Vec<NamedAction> {
    let tables = key_tables().into_list().into_iter();
    tables.flat_map(|table| table.actions).collect()
}

/// A key that does two things in one view.
#[derive(Clone, Copy, Debug)]
pub struct KeyCollision {
    /// The key.
    pub key: KeyEvent,
    /// The two actions, the one whose key was chosen first.
    pub actions: [NamedAction; 2],
}

/// The keys that do two things in one view. What lies over a view has its keys before the view.
#[must_use]
pub fn key_collisions(keymap: &Keymap) -> Vec<KeyCollision> {
    let tables = key_tables();
    let KeyTables {
        table,
        conversation,
        inspector,
        graphs,
        books,
        search,
        map,
        processes,
        routine,
        log,
        whole_event,
        lists,
        empty_swarm,
        movement,
        targets,
        global,
    } = &tables;
    let together: [&[&KeyTable]; 13] = [
        &[table, movement, targets, global],
        &[conversation, movement, targets, global],
        &[inspector, movement],
        &[graphs],
        &[books, movement],
        &[search, movement],
        &[map],
        &[processes, movement],
        &[routine],
        &[log, movement],
        &[whole_event, movement],
        &[lists, movement],
        &[empty_swarm, movement, global],
    ];
    let mut collisions: Vec<KeyCollision> = Vec::new();
    for tables in together {
        let actions: Vec<NamedAction> = tables
            .iter()
            .flat_map(|table| table.actions.iter().copied())
            .collect();
        for (place, action) in actions.iter().enumerate() {
            add_collisions(keymap, *action, &actions[place + 1..], &mut collisions);
        }
    }
    // An empty swarm is left by creating a Mysis, and its own keys go before those of the table.
    let new = table.actions.iter().find(|action| action.name == "new");
    if let Some(new) = new {
        add_collisions(keymap, *new, &empty_swarm.actions, &mut collisions);
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
        known
            .actions
            .iter()
            .all(|it| it.name == action.name || it.name == other.name)
    };
    for key in keymap.keys(action.name, action.keys) {
        for other in others {
            let other_keys = keymap.keys(other.name, other.keys);
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
        let told = collisions.iter().map(|it| {
            let [one, other] = it.actions.map(|action| action.name);
            format!("{}: {one} and {other}", key_name(it.key))
        });
        assert_eq!(told.collect::<Vec<_>>(), [""; 0]);
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
