//! Kept sessions: the data with which each Mysis resumes its session with the game server.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text, text_null};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(kept_session_table()).await
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn kept_session_table() -> TableCreateStatement {
    Table::create()
        .table("kept_session")
        .col(big_integer("mysis_id").primary_key())
        .col(text("ticket"))
        .col(text_null("account"))
        .foreign_key(
            ForeignKey::create()
                .from("kept_session", "mysis_id")
                .to("mysis", "id"),
        )
        .to_owned()
}
