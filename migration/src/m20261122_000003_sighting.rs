//! Sightings: the newest result of each snapshot query, by Mysis.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, integer, text, text_null};
use sea_orm_migration::sea_orm::DbBackend;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(sighting_table(manager.get_database_backend()))
            .await
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn sighting_table(backend: DbBackend) -> TableCreateStatement {
    let mut table = Table::create();
    table
        .table("sighting")
        .col(big_integer("mysis_id"))
        .col(text("account"))
        .col(text("tool"))
        .col(text("arguments"))
        .col(big_integer("call_seq"))
        .col(integer("call_position"))
        .col(text("digest"))
        .col(big_integer_null("tick"))
        .col(big_integer("at"))
        .col(text_null("stale_by"))
        .primary_key(
            Index::create()
                .col("mysis_id")
                .col("account")
                .col("tool")
                .col("arguments"),
        )
        .foreign_key(
            ForeignKey::create()
                .from("sighting", "mysis_id")
                .to("mysis", "id"),
        );
    if backend == DbBackend::Sqlite {
        // One tree instead of two: a sighting is only ever found by its key.
        table.extra("WITHOUT ROWID");
    }
    table
}
