//! The ledger: the swarm's memory in a database, by sea-orm.
//!
//! One connection writes, in the order of the Store actor; others only read. What was acknowledged
//! survives a power cut as well as a kill, because the mark "this call was sent" must be on disk
//! before the call leaves. The database is a file of the home, or on a server; where the two speak
//! differently, `dialect` says how.

mod accounts;
mod archive;
mod books;
mod check;
mod commit;
mod compact;
mod connection;
mod copies;
mod day;
mod dialect;
mod entity;
mod events;
mod fences;
mod file;
mod index;
mod intake;
mod leases;
mod letters;
mod mend;
mod opening;
mod piece;
mod place;
mod recall;
mod retention;
mod rows;
mod search;
mod server;
mod sessions;
mod sightings;
mod watches;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use actors::domain::ids::{Incarnation, MysisId, Timestamp};
use actors::domain::write::{Account, Batch, Write};
use actors::ports::{ArchiveFault, Ledger, LedgerFault};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbErr, RuntimeErr, SqliteTransactionMode,
    TransactionOptions, TransactionTrait,
};

use connection::{Connection, Readers, Tx};
use dialect::Dialect;
use leases::Tenant;
use place::Place;
use retention::Retention;

pub use check::{Checked, Whereabouts, check};
pub use compact::Compacted;
pub use copies::{CopyError, Restored, back_up, restore};
pub use day::{DayRecord, MysisDay};
pub use intake::{Intake, StoredMission};
pub use mend::Mended;
pub use opening::{Moved, OpenError};
pub use retention::{Keep, Reach};
pub use rows::metadata;
pub use server::ServerAddress;

/// How long giving the leases back may take.
const GOODBYE: Duration = Duration::from_secs(1);
/// Connections that only read.
const READERS: u32 = 4;

/// The ledger and its archive.
#[derive(Clone)]
pub struct SqlLedger {
    inner: Arc<Inner>,
    moved: Option<Arc<Moved>>,
    mended: Option<Arc<Mended>>,
}

/// Where the database is, and what goes with that.
enum Keeping {
    File(Place),
    Server(Tenant),
}

struct Inner {
    dialect: Dialect,
    writer: DatabaseConnection,
    readers: Readers,
    /// The newest life of each Mysis; batches of older ones are refused.
    fences: Mutex<BTreeMap<MysisId, Incarnation>>,
    /// Rows that are not in the index of words yet, about.
    waiting: AtomicI64,
    /// Where all of it is, if in a file.
    place: Option<Place>,
    /// Who this process is, if others may share the database.
    tenant: Option<Tenant>,
    /// What is kept of conversations; empty: everything.
    retention: OnceLock<Retention>,
    /// Whether the writer was told not to look after foreign keys.
    is_careless: AtomicBool,
}

impl SqlLedger {
    /// Opens the SQLite database at a path, creates it where there is none, and brings its schema
    /// up to date.
    ///
    /// # Errors
    /// It is newer than this program, no database, damaged, locked, or its place is not writable.
    pub async fn open(path: &Path) -> Result<SqlLedger, OpenError> {
        let unusable = |error: DbErr| file::unusable(path, &error);
        let writer = file::writer(path).await.map_err(unusable)?;
        let moved = opening::bring_up_file(&writer, path).await?;
        let readers = file::readers(path).await.map_err(unusable)?;
        let keeping = Keeping::File(Place::of(path));
        let opened = SqlLedger::opened(keeping, writer, readers, moved).await;
        opened.map_err(unusable)
    }

    /// Opens the Postgres database at an address, brings its schema up to date, and takes the leases
    /// of all Myses that no other process holds. Only one process may run in the home of this name.
    ///
    /// # Errors
    /// The server cannot be reached or refuses, or the database is newer than this program, another
    /// program's, or not fit for it.
    pub async fn open_server(address: &ServerAddress, home: &str) -> Result<SqlLedger, OpenError> {
        let unusable = |error: DbErr| address.unusable(plain(&error));
        address.check().await?;
        let writer = address.writer();
        opening::bring_up_server(&writer, address).await?;
        let readers = address.readers();
        let keeping = Keeping::Server(Tenant::of_home(home));
        let opened = SqlLedger::opened(keeping, writer, readers, None).await;
        opened.map_err(unusable)
    }

    async fn opened(
        keeping: Keeping,
        writer: DatabaseConnection,
        readers: DatabaseConnection,
        moved: Option<Moved>,
    ) -> Result<SqlLedger, DbErr> {
        let (dialect, place, tenant) = match keeping {
            Keeping::File(place) => (Dialect::Sqlite, Some(place), None),
            Keeping::Server(tenant) => (Dialect::Postgres, None, Some(tenant)),
        };
        let mut ledger = SqlLedger {
            inner: Arc::new(Inner {
                dialect,
                writer,
                readers: Connection::new(readers, dialect),
                fences: Mutex::default(),
                waiting: AtomicI64::new(0),
                place,
                tenant,
                retention: OnceLock::new(),
                is_careless: AtomicBool::new(false),
            }),
            moved: moved.map(Arc::new),
            mended: None,
        };
        // What was written before the leases were ours is known only now.
        ledger.inner.take_leases().await?;
        let fences = fences::read(&ledger.inner.writer).await?;
        *ledger.inner.fences() = fences;
        ledger.inner.count_waiting().await?;
        ledger.mended = ledger.inner.mend_if_possible().await.map(Arc::new);
        Ok(ledger)
    }

    /// What was done to an older database when it was opened.
    #[must_use]
    pub fn moved(&self) -> Option<&Moved> {
        self.moved.as_deref()
    }

    /// What of its figures was mended when it was opened.
    #[must_use]
    pub fn mended(&self) -> Option<&Mended> {
        self.mended.as_deref()
    }

    /// The names of the Myses that other processes on the same database hold, and that are therefore
    /// not of this swarm.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn others(&self) -> Result<Vec<String>, ArchiveFault> {
        let others = self.inner.others().await;
        let others = others.map_err(|error| ArchiveFault(plain(&error)))?;
        Ok(others.into_iter().map(|(_, name)| name).collect())
    }

    /// Closes all connections; what was acknowledged is on disk already.
    pub async fn close(&self) {
        // A server that is gone keeps nobody here; the leases run out by themselves.
        let _ = tokio::time::timeout(GOODBYE, self.inner.release_leases()).await;
        for connection in [self.inner.readers.inner(), &self.inner.writer] {
            if let Err(error) = connection.clone().close().await {
                tracing::warn!(%error, "failed to close the database");
            }
        }
    }
}

impl Ledger for SqlLedger {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        let inner = self.inner.clone();
        async move { inner.commit(&batches).await }.boxed()
    }

    fn upkeep(&self) -> Option<BoxFuture<'static, ()>> {
        let inner = self.inner.clone();
        if inner.tenant.as_ref().is_some_and(Tenant::is_due) {
            return Some(async move { inner.renew_leases().await }.boxed());
        }
        if inner.is_index_due() {
            return Some(async move { inner.keep_index().await }.boxed());
        }
        inner
            .is_removal_due()
            .then(|| async move { inner.remove_old().await }.boxed())
    }

    fn upkeep_every(&self) -> Option<Duration> {
        let of_leases = self.inner.tenant.as_ref().map(|_| leases::LOOK);
        of_leases.or_else(|| self.inner.retention.get().map(|_| retention::LOOK))
    }

    fn claim_account(
        &self,
        mysis: MysisId,
        at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<Account>, LedgerFault>> {
        let inner = self.inner.clone();
        async move {
            let claimed = inner.in_time(inner.claim_account(mysis, at)).await;
            claimed.map_err(|error| inner.fault(&error))
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
        if let Some(place) = &self.place {
            let here = place.check(&self.writer).await;
            here.map_err(LedgerFault::Unavailable)?;
        }
        let written = self.in_time(self.write(batches)).await;
        written.map_err(|error| self.fault(&error))?;
        self.note_fences(batches);
        self.note_rows(batches);
        Ok(())
    }

    /// A server that vanished answers nothing at all: it is not waited for without end.
    async fn in_time<T>(&self, work: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        if self.tenant.is_none() {
            return work.await;
        }
        let done = tokio::time::timeout(server::LONGEST, work).await;
        done.unwrap_or_else(|_| Err(server::no_answer()))
    }

    async fn write(&self, batches: &[&Batch]) -> Result<(), DbErr> {
        let tx = self.begin().await?;
        if let Some(tenant) = &self.tenant {
            tenant.check(&tx, leases::whose(batches)).await?;
        }
        for write in batches.iter().flat_map(|batch| &batch.writes) {
            self.apply(&tx, write).await?;
        }
        tx.commit().await
    }

    /// Carries a write out within a transaction; a new Mysis is ours.
    async fn apply(&self, tx: &Tx, write: &Write) -> Result<(), DbErr> {
        commit::apply(tx, write).await?;
        if let (Some(tenant), Write::Create(new)) = (&self.tenant, write) {
            return tenant.take(tx, Some(new.id)).await;
        }
        Ok(())
    }

    async fn claim_account(&self, mysis: MysisId, at: Timestamp) -> Result<Option<Account>, DbErr> {
        let tx = self.begin().await?;
        if let Some(tenant) = &self.tenant {
            tenant.check(&tx, [mysis].into()).await?;
        }
        let claimed = accounts::claim_account(&tx, mysis, at).await?;
        tx.commit().await?;
        Ok(claimed)
    }

    /// A writer takes the write lock at once: a transaction that began by reading could not.
    async fn begin(&self) -> Result<Tx, DbErr> {
        if self.is_careless.swap(false, Ordering::Relaxed) {
            self.writer
                .execute_unprepared("PRAGMA foreign_keys = ON")
                .await?;
        }
        self.begin_now().await
    }

    async fn begin_now(&self) -> Result<Tx, DbErr> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..Default::default()
        };
        let tx = self.writer.begin_with_options(options).await?;
        if self.dialect == Dialect::Postgres {
            server::wait_for_turn(&tx).await?;
        }
        Ok(Connection::new(tx, self.dialect))
    }

    /// A transaction for much that comes slowly.
    async fn begin_intake(&self) -> Result<Tx, DbErr> {
        let tx = self.begin().await?;
        if self.dialect == Dialect::Postgres {
            server::be_patient(&tx).await?;
        }
        Ok(tx)
    }

    /// What a database error allows: a contradiction is final, everything else may pass.
    fn fault(&self, error: &DbErr) -> LedgerFault {
        if self.tenant.is_some() && plain(error).contains("\"mysis_name_key\"") {
            let why = "another zoea process has a mysis of that name on this database";
            return LedgerFault::Refused(why.to_string());
        }
        let is_contradiction = error.sql_err().is_some() || matches!(error, DbErr::Custom(_));
        if is_contradiction || self.dialect.is_final(error) {
            return LedgerFault::Refused(plain(error));
        }
        LedgerFault::Unavailable(plain(error))
    }
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
