//! The search for the tool whose definition a server refuses: a fixed text is asked with all of them,
//! then with half of those that are left, until one is left.

use std::sync::Arc;

/// The most tools of one search. Of more, the first are looked at.
const MAX_SUSPECTS: usize = 128;

#[derive(Clone, Debug)]
pub(super) struct ToolSearch {
    suspects: Vec<Arc<str>>,
    /// The server's words point at them, so that all of them are left out at once.
    is_named: bool,
    /// Whether a fixed text was refused with all suspects, and served with other tools.
    is_refused_with: bool,
    is_served_without: bool,
    /// One that is asked alone, where everything with a tool was refused.
    other: Option<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToolStep {
    Ask(Vec<Arc<str>>),
    /// These are at fault, if the conversation is served without them.
    Found(Vec<Arc<str>>),
}

impl ToolSearch {
    /// A search among tools; `None` without any.
    pub(super) fn among(mut suspects: Vec<Arc<str>>) -> Option<ToolSearch> {
        suspects.truncate(MAX_SUSPECTS);
        let other = suspects.last()?.clone();
        Some(ToolSearch {
            suspects,
            is_named: false,
            is_refused_with: false,
            is_served_without: false,
            other: Some(other),
        })
    }

    /// A search that is over, since the server's words point at the tools; `None` without any.
    pub(super) fn named(tools: Vec<Arc<str>>) -> Option<ToolSearch> {
        let search = ToolSearch::among(tools)?;
        Some(ToolSearch {
            is_named: true,
            ..search
        })
    }

    pub(super) fn step(&self) -> ToolStep {
        let half = self.suspects.len().div_ceil(2);
        match (&self.suspects[..], self.other_to_ask()) {
            (found, _) if self.is_named => ToolStep::Found(found.to_vec()),
            ([_], Some(other)) => ToolStep::Ask(vec![other.clone()]),
            (found @ [_], None) => ToolStep::Found(found.to_vec()),
            (all, _) if !self.is_refused_with => ToolStep::Ask(all.to_vec()),
            (all, _) => ToolStep::Ask(all[..half].to_vec()),
        }
    }

    /// Where everything with a tool was refused, the one that is left is at fault only if another tool
    /// is taken.
    fn other_to_ask(&self) -> Option<&Arc<str>> {
        let other = self.other.as_ref()?;
        let is_open = self.is_refused_with && !self.is_served_without;
        (is_open && !self.suspects.contains(other)).then_some(other)
    }

    /// Takes what came of a fixed text with these tools. Returns whether the search goes on.
    pub(super) fn on_tried(&mut self, asked: &[Arc<str>], is_served: bool) -> bool {
        let is_other = self.suspects.len() == 1 && !self.suspects.starts_with(asked);
        self.is_served_without |= is_served;
        if is_other {
            self.other = None;
            return is_served;
        }
        if is_served {
            self.suspects.retain(|name| !asked.contains(name));
        } else {
            self.is_refused_with = true;
            self.suspects = asked.to_vec();
        }
        !self.suspects.is_empty()
    }

    /// Whether the fixed text alone proves that the tool that is left is at fault.
    pub(super) fn is_proven(&self) -> bool {
        self.is_refused_with && self.is_served_without && self.suspects.len() == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tools that are found among so many, and the number of fixed texts, if these are refused.
    fn find(count: usize, bad: &[usize]) -> (Option<Vec<Arc<str>>>, usize) {
        let name = |number: usize| -> Arc<str> { format!("tool{number}").into() };
        let is_bad = |tool: &Arc<str>| bad.iter().any(|bad| name(*bad) == *tool);
        let mut search = ToolSearch::among((0..count).map(name).collect()).expect("tools");
        for asked in 0.. {
            match search.step() {
                ToolStep::Found(found) => return (Some(found), asked),
                ToolStep::Ask(tools) => {
                    let is_served = !tools.iter().any(is_bad);
                    if !search.on_tried(&tools, is_served) {
                        return (None, asked + 1);
                    }
                }
            }
        }
        unreachable!("it ends");
    }

    #[test]
    fn one_of_many_is_found_by_halves_wherever_it_stands() {
        for count in [1, 2, 3, 7, 8, 31, 32, 64] {
            for bad in 0..count {
                let (found, asked) = find(count, &[bad]);
                assert_eq!(found, Some(vec![format!("tool{bad}").into()]), "of {count}");
                assert!(asked <= 8, "{asked} fixed texts, {bad} of {count}");
            }
        }
        assert!(find(32, &[31]).1 <= 6);
    }

    #[test]
    fn where_all_are_taken_or_none_is_no_tool_is_found() {
        assert_eq!(find(8, &[]), (None, 1));
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(find(8, &all).0, None);
        let two = find(8, &[0, 5]).0.expect("the first of them");
        assert_eq!(two, ["tool0".into()]);
    }

    #[test]
    fn what_the_servers_words_point_at_is_tried_at_once() {
        let named: Vec<Arc<str>> = vec!["mine".into(), "sell".into()];
        let search = ToolSearch::named(named.clone()).expect("tools");
        assert_eq!(search.step(), ToolStep::Found(named));
        assert!(!search.is_proven());
    }
}
