//! What each Mysis writes down for its next life, by kind.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(memo_table()).await
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn memo_table() -> TableCreateStatement {
    Table::create()
        .table("memo")
        .col(big_integer("mysis_id"))
        .col(text("kind"))
        .col(text("memo"))
        .primary_key(Index::create().col("mysis_id").col("kind"))
        .foreign_key(
            ForeignKey::create()
                .from("memo", "mysis_id")
                .to("mysis", "id"),
        )
        .to_owned()
}
