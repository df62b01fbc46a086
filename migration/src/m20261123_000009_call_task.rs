//! The id under which a server works on a call that was sent.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for statement in ADD_TASK {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// The index contains only calls without a result, of which there are few.
const ADD_TASK: [&str; 2] = [
    "ALTER TABLE tool_call ADD COLUMN task TEXT",
    "CREATE INDEX tool_call_task ON tool_call (mysis_id) WHERE task IS NOT NULL",
];
