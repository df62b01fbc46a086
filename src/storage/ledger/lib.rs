//! The ledger: the swarm's memory in a database, through sea-orm.
//!
//! One connection writes in the order of the Store actor; others only read. An acknowledged write
//! survives a kill and a power failure, because "this call was sent" must be on disk before the
//! call is sent. The database is a file of the home or on a server. `dialect` has the differences.

mod accounts;
mod allowances;
mod answer_time;
mod archive;
mod beginning;
mod books;
mod bulk_import;
mod check;
mod codec;
mod commit;
mod compact;
mod connection;
mod copies;
mod deleted;
mod dialect;
mod entity;
mod events;
pub mod export;
mod fault;
mod fences;
mod file;
mod file_length;
mod fleet;
mod group_commit;
mod held;
pub mod import;
mod index;
mod last_commit;
mod leases;
mod lent_connection;
mod listed;
mod log_file;
mod loss;
mod mark;
mod members;
mod memos;
mod metadata;
mod open_error;
mod opening;
mod outages;
mod paths;
mod period;
mod piece;
mod place;
mod readers;
mod recall;
mod removals;
mod replacing;
mod rescue;
mod retention;
mod rows;
mod samples;
mod saved_calls;
mod search;
mod server;
mod server_pool;
mod sessions;
mod settling;
mod snapshots;
mod tables;
mod trials;
mod trigrams;
mod write_lock;
mod writer;

#[cfg(test)]
mod tests;

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actors::domain::ids::{Incarnation, MysisId, Timestamp};
use actors::domain::record::GameAccount;
use actors::domain::write::Batch;
use actors::ports::{Ledger, LedgerFault};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::{DbErr, EntityTrait};

use answer_time::limited;
use bulk_import::{BulkImport, StoredMission};
use connection::DialectConnection;
use dialect::Dialect;
use entity::mysis;
use fault::error_text;
use index::SettledRows;
use leases::LeaseHolder;
use paths::DatabasePaths;
use place::DatabaseFile;
use readers::{ReadPool, Readers};
use recall::Recalls;
use retention::Retention;
use writer::DatabaseWriter;

pub use check::{CheckResult, check};
pub use compact::CompactionResult;
pub use copies::{
    CopyError, RestoreResult, back_up, clear_place, remove_unfinished_restore, restore,
};
pub use deleted::DeletedCopies;
pub use events::EventPage;
pub use fleet::{LedgerFleet, ProcessFacts};
pub use leases::{HomeClaim, ProcessKind};
pub use loss::{is_blank, rescued_file};
pub use open_error::OpenError;
pub use opening::DatabaseLocation;
pub use period::{MysisShare, PeriodRecord, PeriodSamples, SwarmMinute, SystemShare};
pub use retention::{HistoryReach, RetentionLimits};
pub use server::ServerAddress;
pub use settling::{check_place, gone_error, real_place};

const RELEASE_TIMEOUT: Duration = Duration::from_secs(1);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The ledger and its archive. Clones share one database.
#[derive(Clone)]
pub struct SqlLedger {
    inner: Arc<LedgerInner>,
    notes: Vec<String>,
}

struct LedgerInner {
    dialect: Dialect,
    writer: DatabaseWriter,
    readers: Readers,
    /// Myses that read what they continue with.
    recalls: Recalls,
    /// The newest incarnation of each Mysis. Batches of older ones are refused.
    fences: Mutex<BTreeMap<MysisId, Incarnation>>,
    /// The approximate number of rows that are not in the search index yet.
    waiting: AtomicI64,
    settled: Mutex<SettledRows>,
    place: Option<Arc<DatabaseFile>>,
    /// This process as a holder of leases, if others may share the database.
    tenant: Option<LeaseHolder>,
    /// The limits for old rows; unset means that everything is kept.
    retention: OnceLock<Retention>,
}

impl SqlLedger {
    /// Opens the SQLite database at a path, creates it if there is none, and migrates its schema.
    ///
    /// # Errors
    /// It is newer than this program, no database, damaged or locked, or its folder is not
    /// writable.
    pub async fn open(path: &Path) -> Result<SqlLedger, OpenError> {
        let unusable = |error: DbErr| file::unusable_error(path, &error);
        let paths = DatabasePaths::of(path);
        let note = settling::prepare_files(&paths).await?;
        let writer = file::open_writer(&paths.real).await.map_err(unusable)?;
        let moved = opening::migrate_file(writer.connection(), path).await?;
        let readers = file::open_readers(&paths.real).await.map_err(unusable)?;
        let readers = ReadPool::File(readers);
        let place = DatabaseFile::open(paths).await.map_err(unusable)?;
        let place = Arc::new(place);
        let writer = DatabaseWriter::File(writer.into_pool(), place.clone());
        let opened = SqlLedger::from_parts(writer, readers, Some(place.clone()), None).await;
        let opened = opened.map_err(unusable)?;
        // A process before may have left a file that a checkpoint has yet to make shorter.
        let content = opened.inner.database_bytes().await.map_err(unusable)?;
        place.end_compaction(Some(content));
        Ok(opened.with_note(moved).with_note(note))
    }

    /// Opens the Postgres database at an address and migrates its schema. A process that is to run
    /// Myses takes the leases of all that no other process holds; a command takes none.
    ///
    /// # Errors
    /// The server is unreachable or refuses, or the database is newer than this program, belongs to
    /// another program, or is not usable for it.
    pub async fn open_server(
        address: &ServerAddress,
        home: HomeClaim,
        process_kind: ProcessKind,
    ) -> Result<SqlLedger, OpenError> {
        let unusable = |error: DbErr| address.unusable(&error);
        address.check_reachable().await?;
        let single = address.open_single();
        let migrated = opening::migrate_server(&single, address).await;
        server::close_single(single).await;
        migrated?;
        let writer = DatabaseWriter::Server(address.writer_pool());
        let readers = ReadPool::Server(address.reading_pool());
        let holder = LeaseHolder::of_home(home, process_kind, address);
        let opened = SqlLedger::from_parts(writer, readers, None, Some(holder)).await;
        opened.map_err(unusable)
    }

    async fn from_parts(
        writer: DatabaseWriter,
        readers: ReadPool,
        place: Option<Arc<DatabaseFile>>,
        tenant: Option<LeaseHolder>,
    ) -> Result<SqlLedger, DbErr> {
        let dialect = writer.dialect();
        let ledger = SqlLedger {
            inner: Arc::new(LedgerInner {
                dialect,
                writer,
                readers: DialectConnection::new(readers, dialect),
                // One connection stays free for screens.
                recalls: Recalls::new(connection::READ_CONNECTIONS as usize - 1),
                fences: Mutex::default(),
                waiting: AtomicI64::new(0),
                settled: Mutex::default(),
                place,
                tenant,
                retention: OnceLock::new(),
            }),
            notes: Vec::new(),
        };
        // Once the leases are ours, no other process writes. The fences that are read now are
        // final.
        ledger.inner.take_leases().await?;
        let fences = fences::read_fences(&ledger.inner.readers, mysis::Entity::find()).await?;
        *ledger.inner.fences() = fences;
        ledger.inner.count_waiting().await?;
        Ok(ledger)
    }

    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    #[must_use]
    pub fn with_note(mut self, note: Option<String>) -> SqlLedger {
        self.notes.extend(note);
        self
    }

    /// What happened to the database while the program ran, and the command that leads back; `None`
    /// if nothing was lost.
    pub fn loss(&self) -> Option<String> {
        self.inner.place.as_ref()?.known_loss()
    }

    /// Closes all connections. Acknowledged writes are on disk already.
    pub async fn close(&self) {
        if let Some(place) = &self.inner.place {
            place.end_pause();
            if place.check_in_place().await.is_err() {
                // A connection that is closed would write what it can into whatever stands there.
                std::mem::forget(self.inner.clone());
                return place.remove_lost_log();
            }
            place.close().await;
        }
        // An unreachable server must not delay the end. Its leases expire by themselves.
        let _ = tokio::time::timeout(RELEASE_TIMEOUT, self.inner.release_leases()).await;
        let closing = self.inner.close_connections();
        match self.inner.dialect {
            Dialect::Sqlite => closing.await,
            Dialect::Postgres => {
                // Each waits for the answer to its last statement. The end of the process closes it, too.
                let _ = tokio::time::timeout(CLOSE_TIMEOUT, closing).await;
            }
        }
        if let Some(place) = &self.inner.place {
            place.closed();
        }
    }
}

impl LedgerInner {
    async fn close_connections(&self) {
        if let Err(error) = self.readers.inner().close().await {
            tracing::warn!(%error, "failed to close the database");
        }
        if let Some(tenant) = &self.tenant {
            tenant.writer.close().await;
            tenant.limits_writer.close().await;
        }
        self.writer.close().await;
    }
}

impl Ledger for SqlLedger {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        let inner = self.inner.clone();
        async move { inner.commit(&batches).await }.boxed()
    }

    fn shut_out(&self, mysis: MysisId, before: Incarnation) {
        self.inner.shut_out([(mysis, before)]);
    }

    fn maintenance(&self) -> Option<BoxFuture<'static, ()>> {
        let inner = self.inner.clone();
        if inner.is_index_due() {
            return Some(async move { inner.update_index().await }.boxed());
        }
        inner
            .is_removal_due()
            .then(|| async move { inner.remove_old().await }.boxed())
    }

    fn maintenance_interval(&self) -> Option<Duration> {
        let retention = self.inner.retention.get();
        retention.map(|_| retention::CHECK_INTERVAL)
    }

    fn claim_account(
        &self,
        mysis: MysisId,
        at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, LedgerFault>> {
        let inner = self.inner.clone();
        async move {
            let claimed = limited(inner.dialect, inner.claim_account(mysis, at)).await;
            claimed.map_err(|error| inner.to_ledger_fault(&error))
        }
        .boxed()
    }
}
