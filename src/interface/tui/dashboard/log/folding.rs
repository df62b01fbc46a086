//! Folding: neighbours that tell the same of several Myses become one line.

use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::event_record::EventId;

use super::message::LogMessage;

/// How many of the last lines a message may join. What one cause does to several Myses comes interleaved: an order
/// and a change of state for each.
const MAX_OPEN_FOLDS: usize = 4;
/// The longest time between a message and the one that it joins.
const MAX_GAP_MS: u64 = 60_000;

/// Messages that tell the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fold {
    /// Their places among all, in order.
    pub(crate) members: Vec<usize>,
}

/// Folds messages, oldest first. Those after a border do not join those before it: `border` tells whether there is
/// one between two neighbours.
pub(crate) fn fold(
    messages: &[Arc<LogMessage>],
    border: impl Fn(&LogMessage, &LogMessage) -> bool,
) -> Vec<Fold> {
    let mut folds: Vec<Fold> = Vec::new();
    let mut open = 0;
    for (place, message) in messages.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| messages.get(before));
        if before.is_some_and(|before| border(before, message)) {
            open = folds.len();
        }
        let first = open.max(folds.len().saturating_sub(MAX_OPEN_FOLDS));
        let joined = folds[first..].iter_mut().rev().find(|fold| {
            let last = fold.members.last().and_then(|last| messages.get(*last));
            last.is_some_and(|last| {
                last.is_alike(message) && message.at.since(last.at) <= MAX_GAP_MS
            })
        });
        match joined {
            Some(fold) => fold.members.push(place),
            None => folds.push(Fold {
                members: vec![place],
            }),
        }
    }
    folds
}

pub(crate) fn fold_newest(
    messages: &std::collections::VecDeque<Arc<LogMessage>>,
    most: usize,
) -> Vec<Vec<Arc<LogMessage>>> {
    let surplus = messages.len().saturating_sub(most);
    let newest: Vec<Arc<LogMessage>> = messages.range(surplus..).cloned().collect();
    let mut folds = fold(&newest, |_, _| false);
    // Each line has the time of its newest message.
    folds.sort_by_key(|fold| fold.members.last().copied());
    let members = |fold: Fold| {
        let members = fold.members.into_iter();
        members
            .filter_map(|place| newest.get(place).cloned())
            .collect()
    };
    folds.into_iter().map(members).collect()
}

/// The names of those whom messages are about: `alpha, beta and 14 more`.
pub(crate) fn span_of_names<'a>(messages: impl Iterator<Item = &'a LogMessage>) -> String {
    let (mut named, mut known) = (Vec::new(), BTreeSet::new());
    for message in messages.filter(|message| !message.who.is_empty()) {
        if known.insert(&*message.who) && named.len() < 2 {
            named.push(&*message.who);
        }
    }
    match (known.len(), &named[..]) {
        (3.., [first, second, ..]) => {
            format!("{first}, {second} and {} more", known.len() - 2)
        }
        _ => named.join(" and "),
    }
}

/// The same in fewer columns: `alpha +15`.
pub(crate) fn short_span_of_names<'a>(messages: impl Iterator<Item = &'a LogMessage>) -> String {
    let (mut first, mut known) = ("", BTreeSet::new());
    for message in messages.filter(|message| !message.who.is_empty()) {
        if known.insert(&*message.who) && first.is_empty() {
            first = &message.who;
        }
    }
    match known.len() {
        0 | 1 => first.to_string(),
        many => format!("{first} +{}", many - 1),
    }
}

pub(crate) fn is_unfolded(
    fold: &Fold,
    messages: &[Arc<LogMessage>],
    unfolded: &BTreeSet<EventId>,
) -> bool {
    let mut members = fold.members.iter().filter_map(|place| messages.get(*place));
    members.any(|message| unfolded.contains(&message.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::log::tests::event;

    fn messages_of(messages: &[(&str, &str, i64)]) -> Vec<Arc<LogMessage>> {
        let ids = 1..;
        let messages = ids.zip(messages).map(|(id, (who, text, at))| {
            let mut message = event(id, who, text);
            message.at.0 = *at;
            Arc::new(message)
        });
        messages.collect()
    }

    fn members(messages: &[Arc<LogMessage>]) -> Vec<Vec<usize>> {
        let folds = fold(messages, |one, other| {
            one.at.0 / 86_400_000 != other.at.0 / 86_400_000
        });
        folds.into_iter().map(|fold| fold.members).collect()
    }

    #[test]
    fn what_one_cause_does_to_several_is_one_line_each_although_it_comes_interleaved() {
        let messages = messages_of(&[
            ("alpha", "stopped", 1),
            ("alpha", "running → stopped", 1),
            ("bravo", "stopped", 2),
            ("bravo", "running → stopped", 2),
            ("ceres", "failed", 3),
            ("ceres", "stopped", 4),
        ]);
        assert_eq!(members(&messages), [vec![0, 2, 5], vec![1, 3], vec![4]]);
    }

    #[test]
    fn what_comes_much_later_or_on_another_day_is_a_line_of_its_own() {
        let day = 86_400_000;
        let messages = messages_of(&[
            ("alpha", "x", day - 70_000),
            ("bravo", "x", day - 5_000),
            ("ceres", "x", day - 1),
            ("delta", "x", day),
        ]);
        assert_eq!(members(&messages), [vec![0], vec![1, 2], vec![3]]);
    }

    #[test]
    fn two_are_named_and_the_others_counted() {
        let names = |names: &[&str]| {
            let messages: Vec<LogMessage> = names.iter().map(|who| event(1, who, "x")).collect();
            span_of_names(messages.iter())
        };
        assert_eq!(names(&[""]), "");
        assert_eq!(names(&["alpha", "alpha"]), "alpha");
        assert_eq!(names(&["alpha", "beta"]), "alpha and beta");
        assert_eq!(names(&["a", "b", "c", "a", "d"]), "a, b and 2 more");
        let short = ["a", "b", "a"].map(|who| event(1, who, "x"));
        assert_eq!(short_span_of_names(short.iter()), "a +1");
        assert_eq!(short_span_of_names(short[..1].iter()), "a");
    }
}
