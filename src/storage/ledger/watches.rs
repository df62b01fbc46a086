//! The checkpoints of each Mysis, from which it continues after a restart: of its stall detection, and
//! of its routines.

use std::sync::Arc;

use actors::domain::ids::MysisId;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait};

use super::connection::DialectConnection;
use super::entity::{routine, watch};
use super::writer::Tx;

/// Stores a state in place of the one before.
pub(super) async fn save_memo(tx: &Tx, mysis: MysisId, memo: &str) -> Result<(), DbErr> {
    let model = watch::ActiveModel {
        mysis_id: Set(mysis.0),
        memo: Set(memo.to_string()),
    };
    let older = OnConflict::column(watch::Column::MysisId)
        .update_column(watch::Column::Memo)
        .to_owned();
    tx.later(watch::Entity::insert(model).on_conflict(older))
        .await?;
    Ok(())
}

/// Removes the state of a deleted Mysis.
pub(super) async fn delete_memo(tx: &Tx, mysis: MysisId) -> Result<(), DbErr> {
    watch::Entity::delete_by_id(mysis.0).exec(tx).await?;
    Ok(())
}

/// Stores routines in place of the ones before.
pub(super) async fn save_routines(tx: &Tx, mysis: MysisId, memo: &str) -> Result<(), DbErr> {
    let model = routine::ActiveModel {
        mysis_id: Set(mysis.0),
        memo: Set(memo.to_string()),
    };
    let older = OnConflict::column(routine::Column::MysisId)
        .update_column(routine::Column::Memo)
        .to_owned();
    tx.later(routine::Entity::insert(model).on_conflict(older))
        .await?;
    Ok(())
}

/// Removes the routines of a deleted Mysis.
pub(super) async fn delete_routines(tx: &Tx, mysis: MysisId) -> Result<(), DbErr> {
    routine::Entity::delete_by_id(mysis.0).exec(tx).await?;
    Ok(())
}

impl<C: ConnectionTrait + Send> DialectConnection<C> {
    pub(super) async fn watch(&self, mysis: MysisId) -> Result<Option<Arc<str>>, DbErr> {
        let found = watch::Entity::find_by_id(mysis.0).one(self).await?;
        Ok(found.map(|model| model.memo.into()))
    }

    pub(super) async fn routines(&self, mysis: MysisId) -> Result<Option<Arc<str>>, DbErr> {
        let found = routine::Entity::find_by_id(mysis.0).one(self).await?;
        Ok(found.map(|model| model.memo.into()))
    }
}
