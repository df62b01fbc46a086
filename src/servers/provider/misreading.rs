//! Answers that a server could not read itself, such as llama.cpp's: whoever got such a failure asks
//! again in another form, because the same body fails again.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use actors::domain::ids::MysisId;
use actors::domain::model::{ModelAnswer, ModelFault};

use super::error_hints;

/// The most Myses of which it is known. What is dropped is asked in the usual form.
const MAX_KNOWN: usize = 1024;
/// More failures in a row change nothing more.
const MAX_COUNT: u8 = 5;

/// Texts of servers that could not read what their model wrote.
const MISREAD_WORDS: [&str; 6] = [
    "does not match the expected",
    "failed to parse input at pos",
    "failed to parse tool call",
    "failed to parse generated",
    "error parsing tool call",
    "failed to parse model output",
];

/// Whether a server says that it could not read what its model wrote.
pub(super) fn is_misread(text: &str) -> bool {
    error_hints::holds(text, &MISREAD_WORDS)
}

/// Whose last answers could not be read, and how many in a row.
#[derive(Debug, Default)]
pub(super) struct Misreadings {
    counts: Mutex<BTreeMap<Option<MysisId>, u8>>,
    is_form_refused: AtomicBool,
}

impl Misreadings {
    /// How many answers to this asker in a row could not be read.
    pub(super) fn of(&self, asker: Option<MysisId>) -> u8 {
        let counts = self.counts.lock();
        counts.get(&asker).copied().unwrap_or(0)
    }

    /// Learns from what came of a request after so many misread answers. The first one is asked again
    /// at once; then it is a failure like any other.
    pub(super) fn learn(
        &self,
        asker: Option<MysisId>,
        before: u8,
        answer: Result<ModelAnswer, ModelFault>,
    ) -> Result<ModelAnswer, ModelFault> {
        let mut counts = self.counts.lock();
        match answer {
            Ok(answer) => {
                counts.remove(&asker);
                Ok(answer)
            }
            Err(ModelFault::Transient { text, retry_after }) if is_misread(&text) => {
                if self.is_form_refused.load(Ordering::Relaxed) {
                    return Err(ModelFault::Transient { text, retry_after });
                }
                if counts.len() >= MAX_KNOWN {
                    counts.pop_first();
                }
                counts.insert(asker, (before + 1).min(MAX_COUNT));
                if before > 0 {
                    return Err(ModelFault::Transient { text, retry_after });
                }
                let text = format!("asked again in another form, with one call only: {text}");
                Err(ModelFault::Adapted { text })
            }
            Err(ModelFault::Permanent { text } | ModelFault::Refused { text, .. })
                if before > 0 =>
            {
                counts.remove(&asker);
                self.is_form_refused.store(true, Ordering::Relaxed);
                let text = format!("asked again in the usual form: {text}");
                Err(ModelFault::Adapted { text })
            }
            Err(fault) => Err(fault),
        }
    }
}
