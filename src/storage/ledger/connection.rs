//! Connections: every query passes through here.
//!
//! Postgres cannot store the NUL character. It is removed here from everything that is written or
//! searched.

use sea_orm::entity::prelude::async_trait;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement};

use super::answer_time::limited;
use super::dialect::Dialect;

pub(super) const READ_CONNECTIONS: u32 = 4;

pub(super) struct DialectConnection<C> {
    inner: C,
    dialect: Dialect,
}

impl<C> DialectConnection<C> {
    pub(super) fn new(inner: C, dialect: Dialect) -> DialectConnection<C> {
        DialectConnection { inner, dialect }
    }

    pub(super) fn inner(&self) -> &C {
        &self.inner
    }

    pub(super) fn into_inner(self) -> C {
        self.inner
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }
}

#[async_trait::async_trait]
impl<C: ConnectionTrait + Send> ConnectionTrait for DialectConnection<C> {
    fn get_database_backend(&self) -> DbBackend {
        self.dialect.backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let done = self.inner.execute_raw(self.dialect.taken(statement));
        limited(self.dialect, done).await
    }

    /// Without a limit: the vacuum of a large database takes long.
    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.inner.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let found = self.inner.query_one_raw(self.dialect.taken(statement));
        limited(self.dialect, found).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let found = self.inner.query_all_raw(self.dialect.taken(statement));
        limited(self.dialect, found).await
    }
}

/// The number that a statement answers; 0 if it answers nothing.
pub(super) async fn read_number(
    connection: &impl ConnectionTrait,
    sql: &str,
) -> Result<i64, DbErr> {
    let asked = Statement::from_string(connection.get_database_backend(), sql);
    let row = connection.query_one_raw(asked).await?;
    row.map_or(Ok(0), |row| row.try_get_by_index(0))
}
