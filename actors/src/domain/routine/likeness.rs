//! Likeness: whether a good result says something that no earlier one of its step said.

use std::collections::BTreeSet;

use zoea_game::Reading;

const LEARNED_FROM: u32 = 3;
/// The most members that are remembered of a step. A step with more is not judged.
const MAX_MEMBERS: usize = 48;

/// The members of a step's results so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Likeness {
    pub(super) results: u32,
    pub(super) members: BTreeSet<String>,
}

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
        if self.members.len() < MAX_MEMBERS {
            self.members.extend(first.clone());
            self.members.extend(more);
        }
        first.filter(|_| !is_learning && self.members.len() < MAX_MEMBERS)
    }
}
