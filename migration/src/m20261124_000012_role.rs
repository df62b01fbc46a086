//! The role of a Mysis, and its working set of tools.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for statement in ADD_COLUMNS {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

const ADD_COLUMNS: [&str; 2] = [
    "ALTER TABLE mysis ADD COLUMN role TEXT",
    "ALTER TABLE mysis ADD COLUMN working_set TEXT",
];
