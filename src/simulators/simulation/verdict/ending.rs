//! The end of a run: who is there, and whether everybody plays.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::ids::MysisId;
use actors::domain::state::LifeState;

use super::{InvariantMonitor, Promise};

impl InvariantMonitor {
    pub fn check_population(&self, statuses: &[Arc<MysisStatus>]) {
        let mut seen = self.seen.lock();
        seen.there = statuses.len();
        let created = seen.created.clone();
        drop(seen);
        let mut there = BTreeMap::<MysisId, u64>::new();
        for status in statuses {
            *there.entry(status.id).or_default() += 1;
            if created.get(&status.id) != Some(&status.name) {
                self.add_violation(
                    Promise::NotLost,
                    format!("{} was never created", status.name),
                );
            }
        }
        for (id, name) in &created {
            match there.get(id).copied().unwrap_or(0) {
                1 => {}
                0 => self.add_violation(Promise::NotLost, format!("{name} is missing at the end")),
                times => {
                    self.add_violation(Promise::NotLost, format!("{name} is there {times} times"))
                }
            }
        }
    }

    /// Compares the status of a Mysis at the end with its status some minutes before.
    pub(in super::super) fn check_end_state(&self, before: &MysisStatus, after: &MysisStatus) {
        let name = &after.name;
        let mut seen = self.seen.lock();
        seen.turns += after.totals.turns;
        seen.ended += 1;
        seen.parked += u64::from(after.is_parked());
        // Who never got an account met an outage of the game at its first calls, and gave up.
        seen.parked_players += u64::from(after.is_parked() && after.account.is_some());
        drop(seen);
        if after.is_parked() {
            // Parked Myses are counted: a stranded one is parked rightly.
        } else if after.state != LifeState::Running {
            let state = after.state.as_str();
            let why = after.reason.as_deref().unwrap_or("no reason");
            self.add_violation(
                Promise::AllRunning,
                format!("{name} is {state} at the end: {why}"),
            );
        } else if after.totals.turns <= before.totals.turns
            && after.saved_calls <= before.saved_calls
        {
            let doing = after.activity.to_string();
            self.add_violation(
                Promise::AllRunning,
                format!("{name} has not finished a turn in the quiet: {doing}"),
            );
        }
    }
}
