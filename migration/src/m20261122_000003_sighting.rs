//! Sightings: what each Mysis saw of the game last, look by look.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, integer, text, text_null};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(sighting()).await
    }
}

fn sighting() -> TableCreateStatement {
    Table::create()
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
        )
        .to_owned()
}
