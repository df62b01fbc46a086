//! Events: what happened in the swarm, and who ordered what.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, text, text_null};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(event_table()).await
    }

    /// Killed half-way, it has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn event_table() -> TableCreateStatement {
    // What happened to a Mysis that is deleted has happened: no foreign key.
    Table::create()
        .table("event")
        .col(big_integer("number").auto_increment().primary_key())
        .col(big_integer("id").unique_key())
        .col(big_integer("at"))
        .col(text("kind"))
        .col(big_integer_null("mysis_id"))
        .col(text_null("mysis"))
        .col(text("severity"))
        .col(text("code"))
        .col(text("text"))
        .col(text_null("source"))
        .to_owned()
}
