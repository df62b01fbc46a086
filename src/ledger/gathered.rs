//! Statements that a transaction executes together.
//!
//! A connection to a file lives on a thread of its own. Each execution wakes that thread and is woken
//! by it, which costs more than most statements do; several in one text cost that once. The driver
//! keeps what it prepared by the whole text, so each batch of writes is a text of its own: the writes
//! of turns have few shapes.

use sea_orm::{ConnectionTrait, DbErr, QueryTrait, Statement, Value};

use super::dialect::Dialect;
use super::writer::{Tx, given_up};

/// Statements that wait, with their values.
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

    /// The text of all, their values, and which of them have to change something.
    pub(super) fn take(&mut self) -> (String, Vec<Value>, Vec<bool>) {
        let GatheredStatements {
            sql,
            values,
            must_change,
        } = std::mem::take(self);
        (sql, values, must_change)
    }
}

/// What is answered where an insert changed nothing: its row is there already.
pub(super) fn is_there_already() -> DbErr {
    DbErr::RecordNotInserted
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
            return if is_missing {
                Err(is_there_already())
            } else {
                Ok(())
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
