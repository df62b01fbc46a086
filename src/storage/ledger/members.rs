//! All Myses of the database, whichever process runs them: what exports and reports are about.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::record::MysisRecord;
use actors::ports::{ArchiveFault, MysisNames};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::archive::record;
use super::entity::{account, mysis};
use super::{LedgerInner, SqlLedger, error_text};

impl SqlLedger {
    /// All Myses, oldest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn all_myses(&self) -> Result<Vec<MysisRecord>, ArchiveFault> {
        let read = async {
            let accounts = account::Entity::find().all(&self.inner.readers).await?;
            self.inner.all_myses(&accounts).await
        };
        read.await.map_err(|error| ArchiveFault(error_text(&error)))
    }

    /// The Mysis with this name.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn find_mysis(&self, name: &str) -> Result<Option<MysisId>, ArchiveFault> {
        let found: Result<Option<i64>, DbErr> = mysis::Entity::find()
            .select_only()
            .column(mysis::Column::Id)
            .filter(mysis::Column::Name.eq(name))
            .into_tuple()
            .one(&self.inner.readers)
            .await;
        let found = found.map_err(|error| ArchiveFault(error_text(&error)))?;
        Ok(found.map(MysisId))
    }

    /// Whether a Mysis exists.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn has_mysis(&self, mysis: MysisId) -> Result<bool, ArchiveFault> {
        let found = mysis::Entity::find_by_id(mysis.0)
            .select_only()
            .column(mysis::Column::Id)
            .into_tuple::<i64>()
            .one(&self.inner.readers)
            .await;
        let found = found.map_err(|error| ArchiveFault(error_text(&error)))?;
        Ok(found.is_some())
    }
}

impl LedgerInner {
    pub(super) async fn all_myses(
        &self,
        accounts: &[account::Model],
    ) -> Result<Vec<MysisRecord>, DbErr> {
        let owned: BTreeMap<i64, Arc<str>> = accounts
            .iter()
            .filter_map(|account| Some((account.assigned_to?, account.username.as_str().into())))
            .collect();
        let myses = mysis::Entity::find()
            .order_by_asc(mysis::Column::CreatedAt)
            .order_by_asc(mysis::Column::Name)
            .all(&self.readers)
            .await?;
        let myses = myses.into_iter().map(|model| {
            let account = owned.get(&model.id).cloned();
            record(model, account)
        });
        Ok(myses.collect())
    }

    pub(super) async fn all_names(&self) -> Result<MysisNames, DbErr> {
        let names: Vec<(i64, String)> = mysis::Entity::find()
            .select_only()
            .columns([mysis::Column::Id, mysis::Column::Name])
            .into_tuple()
            .all(&self.readers)
            .await?;
        let names = names.into_iter();
        Ok(names.map(|(id, name)| (MysisId(id), name.into())).collect())
    }
}
