//! How long a server may take to answer. One that vanished never does.

use std::time::Duration;

use futures::FutureExt;
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
    within(ANSWER_TIMEOUT, work).await
}

/// Limits the time of work on a server. What takes longer fails.
pub(super) fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, DbErr>>,
) -> impl Future<Output = Result<T, DbErr>> {
    tokio::time::timeout(limit, work).map(move |done| {
        done.unwrap_or_else(|_| {
            let why = format!("the database server gave no answer within {limit:?}");
            Err(DbErr::Conn(RuntimeErr::Internal(why)))
        })
    })
}
