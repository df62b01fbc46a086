//! Outages, on a server only: what processes tell each other about model servers that are away.

use sea_orm_migration::prelude::*;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m20261124_000020_outage"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        connection.execute_unprepared(CREATE_OUTAGE).await?;
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// `version` changes whenever anything of it does. Nobody is left who knows of it after `expires_at`.
const CREATE_OUTAGE: &str = "CREATE TABLE outage (\
    provider TEXT PRIMARY KEY, version BIGINT NOT NULL, text TEXT NOT NULL, ends_by TEXT, \
    since TIMESTAMPTZ NOT NULL, next_try TIMESTAMPTZ NOT NULL, expires_at TIMESTAMPTZ NOT NULL)";
