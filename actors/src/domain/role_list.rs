//! The lists of further tools that requests offer: one for all Myses of a role at a provider.
//!
//! The tools stand near the beginning of a request, so that each change of a list costs a provider's cache everything
//! behind them, for all who have it. So a list grows at its end only, at most once an hour, by all that was called in
//! the meantime without being offered. Where models call only what is offered, what is searched for joins at once.
//! A tool that the model's server refuses leaves all requests to it at once; what waits joins with that change.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::ids::Moment;
use super::routine::ROUTINE_START;

const BATCH_INTERVAL: Duration = Duration::from_secs(3600);
pub(super) const MAX_COMMANDS: usize = 32;
/// The most lists. Each provider and role of the configuration may have one.
const MAX_LISTS: usize = 1024;
/// The longest name of a command that joins, in bytes.
const MAX_NAME_BYTES: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListKey {
    pub provider: Arc<str>,
    /// The role; `None` for who has none.
    pub role: Option<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListNews {
    /// These are offered, because they were before.
    Offered(Vec<Arc<str>>),
    /// A command was called without being offered.
    Called(Arc<str>),
    /// These were found by a search and not called: they are to be offered at once.
    Missed(Vec<Arc<str>>),
    /// A loop that pays was found. It concerns all lists.
    LoopPays,
    /// A tool left the requests to this provider because it is refused there, or came back. It concerns
    /// all lists of the provider, whose caches are spent by that.
    Refused,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoleLists {
    lists: BTreeMap<ListKey, RoleList>,
    /// Whether a loop that pays was found, so that the tool that starts routines joins.
    has_loop: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct RoleList {
    /// The commands in the order in which they joined.
    commands: Vec<Arc<str>>,
    /// What joins with the next change.
    waiting: Vec<Arc<str>>,
    changed: Moment,
    /// Whether models call only what is offered, as far as is known.
    is_closed: bool,
}

impl RoleLists {
    /// The commands of a list; `None` before it is used.
    pub fn commands(&self, key: &ListKey) -> Option<&[Arc<str>]> {
        self.lists.get(key).map(|list| &*list.commands)
    }

    /// Whether the models there call only what is offered.
    pub fn is_closed(&self, key: &ListKey) -> bool {
        self.lists.get(key).is_some_and(|list| list.is_closed)
    }

    pub fn take(&mut self, key: ListKey, news: ListNews, now: Moment) {
        self.has_loop |= news == ListNews::LoopPays;
        if self.lists.len() >= MAX_LISTS && !self.lists.contains_key(&key) {
            self.lists.clear();
        }
        let list = self.lists.entry(key.clone());
        let list = list.or_insert_with(|| RoleList {
            changed: now,
            ..RoleList::default()
        });
        match news {
            ListNews::Offered(commands) => list.restore(&commands),
            ListNews::Called(command) => {
                list.is_closed = false;
                if !list.waiting.contains(&command) && list.waiting.len() < MAX_COMMANDS {
                    list.waiting.push(command);
                }
            }
            ListNews::Missed(commands) => {
                list.is_closed = true;
                list.add(commands);
            }
            ListNews::LoopPays => {}
            ListNews::Refused => {
                let of_provider = |of: &ListKey| of.provider == key.provider;
                let lists = self.lists.iter_mut().filter(|(of, _)| of_provider(of));
                lists.for_each(|(_, list)| list.renew(self.has_loop, now));
            }
        }
    }

    pub fn is_due(&self, now: Moment) -> bool {
        self.lists
            .values()
            .any(|list| list.is_due(self.has_loop, now))
    }

    pub fn renew(&mut self, now: Moment) {
        for list in self.lists.values_mut() {
            if list.is_due(self.has_loop, now) {
                list.renew(self.has_loop, now);
            }
        }
    }
}

impl RoleList {
    fn is_due(&self, has_loop: bool, now: Moment) -> bool {
        let lacks_routines =
            || has_loop && !self.commands.iter().any(|known| **known == *ROUTINE_START);
        let has_room = self.commands.len() < MAX_COMMANDS;
        has_room
            && (!self.waiting.is_empty() || lacks_routines())
            && now.since(self.changed) >= BATCH_INTERVAL
    }

    /// Changes: what waits joins, and an hour begins.
    fn renew(&mut self, has_loop: bool, now: Moment) {
        let waiting = std::mem::take(&mut self.waiting);
        self.add(waiting);
        self.add(has_loop.then(|| ROUTINE_START.into()));
        self.changed = now;
    }

    /// Takes a list of before. Of two that differ the rest of the other one waits.
    fn restore(&mut self, commands: &[Arc<str>]) {
        match commands.strip_prefix(&*self.commands) {
            Some(newer) => self.add(newer.iter().cloned()),
            None => self.waiting.extend_from_slice(commands),
        }
        self.waiting.truncate(MAX_COMMANDS);
    }

    fn add(&mut self, commands: impl IntoIterator<Item = Arc<str>>) {
        for command in commands {
            let is_new = !self.commands.contains(&command) && command.len() <= MAX_NAME_BYTES;
            if is_new && self.commands.len() < MAX_COMMANDS {
                self.commands.push(command);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(role: Option<&str>) -> ListKey {
        ListKey {
            provider: "local".into(),
            role: role.map(Into::into),
        }
    }

    fn at(minutes: u64) -> Moment {
        Moment::default().plus(Duration::from_secs(minutes * 60))
    }

    fn called(lists: &mut RoleLists, command: &str, minutes: u64) {
        lists.take(key(None), ListNews::Called(command.into()), at(minutes));
    }

    fn named(lists: &RoleLists) -> Vec<&str> {
        let commands = lists.commands(&key(None)).unwrap_or_default();
        commands.iter().map(|command| &**command).collect()
    }

    #[test]
    fn what_is_called_joins_at_the_end_in_batches_an_hour_apart() {
        let mut lists = RoleLists::default();
        let mut changes = Vec::new();
        for minutes in 0..300 {
            if minutes % 7 == 3 {
                called(&mut lists, &format!("work_{}", minutes % 20), minutes);
            }
            let before = named(&lists).join(",");
            if lists.is_due(at(minutes)) {
                lists.renew(at(minutes));
                changes.push(minutes);
            }
            assert!(named(&lists).join(",").starts_with(&before));
        }
        assert!(changes.len() >= 2, "{changes:?}");
        assert!(
            changes.windows(2).all(|pair| pair[1] - pair[0] >= 60),
            "{changes:?}"
        );
        assert!(changes[0] >= 60, "{changes:?}");
        assert_eq!(named(&lists).len(), 20);
    }

    #[test]
    fn what_is_searched_for_again_without_being_called_joins_at_once_and_only_there() {
        let mut lists = RoleLists::default();
        called(&mut lists, "scan", 0);
        let missed = ListNews::Missed(vec!["craft".into()]);
        lists.take(key(None), missed, at(1));
        assert_eq!(named(&lists), ["craft"]);
        assert!(lists.is_closed(&key(None)) && !lists.is_closed(&key(Some("miner"))));
        assert_eq!(lists.commands(&key(Some("miner"))), None);
        called(&mut lists, "tow", 2);
        assert!(!lists.is_closed(&key(None)), "it calls what is not offered");
    }

    #[test]
    fn a_loop_that_pays_brings_the_tool_for_routines_to_all_lists() {
        let mut lists = RoleLists::default();
        for role in [None, Some("miner")] {
            lists.take(key(role), ListNews::Offered(Vec::new()), at(0));
        }
        lists.take(key(None), ListNews::LoopPays, at(20));
        assert!(!lists.is_due(at(59)) && lists.is_due(at(60)));
        lists.renew(at(60));
        for role in [None, Some("miner")] {
            assert_eq!(
                lists.commands(&key(role)),
                Some(&[ROUTINE_START.into()][..])
            );
        }
        assert!(!lists.is_due(at(600)), "once");
    }

    #[test]
    fn what_waits_joins_where_a_refused_tool_leaves_and_the_next_hour_begins_there() {
        let mut lists = RoleLists::default();
        let miner = ListKey {
            role: Some("miner".into()),
            ..key(None)
        };
        let elsewhere = ListKey {
            provider: "other".into(),
            role: None,
        };
        for of in [key(None), miner.clone(), elsewhere.clone()] {
            lists.take(of, ListNews::Called("scan".into()), at(0));
        }
        lists.take(key(None), ListNews::Refused, at(20));
        for (of, joined) in [(&key(None), 1), (&miner, 1), (&elsewhere, 0)] {
            assert_eq!(lists.commands(of).map(<[_]>::len), Some(joined), "{of:?}");
        }
        called(&mut lists, "tow", 30);
        lists.renew(at(60));
        assert_eq!(lists.commands(&elsewhere).map(<[_]>::len), Some(1));
        assert_eq!(named(&lists), ["scan"], "one change an hour");
        lists.renew(at(80));
        assert_eq!(named(&lists), ["scan", "tow"]);
    }

    #[test]
    fn a_list_of_before_goes_on_and_grows_to_a_limit() {
        let mut lists = RoleLists::default();
        let names = |count: usize| -> Vec<Arc<str>> {
            (0..count)
                .map(|number| format!("work_{number}").into())
                .collect()
        };
        for count in [2, 3, 2] {
            lists.take(key(None), ListNews::Offered(names(count)), at(0));
        }
        assert_eq!(named(&lists), ["work_0", "work_1", "work_2"]);
        let other = ListNews::Offered(vec!["tow".into()]);
        lists.take(key(None), other, at(0));
        lists.renew(at(60));
        assert_eq!(named(&lists)[3..], ["tow"]);
        lists.take(key(None), ListNews::Missed(names(99)), at(61));
        lists.take(key(None), ListNews::Called("x".repeat(999).into()), at(61));
        assert_eq!(named(&lists).len(), MAX_COMMANDS);
        assert!(!lists.is_due(at(600)), "it is full");
    }
}
