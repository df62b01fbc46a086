//! The ways in which a Mysis can be stuck, and the verdicts about it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::EscalationStep;
use crate::ids::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum StallKind {
    /// It calls no tool.
    OnlyText,
    /// The same call fails again and again.
    Repeats,
    AllCallsFail,
    /// It repeats the same calls in the same order and gains nothing.
    Looping,
    /// It acts, and no outcome improves.
    Inactive,
}

zoea_records::stored_by_word!(StallKind);

impl StallKind {
    /// The word in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            StallKind::OnlyText => "talks",
            StallKind::Repeats => "repeats",
            StallKind::AllCallsFail => "fails",
            StallKind::Looping => "circles",
            StallKind::Inactive => "idles",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallVerdict {
    /// The facts, as a clause: `for 40 turns: credits 1,203 unchanged, …`.
    pub facts: String,
    /// The step that is taken now; `None` if only the notice is repeated.
    pub step: Option<EscalationStep>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Stuck {
    #[serde(default)]
    pub since: Timestamp,
    #[serde(default)]
    pub turns: u32,
    pub way: StallKind,
    /// The failing call's tool, if there is one.
    pub tool: Option<Arc<str>>,
}

pub(super) fn stall_notice(facts: &str) -> String {
    format!(
        "No progress in your last {facts}. Do something else: look at your situation with a tool, \
         choose another step towards your order, and take it."
    )
}
