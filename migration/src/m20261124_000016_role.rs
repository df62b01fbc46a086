//! The role of a Mysis, whether its provider goes before the Mysis' own, and the tier of its provider.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for statement in [ADD_ROLE, ADD_FOLLOWS_ROLE, ADD_TIER] {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

const ADD_ROLE: &str = "ALTER TABLE mysis ADD COLUMN role TEXT";
const ADD_FOLLOWS_ROLE: &str =
    "ALTER TABLE mysis ADD COLUMN follows_role BOOLEAN NOT NULL DEFAULT TRUE";
const ADD_TIER: &str = "ALTER TABLE mysis ADD COLUMN tier TEXT";
