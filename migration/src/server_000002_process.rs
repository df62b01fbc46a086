//! Processes, on a server only: who runs Myses of this database, and since when. A process that is gone
//! stays for a while, as a row that says so.

use sea_orm_migration::prelude::*;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m20261124_000015_process"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for statement in [CREATE_PROCESS, INDEX_LEASES] {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// `owner` is the owner of leases. A process lives until `expires_at`; `left_at` is its orderly end.
const CREATE_PROCESS: &str = "CREATE TABLE process (\
    owner TEXT PRIMARY KEY, home TEXT NOT NULL, host TEXT NOT NULL, directory TEXT NOT NULL, \
    version TEXT NOT NULL, capacity BIGINT NOT NULL, is_frozen BOOLEAN NOT NULL, \
    is_draining BOOLEAN NOT NULL DEFAULT FALSE, started_at TIMESTAMPTZ NOT NULL, \
    expires_at TIMESTAMPTZ NOT NULL, left_at TIMESTAMPTZ)";

const INDEX_LEASES: &str = "CREATE INDEX lease_owner ON lease (owner)";
