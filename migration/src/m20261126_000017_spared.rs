//! The calls that routines made in the models' place, by day and Mysis.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;
use sea_orm_migration::sea_orm::DbBackend;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        manager.create_table(spared_table(backend)).await?;
        let connection = manager.get_connection();
        connection.execute_unprepared(BACKFILL).await?;
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

fn spared_table(backend: DbBackend) -> TableCreateStatement {
    let mut table = Table::create();
    // No foreign key: like the spending, the calls of a deleted Mysis stay.
    table
        .table("spared")
        .col(big_integer("day"))
        .col(big_integer("mysis_id"))
        .col(big_integer("calls"))
        .primary_key(Index::create().col("day").col("mysis_id"));
    if backend == DbBackend::Sqlite {
        // One tree instead of two: a line is only ever found by its day.
        table.extra("WITHOUT ROWID");
    }
    table
}

/// Counts the calls of routines that are still stored, by the day on which they were written down. Looks of a routine's own
/// are none of them.
const BACKFILL: &str = "
INSERT INTO spared (day, mysis_id, calls)
SELECT message.at / 86400000, message.mysis_id, count(*)
FROM tool_call JOIN message ON message.mysis_id = tool_call.mysis_id AND message.seq = tool_call.seq
WHERE tool_call.routine IS NOT NULL AND tool_call.status IN ('done', 'failed', 'unknown')
  AND tool_call.call_id NOT LIKE 'look%'
GROUP BY 1, 2";
