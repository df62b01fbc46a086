//! Opening: bringing a database up to date, in place, with a copy of it kept beside it first.
//!
//! Each step is one transaction: killed half-way, a database is of the version before.

use std::path::{Path, PathBuf};

use migration::{Migrator, MigratorTrait, ServerMigrator};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, EntityTrait, PaginatorTrait, Statement,
};

use super::dialect::Dialect;
use super::entity::mysis;
use super::file::PAGE_BYTES;
use super::open_error::OpenError;
use super::place::free_name;
use super::server::{self, ServerAddress};
use super::{error_text, file};

/// The table of the steps that a database has.
const STEPS_TABLE: &str = "seaql_migrations";

/// An older database that was brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MigrationReport {
    /// The version it had.
    pub from: usize,
    /// The version it has.
    pub to: usize,
    /// The copy of it as it was.
    pub copy: PathBuf,
}

impl std::fmt::Display for MigrationReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the database was brought from version {} to version {}; a copy as it was is kept in {}",
            self.from,
            self.to,
            self.copy.display()
        )
    }
}

/// Brings a file up to date; says so where it was an older one.
pub(super) async fn migrate_file(
    writer: &DatabaseConnection,
    path: &Path,
) -> Result<Option<MigrationReport>, OpenError> {
    let shown = path.display().to_string();
    let unusable = |error: DbErr| file::unusable_error(path, &error);
    let known = steps_of::<Migrator>();
    let (tables, steps) = read_schema(writer, Dialect::Sqlite)
        .await
        .map_err(unusable)?;
    let applied = count_applied_steps(Dialect::Sqlite, &shown, &known, tables, &steps)?;
    if applied == known.len() {
        return Ok(None);
    }
    let moved = if applied == 0 {
        None
    } else {
        Some(MigrationReport {
            from: applied,
            to: known.len(),
            copy: keep_copy(writer, path, applied).await?,
        })
    };
    Migrator::up(writer, None).await.map_err(unusable)?;
    if moved.is_some() {
        make_pages_small(writer).await;
    }
    Ok(moved)
}

/// Looks at a file from beside: it must be one of ours, and no newer than this program. Nothing is
/// written.
pub(super) async fn open_for_reading(path: &Path) -> Result<DatabaseConnection, OpenError> {
    let unusable = |error: DbErr| file::unusable_error(path, &error);
    let reader = file::open_reader(path).await.map_err(unusable)?;
    let (tables, steps) = read_schema(&reader, Dialect::Sqlite)
        .await
        .map_err(unusable)?;
    let known = steps_of::<Migrator>();
    let shown = path.display().to_string();
    let applied = count_applied_steps(Dialect::Sqlite, &shown, &known, tables, &steps)?;
    if applied == known.len() {
        return Ok(reader);
    }
    Err(OpenError::Older {
        path: shown,
        from: applied,
        to: known.len(),
    })
}

/// Brings a copy of a file up to date; the copy that it was made from stays as it was.
pub(super) async fn migrate_copy(path: &Path) -> Result<(), OpenError> {
    let unusable = |error: DbErr| file::unusable_error(path, &error);
    let file = file::open_writer(path).await.map_err(unusable)?;
    let writer = file.connection();
    let known = steps_of::<Migrator>();
    let (tables, steps) = read_schema(writer, Dialect::Sqlite)
        .await
        .map_err(unusable)?;
    let shown = path.display().to_string();
    let applied = count_applied_steps(Dialect::Sqlite, &shown, &known, tables, &steps)?;
    if applied > 0 && applied < known.len() {
        Migrator::up(writer, None).await.map_err(unusable)?;
    }
    file.close().await;
    Ok(())
}

/// Brings a server's database up to date, one process at a time. Copies are the server's business:
/// each step is one transaction.
pub(super) async fn migrate_server(
    writer: &DatabaseConnection,
    address: &ServerAddress,
) -> Result<(), OpenError> {
    let unusable = |error: DbErr| address.unusable_error(error_text(&error));
    server::lock_schema(writer).await.map_err(unusable)?;
    if count_server_steps(writer, address).await? < steps_of::<ServerMigrator>().len() {
        let moved = ServerMigrator::up(writer, None).await;
        if let Err(error) = moved {
            return Err(explain_failed_step(writer, address, &error).await);
        }
    }
    server::unlock_schema(writer).await.map_err(unusable)
}

impl ServerAddress {
    /// Looks at the database and changes nothing: how many Myses are in it; none where it is new.
    ///
    /// # Errors
    /// It cannot be reached, or is not fit for this program.
    pub async fn count_myses(&self) -> Result<Option<u64>, OpenError> {
        self.check_reachable().await?;
        let readers = self.open_readers();
        let seen = count_rows(&readers, self).await;
        // What was asked was answered; a goodbye that is lost harms nobody.
        let _ = readers.close().await;
        seen
    }
}

/// How many Myses a server's database has; none where it is new. Nothing is written.
async fn count_rows(
    readers: &DatabaseConnection,
    address: &ServerAddress,
) -> Result<Option<u64>, OpenError> {
    let unusable = |error: DbErr| address.unusable_error(error_text(&error));
    if count_server_steps(readers, address).await? == 0 {
        return Ok(None);
    }
    let count = mysis::Entity::find().count(readers).await;
    count.map(Some).map_err(unusable)
}

/// How many of our steps a server's database has seen.
async fn count_server_steps(
    connection: &DatabaseConnection,
    address: &ServerAddress,
) -> Result<usize, OpenError> {
    let found = read_schema(connection, Dialect::Postgres).await;
    let (tables, steps) = found.map_err(|error| address.unusable_error(error_text(&error)))?;
    let known = steps_of::<ServerMigrator>();
    let shown = address.to_string();
    count_applied_steps(Dialect::Postgres, &shown, &known, tables, &steps)
}

/// Why a step could not be made: most likely the one extension that is needed is not there.
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
        Ok(_) | Err(_) => address.unusable_error(error_text(error)),
    }
}

fn steps_of<M: MigratorTrait>() -> Vec<String> {
    let steps = M::migrations();
    steps.iter().map(|step| step.name().to_string()).collect()
}

/// How many of our steps a database has; none where it is new.
fn count_applied_steps(
    dialect: Dialect,
    database: &str,
    known: &[String],
    tables: Vec<String>,
    steps: &[String],
) -> Result<usize, OpenError> {
    let elsewhere = dialect.elsewhere_advice();
    let foreign = tables.into_iter().find(|table| table != STEPS_TABLE);
    if let Some(table) = foreign.filter(|_| steps.is_empty()) {
        return Err(OpenError::Foreign {
            database: database.to_string(),
            table,
            elsewhere,
        });
    }
    match steps.iter().find(|step| !known.contains(step)) {
        Some(step) => Err(OpenError::Newer {
            database: database.to_string(),
            step: step.clone(),
            elsewhere,
        }),
        None => Ok(steps.len()),
    }
}

/// The tables of a database and the steps that it has. Nothing is written.
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

/// Keeps a copy of the file beside it. Everything is in the file by then, nothing in its log.
async fn keep_copy(
    writer: &DatabaseConnection,
    path: &Path,
    version: usize,
) -> Result<PathBuf, OpenError> {
    let copy = free_name(path, &format!("version-{version}"));
    let refused = |why: String| OpenError::NoCopy {
        from: version,
        copy: copy.display().to_string(),
        why,
    };
    writer
        .execute_unprepared("PRAGMA wal_checkpoint(TRUNCATE)")
        .await
        .map_err(|error| refused(error_text(&error)))?;
    let (from, to) = (path.to_path_buf(), copy.clone());
    let copied = tokio::task::spawn_blocking(move || copy_durably(&from, &to)).await;
    match copied {
        Ok(Ok(())) => Ok(copy),
        Ok(Err(error)) => Err(refused(error.to_string())),
        Err(error) => Err(refused(error.to_string())),
    }
}

/// Copies a file with its mode and makes the copy durable; a piece of a copy is not left behind.
fn copy_durably(from: &Path, to: &Path) -> std::io::Result<()> {
    let copied = std::fs::copy(from, to).and_then(|_| std::fs::File::open(to)?.sync_all());
    if copied.is_err() {
        // It may not even be there.
        let _ = std::fs::remove_file(to);
    }
    copied
}

/// Gives an older database pages of our size. One that keeps its own works as well, only dearer.
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
