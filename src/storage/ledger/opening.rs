//! Opens databases and migrates them in place, after keeping a copy.
//!
//! Each migration is one transaction. A database whose migration was killed still has the version
//! before.

use std::fmt;
use std::path::{Path, PathBuf};

use actors::domain::held::HeldText;
use migration::{MigrationTrait, Migrator, MigratorTrait, ServerMigrator};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, EntityTrait, PaginatorTrait, Statement,
};

use super::answer_time::ANSWER_TIMEOUT;
use super::connection::read_number;
use super::dialect::Dialect;
use super::entity::mysis;
use super::file::PAGE_BYTES;
use super::mark::Mark;
use super::open_error::OpenError;
use super::paths::free_name;
use super::server::{self, ServerAddress};
use super::{error_text, file, held, rescue, settling};

const STEPS_TABLE: &str = "seaql_migrations";

#[derive(Clone, Copy)]
pub enum DatabaseLocation<'a> {
    File(&'a Path),
    Server(&'a ServerAddress),
}

impl fmt::Display for DatabaseLocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatabaseLocation::File(path) => write!(f, "{}", path.display()),
            DatabaseLocation::Server(address) => write!(f, "{address}"),
        }
    }
}

impl DatabaseLocation<'_> {
    pub(super) fn dialect(self) -> Dialect {
        match self {
            DatabaseLocation::File(_) => Dialect::Sqlite,
            DatabaseLocation::Server(_) => Dialect::Postgres,
        }
    }

    pub(super) fn unusable(self, error: &DbErr) -> OpenError {
        match self {
            DatabaseLocation::File(path) => file::unusable_error(path, error),
            DatabaseLocation::Server(address) => address.unusable(error),
        }
    }

    fn migrations(self) -> Vec<Box<dyn MigrationTrait>> {
        match self {
            DatabaseLocation::File(_) => Migrator::migrations(),
            DatabaseLocation::Server(_) => ServerMigrator::migrations(),
        }
    }
}

/// Migrates a file. Returns a note for the operator if it was older.
pub(super) async fn migrate_file(
    writer: &DatabaseConnection,
    path: &Path,
) -> Result<Option<String>, OpenError> {
    let unusable = |error: DbErr| file::unusable_error(path, &error);
    let (applied, known) = count_steps(writer, DatabaseLocation::File(path)).await?;
    if applied == known {
        mark_older(writer).await.map_err(unusable)?;
        return Ok(None);
    }
    if applied == 0 {
        Migrator::up(writer, None).await.map_err(unusable)?;
        return Ok(None);
    }
    let copy = keep_copy(writer, path, applied).await?;
    Migrator::up(writer, None).await.map_err(unusable)?;
    make_pages_small(writer).await;
    mark_older(writer).await.map_err(unusable)?;
    Ok(Some(format!(
        "the database was brought from version {applied} to version {known}; a copy as it was is kept in {}",
        copy.display()
    )))
}

/// Gives a database of an older version its first mark, in the file itself. A new one gets it with
/// its first commit.
async fn mark_older(writer: &DatabaseConnection) -> Result<(), DbErr> {
    if read_number(writer, "PRAGMA user_version").await? != 0 {
        return Ok(());
    }
    let mark = Mark::default().next().statements();
    let statements = format!("{mark}; PRAGMA wal_checkpoint(TRUNCATE)");
    for statement in statements.split("; ") {
        writer.execute_unprepared(statement).await?;
    }
    Ok(())
}

/// Opens a file for reading only. It must be a database of ours with this program's version.
pub(super) async fn open_for_reading(path: &Path) -> Result<DatabaseConnection, OpenError> {
    settling::check_for_reader(path)?;
    let reader = file::open_reader(path).await;
    let reader = reader.map_err(|error| file::unusable_error(path, &error))?;
    let (applied, known) = count_steps(&reader, DatabaseLocation::File(path)).await?;
    if applied == known {
        return Ok(reader);
    }
    Err(OpenError::Older {
        path: path.display().to_string(),
        from: applied,
        to: known,
    })
}

/// Migrates a copy of a database file. The original stays as it is.
pub(super) async fn migrate_copy(path: &Path) -> Result<(), OpenError> {
    let unusable = |error: DbErr| file::unusable_error(path, &error);
    let file = file::open_writer(path).await.map_err(unusable)?;
    let (applied, known) = count_steps(file.connection(), DatabaseLocation::File(path)).await?;
    if (1..known).contains(&applied) {
        let moved = Migrator::up(file.connection(), None).await;
        moved.map_err(unusable)?;
    }
    file.close().await;
    Ok(())
}

/// Migrates a server's database, one process at a time. Copies are the task of the server's
/// administrator. Each migration is one transaction.
pub(super) async fn migrate_server(
    writer: &DatabaseConnection,
    address: &ServerAddress,
) -> Result<(), OpenError> {
    let unusable = |error: DbErr| address.unusable(&error);
    let lock = writer.execute_unprepared(server::LOCK_SCHEMA).await;
    lock.map_err(unusable)?;
    let (applied, known) = count_steps(writer, DatabaseLocation::Server(address)).await?;
    if applied < known {
        let moved = ServerMigrator::up(writer, None).await;
        if let Err(error) = moved {
            return Err(explain_failed_step(writer, address, &error).await);
        }
    }
    let unlocked = writer.execute_unprepared(server::UNLOCK_SCHEMA).await;
    unlocked.map(drop).map_err(unusable)
}

impl ServerAddress {
    /// The number of Myses in the database; `None` if it is new. Nothing is written.
    ///
    /// # Errors
    /// The database cannot be reached, or is not usable for this program.
    pub async fn count_myses(&self) -> Result<Option<u64>, OpenError> {
        let count = async |readers: &DatabaseConnection| {
            let (applied, _) = count_steps(readers, DatabaseLocation::Server(self)).await?;
            if applied == 0 {
                return Ok(None);
            }
            let count = mysis::Entity::find().count(readers).await;
            count.map(Some).map_err(|error| self.unusable(&error))
        };
        self.look(count).await
    }

    /// The texts that are held back from models. Nothing is written, and a database of another version has
    /// none.
    ///
    /// # Errors
    /// The database cannot be reached, or is not usable for this program.
    pub async fn held_texts(&self) -> Result<Vec<HeldText>, OpenError> {
        let read = async |readers: &DatabaseConnection| {
            let (applied, known) = count_steps(readers, DatabaseLocation::Server(self)).await?;
            if applied != known {
                return Ok(Vec::new());
            }
            let texts = held::read_texts(readers).await;
            texts.map_err(|error| self.unusable(&error))
        };
        self.look(read).await
    }

    async fn look<T>(
        &self,
        read: impl AsyncFnOnce(&DatabaseConnection) -> Result<T, OpenError>,
    ) -> Result<T, OpenError> {
        self.check_reachable().await?;
        let readers = self.open_single();
        let seen = tokio::time::timeout(ANSWER_TIMEOUT, read(&readers)).await;
        server::close_single(readers).await;
        seen.unwrap_or_else(|_| Err(self.silent()))
    }
}

/// The reason why a migration failed. Most likely the extension that it needs is missing.
async fn explain_failed_step(
    writer: &DatabaseConnection,
    address: &ServerAddress,
    error: &DbErr,
) -> OpenError {
    let query = "SELECT extname::text FROM pg_extension WHERE extname = 'pg_trgm'";
    let found = query_names(writer, Statement::from_string(DbBackend::Postgres, query)).await;
    match found {
        Ok(found) if found.is_empty() => OpenError::NoTrigrams {
            address: address.to_string(),
            why: error_text(error),
        },
        Ok(_) | Err(_) => address.unusable(error),
    }
}

/// How many migrations a database has, 0 if it is new; and how many there are.
async fn count_steps(
    connection: &DatabaseConnection,
    database: DatabaseLocation<'_>,
) -> Result<(usize, usize), OpenError> {
    let found = read_schema(connection, database.dialect()).await;
    let (tables, steps) = found.map_err(|error| database.unusable(&error))?;
    let elsewhere = database.dialect().elsewhere_advice();
    let foreign = tables.into_iter().find(|table| table != STEPS_TABLE);
    if let Some(table) = foreign.filter(|_| steps.is_empty()) {
        return Err(OpenError::Foreign {
            database: database.to_string(),
            table,
            elsewhere,
        });
    }
    let known = database.migrations();
    let is_new = |step: &&String| known.iter().all(|known| known.name() != step.as_str());
    match steps.iter().find(is_new) {
        Some(step) => Err(OpenError::Newer {
            database: database.to_string(),
            step: step.clone(),
            elsewhere,
        }),
        None => Ok((steps.len(), known.len())),
    }
}

/// The tables of a database and its applied migrations. Nothing is written.
async fn read_schema(
    writer: &DatabaseConnection,
    dialect: Dialect,
) -> Result<(Vec<String>, Vec<String>), DbErr> {
    let tables = query_names(writer, dialect.list_tables()).await?;
    if !tables.iter().any(|table| table == STEPS_TABLE) {
        return Ok((tables, Vec::new()));
    }
    let query = format!("SELECT version FROM {STEPS_TABLE} ORDER BY version");
    let steps = Statement::from_string(dialect.backend(), query);
    Ok((tables, query_names(writer, steps).await?))
}

async fn query_names(writer: &DatabaseConnection, query: Statement) -> Result<Vec<String>, DbErr> {
    let rows = writer.query_all_raw(query).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// Keeps a copy of the database beside it, as of this moment. Others may read the file meanwhile, and
/// what they hold up in the log is in the copy.
async fn keep_copy(
    writer: &DatabaseConnection,
    path: &Path,
    version: usize,
) -> Result<PathBuf, OpenError> {
    let copy = free_name(path, &format!("version-{version}"));
    let kept = rescue::keep_copy(path, &copy, writer).await;
    kept.map_err(|why| OpenError::NoCopy {
        from: version,
        copy: copy.display().to_string(),
        why,
    })?;
    Ok(copy)
}

/// Changes an older database to our page size. A failure only makes commits slower.
async fn make_pages_small(writer: &DatabaseConnection) {
    let statement = format!(
        "PRAGMA journal_mode = DELETE; PRAGMA page_size = {PAGE_BYTES}; VACUUM; PRAGMA journal_mode = WAL"
    );
    for statement in statement.split("; ") {
        if let Err(error) = writer.execute_unprepared(statement).await {
            tracing::warn!(%error, statement, "failed to make the database's pages small");
        }
    }
}
