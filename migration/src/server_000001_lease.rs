//! Leases, on a server only: which process runs which Mysis, and until when unless it says so again.

use sea_orm_migration::prelude::*;

pub(crate) struct Migration;

impl MigrationName for Migration {
    /// As it is stored in databases since it was numbered with the steps of a file.
    fn name(&self) -> &'static str {
        "m20261122_000005_lease"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        connection
            .execute_unprepared(CREATE_LEASE)
            .await
            .map(|_| ())
    }

    /// Killed half-way, it has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// `home` is the home directory that the process runs in, `owner` the process.
const CREATE_LEASE: &str = "CREATE TABLE lease (\
    mysis_id BIGINT PRIMARY KEY REFERENCES mysis (id) ON DELETE CASCADE, \
    home TEXT NOT NULL, owner TEXT NOT NULL, expires_at TIMESTAMPTZ NOT NULL)";
