//! The look at the hold: the first call that only its goods can prove waits for one look at them.
//!
//! The look is for proofs alone. What the routine does with goods follows from its own steps.

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use zoea_spacemolt::commands;

use super::lost_call::changes_hold;

/// How the ids of calls begin that only look.
pub(super) const LOOK: &str = "look";
/// How often a look that tells nothing is made again.
const MAX_FAILURES: u32 = 2;
/// How long a run goes on with a hold that is not known exactly before it looks again.
const AGAIN_AFTER_MS: u64 = 600_000;

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub(super) struct HoldLook {
    /// The run's time at the last look.
    pub(super) at: Option<u64>,
    /// The looks since then that told nothing.
    pub(super) failures: u32,
}

zoea_records::stored_as_list!(HoldLook: at, failures);

impl HoldLook {
    /// That of a run that cannot look.
    pub(super) fn never() -> HoldLook {
        HoldLook {
            at: Some(u64::MAX),
            failures: 0,
        }
    }

    /// Whether the hold, which is not known exactly, is to be looked at before this call.
    pub(super) fn is_due(self, tool: &str, arguments: &Map<String, Json>, elapsed_ms: u64) -> bool {
        let is_time = self
            .at
            .is_none_or(|at| elapsed_ms.saturating_sub(at) >= AGAIN_AFTER_MS);
        let (command, arguments) = commands::to_first(tool, arguments.clone());
        is_time && changes_hold(&command, &arguments)
    }

    /// Takes a look. One that told nothing is made again for some times.
    pub(super) fn take(&mut self, shows_hold: bool, elapsed_ms: u64) {
        if shows_hold || self.failures >= MAX_FAILURES {
            self.at = Some(elapsed_ms);
            self.failures = 0;
        } else {
            self.failures += 1;
        }
    }
}
