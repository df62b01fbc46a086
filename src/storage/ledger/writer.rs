//! The writer: the one connection that writes, and its transactions.
//!
//! A transaction consists of `BEGIN`, statements and `COMMIT` in exactly these words. On a
//! connection whose last commit failed, the driver's own transaction would become a savepoint, and
//! releasing it would look like a commit. A connection is used again only if everything it was lent
//! for succeeded. After anything else (a refused statement, a failed COMMIT, an answer that nobody
//! awaited) it is closed, which rolls back what was not committed, and another one is opened
//! (decision 100).

use std::sync::Arc;

use sea_orm::entity::prelude::async_trait;
use sea_orm::sqlx::SqlitePool;
use sea_orm::sqlx::error::ErrorKind;
use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, QueryTrait, RuntimeErr, Statement,
    StatementBuilder,
};
use tokio::sync::Mutex;

use super::answer_time::limited;
use super::dialect::Dialect;
use super::lent_connection::{
    GatheredStatements, LentConnection, PooledConnection, connection_error,
};
use super::mark::Mark;
use super::place::DatabaseFile;
use super::server_pool::ServerPool;
use super::write_lock::WriteLock;

/// Takes the write lock at once. A transaction that began with a read could not take it later.
const BEGIN_IN_A_FILE: &str = "BEGIN IMMEDIATE";
const BEGIN_ON_A_SERVER: &str = "BEGIN";
const COMMIT: &str = "COMMIT";
const FOREIGN_KEYS_OFF: &str = "PRAGMA foreign_keys = OFF";
const FOREIGN_KEYS_ON: &str = "PRAGMA foreign_keys = ON";

/// The writing connection, as a pool of one. A statement outside of a transaction is its own
/// transaction.
pub(super) enum DatabaseWriter {
    File(SqlitePool, Arc<DatabaseFile>),
    Server(ServerPool),
}

impl DatabaseWriter {
    pub(super) fn dialect(&self) -> Dialect {
        match self {
            DatabaseWriter::File(..) => Dialect::Sqlite,
            DatabaseWriter::Server(_) => Dialect::Postgres,
        }
    }

    /// Begins a transaction on a server with this statement, which may take a lock, in one round
    /// trip.
    pub(super) async fn begin_with(&self, first: &'static str) -> Result<Tx, DbErr> {
        Tx::begin_on_server(self.lend().await?, first).await
    }

    /// Begins a transaction. In a file, no other write is possible until it ends.
    pub(super) async fn begin(&self, lock: WriteLock) -> Result<Tx, DbErr> {
        self.begin_checking(lock, true).await
    }

    /// Begins a transaction in which a file does not check foreign keys.
    pub(super) async fn begin_without_foreign_keys(&self, lock: WriteLock) -> Result<Tx, DbErr> {
        self.begin_checking(lock, false).await
    }

    async fn begin_checking(&self, lock: WriteLock, foreign_keys: bool) -> Result<Tx, DbErr> {
        let DatabaseWriter::File(_, place) = self else {
            return self.begin_with(lock.statements()).await;
        };
        let mut lent = self.lend().await?;
        if !foreign_keys {
            lent.say(FOREIGN_KEYS_OFF).await?;
        }
        let mark = begin_in_file(&mut lent, place).await?;
        Ok(Tx {
            mark: Some((mark, place.clone())),
            foreign_keys_off: !foreign_keys,
            ..Tx::new(Dialect::Sqlite, lent)
        })
    }

    /// Closes the connection after the present transaction has ended.
    pub(super) async fn close(&self) {
        match self {
            DatabaseWriter::File(pool, _) => pool.close().await,
            DatabaseWriter::Server(pool) => pool.close().await,
        }
    }

    async fn lend(&self) -> Result<LentConnection, DbErr> {
        let connection = match self {
            DatabaseWriter::File(pool, place) => {
                if let Some(trouble) = place.trouble() {
                    let why = RuntimeErr::Internal(format!("{trouble} while the program runs"));
                    return Err(DbErr::Conn(why));
                }
                pool.acquire().await.map(PooledConnection::Sqlite)
            }
            DatabaseWriter::Server(pool) => return LentConnection::of_server(pool).await,
        };
        Ok(LentConnection {
            connection: connection.map_err(connection_error)?,
            is_sound: false,
        })
    }
}

async fn begin_in_file(lent: &mut LentConnection, place: &DatabaseFile) -> Result<Mark, DbErr> {
    if let Some(before) = place.take_mark() {
        // One text: each is a way to the driver's thread and back.
        let mark = before.next();
        let text = format!("{BEGIN_IN_A_FILE}; {}", mark.statements());
        lent.say(&text).await?;
        return Ok(mark);
    }
    lent.say(BEGIN_IN_A_FILE).await?;
    let asked = Statement::from_string(DbBackend::Sqlite, "PRAGMA user_version");
    let row = lent.query_one(asked).await?;
    let last: i64 = row.map_or(Ok(0), |row| row.try_get_by_index(0))?;
    let before = Mark {
        before: 0,
        last: u32::try_from(last).unwrap_or(0),
    };
    let mark = before.next();
    lent.say(&mark.statements()).await?;
    Ok(mark)
}

/// A writing transaction. If it is dropped without a commit, its connection is closed, which rolls
/// it back.
pub(super) struct Tx {
    dialect: Dialect,
    mark: Option<(Mark, Arc<DatabaseFile>)>,
    /// Whether the file does not check foreign keys now.
    foreign_keys_off: bool,
    expects_new_rows: bool,
    open: Mutex<OpenTransaction>,
}

struct OpenTransaction {
    lent: LentConnection,
    /// Whether a statement failed or its answer was not awaited. A server would roll back such a
    /// transaction and still answer its COMMIT with success.
    has_failed: bool,
    /// What is executed before anything else is, and before the commit.
    gathered: GatheredStatements,
}

impl OpenTransaction {
    /// Executes the statements that wait.
    async fn catch_up(&mut self) -> Result<(), DbErr> {
        if self.has_failed {
            return Err(given_up());
        }
        if self.gathered.count() == 0 {
            return Ok(());
        }
        self.has_failed = true;
        let all = std::mem::take(&mut self.gathered);
        self.lent.execute_all(all).await?;
        self.has_failed = false;
        Ok(())
    }
}

impl Tx {
    /// Begins a transaction on a server with this statement, in one round trip.
    pub(super) async fn begin_on_server(
        mut lent: LentConnection,
        first: &'static str,
    ) -> Result<Tx, DbErr> {
        let words = format!("{BEGIN_ON_A_SERVER}; {first}");
        limited(Dialect::Postgres, lent.say(&words)).await?;
        Ok(Tx::new(Dialect::Postgres, lent))
    }

    fn new(dialect: Dialect, lent: LentConnection) -> Tx {
        Tx {
            dialect,
            mark: None,
            foreign_keys_off: false,
            expects_new_rows: false,
            open: Mutex::new(OpenTransaction {
                lent,
                has_failed: false,
                gathered: GatheredStatements::default(),
            }),
        }
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Commits. After a failure it is unknown whether the transaction is stored, so all its writes
    /// must be repeated. Repeating a stored write changes nothing.
    pub(super) async fn commit(self) -> Result<(), DbErr> {
        let mut open = self.open.into_inner();
        open.catch_up().await?;
        let mut lent = open.lent;
        if let Err(error) = limited(self.dialect, lent.say(COMMIT)).await {
            return Err(commit_error(error));
        }
        if let Some((mark, place)) = self.mark {
            place.note_commit(mark);
        }
        // The transaction is committed, whatever becomes of the connection.
        lent.is_sound = !self.foreign_keys_off || lent.say(FOREIGN_KEYS_ON).await.is_ok();
        Ok(())
    }
}

/// The most statements that wait. More than one batch of a turn has.
const MAX_GATHERED: usize = 64;

impl Tx {
    /// Executes a statement whose result nobody needs, on a file together with others: before the
    /// next statement with a result, or at [`Tx::catch_up`], or at the commit, whichever comes first.
    ///
    /// # Errors
    /// This statement's, or that of one which waited.
    pub(super) async fn later(&self, query: impl QueryTrait) -> Result<(), DbErr> {
        self.gather(query.build(self.dialect.backend()), false)
            .await
    }

    /// Executes a statement like [`Tx::later`] that no entity has built.
    pub(super) async fn later_built(&self, statement: &impl StatementBuilder) -> Result<(), DbErr> {
        self.gather(self.dialect.backend().build(statement), false)
            .await
    }

    /// Inserts a row like [`Tx::later`]. Where it is there already, the transaction fails with
    /// [`DbErr::RecordNotInserted`].
    pub(super) async fn insert_later(&self, query: impl QueryTrait) -> Result<(), DbErr> {
        self.gather(query.build(self.dialect.backend()), true).await
    }

    /// The same transaction, in which no row is expected to be there already, so that none is looked
    /// for.
    pub(super) fn for_new_rows(self) -> Tx {
        Tx {
            expects_new_rows: true,
            ..self
        }
    }

    pub(super) fn expects_new_rows(&self) -> bool {
        self.expects_new_rows
    }

    /// Executes what waits. To be called after each batch, so that texts repeat themselves.
    pub(super) async fn catch_up(&self) -> Result<(), DbErr> {
        self.open.lock().await.catch_up().await
    }

    async fn gather(&self, statement: Statement, must_change: bool) -> Result<(), DbErr> {
        if self.dialect == Dialect::Postgres {
            // The protocol of a server takes one statement with values at a time.
            let done = self.execute_raw(statement).await?;
            let is_missing = must_change && done.rows_affected() == 0;
            return match is_missing {
                true => Err(DbErr::RecordNotInserted),
                false => Ok(()),
            };
        }
        let mut open = self.open.lock().await;
        if open.has_failed {
            return Err(given_up());
        }
        open.gathered
            .add(self.dialect.taken(statement), must_change);
        if open.gathered.count() < MAX_GATHERED {
            return Ok(());
        }
        open.catch_up().await
    }
}

/// Classifies a contradiction that the database reports only at the commit.
fn commit_error(error: DbErr) -> DbErr {
    let DbErr::Conn(RuntimeErr::SqlxError(inner)) = &error else {
        return error;
    };
    match inner.as_database_error().map(|error| error.kind()) {
        Some(
            ErrorKind::ForeignKeyViolation
            | ErrorKind::UniqueViolation
            | ErrorKind::NotNullViolation
            | ErrorKind::CheckViolation,
        ) => DbErr::Exec(RuntimeErr::SqlxError(inner.clone())),
        Some(_) | None => error,
    }
}

fn given_up() -> DbErr {
    let why = "a statement of this transaction failed before".to_string();
    DbErr::Conn(RuntimeErr::Internal(why))
}

/// Executes a statement within a transaction, unless an earlier one failed.
macro_rules! within {
    ($tx:expr, $lent:ident => $done:expr) => {{
        let mut open = $tx.open.lock().await;
        open.catch_up().await?;
        // If the answer is not awaited, the statement counts as failed.
        open.has_failed = true;
        let $lent = &mut open.lent;
        let done = limited($tx.dialect, $done).await;
        open.has_failed = done.is_err();
        done
    }};
}

macro_rules! alone {
    ($writer:expr, $lent:ident => $done:expr) => {{
        let mut $lent = $writer.lend().await?;
        let done = limited($writer.dialect(), $done).await;
        $lent.is_sound = done.is_ok();
        done
    }};
}

#[async_trait::async_trait]
impl ConnectionTrait for Tx {
    fn get_database_backend(&self) -> DbBackend {
        self.dialect.backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        within!(self, lent => lent.execute(self.dialect.taken(statement)))
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        within!(self, lent => lent.execute_unprepared(sql))
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        within!(self, lent => lent.query_one(self.dialect.taken(statement)))
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        within!(self, lent => lent.query_all(self.dialect.taken(statement)))
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for DatabaseWriter {
    fn get_database_backend(&self) -> DbBackend {
        self.dialect().backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        alone!(self, lent => lent.execute(self.dialect().taken(statement)))
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        alone!(self, lent => lent.execute_unprepared(sql))
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        alone!(self, lent => lent.query_one(self.dialect().taken(statement)))
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        alone!(self, lent => lent.query_all(self.dialect().taken(statement)))
    }
}
