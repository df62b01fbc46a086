//! The working set: the game's commands that a Mysis uses beyond those that it is offered anyway.
//!
//! A request offers what is in the set, and each change of the set costs the provider's cache of
//! the prompt. So what was called without being offered joins when a turn begins, and what was not
//! used for many turns leaves only together with a change. What a search found joins at once,
//! because the model waits for it. The set is stored with the result that changes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::ids::TurnNumber;

/// The number of turns for which a command stays without being used.
const KEPT_TURNS: i64 = 40;
/// A use is noted again only after so many turns, so that few uses are written.
const NOTED_TURNS: i64 = 8;
/// The most commands in the set. The one that was not used for the longest time makes room.
pub(super) const MAX_COMMANDS: usize = 32;
/// The longest name of a command that joins, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// The commands that a Mysis uses, and those that it was told of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkingSet {
    commands: BTreeMap<Arc<str>, CommandUse>,
    is_changed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CommandUse {
    /// The turn in which it was last noted.
    turn: TurnNumber,
    /// Whether requests offer it.
    is_offered: bool,
}

/// What changes of a set where a turn begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetChange {
    /// The commands that are offered from now on.
    pub joined: Vec<Arc<str>>,
    /// Those that are not any more.
    pub left: Vec<Arc<str>>,
}

impl SetChange {
    /// It in words for the operator.
    #[must_use]
    pub fn describe(&self) -> String {
        let joined = self.joined.iter().map(|name| format!("+{name}"));
        let left = self.left.iter().map(|name| format!("−{name}"));
        let all: Vec<String> = joined.chain(left).collect();
        format!("the tools that requests offer: {}", all.join(", "))
    }
}

impl WorkingSet {
    /// The set as it was stored. What cannot be read is left out: the commands join again when they
    /// are used.
    #[must_use]
    pub fn restore(memo: Option<&str>) -> WorkingSet {
        let stored = memo.and_then(|memo| serde_json::from_str::<Map<String, Value>>(memo).ok());
        let read = |(name, stored): (String, Value)| {
            let known = CommandUse {
                turn: TurnNumber(stored["turn"].as_i64()?),
                is_offered: stored["offered"].as_bool()?,
            };
            Some((name.into(), known))
        };
        let commands = stored.into_iter().flatten().filter_map(read);
        WorkingSet {
            commands: commands.take(MAX_COMMANDS).collect(),
            is_changed: false,
        }
    }

    /// The set as it is to be stored, if it has changed since the last time.
    pub fn take_change(&mut self) -> Option<Arc<str>> {
        let is_changed = std::mem::take(&mut self.is_changed);
        is_changed.then(|| {
            let stored =
                |known: &CommandUse| json!({"turn": known.turn.0, "offered": known.is_offered});
            let commands = self.commands.iter();
            let all = commands.map(|(name, known)| (name.to_string(), stored(known)));
            Value::Object(all.collect()).to_string().into()
        })
    }

    /// The commands that requests offer, in the order of their names.
    pub fn offered(&self) -> impl Iterator<Item = &Arc<str>> {
        let offered = self.commands.iter().filter(|(_, known)| known.is_offered);
        offered.map(|(name, _)| name)
    }

    /// Notes that a command was called. It is offered from the next turn on.
    pub fn note_use(&mut self, command: &Arc<str>, turn: TurnNumber) {
        match self.commands.get_mut(command) {
            Some(known) if turn.0 < known.turn.0.saturating_add(NOTED_TURNS) => return,
            Some(known) => known.turn = turn,
            None => self.insert(command, turn, false),
        }
        self.is_changed = true;
    }

    /// Offers commands that a search found.
    pub fn offer_found(&mut self, commands: &[Arc<str>], turn: TurnNumber) {
        for command in commands {
            self.insert(command, turn, true);
        }
        self.is_changed = true;
    }

    /// Begins a turn: offers what was called in the meantime, and takes that chance to drop what was
    /// not used for long. Returns the change, if there is one.
    pub fn begin_turn(&mut self, turn: TurnNumber) -> Option<SetChange> {
        if self.commands.values().all(|known| known.is_offered) {
            return None;
        }
        let is_old = |known: &CommandUse| known.turn.0.saturating_add(KEPT_TURNS) < turn.0;
        let mut change = SetChange::default();
        self.commands.retain(|name, known| {
            if !known.is_offered {
                change.joined.push(name.clone());
            } else if is_old(known) {
                change.left.push(name.clone());
                return false;
            }
            known.is_offered = true;
            true
        });
        self.is_changed = true;
        Some(change)
    }

    fn insert(&mut self, command: &Arc<str>, turn: TurnNumber, is_offered: bool) {
        if command.len() > MAX_NAME_BYTES {
            return;
        }
        let known = CommandUse { turn, is_offered };
        self.commands.insert(command.clone(), known);
        if self.commands.len() > MAX_COMMANDS {
            let others = self.commands.iter().filter(|(name, _)| *name != command);
            let oldest = others.min_by_key(|(_, known)| known.turn);
            let oldest = oldest.map(|(name, _)| name.clone());
            self.commands
                .retain(|name, _| Some(name) != oldest.as_ref());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Arc<str> {
        text.into()
    }

    fn offered(set: &WorkingSet) -> Vec<&str> {
        set.offered().map(|name| &**name).collect()
    }

    fn turn(number: i64) -> TurnNumber {
        TurnNumber(number)
    }

    #[test]
    fn what_was_called_is_offered_from_the_next_turn_on() {
        let mut set = WorkingSet::default();
        assert_eq!(set.begin_turn(turn(1)), None);
        set.note_use(&name("craft"), turn(1));
        assert!(offered(&set).is_empty(), "not in the middle of a turn");
        let change = set.begin_turn(turn(2)).unwrap();
        assert_eq!(change.describe(), "the tools that requests offer: +craft");
        assert_eq!(offered(&set), ["craft"]);
        assert_eq!(set.begin_turn(turn(3)), None);
    }

    #[test]
    fn what_a_search_found_is_offered_at_once() {
        let mut set = WorkingSet::default();
        set.offer_found(&[name("craft"), name("scan")], turn(1));
        assert_eq!(offered(&set), ["craft", "scan"]);
        assert_eq!(set.begin_turn(turn(2)), None);
    }

    #[test]
    fn what_is_not_used_for_long_leaves_only_with_another_change() {
        let mut set = WorkingSet::default();
        set.offer_found(&[name("craft"), name("scan")], turn(1));
        set.note_use(&name("scan"), turn(60));
        assert_eq!(set.begin_turn(turn(100)), None, "nothing else changes");
        set.note_use(&name("tow"), turn(100));
        let change = set.begin_turn(turn(100)).unwrap();
        assert_eq!(change.left, [name("craft")]);
        assert_eq!(offered(&set), ["scan", "tow"]);
    }

    #[test]
    fn few_uses_are_written() {
        let mut set = WorkingSet::default();
        set.note_use(&name("craft"), turn(1));
        assert!(set.take_change().is_some());
        set.note_use(&name("craft"), turn(NOTED_TURNS));
        assert!(set.take_change().is_none());
        set.note_use(&name("craft"), turn(NOTED_TURNS + 1));
        assert!(set.take_change().is_some());
    }

    #[test]
    fn it_is_the_same_after_a_restart() {
        let mut set = WorkingSet::default();
        set.offer_found(&[name("craft")], turn(7));
        set.note_use(&name("scan"), turn(8));
        let memo = set.take_change().unwrap();
        let mut again = WorkingSet::restore(Some(&memo));
        assert_eq!(again, set);
        assert_eq!(again.begin_turn(turn(9)), set.begin_turn(turn(9)));
        for odd in [
            "",
            "[]",
            r#"{"craft":7,"scan":{"turn":"x","offered":true}}"#,
        ] {
            assert_eq!(WorkingSet::restore(Some(odd)), WorkingSet::default());
        }
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let mut set = WorkingSet::default();
        for number in 0..100 {
            set.note_use(&name(&format!("command_{number}")), turn(number));
        }
        set.note_use(&name(&"x".repeat(1000)), turn(100));
        set.begin_turn(turn(101));
        let known = offered(&set);
        assert_eq!(known.len(), MAX_COMMANDS);
        assert!(known.contains(&"command_99") && !known.contains(&"command_0"));
        let memo = set.take_change().unwrap();
        assert_eq!(WorkingSet::restore(Some(&memo)), set);
    }
}
