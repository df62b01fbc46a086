//! The snapshots of the game that simulated Myses took, as the ledger keeps them.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::game_state::SnapshotResult;
use actors::domain::snapshot_query::SnapshotQuery;
use actors::domain::write::Write;

/// The snapshots, by account and query.
#[derive(Clone, Default)]
pub(super) struct SeenSnapshots(BTreeMap<(Arc<str>, SnapshotQuery), SnapshotResult>);

impl SeenSnapshots {
    /// Applies the snapshots of a write.
    pub(super) fn apply(&mut self, write: &Write) {
        if let Write::Sighted {
            account, sighting, ..
        } = write
        {
            let key = (account.clone(), sighting.look.clone());
            self.0.insert(key, SnapshotResult::clone(sighting));
        }
        if let Write::Stale {
            account: of,
            tools,
            by,
            ..
        } = write
        {
            for ((account, look), sighting) in &mut self.0 {
                let is_touched = account == of && tools.contains(&look.tool);
                if is_touched && sighting.stale_by.is_none() {
                    sighting.stale_by = Some(by.clone());
                }
            }
        }
        if let Write::ForgetSightings { account: of, .. } = write {
            self.0.retain(|(account, _), _| account != of);
        }
    }

    /// All snapshots, with their accounts.
    pub(super) fn all(&self) -> Vec<(Arc<str>, SnapshotResult)> {
        let all = self.0.iter();
        all.map(|((account, _), sighting)| (account.clone(), sighting.clone()))
            .collect()
    }
}
