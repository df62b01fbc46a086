//! The routines of each Mysis, and which calls are of one.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(routine_table()).await?;
        manager
            .get_connection()
            .execute_unprepared("ALTER TABLE tool_call ADD COLUMN routine TEXT")
            .await?;
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn routine_table() -> TableCreateStatement {
    Table::create()
        .table("routine")
        .col(big_integer("mysis_id").primary_key())
        .col(text("memo"))
        .foreign_key(
            ForeignKey::create()
                .from("routine", "mysis_id")
                .to("mysis", "id"),
        )
        .to_owned()
}
