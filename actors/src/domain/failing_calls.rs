//! Failing calls: whether most of a Mysis' latest tool calls failed, and with which error.
//!
//! It begins anew with each start and is not stored: the next calls show it again soon.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ids::Timestamp;
use zoea_text::clean::one_line;
use zoea_text::names::beginning;

const JUDGED_CALLS: usize = 50;
/// Fewer calls are not judged.
const MIN_CALLS: usize = 20;
/// The share of failures from which on most calls fail, in percent.
const MOST_PERCENT: usize = 60;
/// The share of failures below which it is over, in percent. It is lower, since a share that stays
/// near one limit would begin and end it every few calls.
const OVER_PERCENT: usize = 45;
/// The most characters of an error that has no code.
const MAX_ERROR_CHARS: usize = 60;
/// The most characters of an error's code.
const MAX_CODE_CHARS: usize = 40;

/// What helps where most calls fail.
pub const FAILING_CALLS_ADVICE: &str = "the conversation shows why; a model that keeps failing is \
     too small for its tools, or does not see its results: `zoea doctor` tests both";

#[derive(Clone, Debug, Default)]
pub struct RecentCalls {
    /// The error of each call, oldest first; `None` if it succeeded.
    errors: VecDeque<Option<Arc<str>>>,
    since: Option<Timestamp>,
}

/// The latest calls of a Mysis, of which most failed.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct FailingCalls {
    /// The calls that were judged.
    #[serde(default)]
    pub calls: usize,
    /// The failures, each by its tool and its error, and how often it happened.
    pub errors: BTreeMap<Arc<str>, usize>,
    #[serde(default)]
    pub since: Timestamp,
}

impl RecentCalls {
    pub fn record_success(&mut self, now: Timestamp) {
        self.record(None, now);
    }

    pub fn record_failure(&mut self, tool: &str, text: &str, now: Timestamp) {
        let label = format!("{tool}: {}", error_of(text));
        let known = self.errors.iter().flatten();
        let known = known.into_iter().find(|known| ***known == *label).cloned();
        self.record(Some(known.unwrap_or_else(|| label.into())), now);
    }

    fn record(&mut self, error: Option<Arc<str>>, now: Timestamp) {
        if self.errors.len() >= JUDGED_CALLS {
            self.errors.pop_front();
        }
        self.errors.push_back(error);
        let (calls, failed) = (self.errors.len(), self.errors.iter().flatten().count());
        let limit = match self.since {
            Some(_) => OVER_PERCENT,
            None => MOST_PERCENT,
        };
        if calls >= MIN_CALLS && failed * 100 >= calls * limit {
            self.since.get_or_insert(now);
        } else {
            self.since = None;
        }
    }

    /// The latest calls, if most of them failed.
    pub fn failing(&self) -> Option<FailingCalls> {
        let since = self.since?;
        let mut errors: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for error in self.errors.iter().flatten() {
            *errors.entry(error.clone()).or_default() += 1;
        }
        Some(FailingCalls {
            calls: self.errors.len(),
            errors,
            since,
        })
    }
}

impl FailingCalls {
    pub fn why(&self) -> String {
        in_words("its", self.calls, &self.errors)
    }
}

/// The latest calls of these Myses in words: the share that failed, and the commonest failure.
pub fn failing_together<'a>(all: impl Iterator<Item = &'a FailingCalls>) -> String {
    let mut calls = 0;
    let mut errors: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for one in all {
        calls += one.calls;
        for (error, times) in &one.errors {
            *errors.entry(error.clone()).or_default() += times;
        }
    }
    in_words("their", calls, &errors)
}

fn in_words(whose: &str, calls: usize, errors: &BTreeMap<Arc<str>, usize>) -> String {
    let failed: usize = errors.values().sum();
    let commonest = errors.iter().max_by_key(|(_, times)| **times);
    let commonest = commonest.map(|(error, times)| format!(", most often {error} ({times} times)"));
    format!(
        "{} % of {whose} last {calls} calls failed{}; {FAILING_CALLS_ADVICE}",
        failed * 100 / calls.max(1),
        commonest.unwrap_or_default()
    )
}

/// An error in few words: its code, if it begins with one, else its beginning.
fn error_of(text: &str) -> String {
    let line = one_line(text);
    let line = line.trim();
    let error = line.strip_prefix("Error: ").unwrap_or(line);
    if let Some((code, _)) = error.split_once(':')
        && !code.is_empty()
        && code.chars().count() <= MAX_CODE_CHARS
        && !code.contains(char::is_whitespace)
    {
        return code.to_string();
    }
    beginning(error, MAX_ERROR_CHARS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = "Error: cargo_full: Your cargo is full.";

    fn calls(outcomes: &[(bool, usize)]) -> RecentCalls {
        let mut recent = RecentCalls::default();
        let all = outcomes
            .iter()
            .flat_map(|(is_good, times)| [*is_good].repeat(*times));
        for (at, is_good) in (0..).zip(all) {
            match is_good {
                true => recent.record_success(Timestamp(at)),
                false => recent.record_failure("mine", FULL, Timestamp(at)),
            }
        }
        recent
    }

    #[test]
    fn most_calls_fail_from_twenty_calls_and_sixty_percent_on() {
        assert_eq!(calls(&[(false, 19)]).failing(), None);
        assert!(calls(&[(false, 20)]).failing().is_some());
        assert!(calls(&[(true, 8), (false, 12)]).failing().is_some());
        assert_eq!(calls(&[(true, 9), (false, 12)]).failing(), None);
        // What is long past does not count.
        assert!(calls(&[(true, 500), (false, 30)]).failing().is_some());
        assert_eq!(calls(&[(false, 500), (true, 28)]).failing(), None);
    }

    #[test]
    fn a_share_near_the_limit_does_not_begin_and_end_it_every_few_calls() {
        // 58 % fail, in a pattern whose windows lie on both sides of 60 %.
        let mut recent = calls(&[(false, 20)]);
        let since = recent.failing().unwrap().since;
        for at in 20..500 {
            match at % 12 < 5 {
                true => recent.record_success(Timestamp(at)),
                false => recent.record_failure("mine", FULL, Timestamp(at)),
            }
            assert_eq!(recent.failing().map(|failing| failing.since), Some(since));
        }
    }

    #[test]
    fn the_commonest_error_of_several_need_not_be_the_commonest_of_any() {
        let of = |own: &str| {
            let mut recent = RecentCalls::default();
            for at in 0..20 {
                recent.record_failure(own, FULL, Timestamp(at));
            }
            for at in 0..19 {
                recent.record_failure("dock", "no_base: none", Timestamp(at));
            }
            recent.failing().unwrap()
        };
        let together = failing_together([of("mine"), of("sell"), of("buy")].iter());
        assert!(
            together.contains("most often dock: no_base (57 times)"),
            "{together}"
        );
    }

    #[test]
    fn the_share_and_the_commonest_error_are_told() {
        let mut recent = calls(&[(true, 6), (false, 40)]);
        for tool in ["sell", "buy", "sell", "dock"] {
            recent.record_failure(tool, "it is not\nthere", Timestamp(99));
        }
        let failing = recent.failing().unwrap();
        let begin = "88 % of its last 50 calls failed, most often mine: cargo_full (40 times); ";
        assert!(failing.why().starts_with(begin), "{}", failing.why());
        assert_eq!(failing.since, Timestamp(19), "since it was so");
        let together = failing_together([&failing, &failing].into_iter());
        let begin = "88 % of their last 100 calls failed, most often mine: cargo_full (80 times); ";
        assert!(together.starts_with(begin), "{together}");
    }

    #[test]
    fn an_error_is_told_by_its_code_or_its_beginning() {
        for (text, expected) in [
            (FULL, "cargo_full"),
            ("no way: closed", "no way: closed"),
            ("it is\nnot there", "it is not there"),
            ("", ""),
        ] {
            assert_eq!(error_of(text), expected, "{text}");
        }
        assert_eq!(
            error_of(&"é".repeat(100)).chars().count(),
            MAX_ERROR_CHARS + 1
        );
    }
}
