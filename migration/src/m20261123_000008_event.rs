//! Events: the history of the swarm, and of the orders with their sources.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, text, text_null};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(event_table()).await
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn event_table() -> TableCreateStatement {
    // No foreign key: the events of a deleted Mysis stay.
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
