//! The working set: the game's commands that the requests of a Mysis offer beyond the basics.
//!
//! It is the list of its role at its provider (`role_list`), as it was where the turn began. It is stored, so that a
//! restart offers the same.

use std::sync::Arc;

use serde_json::json;

use super::role_list::MAX_COMMANDS;

/// The commands that are offered, and what a search found that was not called yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkingSet {
    offered: Vec<Arc<str>>,
    found: Vec<Arc<str>>,
    is_changed: bool,
    /// Whether it is as it was stored, and the list of its role is not known to have it.
    is_restored: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetChange {
    pub joined: Vec<Arc<str>>,
    /// The commands that are not offered any more.
    pub left: Vec<Arc<str>>,
}

impl SetChange {
    pub fn describe(&self) -> String {
        let joined = self.joined.iter().map(|name| format!("+{name}"));
        let left = self.left.iter().map(|name| format!("−{name}"));
        let all: Vec<String> = joined.chain(left).collect();
        format!("the tools that requests offer: {}", all.join(", "))
    }
}

impl WorkingSet {
    /// The set as it was stored. What cannot be read begins anew.
    pub fn restore(memo: Option<&str>) -> WorkingSet {
        let stored = memo.and_then(|memo| serde_json::from_str(memo).ok());
        let mut offered: Vec<Arc<str>> = stored.unwrap_or_default();
        offered.truncate(MAX_COMMANDS);
        WorkingSet {
            is_restored: !offered.is_empty(),
            offered,
            ..WorkingSet::default()
        }
    }

    /// The set as it is to be stored, if it has changed since the last time.
    pub fn take_change(&mut self) -> Option<Arc<str>> {
        let is_changed = std::mem::take(&mut self.is_changed);
        is_changed.then(|| json!(self.offered).to_string().into())
    }

    /// The commands that requests offer, in the order in which they joined.
    pub fn offered(&self) -> &[Arc<str>] {
        &self.offered
    }

    /// Notes that a command was called. Returns whether it is not offered.
    pub fn note_use(&mut self, command: &Arc<str>) -> bool {
        self.found.retain(|found| found != command);
        !self.offered.contains(command)
    }

    /// Notes what a search found. Returns those that an earlier search found, too, without a call in
    /// between.
    pub fn note_found(&mut self, commands: &[Arc<str>]) -> Vec<Arc<str>> {
        let known = commands
            .iter()
            .filter(|command| self.found.contains(command));
        let missed = known.cloned().collect();
        self.found = commands.to_vec();
        missed
    }

    /// Offers commands at once.
    pub fn offer(&mut self, commands: &[Arc<str>]) {
        for command in commands {
            if !self.offered.contains(command) && self.offered.len() < MAX_COMMANDS {
                self.offered.push(command.clone());
                self.is_changed = true;
            }
        }
    }

    /// Where a turn begins, takes the list of its role. Returns what it knows of that list and the
    /// list does not: all of it where there is none yet.
    #[must_use]
    pub fn unknown_to(&mut self, list: Option<&[Arc<str>]>) -> Option<Vec<Arc<str>>> {
        let is_restored = std::mem::take(&mut self.is_restored);
        let is_news = match list {
            None => true,
            Some(list) => {
                is_restored && self.offered.len() > list.len() && self.offered.starts_with(list)
            }
        };
        is_news.then(|| self.offered.clone())
    }

    /// Takes the list of its role. Returns the change, if there is one.
    pub fn take_list(&mut self, list: &[Arc<str>]) -> Option<SetChange> {
        if *list == *self.offered {
            return None;
        }
        let others = |some: &[Arc<str>], of: &[Arc<str>]| -> Vec<Arc<str>> {
            some.iter()
                .filter(|name| !of.contains(name))
                .cloned()
                .collect()
        };
        let change = SetChange {
            joined: others(list, &self.offered),
            left: others(&self.offered, list),
        };
        self.offered = list.to_vec();
        self.is_changed = true;
        Some(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<Arc<str>> {
        names.iter().map(|name| (*name).into()).collect()
    }

    #[test]
    fn it_takes_the_list_of_its_role_and_tells_what_changed() {
        let mut set = WorkingSet::default();
        assert_eq!(set.unknown_to(None), Some(Vec::new()));
        assert_eq!(set.take_list(&[]), None);
        let change = set.take_list(&names(&["craft", "scan"])).unwrap();
        assert_eq!(
            change.describe(),
            "the tools that requests offer: +craft, +scan"
        );
        assert!(!set.note_use(&"scan".into()) && set.note_use(&"tow".into()));
        let change = set.take_list(&names(&["scan"])).unwrap();
        assert_eq!(change.left, names(&["craft"]));
    }

    #[test]
    fn what_is_found_twice_without_a_call_was_missed() {
        let mut set = WorkingSet::default();
        assert!(set.note_found(&names(&["craft", "scan"])).is_empty());
        set.note_use(&"craft".into());
        assert_eq!(set.note_found(&names(&["craft", "scan"])), names(&["scan"]));
        set.offer(&names(&["scan", "scan"]));
        assert_eq!(set.offered(), names(&["scan"]));
    }

    #[test]
    fn it_is_the_same_after_a_restart_and_the_list_of_its_role_learns_it() {
        let mut set = WorkingSet::default();
        set.offer(&names(&["scan", "craft"]));
        let memo = set.take_change().unwrap();
        zoea_golden::hold_text("working-set.json", &memo);
        assert_eq!(set.take_change(), None);
        let mut again = WorkingSet::restore(Some(&memo));
        assert_eq!(again.offered(), set.offered());
        let known = again.unknown_to(Some(&names(&["scan"])));
        assert_eq!(known, Some(names(&["scan", "craft"])));
        assert_eq!(again.unknown_to(Some(&names(&["scan"]))), None, "once");
        for odd in ["", "7", r#"{"craft":7}"#, "[7]"] {
            assert_eq!(WorkingSet::restore(Some(odd)), WorkingSet::default());
        }
        let many: Vec<String> = (0..99).map(|number| format!("\"work_{number}\"")).collect();
        let many = format!("[{}]", many.join(","));
        assert_eq!(
            WorkingSet::restore(Some(&many)).offered().len(),
            MAX_COMMANDS
        );
    }
}
