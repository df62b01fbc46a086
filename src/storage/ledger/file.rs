//! Opens SQLite databases. They run in WAL mode with `synchronous = FULL`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sea_orm::sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sea_orm::sqlx::{self, ConnectOptions as _, SqlitePool};
use sea_orm::{DatabaseConnection, DbErr};

use zoea_system::disk;

use super::connection::READ_CONNECTIONS;
use super::lent_connection::connection_error;
use super::paths::{FileId, entry_at};
use super::{OpenError, error_text};

/// The size of a page in bytes. A commit writes whole pages, so small pages make it cheaper. They
/// also waste less space at the end of a long text.
pub(super) const PAGE_BYTES: u32 = 1024;

/// The room that opening a database may need for its log.
const OPENING_BYTES: u64 = 1_000_000;

/// How long a write waits for another process' lock before it is tried again.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// The writing connection as it is opened first. It creates the file if there is none.
pub(super) struct FileWriter {
    path: PathBuf,
    pool: SqlitePool,
    connection: DatabaseConnection,
    known: Arc<OnceLock<Option<FileId>>>,
}

pub(super) async fn open_writer(path: &Path) -> Result<FileWriter, DbErr> {
    let known: Arc<OnceLock<Option<FileId>>> = Arc::default();
    let (settled, place) = (known.clone(), path.to_path_buf());
    let pool = one_connection()
        .acquire_timeout(Duration::from_secs(10))
        .after_connect(move |_, _| {
            let is_other = settled
                .get()
                .is_some_and(|known| *known != entry_at(&place));
            Box::pin(async move {
                if is_other {
                    let why = io::Error::other("another file is in the database's place");
                    return Err(sqlx::Error::Io(why));
                }
                Ok(())
            })
        })
        .connect_with(writer_options(path))
        .await
        .map_err(connection_error)?;
    Ok(FileWriter {
        path: path.to_path_buf(),
        connection: pool.clone().into(),
        pool,
        known,
    })
}

impl FileWriter {
    pub(super) fn connection(&self) -> &DatabaseConnection {
        &self.connection
    }

    /// Binds later connections of the pool to this file. A connection that replaces this one writes
    /// to the same file or fails: it neither creates a removed file again nor writes to one that
    /// replaced it.
    pub(super) fn into_pool(self) -> SqlitePool {
        self.pool
            .set_connect_options(writer_options(&self.path).create_if_missing(false));
        let _ = self.known.set(entry_at(&self.path));
        self.pool
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }
}

/// Opens the read-only connections.
pub(super) async fn open_readers(path: &Path) -> Result<DatabaseConnection, DbErr> {
    open_reading_pool(path, READ_CONNECTIONS).await
}

/// Opens one read-only connection to a file that a running program may be using.
pub(super) async fn open_reader(path: &Path) -> Result<DatabaseConnection, DbErr> {
    open_reading_pool(path, 1).await
}

/// Opens one read-only connection to a file as it is without its log. Nobody may be writing.
pub(super) async fn open_without_log(path: &Path) -> Result<DatabaseConnection, DbErr> {
    let pool = one_connection().connect_with(reader_options(path).immutable(true));
    pool.await.map(Into::into).map_err(connection_error)
}

/// Opens one read-only connection that stays open. As long as it does, the log and its index stay
/// the same files, and their content can be read even when their names are gone.
pub(super) async fn open_anchor(path: &Path) -> Result<SqlitePool, DbErr> {
    let options = reader_options(path).pragma("cache_size", "-250");
    let pool = one_connection().connect_with(options).await;
    let pool = pool.map_err(connection_error)?;
    // The log is opened by the first query.
    let looked = sqlx::query("SELECT count(*) FROM sqlite_master").execute(&pool);
    looked.await.map_err(connection_error)?;
    Ok(pool)
}

fn one_connection() -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

/// The error for a file that cannot be used.
pub(super) fn unusable_error(path: &Path, error: &DbErr) -> OpenError {
    unusable_because(path, error_text(error))
}

pub(super) fn unusable_because(path: &Path, why: String) -> OpenError {
    OpenError::Unusable {
        path: path.display().to_string(),
        advice: advice_for(path, &why),
        why,
    }
}

/// SQLite calls it an I/O error, too, where its log finds no room.
fn advice_for(path: &Path, why: &str) -> String {
    let directory = path.parent().unwrap_or(path);
    let free = disk::free_bytes(directory).ok();
    let is_full = why.contains("is full") || free.is_some_and(|free| free < OPENING_BYTES);
    if why.contains("is locked") {
        "another program holds its lock (`fuser` with this path names it): end that program and try again; the \
         database itself is not damaged"
            .to_string()
    } else if is_full {
        let free = free.map(|free| format!(" ({free} bytes are free)"));
        let free = free.unwrap_or_default();
        format!(
            "its disk is full{free}: free space on it and try again; the database itself is not damaged, so do not \
             replace it"
        )
    } else {
        "check the file and its directory, restore a copy, or use another home with --home"
            .to_string()
    }
}

fn writer_options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .page_size(PAGE_BYTES)
        // Lets a running program return free pages in small steps.
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("temp_store", "memory")
        // As many pages as a hundred Myses write again and again. A large transaction may have more,
        // before it writes some of them twice.
        .pragma("cache_size", "-400")
        .pragma("cache_spill", "2000")
        // 16 MiB: a thousand Myses change the same pages again before these are moved to their places.
        .pragma("wal_autocheckpoint", "16000")
        .pragma("journal_size_limit", "67108864")
        .disable_statement_logging()
}

/// The path is given as it is: in a URL, `%` and `?` in it would have a meaning.
fn reader_options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("temp_store", "memory")
        .disable_statement_logging()
}

async fn open_reading_pool(path: &Path, connections: u32) -> Result<DatabaseConnection, DbErr> {
    // The cache is small, because there may be four. Pages outside of it are in the system's
    // cache.
    let options = reader_options(path).pragma("cache_size", "-100");
    let pool = SqlitePoolOptions::new()
        .max_connections(connections)
        .idle_timeout(Duration::from_secs(60))
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_secs(30))
        .connect_with(options);
    pool.await.map(Into::into).map_err(connection_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_advised_only_where_the_database_itself_may_be_at_fault() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("zoea.db");
        for (why, helps) in [
            ("database is locked", "end that program"),
            ("database or disk is full", "free space on it"),
            ("file is not a database", "restore a copy"),
            // There is room, so the disk has another trouble.
            ("disk I/O error", "restore a copy"),
        ] {
            let error = unusable_because(&path, why.to_string()).to_string();
            assert!(error.contains(helps), "{error}");
            let has_copy = error.contains("restore a copy");
            assert_eq!(has_copy, helps == "restore a copy", "{error}");
        }
    }
}
