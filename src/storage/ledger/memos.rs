//! The memos of each Mysis: what it writes down for its next life. They are in one table, but for those of
//! kinds that older builds keep elsewhere: processes of those builds share the database during an update.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::memo::{MemoKind, Memos};
use actors::ports::ArchiveFault;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use super::SqlLedger;
use super::connection::DialectConnection;
use super::entity::{memo, mysis, routine, watch};
use super::fault::archive_fault;
use super::replacing::set_column;
use super::writer::Tx;

/// Stores a memo in place of the one before.
pub(super) async fn save_memo(
    tx: &Tx,
    mysis: MysisId,
    kind: MemoKind,
    text: &str,
) -> Result<(), DbErr> {
    let (mysis_id, memo) = (Set(mysis.0), Set(text.to_string()));
    match kind {
        MemoKind::Watch => {
            tx.replace_later(watch::ActiveModel { mysis_id, memo })
                .await
        }
        MemoKind::Routines => {
            let routines = routine::ActiveModel { mysis_id, memo };
            tx.replace_later(routines).await
        }
        MemoKind::WorkingSet => set_column(tx, mysis, mysis::Column::WorkingSet, text).await,
        MemoKind::Tier => set_column(tx, mysis, mysis::Column::Tier, text).await,
        MemoKind::Reminders => {
            let kind = Set(kind.as_str().to_string());
            tx.replace_later(memo::ActiveModel {
                mysis_id,
                kind,
                memo,
            })
            .await
        }
    }
}

impl<C: ConnectionTrait + Send> DialectConnection<C> {
    /// The memos of these Myses, some of which are in their rows. One of a newer build is not read.
    pub(super) async fn memos(
        &self,
        myses: &[i64],
        records: impl Iterator<Item = &mysis::Model>,
    ) -> Result<BTreeMap<i64, Memos>, DbErr> {
        let ids = || myses.iter().copied();
        let watches = watch::Entity::find().filter(watch::Column::MysisId.is_in(ids()));
        let routines = routine::Entity::find().filter(routine::Column::MysisId.is_in(ids()));
        let others = memo::Entity::find().filter(memo::Column::MysisId.is_in(ids()));
        let mut memos: BTreeMap<i64, Memos> = BTreeMap::new();
        let mut keep = |mysis: i64, kind: MemoKind, memo: String| {
            let of_mysis = memos.entry(mysis).or_default();
            of_mysis.insert(kind, Arc::from(memo));
        };
        for record in records {
            let working_set = record.working_set.clone();
            let in_row = [
                (MemoKind::WorkingSet, working_set),
                (MemoKind::Tier, record.tier.clone()),
            ];
            for (kind, memo) in in_row {
                memo.into_iter()
                    .for_each(|memo| keep(record.id, kind, memo));
            }
        }
        for watch in watches.all(self).await? {
            keep(watch.mysis_id, MemoKind::Watch, watch.memo);
        }
        for routine in routines.all(self).await? {
            keep(routine.mysis_id, MemoKind::Routines, routine.memo);
        }
        for other in others.all(self).await? {
            if let Some(kind) = MemoKind::parse(&other.kind) {
                keep(other.mysis_id, kind, other.memo);
            }
        }
        Ok(memos)
    }
}

impl SqlLedger {
    /// The memos of one kind of all Myses, of a kind that is in the table `memo`.
    pub async fn memos_of_all(
        &self,
        kind: MemoKind,
    ) -> Result<Vec<(MysisId, Arc<str>)>, ArchiveFault> {
        let found = memo::Entity::find().filter(memo::Column::Kind.eq(kind.as_str()));
        let found = found.all(&self.inner.readers).await;
        let found = found.map_err(archive_fault)?;
        let memos = found.into_iter();
        Ok(memos
            .map(|model| (MysisId(model.mysis_id), model.memo.into()))
            .collect())
    }

    /// The memos of a Mysis that exports hold.
    pub(crate) async fn exported_memos(
        &self,
        mysis: MysisId,
    ) -> Result<Vec<(MemoKind, Arc<str>)>, ArchiveFault> {
        let readers = &self.inner.readers;
        let memos = readers.memos(&[mysis.0], std::iter::empty()).await;
        let memos = memos.map_err(archive_fault)?;
        let memos = memos.into_values().flatten();
        let exported = memos.filter(|(kind, _)| kind.is_exported());
        Ok(exported.collect())
    }
}
