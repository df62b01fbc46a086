//! The memos of each Mysis: what it writes down for its next life. They are in one table, but for those of
//! kinds that older builds keep elsewhere: processes of those builds share the database during an update.

use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::memo::{MemoKind, Memos};
use actors::ports::ArchiveFault;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use super::connection::DialectConnection;
use super::entity::{memo, mysis, routine, watch};
use super::writer::Tx;
use super::{SqlLedger, error_text};

enum MemoPlace {
    Watches,
    Routines,
    /// Column `working_set` of the Mysis.
    WorkingSet,
    /// Column `tier` of the Mysis.
    Tier,
}

/// Where older builds keep memos. Those of all other kinds are in the table `memo`.
static OLDER_PLACES: [(MemoKind, MemoPlace); 4] = [
    (MemoKind::Watch, MemoPlace::Watches),
    (MemoKind::Routines, MemoPlace::Routines),
    (MemoKind::WorkingSet, MemoPlace::WorkingSet),
    (MemoKind::Tier, MemoPlace::Tier),
];

/// Stores a memo in place of the one before.
pub(super) async fn save_memo(
    tx: &Tx,
    mysis: MysisId,
    kind: MemoKind,
    text: &str,
) -> Result<(), DbErr> {
    let text = text.to_string();
    let mut older = OLDER_PLACES.iter();
    match older
        .find(|(older, _)| *older == kind)
        .map(|(_, place)| place)
    {
        None => {
            let model = memo::ActiveModel {
                mysis_id: Set(mysis.0),
                kind: Set(kind.as_str().to_string()),
                memo: Set(text),
            };
            let older = OnConflict::columns([memo::Column::MysisId, memo::Column::Kind])
                .update_column(memo::Column::Memo)
                .to_owned();
            tx.later(memo::Entity::insert(model).on_conflict(older))
                .await
        }
        Some(MemoPlace::Watches) => save_watch(tx, mysis, text).await,
        Some(MemoPlace::Routines) => save_routines(tx, mysis, text).await,
        Some(MemoPlace::WorkingSet) => {
            let set = mysis::ActiveModel {
                working_set: Set(Some(text)),
                ..Default::default()
            };
            update_row(tx, mysis, set).await
        }
        Some(MemoPlace::Tier) => {
            let set = mysis::ActiveModel {
                tier: Set(Some(text)),
                ..Default::default()
            };
            update_row(tx, mysis, set).await
        }
    }
}

async fn save_watch(tx: &Tx, mysis: MysisId, text: String) -> Result<(), DbErr> {
    let model = watch::ActiveModel {
        mysis_id: Set(mysis.0),
        memo: Set(text),
    };
    let older = OnConflict::column(watch::Column::MysisId)
        .update_column(watch::Column::Memo)
        .to_owned();
    tx.later(watch::Entity::insert(model).on_conflict(older))
        .await
}

async fn save_routines(tx: &Tx, mysis: MysisId, text: String) -> Result<(), DbErr> {
    let model = routine::ActiveModel {
        mysis_id: Set(mysis.0),
        memo: Set(text),
    };
    let older = OnConflict::column(routine::Column::MysisId)
        .update_column(routine::Column::Memo)
        .to_owned();
    tx.later(routine::Entity::insert(model).on_conflict(older))
        .await
}

/// Updates the row of a Mysis. A deleted one is not created again.
async fn update_row(tx: &Tx, mysis: MysisId, set: mysis::ActiveModel) -> Result<(), DbErr> {
    let all = mysis::Entity::update_many().set(set);
    tx.later(all.filter(mysis::Column::Id.eq(mysis.0))).await
}

impl<C: ConnectionTrait + Send> DialectConnection<C> {
    /// The memos of a Mysis, some of which are in its row. One of a newer build is not read.
    pub(super) async fn memos(
        &self,
        mysis: MysisId,
        record: Option<&mysis::Model>,
    ) -> Result<Memos, DbErr> {
        let watch = watch::Entity::find_by_id(mysis.0).one(self).await?;
        let routines = routine::Entity::find_by_id(mysis.0).one(self).await?;
        let older = [
            (MemoKind::Watch, watch.map(|model| model.memo)),
            (MemoKind::Routines, routines.map(|model| model.memo)),
            (
                MemoKind::WorkingSet,
                record.and_then(|mysis| mysis.working_set.clone()),
            ),
            (MemoKind::Tier, record.and_then(|mysis| mysis.tier.clone())),
        ];
        let others = memo::Entity::find()
            .filter(memo::Column::MysisId.eq(mysis.0))
            .all(self)
            .await?
            .into_iter()
            .filter_map(|model| Some((MemoKind::parse(&model.kind)?, model.memo)));
        let older = older
            .into_iter()
            .filter_map(|(kind, memo)| Some((kind, memo?)));
        let all = older.chain(others);
        Ok(all.map(|(kind, memo)| (kind, Arc::from(memo))).collect())
    }
}

impl SqlLedger {
    /// The memos of one kind of all Myses, of a kind that is in the table `memo`.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn memos_of_all(
        &self,
        kind: MemoKind,
    ) -> Result<Vec<(MysisId, Arc<str>)>, ArchiveFault> {
        let found = memo::Entity::find().filter(memo::Column::Kind.eq(kind.as_str()));
        let found = found.all(&self.inner.readers).await;
        let found = found.map_err(|error| ArchiveFault(error_text(&error)))?;
        let memos = found.into_iter();
        Ok(memos
            .map(|model| (MysisId(model.mysis_id), model.memo.into()))
            .collect())
    }

    /// The memos of a Mysis that exports hold.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(crate) async fn exported_memos(
        &self,
        mysis: MysisId,
    ) -> Result<Vec<(MemoKind, Arc<str>)>, ArchiveFault> {
        let memos = self.inner.readers.memos(mysis, None).await;
        let memos = memos.map_err(|error| ArchiveFault(error_text(&error)))?;
        let exported = memos.into_iter().filter(|(kind, _)| kind.is_exported());
        Ok(exported.collect())
    }
}
