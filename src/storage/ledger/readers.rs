//! The read-only connections.

use sea_orm::entity::prelude::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult,
    QueryResult, Statement, TransactionTrait,
};

use super::answer_time::limited;
use super::connection::DialectConnection;
use super::lent_connection::LentConnection;
use super::server_pool::ServerPool;
use super::writer::Tx;

/// What a transaction that only reads says first on a server.
const READ_ONLY: &str = "SET TRANSACTION READ ONLY";

pub(super) type Readers = DialectConnection<ReadPool>;

pub(super) enum ReadPool {
    File(DatabaseConnection),
    Server(ServerPool),
}

/// One connection for several queries, which all see the same state.
pub(super) enum ReadTransaction {
    File(DatabaseTransaction),
    Server(Box<Tx>),
}

impl Readers {
    pub(super) async fn begin(&self) -> Result<DialectConnection<ReadTransaction>, DbErr> {
        let transaction = match self.inner() {
            ReadPool::File(connection) => ReadTransaction::File(connection.begin().await?),
            ReadPool::Server(pool) => {
                let lent = LentConnection::of_server(pool).await?;
                let tx = Tx::begin_on_server(lent, READ_ONLY).await?;
                ReadTransaction::Server(Box::new(tx))
            }
        };
        Ok(DialectConnection::new(transaction, self.dialect()))
    }
}

impl DialectConnection<ReadTransaction> {
    pub(super) async fn end(self) -> Result<(), DbErr> {
        let dialect = self.dialect();
        match self.into_inner() {
            ReadTransaction::File(tx) => limited(dialect, tx.commit()).await,
            ReadTransaction::Server(tx) => tx.commit().await,
        }
    }
}

impl ReadPool {
    pub(super) async fn close(&self) -> Result<(), DbErr> {
        match self {
            ReadPool::File(connection) => connection.clone().close().await,
            ReadPool::Server(pool) => {
                pool.close().await;
                Ok(())
            }
        }
    }
}

/// Has a connection of the pool do something. It is used again if that succeeded.
macro_rules! lent {
    ($pool:expr, $lent:ident => $done:expr) => {{
        let mut $lent = LentConnection::of_server($pool).await?;
        let done = $done.await;
        $lent.is_sound = done.is_ok();
        done
    }};
}

#[async_trait::async_trait]
impl ConnectionTrait for ReadPool {
    fn get_database_backend(&self) -> DbBackend {
        match self {
            ReadPool::File(_) => DbBackend::Sqlite,
            ReadPool::Server(_) => DbBackend::Postgres,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match self {
            ReadPool::File(connection) => connection.execute_raw(statement).await,
            ReadPool::Server(pool) => lent!(pool, lent => lent.execute(statement)),
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self {
            ReadPool::File(connection) => connection.execute_unprepared(sql).await,
            ReadPool::Server(pool) => lent!(pool, lent => lent.execute_unprepared(sql)),
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self {
            ReadPool::File(connection) => connection.query_one_raw(statement).await,
            ReadPool::Server(pool) => lent!(pool, lent => lent.query_one(statement)),
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            ReadPool::File(connection) => connection.query_all_raw(statement).await,
            ReadPool::Server(pool) => lent!(pool, lent => lent.query_all(statement)),
        }
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for ReadTransaction {
    fn get_database_backend(&self) -> DbBackend {
        match self {
            ReadTransaction::File(_) => DbBackend::Sqlite,
            ReadTransaction::Server(_) => DbBackend::Postgres,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match self {
            ReadTransaction::File(tx) => tx.execute_raw(statement).await,
            ReadTransaction::Server(tx) => tx.execute_raw(statement).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self {
            ReadTransaction::File(tx) => tx.execute_unprepared(sql).await,
            ReadTransaction::Server(tx) => tx.execute_unprepared(sql).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self {
            ReadTransaction::File(tx) => tx.query_one_raw(statement).await,
            ReadTransaction::Server(tx) => tx.query_one_raw(statement).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            ReadTransaction::File(tx) => tx.query_all_raw(statement).await,
            ReadTransaction::Server(tx) => tx.query_all_raw(statement).await,
        }
    }
}
