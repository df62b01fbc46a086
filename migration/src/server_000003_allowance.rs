//! Allowances, on a server only: what each process may use of the limits that hold for all together.

use sea_orm_migration::prelude::*;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m20261124_000018_allowance"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        connection.execute_unprepared(CREATE_ALLOWANCE).await?;
        Ok(())
    }

    /// In a transaction, a step that is killed half-way has not happened.
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }
}

/// `owner` is the owner of leases. Until `expires_at` the process may use `part` of the limit of this
/// name; a minute after it, what it used of a limit on tokens still counts.
const CREATE_ALLOWANCE: &str = "CREATE TABLE allowance (\
    name TEXT NOT NULL, owner TEXT NOT NULL, home TEXT NOT NULL, part BIGINT NOT NULL, \
    used BIGINT NOT NULL, wanted BIGINT NOT NULL, unit BIGINT NOT NULL, \
    expires_at TIMESTAMPTZ NOT NULL, PRIMARY KEY (name, owner))";
