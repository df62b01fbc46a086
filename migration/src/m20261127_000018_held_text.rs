//! Texts that are held back from models, because a server refuses them.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, boolean, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut table = Table::create();
        // No foreign key: what was learnt of a server outlives the Mysis that found it out.
        table
            .table("held_text")
            .col(text("provider"))
            .col(text("model"))
            .col(big_integer("mysis_id"))
            .col(big_integer("seq"))
            .col(text("content"))
            .col(boolean("is_local"))
            .col(text("said"))
            .col(text("proof"))
            .col(big_integer("at"))
            .col(big_integer("doubted_at"))
            .primary_key(
                Index::create()
                    .col("provider")
                    .col("model")
                    .col("mysis_id")
                    .col("seq"),
            );
        manager.create_table(table).await
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}
