//! Silence: what a Mysis did in a life in which no tool call succeeded yet, and how that is told.
//!
//! It begins anew with each start: three turns are soon over, so that nothing of it is stored.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};

use super::ids::Timestamp;
use super::written_call::{WORDS_ALONE_ADVICE, WRITTEN_CALLS_ADVICE};
use zoea_text::clean::one_line;
use zoea_text::names::beginning;

#[cfg(test)]
mod tests;

/// The turns of a Mysis after which it is told that no call succeeded.
pub const FIRST_TURNS: u32 = 3;
/// How long a swarm may run before it is told that no call succeeded.
pub const SWARM_SILENCE_TIME: Duration = Duration::from_secs(5 * 60);
/// The code of the notice and the cause of the alert about a provider's or the swarm's silence.
pub const NOTHING_HAPPENS: &str = "nothing_happens";
const MAX_EXCERPT_CHARS: usize = 80;

/// A life in which no tool call succeeded yet.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(from = "SharedSilence")]
pub struct Silence {
    turns: u32,
    /// Since when there are too many of them.
    since: Option<Timestamp>,
    /// Answers of words alone that should have called.
    answers: u32,
    /// Whether a tool was called, in vain.
    has_called: bool,
    /// Whether its order asks for calls. Talk that answers a direct message calls nothing.
    is_expected: bool,
    counts_turn: bool,
    sign: SilenceSign,
    source: Option<ModelSource>,
}

#[derive(Deserialize, Serialize)]
struct SharedSilence {
    since: Timestamp,
    finding: Option<String>,
}

impl From<SharedSilence> for Silence {
    fn from(shared: SharedSilence) -> Silence {
        Silence::as_shared(shared.since, shared.finding)
    }
}

/// Serializes a silence that is told: not while its first turns are not over.
pub(super) fn shared<S: Serializer>(
    silence: &Option<Arc<Silence>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let shared = silence.as_ref().and_then(|silence| {
        let since = silence.since()?;
        let finding = silence.finding();
        Some(SharedSilence { since, finding })
    });
    shared.serialize(to)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSource {
    pub provider: Arc<str>,
    pub model: Arc<str>,
}

/// What was seen of a Mysis in place of a successful call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum SilenceSign {
    /// Nothing: the model did not answer yet.
    #[default]
    NoAnswer,
    Words(String),
    WrittenCalls(String),
    /// Calls that failed: the last tool and its error.
    FailedCall(Arc<str>, String),
    Shared(String),
}

impl Silence {
    /// A silence of which another process tells since when its first turns are over, and what was
    /// seen.
    pub fn as_shared(since: Timestamp, finding: Option<String>) -> Silence {
        Silence {
            turns: FIRST_TURNS,
            since: Some(since),
            is_expected: true,
            sign: finding.map_or(SilenceSign::NoAnswer, SilenceSign::Shared),
            ..Silence::default()
        }
    }

    /// A turn begins. `is_expected` tells whether its order asks for calls.
    pub fn begin_turn(&mut self, is_expected: bool) {
        self.is_expected = is_expected;
        self.counts_turn = is_expected;
    }

    /// The model answered with words alone. Calls that are written as text count whatever the order
    /// is, words only where calls are expected.
    pub fn record_words(&mut self, text: &str, is_written_call: bool, source: ModelSource) {
        if !is_written_call && !self.is_expected {
            return;
        }
        let excerpt = excerpt_of(text);
        self.sign = match is_written_call {
            true => SilenceSign::WrittenCalls(excerpt),
            false => SilenceSign::Words(excerpt),
        };
        self.answers = self.answers.saturating_add(1);
        self.counts_turn = true;
        self.source = Some(source);
    }

    pub fn record_failure(&mut self, tool: &Arc<str>, text: &str) {
        self.sign = SilenceSign::FailedCall(tool.clone(), excerpt_of(text));
        self.has_called = true;
        self.counts_turn = true;
    }

    pub fn end_turn(&mut self, now: Timestamp) {
        self.turns = self
            .turns
            .saturating_add(u32::from(std::mem::take(&mut self.counts_turn)));
        if self.turns >= FIRST_TURNS {
            self.since.get_or_insert(now);
        }
    }

    /// Since when its first turns are over.
    pub fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// Whether its order asks for calls.
    pub fn is_expected(&self) -> bool {
        self.is_expected
    }

    pub fn has_called(&self) -> bool {
        self.has_called
    }

    pub fn answers(&self) -> u32 {
        self.answers
    }

    /// The provider and the model of the last answer of words alone.
    pub fn source(&self) -> Option<&ModelSource> {
        self.source.as_ref()
    }

    pub fn why(&self) -> String {
        let turns = FIRST_TURNS;
        let finding = self.finding().unwrap_or_else(|| NO_ANSWER.to_string());
        format!("no tool call succeeded in its first {turns} turns: {finding}")
    }

    /// What was seen, and what helps; `None` where there was no answer.
    pub fn finding(&self) -> Option<String> {
        match &self.sign {
            SilenceSign::NoAnswer => None,
            SilenceSign::Shared(finding) => Some(finding.clone()),
            SilenceSign::WrittenCalls(text) => Some(format!(
                "it writes its calls as text: \"{text}\"; {WRITTEN_CALLS_ADVICE}; \
                 `zoea doctor --prove` says more"
            )),
            SilenceSign::Words(text) if text.is_empty() => Some(format!(
                "it answers without text and calls no tool; {WORDS_ALONE_ADVICE}; `zoea doctor --prove` \
                 says more"
            )),
            SilenceSign::Words(text) => Some(format!(
                "it writes text and calls no tool: \"{text}\"; {WORDS_ALONE_ADVICE}; \
                 `zoea doctor --prove` says more"
            )),
            SilenceSign::FailedCall(tool, error) => Some(format!(
                "every call failed, the last one {tool}: \"{error}\"; its conversation shows them, \
                 and `zoea doctor` tests the tool server"
            )),
        }
    }
}

/// What is told of a model that has not answered yet.
pub const NO_ANSWER: &str = "no model has answered yet; `zoea doctor --prove` tests it";

/// A notice that nothing happens, for the whole swarm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilenceNotice {
    pub scope: SilenceScope,
    /// What is the matter, and what helps.
    pub text: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SilenceScope {
    Myses,
    Provider,
    Swarm,
}

fn excerpt_of(text: &str) -> String {
    let line = one_line(text);
    beginning(line.trim(), MAX_EXCERPT_CHARS).into_owned()
}
