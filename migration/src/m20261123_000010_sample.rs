//! Samples: what each Mysis has and does, by minute in packed hours, and by hour once they are old.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;
use sea_orm_migration::sea_orm::DbBackend;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut sample = hour_table("sample");
        sample.col(big_integer("upto"));
        manager.create_table(sample).await?;
        let mut thinned = hour_table("sample_hour");
        if manager.get_database_backend() == DbBackend::Sqlite {
            // One tree instead of two. It would take rows of a kilobyte out of their pages, so the
            // minutes are in an ordinary table.
            thinned.extra("WITHOUT ROWID");
        }
        manager.create_table(thinned).await
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn hour_table(name: &'static str) -> TableCreateStatement {
    // No foreign key: the samples of a deleted Mysis stay.
    Table::create()
        .table(name)
        .col(big_integer("mysis_id"))
        .col(big_integer("hour"))
        .col(ColumnDef::new("packed").blob().not_null())
        .primary_key(Index::create().col("mysis_id").col("hour"))
        .to_owned()
}
