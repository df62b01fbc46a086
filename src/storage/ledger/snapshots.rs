//! The results of snapshot queries that Myses received, in the database.

use std::sync::Arc;

use actors::domain::game_state::SnapshotResult;
use actors::domain::ids::{CallKey, MysisId, Seq, Timestamp};
use actors::domain::snapshot_query::SnapshotQuery;
use actors::ports::ArchiveFault;
use sea_orm::ActiveValue::Set;
use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::SqlLedger;
use super::connection::DialectConnection;
use super::entity::sighting;
use super::fault::archive_fault;
use super::writer::Tx;

pub(super) const MAX_RECALLED_SIGHTINGS: u64 = 64;

/// Stores a snapshot in place of the one for the same query. A query that is too long for the
/// database's index is not stored.
pub(super) async fn save_snapshot(
    tx: &Tx,
    mysis: MysisId,
    account: &str,
    seen: &SnapshotResult,
) -> Result<(), DbErr> {
    let key = account.len() + seen.look.tool.len() + seen.look.arguments.len();
    if !tx.dialect().accepts_key_length(key) {
        return Ok(());
    }
    tx.replace_later(sighting::ActiveModel {
        mysis_id: Set(mysis.0),
        account: Set(account.to_string()),
        tool: Set(seen.look.tool.to_string()),
        arguments: Set(seen.look.arguments.to_string()),
        call_seq: Set(seen.call.seq.0),
        call_position: Set(i32::from(seen.call.position)),
        digest: Set(seen.digest.to_string()),
        tick: Set(seen.tick),
        at: Set(seen.at.0),
        stale_by: Set(seen.stale_by.as_deref().map(str::to_string)),
    })
    .await
}

pub(super) async fn mark_stale(
    tx: &Tx,
    mysis: MysisId,
    account: &str,
    tools: &[Arc<str>],
    by: &str,
) -> Result<(), DbErr> {
    tx.later(
        sighting::Entity::update_many()
            .col_expr(sighting::Column::StaleBy, Expr::value(by))
            .filter(is_account(mysis, account))
            .filter(sighting::Column::Tool.is_in(tools.iter().map(|tool| tool.to_string())))
            .filter(sighting::Column::StaleBy.is_null()),
    )
    .await
}

pub(super) async fn forget_account(tx: &Tx, mysis: MysisId, account: &str) -> Result<(), DbErr> {
    tx.later(sighting::Entity::delete_many().filter(is_account(mysis, account)))
        .await
}

fn is_account(mysis: MysisId, account: &str) -> Condition {
    Condition::all()
        .add(sighting::Column::MysisId.eq(mysis.0))
        .add(sighting::Column::Account.eq(account))
}

impl SqlLedger {
    /// All snapshots of a Mysis, oldest first, with their accounts.
    pub(crate) async fn all_snapshots(
        &self,
        mysis: MysisId,
    ) -> Result<Vec<(Arc<str>, SnapshotResult)>, ArchiveFault> {
        let models = sighting::Entity::find()
            .filter(sighting::Column::MysisId.eq(mysis.0))
            .order_by_asc(sighting::Column::At)
            .order_by_asc(sighting::Column::Account)
            .order_by_asc(sighting::Column::Tool)
            .order_by_asc(sighting::Column::Arguments)
            .all(&self.inner.readers)
            .await
            .map_err(archive_fault)?;
        Ok(models.into_iter().filter_map(snapshot_from_model).collect())
    }
}

impl<C: ConnectionTrait + Send> DialectConnection<C> {
    pub(super) async fn snapshots(
        &self,
        mysis: MysisId,
    ) -> Result<Vec<(Arc<str>, SnapshotResult)>, DbErr> {
        let models = sighting::Entity::find()
            .filter(sighting::Column::MysisId.eq(mysis.0))
            .order_by_desc(sighting::Column::At)
            .limit(MAX_RECALLED_SIGHTINGS)
            .all(self)
            .await?;
        Ok(models.into_iter().filter_map(snapshot_from_model).collect())
    }
}

/// `None` if it belongs to no call that there can be.
fn snapshot_from_model(model: sighting::Model) -> Option<(Arc<str>, SnapshotResult)> {
    let sighting = SnapshotResult {
        look: SnapshotQuery {
            tool: model.tool.into(),
            arguments: model.arguments.into(),
        },
        call: CallKey {
            seq: Seq(model.call_seq),
            position: u16::try_from(model.call_position).ok()?,
        },
        digest: model.digest.into(),
        tick: model.tick,
        at: Timestamp(model.at),
        stale_by: model.stale_by.map(Into::into),
    };
    Some((model.account.into(), sighting))
}
