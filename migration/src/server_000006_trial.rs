//! Trials of refusals, on a server only: processes tell each other which text is tried.

use sea_orm_migration::prelude::*;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m20261127_000020_trial"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        connection.execute_unprepared(CREATE_TRIAL).await?;
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// `texts` are the hashes of the texts that a trial leaves out, with commas between them.
const CREATE_TRIAL: &str = "CREATE TABLE trial (\
    mysis_id BIGINT NOT NULL, number BIGINT NOT NULL, provider TEXT NOT NULL, texts TEXT NOT NULL, \
    began TIMESTAMPTZ NOT NULL, PRIMARY KEY (mysis_id, number))";
