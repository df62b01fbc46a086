//! The report of a proof: whether a server and its model can play, and what was found out about them.

use std::fmt;

use serde::{Serialize, Serializer};

use super::status::to_dollars;

/// What a proof came to, in `doctor --prove --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProofReport {
    /// The provider's name in the configuration.
    pub provider: String,
    /// The server's address, without what may be secret in it.
    pub server: String,
    /// The model.
    pub model: String,
    /// Whether it plays.
    #[serde(flatten)]
    pub verdict: ProofVerdict,
    /// What was tried, in its order.
    pub checks: Vec<ProofCheck>,
    /// What the server turned out to be particular about, one sentence each.
    pub learnt: Vec<String>,
    /// How much of a prompt is read.
    pub context: ProvenContext,
    /// How fast it answers.
    pub speed: ProvenSpeed,
    /// Whether it tells what an answer used, and how much of that came from its cache; absent where
    /// there was no answer.
    pub usage: Option<ToldUsage>,
    /// What the proof itself used.
    pub spent: ProofSpending,
}

/// The one word that a proof comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum ProofVerdict {
    /// It plays.
    Plays,
    /// It cannot play.
    CannotPlay {
        /// Why, without an end of the sentence.
        why: String,
        /// What helps.
        remedy: String,
    },
}

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProofCheck {
    /// A short stable name.
    pub name: &'static str,
    /// Whether it is as it should be; absent where it is neither good nor bad.
    pub ok: Option<bool>,
    /// What was found, in a sentence.
    pub detail: String,
}

/// How much of a prompt is read, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProvenContext {
    /// The longest prompt that was read from its beginning to its end.
    pub proven: Option<u64>,
    /// What the server says of itself.
    pub told: Option<u64>,
    /// Where a longer prompt is cut in silence or refused.
    pub limit: Option<u64>,
}

/// How fast a model answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ProvenSpeed {
    /// Milliseconds to the first token of an answer that comes in pieces, the median.
    pub first_token_ms: Option<u64>,
    /// Tokens of answers in a second.
    pub tokens_per_second: Option<f64>,
}

/// What a server tells of what an answer used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ToldUsage {
    /// Whether it tells tokens at all.
    #[serde(rename = "told")]
    pub is_told: bool,
    /// The most tokens of one prompt that came from its cache.
    pub cached: u64,
}

/// What a proof used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProofSpending {
    /// Requests that were sent.
    pub requests: u64,
    /// Tokens sent, estimated where the server does not tell.
    pub tokens_in: u64,
    /// Tokens received, likewise.
    pub tokens_out: u64,
    /// In millionths of a US dollar; absent where no price is known.
    #[serde(rename = "cost", serialize_with = "in_dollars")]
    pub cost_micros: Option<u64>,
}

impl ProofVerdict {
    /// Whether a swarm can play with it.
    #[must_use]
    pub fn plays(&self) -> bool {
        match self {
            ProofVerdict::Plays => true,
            ProofVerdict::CannotPlay { .. } => false,
        }
    }
}

impl fmt::Display for ProofVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofVerdict::Plays => formatter.write_str("plays"),
            ProofVerdict::CannotPlay { why, remedy } => {
                write!(formatter, "cannot play: {why}; {remedy}")
            }
        }
    }
}

fn in_dollars<S: Serializer>(micros: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    micros.map(to_dollars).serialize(serializer)
}
