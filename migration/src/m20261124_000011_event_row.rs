//! The row of a conversation that an event became or that tells it.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .get_connection()
            .execute_unprepared("ALTER TABLE event ADD COLUMN seq BIGINT")
            .await?;
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
