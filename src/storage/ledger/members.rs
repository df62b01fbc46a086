//! All Myses of the database, whichever process runs them: what exports and reports are about.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::record::MysisRecord;
use actors::ports::{ArchiveFault, MysisNames};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    SelectExt,
};

use super::archive::record;
use super::entity::{account, mysis};
use super::fault::archive_fault;
use super::{LedgerInner, SqlLedger};

impl SqlLedger {
    /// All Myses, oldest first.
    pub(crate) async fn all_myses(&self) -> Result<Vec<MysisRecord>, ArchiveFault> {
        let (myses, _) = self.inner.all_myses().await.map_err(archive_fault)?;
        Ok(myses)
    }

    /// The Mysis with this name.
    pub async fn find_mysis(&self, name: &str) -> Result<Option<MysisId>, ArchiveFault> {
        let found: Result<Option<i64>, DbErr> = mysis::Entity::find()
            .select_only()
            .column(mysis::Column::Id)
            .filter(mysis::Column::Name.eq(name))
            .into_tuple()
            .one(&self.inner.readers)
            .await;
        Ok(found.map_err(archive_fault)?.map(MysisId))
    }

    /// Whether a Mysis exists.
    pub(crate) async fn has_mysis(&self, mysis: MysisId) -> Result<bool, ArchiveFault> {
        let found = mysis::Entity::find_by_id(mysis.0);
        let found = found.exists(&self.inner.readers).await;
        found.map_err(archive_fault)
    }
}

impl LedgerInner {
    /// All Myses, oldest first, and the passwords of all game accounts.
    pub(super) async fn all_myses(&self) -> Result<(Vec<MysisRecord>, Vec<Arc<str>>), DbErr> {
        let myses = mysis::Entity::find()
            .order_by_asc(mysis::Column::CreatedAt)
            .order_by_asc(mysis::Column::Name);
        read_records(&self.readers, myses, account::Entity::find()).await
    }
}

/// Myses as they are stored, with the names of their game accounts, and the passwords of these accounts.
pub(super) async fn read_records(
    connection: &impl ConnectionTrait,
    myses: Select<mysis::Entity>,
    accounts: Select<account::Entity>,
) -> Result<(Vec<MysisRecord>, Vec<Arc<str>>), DbErr> {
    let accounts = accounts.all(connection).await?;
    let owned = accounts.iter().filter_map(|account| {
        let name: Arc<str> = account.username.as_str().into();
        Some((account.assigned_to?, name))
    });
    let owned: BTreeMap<i64, Arc<str>> = owned.collect();
    let myses = myses.all(connection).await?.into_iter().map(|model| {
        let account = owned.get(&model.id).cloned();
        record(model, account)
    });
    let passwords = accounts.iter().map(|account| account.password.as_str());
    Ok((myses.collect(), passwords.map(Into::into).collect()))
}

pub(super) async fn names_of(connection: &impl ConnectionTrait) -> Result<MysisNames, DbErr> {
    let names: Vec<(i64, String)> = mysis::Entity::find()
        .select_only()
        .columns([mysis::Column::Id, mysis::Column::Name])
        .into_tuple()
        .all(connection)
        .await?;
    let names = names.into_iter();
    Ok(names.map(|(id, name)| (MysisId(id), name.into())).collect())
}
