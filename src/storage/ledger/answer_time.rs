//! How long a server may take to answer. One that vanished never does.

use std::time::Duration;

use sea_orm::{DbErr, RuntimeErr};

use super::dialect::Dialect;

/// How long a statement or a transaction may take, including the wait for the lock.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Limits the time of work on a server.
pub(super) async fn limited<T>(
    dialect: Dialect,
    work: impl Future<Output = Result<T, DbErr>>,
) -> Result<T, DbErr> {
    // An async function that passes a future on holds it twice, and limits stand within limits.
    let work = Box::pin(work);
    if dialect == Dialect::Sqlite {
        return work.await;
    }
    let done = tokio::time::timeout(ANSWER_TIMEOUT, work).await;
    done.unwrap_or_else(|_| Err(no_answer_within(ANSWER_TIMEOUT)))
}

/// The error for a server that took longer than this.
pub(super) fn no_answer_within(limit: Duration) -> DbErr {
    let why = format!("the database server gave no answer within {limit:?}");
    DbErr::Conn(RuntimeErr::Internal(why))
}
