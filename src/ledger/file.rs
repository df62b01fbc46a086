//! The file: how an SQLite database is opened. It runs in WAL mode with `synchronous = FULL`.

use std::path::Path;
use std::time::Duration;

use sea_orm::sqlx::sqlite::{SqliteAutoVacuum, SqliteJournalMode, SqliteSynchronous};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbErr};

use super::{OpenError, READERS, opening, plain};

/// How long a lock of another process is waited for before a write is tried again.
const BUSY: Duration = Duration::from_secs(2);

/// The one connection that writes.
pub(super) async fn writer(path: &Path) -> Result<DatabaseConnection, DbErr> {
    Database::connect(writing(path)).await
}

/// The connections that only read.
pub(super) async fn readers(path: &Path) -> Result<DatabaseConnection, DbErr> {
    Database::connect(reading(path)).await
}

/// One connection that only reads, for a look from beside a program that may be running.
pub(super) async fn reader(path: &Path) -> Result<DatabaseConnection, DbErr> {
    let mut options = reading(path);
    options.max_connections(1);
    Database::connect(options).await
}

/// Why a file cannot be used.
pub(super) fn unusable(path: &Path, error: &DbErr) -> OpenError {
    OpenError::Unusable {
        path: path.display().to_string(),
        why: plain(error),
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
                // So that a running program can give free pages back, a few at a time.
                .auto_vacuum(SqliteAutoVacuum::Incremental)
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Full)
                .foreign_keys(true)
                .busy_timeout(BUSY)
                .pragma("temp_store", "memory")
                .pragma("cache_size", "-1000")
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
                // Small, since there may be four of them: what is not in it the system still has.
                .pragma("cache_size", "-250")
        });
    options
}
