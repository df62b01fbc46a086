//! The snapshots of the game that simulated Myses took, as the ledger keeps them.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::game_state::SnapshotResult;
use actors::domain::snapshot_query::SnapshotQuery;
use actors::domain::write::Write;

#[derive(Clone, Default)]
pub(super) struct SeenSnapshots(BTreeMap<(Arc<str>, SnapshotQuery), SnapshotResult>);

impl SeenSnapshots {
    pub(super) fn apply(&mut self, write: &Write) {
        if let Write::SaveSnapshot {
            account, snapshot, ..
        } = write
        {
            let key = (account.clone(), snapshot.look.clone());
            self.0.insert(key, SnapshotResult::clone(snapshot));
        }
        if let Write::Stale {
            account: of,
            tools,
            by,
            ..
        } = write
        {
            for ((account, look), snapshot) in &mut self.0 {
                let is_touched = account == of && tools.contains(&look.tool);
                if is_touched && snapshot.stale_by.is_none() {
                    snapshot.stale_by = Some(by.clone());
                }
            }
        }
        if let Write::ForgetSnapshots { account: of, .. } = write {
            self.0.retain(|(account, _), _| account != of);
        }
    }

    pub(super) fn all(&self) -> Vec<(Arc<str>, SnapshotResult)> {
        let all = self.0.iter();
        all.map(|((account, _), snapshot)| (account.clone(), snapshot.clone()))
            .collect()
    }
}
