//! A connection of a pool, lent to a transaction or to a statement.
//!
//! It is used again only if everything it was lent for succeeded (decision 100).

use std::sync::Arc;
use std::time::Duration;

use futures::{TryFutureExt, TryStreamExt};
use sea_orm::sqlx::pool::PoolConnection;
use sea_orm::sqlx::{self, AssertSqlSafe, Executor, Sqlite};
use sea_orm::{DbErr, ExecResult, QueryResult, RuntimeErr, Statement, Value};
use sea_query_sqlx::SqlxValues;

use super::answer_time::within;
use super::server_pool::{ServerConnection, ServerPool};

/// How long a connection to a server is waited for.
const LEND_TIMEOUT: Duration = Duration::from_secs(5);

/// Statements that a transaction executes together.
///
/// A connection to a file lives on a thread of its own. Each execution wakes that thread and is woken
/// by it, which costs more than most statements do; several in one text cost that once. The driver
/// keeps what it prepared by the whole text, so each batch of writes is a text of its own: the writes
/// of turns have few shapes.
#[derive(Default)]
pub(super) struct GatheredStatements {
    sql: String,
    values: Vec<Value>,
    /// Of each: whether it fails where it changes nothing.
    must_change: Vec<bool>,
}

impl GatheredStatements {
    pub(super) fn add(&mut self, statement: Statement, must_change: bool) {
        if !self.sql.is_empty() {
            self.sql.push_str("; ");
        }
        self.sql.push_str(&statement.sql);
        let values = statement.values.map(|values| values.0);
        self.values.extend(values.into_iter().flatten());
        self.must_change.push(must_change);
    }

    pub(super) fn count(&self) -> usize {
        self.must_change.len()
    }
}

/// A connection that returns to its pool only if it is known to be sound. Otherwise it is closed.
pub(super) struct LentConnection {
    pub(super) connection: PooledConnection,
    pub(super) is_sound: bool,
}

pub(super) enum PooledConnection {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(ServerConnection),
}

impl LentConnection {
    pub(super) async fn of_server(pool: &ServerPool) -> Result<LentConnection, DbErr> {
        let taken = pool.take().map_err(connection_error);
        Ok(LentConnection {
            connection: PooledConnection::Postgres(within(LEND_TIMEOUT, taken).await?),
            is_sound: false,
        })
    }

    /// Executes a command without a result, such as `BEGIN` or `COMMIT`.
    pub(super) async fn say(&mut self, words: &str) -> Result<(), DbErr> {
        self.run(words).await.map(drop).map_err(connection_error)
    }

    pub(super) async fn execute_unprepared(&mut self, sql: &str) -> Result<ExecResult, DbErr> {
        self.run(sql).await.map_err(statement_error)
    }

    async fn run(&mut self, sql: &str) -> Result<ExecResult, sqlx::Error> {
        let sql = AssertSqlSafe(sql.to_owned());
        match &mut self.connection {
            PooledConnection::Sqlite(connection) => {
                (&mut **connection).execute(sql).await.map(ExecResult::from)
            }
            PooledConnection::Postgres(connection) => {
                connection.driver().execute(sql).await.map(ExecResult::from)
            }
        }
    }

    pub(super) async fn execute(&mut self, statement: Statement) -> Result<ExecResult, DbErr> {
        let (sql, values) = statement_parts(statement);
        let done = match &mut self.connection {
            PooledConnection::Sqlite(connection) => sqlx::query_with(sql, values)
                .execute(&mut **connection)
                .await
                .map(ExecResult::from),
            PooledConnection::Postgres(connection) => sqlx::query_with(sql, values)
                .execute(connection.driver())
                .await
                .map(ExecResult::from),
        };
        done.map_err(statement_error)
    }

    /// Executes several statements in one text.
    ///
    /// # Errors
    /// One of them failed, or changed nothing where it must.
    pub(super) async fn execute_all(&mut self, all: GatheredStatements) -> Result<(), DbErr> {
        let sql = AssertSqlSafe(all.sql);
        let values = SqlxValues(sea_orm::Values(all.values));
        let done: Result<Vec<u64>, sqlx::Error> = match &mut self.connection {
            PooledConnection::Sqlite(connection) => {
                let text = sqlx::query_with(sql, values);
                let done = (&mut **connection).execute_many(text);
                done.map_ok(|done| done.rows_affected()).try_collect().await
            }
            PooledConnection::Postgres(connection) => {
                let text = sqlx::query_with(sql, values);
                let done = connection.driver().execute_many(text);
                done.map_ok(|done| done.rows_affected()).try_collect().await
            }
        };
        let changed = done.map_err(statement_error)?;
        if changed.len() != all.must_change.len() {
            let why = "not each statement of a text was answered".to_string();
            return Err(DbErr::Conn(RuntimeErr::Internal(why)));
        }
        let is_missing = |(changed, must_change): (u64, bool)| must_change && changed == 0;
        match changed.into_iter().zip(all.must_change).any(is_missing) {
            true => Err(DbErr::RecordNotInserted),
            false => Ok(()),
        }
    }

    pub(super) async fn query_one(
        &mut self,
        statement: Statement,
    ) -> Result<Option<QueryResult>, DbErr> {
        Ok(self.query_all(statement).await?.into_iter().next())
    }

    pub(super) async fn query_all(
        &mut self,
        statement: Statement,
    ) -> Result<Vec<QueryResult>, DbErr> {
        let (sql, values) = statement_parts(statement);
        let found: Result<Vec<QueryResult>, sqlx::Error> = match &mut self.connection {
            PooledConnection::Sqlite(connection) => sqlx::query_with(sql, values)
                .fetch_all(&mut **connection)
                .await
                .map(|rows| rows.into_iter().map(QueryResult::from).collect()),
            PooledConnection::Postgres(connection) => sqlx::query_with(sql, values)
                .fetch_all(connection.driver())
                .await
                .map(|rows| rows.into_iter().map(QueryResult::from).collect()),
        };
        found.map_err(statement_error)
    }
}

impl Drop for LentConnection {
    fn drop(&mut self) {
        match (&mut self.connection, self.is_sound) {
            // The first returns by itself, and the second is closed.
            (PooledConnection::Sqlite(_), true) | (PooledConnection::Postgres(_), false) => {}
            (PooledConnection::Sqlite(connection), false) => connection.close_on_drop(),
            (PooledConnection::Postgres(connection), true) => connection.keep(),
        }
    }
}

fn statement_parts(statement: Statement) -> (AssertSqlSafe<String>, SqlxValues) {
    let values = statement.values.unwrap_or(sea_orm::Values(Vec::new()));
    (AssertSqlSafe(statement.sql), SqlxValues(values))
}

fn statement_error(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(Arc::new(error)))
}

/// An error of opening a connection, or of beginning or ending a transaction. It may pass.
pub(super) fn connection_error(error: sqlx::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(Arc::new(error)))
}
