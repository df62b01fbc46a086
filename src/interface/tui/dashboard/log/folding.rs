//! Folding: neighbours that tell the same of several Myses become one line.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::message::LogMessage;

/// How many of the last lines a message may join. What one cause does to several Myses comes interleaved: an order
/// and a change of state for each.
const MAX_OPEN_FOLDS: usize = 4;
/// The longest time between a message and the one that it joins.
const MAX_GAP_MS: u64 = 60_000;
/// The most of the newest messages that are folded, however much they tell the same: a picture is not to wait.
const MOST_OF_NEWEST: usize = 3_000;
/// How far before and behind the border messages that tell the same are looked for.
const REACH_OVER_BORDER: usize = 16;

/// Messages that tell the same.
pub(crate) struct Fold {
    /// In order.
    pub(crate) events: Vec<Arc<LogMessage>>,
    /// The place of the last one among all.
    last: usize,
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
            fold.events.last().is_some_and(|last| {
                last.is_alike(message) && message.at.since(last.at) <= MAX_GAP_MS
            })
        });
        if let Some(fold) = joined {
            fold.events.push(message.clone());
            fold.last = place;
        } else {
            folds.push(Fold {
                events: vec![message.clone()],
                last: place,
            });
        }
    }
    folds
}

/// Folds the newest messages: about so many, and more where the oldest of them tell the same as those before.
pub(crate) fn fold_newest(
    messages: &VecDeque<Arc<LogMessage>>,
    about: usize,
) -> Vec<Vec<Arc<LogMessage>>> {
    let border = border_of(messages, about);
    let newest: Vec<Arc<LogMessage>> = messages.range(border..).cloned().collect();
    let mut folds = fold(&newest, |_, _| false);
    // Each line has the time of its newest message.
    folds.sort_by_key(|fold| fold.last);
    folds.into_iter().map(|fold| fold.events).collect()
}

/// Where the newest messages begin, such that what one cause did to many is not cut in two.
fn border_of(messages: &VecDeque<Arc<LogMessage>>, about: usize) -> usize {
    let last = messages.len().saturating_sub(MOST_OF_NEWEST.max(about));
    let mut border = messages.len().saturating_sub(about);
    while border > last {
        let after = || messages.range(border..).take(REACH_OVER_BORDER);
        let joins = |before: &LogMessage| {
            let is_near = |message: &LogMessage| message.at.since(before.at) <= MAX_GAP_MS;
            after().any(|message| before.is_alike(message) && is_near(message))
        };
        let nearest = border.saturating_sub(REACH_OVER_BORDER).max(last);
        let first = messages.range(nearest..border).position(|one| joins(one));
        match first {
            Some(place) => border = nearest + place,
            None => break,
        }
    }
    border
}

/// The names of those whom messages are about, each once.
fn names_of<'a>(messages: impl Iterator<Item = &'a LogMessage>) -> Vec<&'a str> {
    let mut known = BTreeSet::new();
    let names = messages.map(|message| &*message.who);
    names
        .filter(|name| !name.is_empty() && known.insert(*name))
        .collect()
}

/// Whom messages are about: `alpha, beta and 14 more`.
pub(crate) fn span_of_names<'a>(messages: impl Iterator<Item = &'a LogMessage>) -> String {
    match &names_of(messages)[..] {
        [first, second, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second} and {} more", rest.len())
        }
        few => few.join(" and "),
    }
}

/// The same in fewer columns: `alpha +15`.
pub(crate) fn short_span_of_names<'a>(messages: impl Iterator<Item = &'a LogMessage>) -> String {
    match &names_of(messages)[..] {
        [first, rest @ ..] if !rest.is_empty() => format!("{first} +{}", rest.len()),
        one => one.concat(),
    }
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

    fn members(messages: &[Arc<LogMessage>]) -> Vec<Vec<i64>> {
        let folds = fold(messages, |one, other| {
            one.at.0 / 86_400_000 != other.at.0 / 86_400_000
        });
        let places = |fold: &Fold| fold.events.iter().map(|event| event.id.0 - 1).collect();
        folds.iter().map(places).collect()
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
    fn what_one_cause_did_to_many_is_counted_whole() {
        let mut messages = VecDeque::new();
        for (id, text) in (1..).zip(["earlier"; 20]) {
            messages.push_back(Arc::new(event(id, "alpha", &format!("{text} {id}"))));
        }
        for place in 0..200 {
            let who = format!("m-{place}");
            for text in ["stopped", "running → stopped"] {
                messages.push_back(Arc::new(event(100 + place, &who, text)));
            }
        }
        let folds = fold_newest(&messages, 300);
        let counts: Vec<usize> = folds.iter().map(Vec::len).collect();
        assert_eq!(counts, [200, 200]);
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
