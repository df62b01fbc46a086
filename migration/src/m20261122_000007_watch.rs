//! The state of the stall detector of each Mysis.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(watch_table()).await
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn watch_table() -> TableCreateStatement {
    Table::create()
        .table("watch")
        .col(big_integer("mysis_id").primary_key())
        .col(text("memo"))
        .foreign_key(
            ForeignKey::create()
                .from("watch", "mysis_id")
                .to("mysis", "id"),
        )
        .to_owned()
}
