//! Fences: the newest incarnation of each Mysis. Writes of older ones are refused.

use parking_lot::MutexGuard;
use std::collections::BTreeMap;

use actors::domain::ids::{Incarnation, MysisId};
use actors::domain::record::MysisRecord;
use actors::domain::write::{Author, Batch, Write};
use actors::ports::LedgerFault;
use sea_orm::{ConnectionTrait, DbErr, QuerySelect, Select};

use super::LedgerInner;
use super::entity::mysis;

pub(super) async fn read_fences(
    connection: &impl ConnectionTrait,
    myses: Select<mysis::Entity>,
) -> Result<BTreeMap<MysisId, Incarnation>, DbErr> {
    let rows: Vec<(i64, i64)> = myses
        .select_only()
        .columns([mysis::Column::Id, mysis::Column::Incarnation])
        .into_tuple()
        .all(connection)
        .await?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|(id, number)| (MysisId(id), Incarnation(number)))
        .collect())
}

impl LedgerInner {
    pub(super) fn check_fence(&self, batch: &Batch) -> Result<(), LedgerFault> {
        let Author::Mysis(mysis, incarnation) = batch.author else {
            return Ok(());
        };
        match self.fences().get(&mysis) {
            Some(newest) if *newest > incarnation => Err(LedgerFault::Fenced),
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses writes of an older life of which a newer one began while they waited for their turn: on
    /// a server a Mysis may come back from another process meanwhile.
    pub(super) fn check_fences_again(&self, batches: &[&Batch]) -> Result<(), DbErr> {
        let mut batches = batches.iter();
        if self.tenant.is_some() && batches.any(|batch| self.check_fence(batch).is_err()) {
            return Err(DbErr::Custom(LedgerFault::Fenced.to_string()));
        }
        Ok(())
    }

    pub(super) fn fences(&self) -> MutexGuard<'_, BTreeMap<MysisId, Incarnation>> {
        self.fences.lock()
    }

    pub(super) fn note_fences(&self, batches: &[&Batch]) {
        let mut fences = self.fences();
        for write in batches.iter().flat_map(|batch| &batch.writes) {
            if let Write::Fence { mysis, incarnation } = write {
                raise(&mut fences, *mysis, *incarnation);
            }
        }
    }

    /// Refuses what lives before these write. What is shut out already stays so.
    pub(super) fn shut_out(&self, lives: impl IntoIterator<Item = (MysisId, Incarnation)>) {
        let mut fences = self.fences();
        for (mysis, before) in lives {
            raise(&mut fences, mysis, before);
        }
    }

    /// The record of a Mysis that is taken, for a life of which nothing was ever written here.
    pub(super) fn for_a_new_life(&self, record: MysisRecord) -> MysisRecord {
        let shut_out = self.fences().get(&record.id).copied();
        let newest = shut_out.map_or(record.incarnation, Incarnation::before);
        MysisRecord {
            incarnation: newest.max(record.incarnation),
            ..record
        }
    }
}

fn raise(fences: &mut BTreeMap<MysisId, Incarnation>, mysis: MysisId, to: Incarnation) {
    let known = fences.entry(mysis).or_insert(to);
    *known = (*known).max(to);
}
