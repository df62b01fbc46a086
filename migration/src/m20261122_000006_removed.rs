//! Removed: how far back each conversation reaches since old rows were removed from it, and how much
//! of the index is about rows that are gone.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(removed_table()).await?;
        let connection = manager.get_connection();
        for statement in ADD_INDEX_COUNTS {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }

    /// Killed half-way, it has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// Of the index: how many rows are in it, and how many were taken out since it was written anew. It
/// keeps a mark of those until then.
const ADD_INDEX_COUNTS: [&str; 3] = [
    "ALTER TABLE indexed ADD COLUMN held BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE indexed ADD COLUMN forgotten BIGINT NOT NULL DEFAULT 0",
    "UPDATE indexed SET held = (SELECT count(*) FROM message WHERE id <= upto)",
];

/// `count` rows were removed, the newest of them at the place `upto`, said at `at`.
fn removed_table() -> TableCreateStatement {
    Table::create()
        .table("removed")
        .col(big_integer("mysis_id").primary_key())
        .col(big_integer("count"))
        .col(big_integer("upto"))
        .col(big_integer("at"))
        .foreign_key(
            ForeignKey::create()
                .from("removed", "mysis_id")
                .to("mysis", "id"),
        )
        .to_owned()
}
