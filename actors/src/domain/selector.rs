//! The grammar of selectors: names of Myses, and words for several Myses.
//!
//! The caller decides which words its text may contain. A terminal knows `all`, `marked`, `.` and states.
//! The command line takes plain names, and has options for states and for all. A word that the caller does
//! not list is a name.

use crate::event::MysisStatus;
use crate::order::OrderRefusal;
use crate::state::LifeState;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorWord {
    All,
    Marked,
    /// The Myses that the keys of a terminal act upon.
    InHand,
    State(LifeState),
    /// The Myses that are idle since the program ended while they ran.
    Interrupted,
}

#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a, K> {
    pub key: K,
    pub name: &'a str,
    pub state: Option<LifeState>,
    /// Whether it is idle since the program ended while it ran.
    pub is_interrupted: bool,
    pub is_marked: bool,
    /// Whether keys of the terminal act upon it.
    pub is_in_hand: bool,
}

/// Its entries: each a name, or the word that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector(Vec<(String, Option<SelectorWord>)>);

impl SelectorWord {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            SelectorWord::All => "all",
            SelectorWord::Marked => "marked",
            SelectorWord::InHand => ".",
            SelectorWord::State(state) => state.as_str(),
            SelectorWord::Interrupted => "interrupted",
        }
    }

    pub fn parse(text: &str, known: &[SelectorWord]) -> Option<SelectorWord> {
        let mut words = known.iter().copied();
        words.find(|word| word.as_str() == text)
    }

    #[must_use]
    pub fn select<K: Copy>(self, candidates: &[Candidate<'_, K>]) -> Vec<K> {
        let fitting = candidates.iter().filter(|candidate| self.fits(candidate));
        fitting.map(|candidate| candidate.key).collect()
    }

    fn fits<K>(self, candidate: &Candidate<'_, K>) -> bool {
        match self {
            SelectorWord::All => true,
            SelectorWord::Marked => candidate.is_marked,
            SelectorWord::InHand => candidate.is_in_hand,
            SelectorWord::State(state) => candidate.state == Some(state),
            SelectorWord::Interrupted => candidate.is_interrupted,
        }
    }

    /// Whether a Mysis with this name takes precedence.
    fn yields_to_a_name(self) -> bool {
        match self {
            SelectorWord::All | SelectorWord::Marked | SelectorWord::InHand => false,
            SelectorWord::State(_) | SelectorWord::Interrupted => true,
        }
    }
}

impl<'a, K> Candidate<'a, K> {
    /// A candidate by its status, neither marked nor in hand.
    pub fn of(key: K, status: &'a MysisStatus) -> Candidate<'a, K> {
        Candidate {
            key,
            name: &status.name,
            state: Some(status.state),
            is_interrupted: status.is_interrupted(),
            is_marked: false,
            is_in_hand: false,
        }
    }
}

impl Selector {
    /// Parses names and the words that the caller knows, separated by commas.
    pub fn parse(text: &str, known: &[SelectorWord]) -> Selector {
        let terms = text.split(',').filter(|term| !term.is_empty());
        let terms = terms.map(|term| (term.to_string(), SelectorWord::parse(term, known)));
        Selector(terms.collect())
    }

    /// The selected candidates, each once, in the order of the entries.
    ///
    /// # Errors
    /// An entry is neither a name nor a known word.
    pub fn resolve<K: Copy + PartialEq>(
        &self,
        candidates: &[Candidate<'_, K>],
    ) -> Result<Vec<K>, OrderRefusal> {
        let mut selected = Vec::new();
        for (text, word) in &self.0 {
            let named = candidates.iter().find(|candidate| candidate.name == text);
            let mut found = match (named, word) {
                (Some(candidate), None) => vec![candidate.key],
                (Some(candidate), Some(word)) if word.yields_to_a_name() => vec![candidate.key],
                (_, Some(word)) => word.select(candidates),
                (None, None) => {
                    let known = candidates.iter().map(|candidate| candidate.name);
                    return Err(OrderRefusal::unknown_mysis(text, known));
                }
            };
            found.retain(|key| !selected.contains(key));
            selected.extend(found);
        }
        Ok(selected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: &[SelectorWord] = &[
        SelectorWord::All,
        SelectorWord::Marked,
        SelectorWord::InHand,
        SelectorWord::State(LifeState::Running),
        SelectorWord::State(LifeState::Idle),
    ];

    fn one(key: u8, name: &str, state: LifeState) -> Candidate<'_, u8> {
        Candidate {
            key,
            name,
            state: Some(state),
            is_interrupted: false,
            is_marked: key == 2,
            is_in_hand: key == 3,
        }
    }

    fn swarm() -> [Candidate<'static, u8>; 4] {
        let (idle, running) = (LifeState::Idle, LifeState::Running);
        [
            one(1, "alpha", idle),
            one(2, "bravo", running),
            Candidate {
                is_interrupted: true,
                ..one(3, "carol", idle)
            },
            one(4, "running", LifeState::Stopped),
        ]
    }

    fn selected(text: &str, known: &[SelectorWord]) -> Result<Vec<u8>, String> {
        let selector = Selector::parse(text, known);
        selector.resolve(&swarm()).map_err(|no| no.to_string())
    }

    #[test]
    fn each_is_selected_once_in_the_order_of_the_entries() {
        for (text, keys) in [
            ("carol,alpha", vec![3, 1]),
            ("bravo,all", vec![2, 1, 3, 4]),
            ("marked,.,", vec![2, 3]),
            ("idle,alpha", vec![1, 3]),
            ("", vec![]),
            (",", vec![]),
        ] {
            assert_eq!(selected(text, TERMINAL), Ok(keys), "{text}");
        }
    }

    #[test]
    fn a_name_comes_before_a_state_and_after_the_other_words() {
        assert_eq!(selected("running", TERMINAL), Ok(vec![4]));
        let all = [one(7, "all", LifeState::Idle), one(8, "x", LifeState::Idle)];
        let selector = Selector::parse("all", TERMINAL);
        assert_eq!(selector.resolve(&all), Ok(vec![7, 8]));
    }

    #[test]
    fn a_word_that_the_caller_does_not_know_is_a_name() {
        for word in ["all", "marked", ".", "idle", "interrupted"] {
            let refused = Err(format!("no mysis is called `{word}`"));
            assert_eq!(selected(word, &[]), refused, "{word}");
        }
        let refused = Err("no mysis is called `interrupted`".to_string());
        assert_eq!(selected("alpha,interrupted", TERMINAL), refused);
        assert_eq!(SelectorWord::parse("marked", &[SelectorWord::All]), None);
    }

    #[test]
    fn a_mistyped_name_gets_the_nearest_one_suggested() {
        for (text, nearest) in [("alhpa", "alpha"), ("bravo,Carl", "carol")] {
            let refused = selected(text, TERMINAL).unwrap_err();
            assert!(
                refused.ends_with(&format!("; did you mean {nearest}?")),
                "{refused}"
            );
        }
    }

    #[test]
    fn a_word_selects_the_candidates_that_fit() {
        let select = |word: SelectorWord| word.select(&swarm());
        assert_eq!(select(SelectorWord::All), [1, 2, 3, 4]);
        assert_eq!(select(SelectorWord::Interrupted), [3]);
        assert_eq!(select(SelectorWord::State(LifeState::Running)), [2]);
        let unknown = Candidate {
            state: None,
            ..one(1, "alpha", LifeState::Idle)
        };
        let idle = SelectorWord::State(LifeState::Idle);
        assert!(idle.select(&[unknown]).is_empty());
    }
}
