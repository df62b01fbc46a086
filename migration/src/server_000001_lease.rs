//! Leases, on a server only: the process that runs each Mysis, and the end of its lease unless it
//! renews it.

use sea_orm_migration::prelude::*;

pub(crate) struct Migration;

impl MigrationName for Migration {
    /// The name that databases have stored since the step was numbered with those of a file.
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

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// `home` is the home directory of the process, `owner` the process.
const CREATE_LEASE: &str = "CREATE TABLE lease (\
    mysis_id BIGINT PRIMARY KEY REFERENCES mysis (id) ON DELETE CASCADE, \
    home TEXT NOT NULL, owner TEXT NOT NULL, expires_at TIMESTAMPTZ NOT NULL)";
