//! Likeness: whether a good result says something that no earlier one of its step said.

use std::collections::BTreeSet;

use serde::Deserialize;
use zoea_game::Reading;

const LEARNED_FROM: u32 = 3;
/// The most members that are remembered of a step. A step with more is not judged.
const MAX_MEMBERS: usize = 48;

/// The members of a step's results so far.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub(super) struct Likeness {
    pub(super) results: u32,
    pub(super) members: BTreeSet<String>,
}

zoea_records::stored_as_list!(Likeness: results, members);

impl Likeness {
    /// Takes a good result. Returns a member that is new, once enough results were seen.
    pub(super) fn take(&mut self, facts: &dyn Reading) -> Option<String> {
        let is_learning = self.results < LEARNED_FROM;
        self.results = self.results.saturating_add(1);
        let news = facts.members().into_iter();
        let news = news.filter(|name| name.len() <= 64 && !self.members.contains(*name));
        let mut news = news.map(str::to_string);
        let first = news.next();
        let more: Vec<String> = news.collect();
        let room = MAX_MEMBERS.saturating_sub(self.members.len());
        let some = first.iter().cloned().chain(more).take(room);
        self.members.extend(some);
        first.filter(|_| !is_learning && self.members.len() < MAX_MEMBERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Members(Vec<String>);

    impl Reading for Members {
        fn members(&self) -> Vec<&str> {
            self.0.iter().map(String::as_str).collect()
        }

        fn digest(&self, _result: &str, _most: usize) -> String {
            String::new()
        }
    }

    #[test]
    fn however_many_members_a_result_has_few_are_remembered_and_none_is_news() {
        let many = |from| Members((from..from + 1000).map(|n| format!("m{n}")).collect());
        let mut likeness = Likeness::default();
        for from in [0, 1000, 2000, 3000, 4000] {
            assert_eq!(likeness.take(&many(from)), None);
            assert_eq!(likeness.members.len(), MAX_MEMBERS);
        }
    }
}
