//! The filter of the table.

use std::sync::Arc;

use regex_lite::Regex;

use actors::domain::event::MysisStatus;
use actors::domain::outages::ServerOutages;

use super::columns::filter_words;
use super::seen_state::SeenState;
use zoea_text::clean::one_line;

/// The sign before a term that must not match.
const INVERSE_SIGN: char = '!';
/// The sign before a regex, which extends to the end.
const REGEX_SIGN: char = '~';

pub const FILTER_KEY_HELP: &str = "show only matches: word, !word, ~regex";
pub const FILTER_COMMAND_HELP: &str = "show only matches: word, !word, ~regex; nothing shows all";
pub const FILTER_HINT: &str = "word !word ~regex";

/// A filter. It shows the Myses that match every term.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    text: String,
    terms: Vec<Term>,
    /// The only state that is shown.
    pub state: Option<SeenState>,
    complaint: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
struct Term {
    is_inverse: bool,
    wanted: TermPattern,
}

#[derive(Clone, Debug)]
enum TermPattern {
    /// In lower case. The match ignores case.
    Text(String),
    Regex(Arc<Regex>),
}

impl Filter {
    /// Parses the operator's text in the forms that the help names: words that all must occur, inverse
    /// words that must not occur, and a regex up to the end.
    pub fn set_text(&mut self, text: &str) {
        self.text = text.to_string();
        self.terms.clear();
        self.complaint = None;
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let inverse = rest.strip_prefix(INVERSE_SIGN);
            let is_inverse = inverse.is_some();
            rest = inverse.unwrap_or(rest);
            if let Some(source) = rest.strip_prefix(REGEX_SIGN) {
                return self.add_regex(is_inverse, source.trim_end());
            }
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if !word.is_empty() {
                self.terms.push(Term {
                    is_inverse,
                    wanted: TermPattern::Text(word.to_lowercase()),
                });
            }
            rest = after.trim_start();
        }
    }

    fn add_regex(&mut self, is_inverse: bool, source: &str) {
        if source.is_empty() {
            return;
        }
        match Regex::new(&format!("(?i){source}")) {
            Ok(regex) => self.terms.push(Term {
                is_inverse,
                wanted: TermPattern::Regex(Arc::new(regex)),
            }),
            Err(error) => self.complaint = Some(one_line(&error.to_string()).into()),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Why the text cannot be parsed.
    pub fn complaint(&self) -> Option<&Arc<str>> {
        self.complaint.as_ref()
    }

    pub fn is_open(&self) -> bool {
        self.terms.is_empty() && self.state.is_none()
    }

    /// Shows the next state only, in a cycle that ends with all states.
    pub fn next_state(&mut self) {
        let all = SeenState::ALL;
        let place = all.iter().position(|state| Some(*state) == self.state);
        let next = place.map_or(0, |place| place + 1);
        self.state = all.get(next).copied();
    }

    /// Whether it shows this Mysis while these servers are away.
    pub fn shows(&self, status: &MysisStatus, outages: &ServerOutages) -> bool {
        let seen = SeenState::of(status, outages);
        if self.state.is_some_and(|state| state != seen) {
            return false;
        }
        self.terms
            .iter()
            .all(|term| matches_pattern(&term.wanted, status, seen) != term.is_inverse)
    }
}

fn matches_pattern(wanted: &TermPattern, status: &MysisStatus, seen: SeenState) -> bool {
    filter_words(status, seen).any(|text| match wanted {
        TermPattern::Text(word) => holds(text, word),
        TermPattern::Regex(regex) => regex.is_match(text),
    })
}

/// Whether a text contains a lower-case word, ignoring the text's case.
fn holds(text: &str, word: &str) -> bool {
    if text.is_ascii() && word.is_ascii() {
        let (text, word) = (text.as_bytes(), word.as_bytes());
        return word.is_empty()
            || text
                .windows(word.len())
                .any(|window| window.eq_ignore_ascii_case(word));
    }
    text.to_lowercase().contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::tests::status;
    use actors::domain::state::LifeState;

    fn shows(filter: &str, name: &str, state: LifeState) -> bool {
        let mut it = Filter::default();
        it.set_text(filter);
        it.shows(&status(1, name, state), &ServerOutages::default())
    }

    #[test]
    fn every_word_must_be_there_and_no_forbidden_one() {
        assert!(shows("", "alpha", LifeState::Idle));
        assert!(shows("ALPH run", "alpha", LifeState::Running));
        assert!(!shows("alpha run", "alpha", LifeState::Idle));
        assert!(shows("!run", "alpha", LifeState::Idle));
        assert!(!shows("local !qwen", "alpha", LifeState::Idle));
        assert!(shows("世", "世界", LifeState::Idle));
        assert!(shows("!", "alpha", LifeState::Idle));
    }

    #[test]
    fn a_tilde_begins_a_regex() {
        assert!(shows("~^alpha-[0-9]+$", "alpha-12", LifeState::Idle));
        assert!(!shows("~^alpha-[0-9]+$", "alpha-x", LifeState::Idle));
        assert!(shows("!~^beta", "alpha", LifeState::Idle));
        let mut filter = Filter::default();
        filter.set_text("~(");
        assert!(filter.complaint().is_some());
        let alpha = status(1, "alpha", LifeState::Idle);
        assert!(filter.shows(&alpha, &ServerOutages::default()));
    }

    #[test]
    fn every_form_that_the_help_names_is_read_as_it_says() {
        assert_eq!(FILTER_HINT, "word !word ~regex");
        assert_eq!(FILTER_KEY_HELP, "show only matches: word, !word, ~regex");
        let help = "show only matches: word, !word, ~regex; nothing shows all";
        assert_eq!(FILTER_COMMAND_HELP, help);
        let fitting = |form: &str| {
            let names = ["word", "regex", "other"].into_iter();
            let fits = names.filter(|name| shows(form, name, LifeState::Idle));
            fits.collect::<Vec<_>>()
        };
        let fits: Vec<_> = FILTER_HINT.split(' ').map(fitting).collect();
        assert_eq!(fits, [vec!["word"], vec!["regex", "other"], vec!["regex"]]);
    }

    #[test]
    fn states_go_round() {
        let mut filter = Filter::default();
        let mut states = Vec::new();
        for _ in 0..=SeenState::ALL.len() {
            filter.next_state();
            states.push(filter.state);
        }
        let all = SeenState::ALL.map(Some).into_iter().chain([None]);
        assert_eq!(states, all.collect::<Vec<_>>());
        assert_eq!(
            states[0],
            Some(SeenState::Running),
            "what is asked for most"
        );
    }
}
