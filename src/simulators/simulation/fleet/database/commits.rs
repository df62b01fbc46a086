//! The commits of one process: what they need and what comes with them, as `src/storage/ledger/commit.rs` and
//! foreign keys have it.

use std::borrow::Cow;
use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::write::{Author, Batch, Write};
use actors::ports::LedgerFault;

use super::super::super::memory::{CommitRules, StoredSwarm};
use super::super::sabotage::Sabotage;
use super::super::session::LeaseSession;
use super::leases::Lease;
use super::{FleetDatabase, server_time};

/// Whether this creates a Mysis with the name of another one.
fn takes_known_name(stored: &StoredSwarm, write: &Write) -> bool {
    let Write::Create(new) = write else {
        return false;
    };
    let names = stored.names();
    let mut others = names.iter().filter(|(id, _)| **id != new.id);
    others.any(|(_, name)| *name == new.profile.name)
}

pub(in super::super) struct FleetCommits {
    pub(in super::super) database: Arc<FleetDatabase>,
    pub(in super::super) session: Arc<LeaseSession>,
}

impl CommitRules for FleetCommits {
    fn admit<'a>(
        &self,
        stored: &StoredSwarm,
        batch: &'a Batch,
    ) -> Result<Cow<'a, Batch>, LedgerFault> {
        let database = &self.database;
        self.session.check_fence(batch)?;
        let tables = database.tables.lock();
        let has_lost = |mysis: MysisId| {
            let owner = tables.leases.get(&mysis).map(|lease| &lease.owner);
            stored.has(mysis) && owner != Some(&self.session.owner)
        };
        let needed = batch.writes.iter().filter_map(Write::leased_mysis);
        if needed.into_iter().any(has_lost) {
            return Err(LedgerFault::Fenced);
        }
        if batch
            .writes
            .iter()
            .any(|write| takes_known_name(stored, write))
        {
            return Err(LedgerFault::NameTaken);
        }
        let is_left_out = |write: &Write| {
            let is_kept = matches!(write, Write::Delete { .. });
            matches!(write, Write::Fence { .. })
                && database.is_sabotaged(Sabotage::KeepsIncarnations)
                || is_kept && database.is_sabotaged(Sabotage::KeepsDeleted)
        };
        if !batch.writes.iter().any(is_left_out) {
            return Ok(Cow::Borrowed(batch));
        }
        let mut batch = batch.clone();
        batch.writes.retain(|write| !is_left_out(write));
        Ok(Cow::Owned(batch))
    }

    fn complete(&self, stored: &StoredSwarm, batch: &Batch) {
        let (database, owner) = (&self.database, &self.session.owner);
        // What changes the state of a Mysis that another process has deleted changes nothing.
        if let Author::Mysis(mysis, incarnation) = batch.author
            && stored.has(mysis)
        {
            database.monitor.on_life(mysis, incarnation, owner);
        }
        let (mut tables, now) = (database.tables.lock(), server_time());
        for write in &batch.writes {
            if let Write::Create(new) = write {
                let home = &self.session.home;
                let is_free = |lease: &Lease| lease.home == *home || lease.expires <= now;
                if tables.leases.get(&new.id).is_none_or(is_free) {
                    tables.hold(&self.session, new.id, now);
                }
            }
            if let Write::OrderDone { order, .. } = write {
                tables.mark_done(*order, owner);
            }
            if let Write::Delete { mysis } = write {
                tables.forget(*mysis);
            }
        }
    }
}
