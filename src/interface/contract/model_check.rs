//! The report of a proof: whether a server and its model can play, and what was found out.

use std::fmt;

use serde::{Serialize, Serializer};

use super::units::to_dollars;

/// The report in `doctor --prove --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelCheckReport {
    pub provider: String,
    /// The server's address without parts that may be secret.
    pub server: String,
    pub model: String,
    #[serde(flatten)]
    pub verdict: CheckVerdict,
    /// The checks, in order.
    pub checks: Vec<ModelCheckStep>,
    /// The server's special requirements, one sentence each.
    pub learnt: Vec<String>,
    /// How long a prompt the model reads.
    pub context: ProvenContext,
    /// How fast it answers.
    pub speed: ProvenSpeed,
    /// The usage that the server reports; `None` if there was no answer.
    pub usage: Option<ReportedUsage>,
    /// What the proof itself used.
    pub spent: CheckSpending,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum CheckVerdict {
    Plays,
    CannotPlay {
        /// The reason, without a full stop.
        why: String,
        remedy: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelCheckStep {
    /// A short stable name.
    pub name: &'static str,
    /// Whether the result is good; `None` if it is neither good nor bad.
    pub ok: Option<bool>,
    pub detail: String,
}

/// How long a prompt the model reads, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProvenContext {
    /// The longest prompt that was read from its beginning to its end.
    pub proven: Option<u64>,
    #[serde(rename = "told")]
    pub reported: Option<u64>,
    /// The length from which a longer prompt is cut silently or refused.
    pub limit: Option<u64>,
}

/// How fast a model answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ProvenSpeed {
    /// The median of the milliseconds to the first token of a streamed answer.
    pub first_token_ms: Option<u64>,
    /// Tokens of answers in a second.
    pub tokens_per_second: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedUsage {
    #[serde(rename = "told")]
    pub is_reported: bool,
    /// The most tokens of one prompt that came from its cache.
    pub cached: u64,
}

/// What a proof used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckSpending {
    pub requests: u64,
    /// Tokens sent. They are estimated if the server does not report them.
    pub tokens_in: u64,
    /// Tokens received. They are estimated if the server does not report them.
    pub tokens_out: u64,
    /// The cost in millionths of a US dollar; `None` without a known price.
    #[serde(rename = "cost", serialize_with = "in_dollars")]
    pub cost_micros: Option<u64>,
}

impl CheckVerdict {
    pub fn plays(&self) -> bool {
        match self {
            CheckVerdict::Plays => true,
            CheckVerdict::CannotPlay { .. } => false,
        }
    }
}

impl fmt::Display for CheckVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckVerdict::Plays => formatter.write_str("plays"),
            CheckVerdict::CannotPlay { why, remedy } => {
                write!(formatter, "cannot play: {why}; {remedy}")
            }
        }
    }
}

fn in_dollars<S: Serializer>(micros: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    micros.map(to_dollars).serialize(serializer)
}
