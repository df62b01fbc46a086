//! Opening: bringing a database up to date, in place, with a copy of it kept beside it first.
//!
//! Each step is one transaction: killed half-way, a database is of the version before.

use std::path::{Path, PathBuf};

use migration::{Migrator, MigratorTrait};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement};
use thiserror::Error;

use super::plain;

/// Bytes of a page. A commit writes whole pages: small ones make it cheap, and lose less where a
/// long text ends.
pub(super) const PAGE: u32 = 1024;

/// An older database that was brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The version it had.
    pub from: usize,
    /// The version it has.
    pub to: usize,
    /// The copy of it as it was.
    pub copy: PathBuf,
}

impl std::fmt::Display for Moved {
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

/// Why the database cannot be used; each says what to do about it.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Its schema is of a version after ours.
    #[error(
        "the database {path} was written by a newer version of zoea (it has the step `{step}`); \
         run that version, or use another home with --home"
    )]
    Newer {
        /// The database.
        path: String,
        /// The first step that we do not know.
        step: String,
    },
    /// It is another program's.
    #[error(
        "{path} is no database of zoea's (it has the table `{table}`); use another home with \
         --home. The database of a Zoea-Nova can be taken over with zoea import"
    )]
    Foreign {
        /// The database.
        path: String,
        /// One of its tables.
        table: String,
    },
    /// The copy that must be made before it is brought up to date cannot be made.
    #[error(
        "the database is of version {from} and must be brought up to date, but a copy of it cannot \
         be kept in {copy} first: {why}; free some space there, or make the directory writable"
    )]
    NoCopy {
        /// The version it has.
        from: usize,
        /// The copy.
        copy: String,
        /// The system's words.
        why: String,
    },
    /// It cannot be opened or brought up to date.
    #[error(
        "open the database {path}: {why}; check the file and its directory, restore a copy, or \
         use another home with --home"
    )]
    Unusable {
        /// The database.
        path: String,
        /// What went wrong.
        why: String,
    },
}

/// Brings a database up to date; says so where it was an older one.
pub(super) async fn bring_up(
    writer: &DatabaseConnection,
    path: &Path,
) -> Result<Option<Moved>, OpenError> {
    let shown = path.display().to_string();
    let unusable = |error: DbErr| OpenError::Unusable {
        path: shown.clone(),
        why: plain(&error),
    };
    let known: Vec<String> = Migrator::migrations()
        .iter()
        .map(|step| step.name().to_string())
        .collect();
    let applied = applied(writer, &shown).await?;
    if let Some(step) = applied.iter().find(|step| !known.contains(step)) {
        return Err(OpenError::Newer {
            path: shown,
            step: step.clone(),
        });
    }
    if applied.len() == known.len() {
        return Ok(None);
    }
    let moved = if applied.is_empty() {
        None
    } else {
        Some(Moved {
            from: applied.len(),
            to: known.len(),
            copy: keep_copy(writer, path, applied.len()).await?,
        })
    };
    Migrator::up(writer, None).await.map_err(unusable)?;
    if moved.is_some() {
        make_pages_small(writer).await;
    }
    Ok(moved)
}

/// The steps that a database has; none where it is new. Nothing is written.
async fn applied(writer: &DatabaseConnection, path: &str) -> Result<Vec<String>, OpenError> {
    let unusable = |error: DbErr| OpenError::Unusable {
        path: path.to_string(),
        why: plain(&error),
    };
    let tables = names(
        writer,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .await
    .map_err(unusable)?;
    let steps = if tables.iter().any(|table| table == "seaql_migrations") {
        names(
            writer,
            "SELECT version FROM seaql_migrations ORDER BY version",
        )
        .await
        .map_err(unusable)?
    } else {
        Vec::new()
    };
    let foreign = tables.into_iter().find(|table| table != "seaql_migrations");
    match foreign {
        Some(table) if steps.is_empty() => Err(OpenError::Foreign {
            path: path.to_string(),
            table,
        }),
        Some(_) | None => Ok(steps),
    }
}

async fn names(writer: &DatabaseConnection, query: &str) -> Result<Vec<String>, DbErr> {
    let rows = writer
        .query_all_raw(Statement::from_string(DbBackend::Sqlite, query))
        .await?;
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
        .map_err(|error| refused(plain(&error)))?;
    let (from, to) = (path.to_path_buf(), copy.clone());
    let copied = tokio::task::spawn_blocking(move || copy_durably(&from, &to)).await;
    match copied {
        Ok(Ok(())) => Ok(copy),
        Ok(Err(error)) => Err(refused(error.to_string())),
        Err(error) => Err(refused(error.to_string())),
    }
}

/// A name beside a file's that no file has yet: an older copy is the operator's.
pub(super) fn free_name(path: &Path, ending: &str) -> PathBuf {
    let named = |number: String| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{ending}{number}"));
        PathBuf::from(name)
    };
    let mut name = named(String::new());
    let mut number = 1;
    while name.exists() {
        number += 1;
        name = named(format!(".{number}"));
    }
    name
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
        "PRAGMA journal_mode = DELETE; PRAGMA page_size = {PAGE}; VACUUM; PRAGMA journal_mode = WAL"
    );
    for statement in statement.split("; ") {
        if let Err(error) = writer.execute_unprepared(statement).await {
            tracing::warn!(%error, statement, "failed to make the database's pages small");
        }
    }
}
