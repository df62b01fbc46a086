//! The file: how an SQLite database is opened. It runs in WAL mode with `synchronous = FULL`.

use std::path::Path;
use std::time::Duration;

use sea_orm::sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbErr};

use super::{READERS, opening};

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
                .pragma("cache_size", "-1000")
        });
    options
}
