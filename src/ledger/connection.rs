//! Connections: every statement passes here on its way to the database.
//!
//! One letter is not alike in all databases: Postgres keeps no NUL. It is taken out here, in one
//! place, of whatever is written and asked for.

use sea_orm::entity::prelude::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult,
    QueryResult, Statement, Value,
};

use super::dialect::Dialect;

/// A connection, or a transaction, in the dialect of its database.
pub(super) struct Connection<C> {
    inner: C,
    dialect: Dialect,
}

/// Connections that only read.
pub(super) type Readers = Connection<DatabaseConnection>;

/// A transaction that writes; dropped without a commit it has not happened.
pub(super) type Tx = Connection<DatabaseTransaction>;

impl<C> Connection<C> {
    pub(super) fn new(inner: C, dialect: Dialect) -> Connection<C> {
        Connection { inner, dialect }
    }

    pub(super) fn inner(&self) -> &C {
        &self.inner
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The statement as this database takes it.
    fn taken(&self, mut statement: Statement) -> Statement {
        let values = statement.values.iter_mut().flat_map(|values| &mut values.0);
        for value in values {
            if let Value::String(Some(text)) = value {
                self.dialect.make_storable(text);
            }
        }
        statement
    }
}

impl Tx {
    /// Makes it durable.
    pub(super) async fn commit(self) -> Result<(), DbErr> {
        self.inner.commit().await
    }
}

#[async_trait::async_trait]
impl<C: ConnectionTrait + Send> ConnectionTrait for Connection<C> {
    fn get_database_backend(&self) -> DbBackend {
        self.dialect.backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.inner.execute_raw(self.taken(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.inner.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.inner.query_one_raw(self.taken(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.inner.query_all_raw(self.taken(statement)).await
    }
}
