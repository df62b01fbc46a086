//! The ledger: the swarm's memory in a database, by sea-orm.
//!
//! One connection writes, in the order of the Store actor; others only read. SQLite runs in WAL
//! mode with `synchronous = FULL`: what was acknowledged survives a power cut as well as a kill,
//! because the mark "this call was sent" must be on disk before the call leaves.

mod accounts;
mod archive;
mod books;
mod commit;
mod entity;
mod index;
mod intake;
mod letters;
mod opening;
mod piece;
mod place;
mod rows;
mod search;
mod sessions;
mod sightings;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actors::domain::ids::{Incarnation, MysisId, Timestamp};
use actors::domain::write::{Account, Author, Batch, Write};
use actors::ports::{Ledger, LedgerFault};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use sea_orm::{
    ConnectOptions, Database, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    QuerySelect, RuntimeErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};

use entity::mysis;
use place::Place;

pub use intake::{Intake, StoredMission};
pub use opening::{Moved, OpenError};
pub use rows::metadata;

/// How long a lock of another process is waited for before a write is tried again.
const BUSY: Duration = Duration::from_secs(2);
/// Connections that only read.
const READERS: u32 = 4;

/// The ledger and its archive.
#[derive(Clone)]
pub struct SqlLedger {
    inner: Arc<Inner>,
    moved: Option<Arc<Moved>>,
}

struct Inner {
    writer: DatabaseConnection,
    readers: DatabaseConnection,
    /// The newest life of each Mysis; batches of older ones are refused.
    fences: Mutex<BTreeMap<MysisId, Incarnation>>,
    /// Rows that are not in the index of words yet, about.
    waiting: AtomicI64,
    /// Where all of it is.
    place: Place,
}

impl SqlLedger {
    /// Opens the SQLite database at a path, creates it where there is none, and brings its schema
    /// up to date.
    ///
    /// # Errors
    /// It is newer than this program, no database, damaged, locked, or its place is not writable.
    pub async fn open(path: &Path) -> Result<SqlLedger, OpenError> {
        let shown = path.display().to_string();
        let unusable = |error: DbErr| OpenError::Unusable {
            path: shown.clone(),
            why: plain(&error),
        };
        let writer = Database::connect(writing(path)).await.map_err(unusable)?;
        let moved = opening::bring_up(&writer, path).await?;
        let readers = Database::connect(reading(path)).await.map_err(unusable)?;
        let fences = read_fences(&writer).await.map_err(unusable)?;
        let ledger = SqlLedger {
            inner: Arc::new(Inner {
                writer,
                readers,
                fences: Mutex::new(fences),
                waiting: AtomicI64::new(0),
                place: Place::of(path),
            }),
            moved: moved.map(Arc::new),
        };
        ledger.inner.count_waiting().await.map_err(unusable)?;
        Ok(ledger)
    }

    /// What was done to an older database when it was opened.
    #[must_use]
    pub fn moved(&self) -> Option<&Moved> {
        self.moved.as_deref()
    }

    /// Closes all connections; what was acknowledged is on disk already.
    pub async fn close(&self) {
        for connection in [&self.inner.readers, &self.inner.writer] {
            if let Err(error) = connection.clone().close().await {
                tracing::warn!(%error, "failed to close the database");
            }
        }
    }
}

fn writing(path: &Path) -> ConnectOptions {
    let mut options = ConnectOptions::new(format!("sqlite://{}?mode=rwc", path.display()));
    options
        .max_connections(1)
        .min_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_secs(10))
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(|sqlite| {
            sqlite
                .page_size(opening::PAGE)
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Full)
                .foreign_keys(true)
                .busy_timeout(BUSY)
                .pragma("temp_store", "memory")
                .pragma("cache_size", "-8000")
                .pragma("wal_autocheckpoint", "4000")
                .pragma("journal_size_limit", "67108864")
        });
    options
}

fn reading(path: &Path) -> ConnectOptions {
    let mut options = ConnectOptions::new(format!("sqlite://{}?mode=ro", path.display()));
    options
        .max_connections(READERS)
        .min_connections(0)
        .idle_timeout(Duration::from_secs(60))
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_secs(30))
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(|sqlite| {
            sqlite
                .read_only(true)
                .busy_timeout(BUSY)
                .pragma("temp_store", "memory")
                .pragma("cache_size", "-2000")
        });
    options
}

async fn read_fences(writer: &DatabaseConnection) -> Result<BTreeMap<MysisId, Incarnation>, DbErr> {
    let rows: Vec<(i64, i64)> = mysis::Entity::find()
        .select_only()
        .column(mysis::Column::Id)
        .column(mysis::Column::Incarnation)
        .into_tuple()
        .all(writer)
        .await?;
    Ok(rows
        .into_iter()
        .map(|(id, incarnation)| (MysisId(id), Incarnation(incarnation)))
        .collect())
}

impl Ledger for SqlLedger {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        let inner = self.inner.clone();
        async move { inner.commit(&batches).await }.boxed()
    }

    fn upkeep(&self) -> Option<BoxFuture<'static, ()>> {
        let inner = self.inner.clone();
        inner
            .is_index_due()
            .then(|| async move { inner.keep_index().await }.boxed())
    }

    fn claim_account(
        &self,
        mysis: MysisId,
        at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<Account>, LedgerFault>> {
        let inner = self.inner.clone();
        async move {
            let tx = inner.begin().await.map_err(|error| fault(&error))?;
            let claimed = accounts::claim_account(&tx, mysis, at).await;
            let claimed = claimed.map_err(|error| fault(&error))?;
            tx.commit().await.map_err(|error| fault(&error))?;
            Ok(claimed)
        }
        .boxed()
    }
}

impl Inner {
    /// Rows that were appended wait for the index.
    fn note_rows(&self, batches: &[&Batch]) {
        let is_row = |write: &&Write| matches!(write, Write::Append { .. });
        let writes = batches.iter().flat_map(|batch| &batch.writes);
        let count = i64::try_from(writes.filter(is_row).count()).unwrap_or(0);
        self.waiting.fetch_add(count, Ordering::Relaxed);
    }

    /// Commits a group at once; where one of it is refused, each by itself.
    async fn commit(&self, batches: &[Batch]) -> Vec<Result<(), LedgerFault>> {
        let mut answers: Vec<Result<(), LedgerFault>> = batches
            .iter()
            .map(|batch| self.check_fence(batch))
            .collect();
        let open: Vec<&Batch> = batches
            .iter()
            .zip(&answers)
            .filter(|(_, answer)| answer.is_ok())
            .map(|(batch, _)| batch)
            .collect();
        let mut results = match self.commit_together(&open).await {
            Err(LedgerFault::Refused(_)) if open.len() > 1 => {
                let mut results = Vec::with_capacity(open.len());
                for batch in open {
                    results.push(self.commit_together(&[batch]).await);
                }
                results
            }
            result => vec![result; open.len()],
        }
        .into_iter();
        for answer in answers.iter_mut().filter(|answer| answer.is_ok()) {
            if let Some(result) = results.next() {
                *answer = result;
            }
        }
        answers
    }

    async fn commit_together(&self, batches: &[&Batch]) -> Result<(), LedgerFault> {
        if batches.is_empty() {
            return Ok(());
        }
        let here = self.place.check(&self.writer).await;
        here.map_err(LedgerFault::Unavailable)?;
        let tx = self.begin().await.map_err(|error| fault(&error))?;
        for write in batches.iter().flat_map(|batch| &batch.writes) {
            commit::apply(&tx, write)
                .await
                .map_err(|error| fault(&error))?;
        }
        tx.commit().await.map_err(|error| fault(&error))?;
        self.note_fences(batches);
        self.note_rows(batches);
        Ok(())
    }

    /// A writer takes the write lock at once: a transaction that began by reading could not.
    async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        self.writer
            .begin_with_options(TransactionOptions {
                sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
                ..Default::default()
            })
            .await
    }

    fn check_fence(&self, batch: &Batch) -> Result<(), LedgerFault> {
        let Author::Mysis(mysis, incarnation) = batch.author else {
            return Ok(());
        };
        let fences = self.fences.lock().unwrap_or_else(PoisonError::into_inner);
        match fences.get(&mysis) {
            Some(newest) if *newest > incarnation => Err(LedgerFault::Fenced),
            Some(_) | None => Ok(()),
        }
    }

    fn note_fences(&self, batches: &[&Batch]) {
        let mut fences = self.fences.lock().unwrap_or_else(PoisonError::into_inner);
        for write in batches.iter().flat_map(|batch| &batch.writes) {
            if let Write::Fence { mysis, incarnation } = write {
                fences.insert(*mysis, *incarnation);
            }
        }
    }
}

/// What a database error allows: a contradiction is final, everything else may pass.
fn fault(error: &DbErr) -> LedgerFault {
    let why = plain(error);
    if error.sql_err().is_some() || matches!(error, DbErr::Custom(_)) {
        return LedgerFault::Refused(why);
    }
    match sqlite_code(error) {
        // SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH: the statement itself is wrong.
        Some(1 | 19 | 20) => LedgerFault::Refused(why),
        Some(_) | None => LedgerFault::Unavailable(why),
    }
}

/// The primary result code of SQLite.
fn sqlite_code(error: &DbErr) -> Option<u32> {
    let (DbErr::Exec(RuntimeErr::SqlxError(error))
    | DbErr::Query(RuntimeErr::SqlxError(error))
    | DbErr::Conn(RuntimeErr::SqlxError(error))) = error
    else {
        return None;
    };
    let code = error.as_database_error()?.code()?;
    code.parse::<u32>().ok().map(|code| code & 0xff)
}

/// An error in the database's own words, without the layers around it.
fn plain(error: &DbErr) -> String {
    let (DbErr::Exec(RuntimeErr::SqlxError(inner))
    | DbErr::Query(RuntimeErr::SqlxError(inner))
    | DbErr::Conn(RuntimeErr::SqlxError(inner))) = error
    else {
        return error.to_string();
    };
    match inner.as_database_error() {
        Some(database) => database.message().to_string(),
        None => inner.to_string(),
    }
}
