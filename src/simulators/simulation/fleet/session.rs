//! A process as the holder of leases: what it knows of them itself, and the incarnations that it shuts
//! out.

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::held_myses::HeldMyses;
use actors::domain::ids::{Incarnation, Moment, MysisId};
use actors::domain::record::MysisRecord;
use actors::domain::write::{Author, Batch, Write};
use actors::ports::LedgerFault;
use tokio::time::Instant;

pub(super) struct LeaseSession {
    pub(super) home: Arc<str>,
    pub(super) owner: Arc<str>,
    held: Mutex<HeldMyses>,
    fences: Mutex<BTreeMap<MysisId, Incarnation>>,
    began: Instant,
}

impl LeaseSession {
    pub(super) fn new(home: &str, owner: &str) -> LeaseSession {
        LeaseSession {
            home: home.into(),
            owner: owner.into(),
            held: Mutex::default(),
            fences: Mutex::default(),
            began: Instant::now(),
        }
    }

    pub(super) fn held(&self) -> MutexGuard<'_, HeldMyses> {
        self.held.lock()
    }

    pub(super) fn moment(&self) -> Moment {
        Moment::default().plus(self.began.elapsed())
    }

    /// Until when no other process takes what is held here.
    pub(super) fn safe_until(&self) -> Option<Instant> {
        let until = self.held().safe_until();
        until.map(|until| self.began + until.since(Moment::default()))
    }

    /// Refuses a batch of an incarnation that is shut out.
    pub(super) fn check_fence(&self, batch: &Batch) -> Result<(), LedgerFault> {
        let Author::Mysis(mysis, incarnation) = batch.author else {
            return Ok(());
        };
        match self.fences.lock().get(&mysis) {
            Some(newest) if *newest > incarnation => Err(LedgerFault::Fenced),
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses what lives before these write. What is shut out already stays so.
    pub(super) fn fence(&self, newest: impl IntoIterator<Item = (MysisId, Incarnation)>) {
        let mut fences = self.fences.lock();
        for (mysis, before) in newest {
            let known = fences.entry(mysis).or_insert(before);
            *known = (*known).max(before);
        }
    }

    /// The record of a Mysis that is taken, for a life of which nothing was ever written here.
    pub(super) fn for_a_new_life(&self, record: MysisRecord) -> MysisRecord {
        let shut_out = self.fences.lock().get(&record.id).copied();
        let newest = shut_out.map_or(record.incarnation, Incarnation::before);
        MysisRecord {
            incarnation: newest.max(record.incarnation),
            ..record
        }
    }

    /// Notes what a stored batch changed: new incarnations, and leases that came and went with it.
    pub(super) fn note(&self, batch: &Batch) {
        for write in &batch.writes {
            if let Write::Fence { mysis, incarnation } = write {
                self.fence([(*mysis, *incarnation)]);
            }
            if let Write::Create(new) = write {
                self.held().add(new.id);
            }
            if let Write::Delete { mysis } = write {
                self.held().forget(&[*mysis]);
            }
        }
    }
}
