//! Copies: backs up a database to another file while a program may use it, and restores it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use sea_orm::ConnectionTrait;
use thiserror::Error;
use zoea_system::files::open_regular;

use super::check::{CheckResult, FIGURES_CHECK, check};
use super::last_commit::LastCommit;
use super::opening::{self, DatabaseLocation};
use super::paths::{
    self, DatabasePaths, copy_private, free_name, remove_database, remove_if_there, sync_directory,
};
use super::rescue::save_into;
use super::settling::{self, Belonging};
use super::{OpenError, SqlLedger, file, loss, mark};

#[derive(Debug, Error)]
pub enum CopyError {
    /// The source cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file exists, and no file is ever overwritten.
    #[error("{0} exists already; name a file that does not")]
    Exists(String),
    /// The copy cannot be written.
    #[error("write {file}: {why}; choose a file in a directory that exists and has room")]
    Unwritten { file: String, why: String },
    /// The backup cannot be read. Nothing was replaced.
    #[error("read {file}: {why}; name a file that `zoea db backup` wrote")]
    Unreadable { file: String, why: String },
    /// The copy is not sound. Nothing was replaced.
    #[error("{file} is not sound, and nothing was replaced: {why}")]
    Unsound { file: String, why: String },
    /// A server's database is copied by the server's own tools.
    #[error("the database is on a server: use pg_dump")]
    OnServer,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoreResult {
    pub replaced: Option<PathBuf>,
    /// Where the logs are now that did not belong to it.
    pub logs: Vec<PathBuf>,
}

/// Writes the database to another file as of one moment. Returns the size in bytes. Writers are not
/// delayed. Only its owner can read the copy.
///
/// # Errors
/// The other file exists or cannot be written, or the copy is not sound.
pub async fn back_up(database: &Path, to: &Path) -> Result<u64, CopyError> {
    check_free(to)?;
    let reader = opening::open_for_reading(database).await?;
    let saved = save_into(to, &reader).await;
    // The copy is made, so an error here changes nothing.
    let _ = reader.close().await;
    finish_backup(to, saved).await
}

impl SqlLedger {
    /// Writes the open database to another file, as [`back_up`] does for other processes. This one does
    /// not look at the file itself, because closing it would end the locks of all its connections.
    ///
    /// # Errors
    /// As for [`back_up`], or the database is on a server, or it was lost.
    pub async fn back_up(&self, to: &Path) -> Result<u64, CopyError> {
        let place = self.inner.place.as_ref().ok_or(CopyError::OnServer)?;
        check_free(to)?;
        place.check_in_place().await.map_err(OpenError::Lost)?;
        let saved = save_into(to, self.inner.readers.inner()).await;
        finish_backup(to, saved).await
    }
}

fn check_free(to: &Path) -> Result<(), CopyError> {
    match to.exists() {
        true => Err(CopyError::Exists(to.display().to_string())),
        false => Ok(()),
    }
}

/// Makes a backup durable and checks it, once it is written.
async fn finish_backup(to: &Path, saved: Result<(), String>) -> Result<u64, CopyError> {
    saved.map_err(|why| unwritten_error(to, why))?;
    let checked = check_durable(to).await;
    if checked.is_err() {
        // A copy that is not sound is of no use.
        let _ = fs::remove_file(to);
    }
    checked
}

/// Makes a copy durable and checks it. Returns its size in bytes.
async fn check_durable(copy: &Path) -> Result<u64, CopyError> {
    let refused = |error: io::Error| unwritten_error(copy, error.to_string());
    let file = File::open(copy).map_err(refused)?;
    file.sync_all().map_err(refused)?;
    sync_directory(copy);
    check_sound(copy).await?;
    Ok(file.metadata().map_err(refused)?.len())
}

/// Puts a copy in the place of a database that no program uses (the caller holds the home's lock),
/// whatever stands there. The copy is checked before anything changes, and what was there is kept
/// beside it, with its log. If the process is killed, one of the two is in place and complete.
///
/// # Errors
/// The copy is not our database, is not sound, or cannot be put there.
pub async fn restore(copy: &Path, database: &Path) -> Result<RestoreResult, CopyError> {
    let paths = replaceable_paths(database);
    let beside = unfinished_restore(&paths);
    remove_database(&beside).map_err(|error| unwritten_error(&beside, error.to_string()))?;
    let sound = prepare_copy(copy, &beside).await;
    if sound.is_err() {
        // A copy that was not put in place is of no use.
        let _ = remove_database(&beside);
    }
    sound?;
    let (replaced, aside) = set_aside(&paths).await?;
    let put = fs::rename(&beside, &paths.real);
    put.map_err(|error| unwritten_error(&paths.real, error.to_string()))?;
    sync_directory(&paths.real);
    // The log of before is laid over nothing: the copy has a mark of its own.
    let logs = set_logs_aside(&paths, &aside)?;
    forget_the_past(&paths);
    // Removes the files that checking the copy left beside it.
    let _ = remove_database(&beside);
    Ok(RestoreResult { replaced, logs })
}

/// Clears the place of a database for a new one. What is there is kept beside it, with its log.
pub async fn clear_place(database: &Path) -> Result<RestoreResult, CopyError> {
    let paths = replaceable_paths(database);
    let (replaced, aside) = set_aside(&paths).await?;
    let removed = remove_if_there(&paths.real);
    removed.map_err(|error| unwritten_error(&paths.real, error.to_string()))?;
    let logs = set_logs_aside(&paths, &aside)?;
    forget_the_past(&paths);
    Ok(RestoreResult { replaced, logs })
}

/// The paths of a database that is to be replaced. A link that leads nowhere is itself replaced.
fn replaceable_paths(database: &Path) -> DatabasePaths {
    let paths = DatabasePaths::of(database);
    match fs::metadata(&paths.given) {
        Ok(_) => paths,
        Err(_) => DatabasePaths {
            real: paths.given.clone(),
            given: paths.given,
        },
    }
}

fn forget_the_past(paths: &DatabasePaths) {
    loss::forget(paths);
    LastCommit::of(paths).remove();
}

/// Copies a backup, with the log that belongs to it, brings it up to date and checks it.
async fn prepare_copy(copy: &Path, beside: &Path) -> Result<(), CopyError> {
    let from = DatabasePaths::of(copy);
    let unreadable = |error: io::Error| CopyError::Unreadable {
        file: copy.display().to_string(),
        why: error.to_string(),
    };
    let belonging = settling::find_belonging(&from).await?;
    write_copy(copy, beside)?;
    if from.log().exists() && belonging == Belonging::Yes {
        write_copy(&from.log(), &paths::beside(beside, "-wal"))?;
    }
    opening::migrate_copy(beside).await?;
    mark::mark_copy(beside).map_err(unreadable)?;
    check_durable(beside).await.map(|_| ())
}

/// The copy of a restore in progress.
fn unfinished_restore(paths: &DatabasePaths) -> PathBuf {
    paths::beside(&paths.real, ".restoring")
}

/// Removes the files of a killed restore (the caller holds the home's lock). Returns a note if
/// there was a copy that had not been put in place.
pub fn remove_unfinished_restore(database: &Path) -> io::Result<Option<String>> {
    let copy = unfinished_restore(&replaceable_paths(database));
    let was_there = remove_database(&copy)?;
    Ok(was_there.then(|| {
        format!(
            "a restore was cut short before it replaced anything; its leftover {} is removed: run the \
             command again",
            copy.display()
        )
    }))
}

/// Copies a file. The copy is never readable by other users.
fn write_copy(from: &Path, to: &Path) -> Result<(), CopyError> {
    let opened = open_regular(from).map_err(|error| CopyError::Unreadable {
        file: from.display().to_string(),
        why: error.to_string(),
    })?;
    copy_private(opened, to).map_err(|error| unwritten_error(to, error.to_string()))
}

/// Gives what stands at the place of the database a second name, so that the first one can go to
/// another file. Its own log is carried into it first. Returns that name if there was anything, and
/// the name for logs.
async fn set_aside(paths: &DatabasePaths) -> Result<(Option<PathBuf>, PathBuf), CopyError> {
    let aside = free_name(&paths.real, "replaced");
    let refused = |error: io::Error| unwritten_error(&aside, error.to_string());
    let Ok(found) = fs::symlink_metadata(&paths.real) else {
        return Ok((None, aside));
    };
    if !found.is_file() {
        fs::rename(&paths.real, &aside).map_err(refused)?;
        return Ok((Some(aside.clone()), aside));
    }
    // An empty file belongs to a program that wrote nothing. It is not kept.
    if found.len() == 0 {
        return Ok((None, aside));
    }
    let belonging = settling::find_belonging(paths).await;
    if belonging.is_ok_and(|belonging| belonging == Belonging::Yes) {
        // A damaged database keeps its log.
        truncate_log(&paths.real).await;
    }
    fs::hard_link(&paths.real, &aside).map_err(refused)?;
    Ok((Some(aside.clone()), aside))
}

/// Moves the logs beside the file that was set aside. Returns those that have content.
fn set_logs_aside(paths: &DatabasePaths, aside: &Path) -> Result<Vec<PathBuf>, CopyError> {
    let mut logs = Vec::new();
    let places = [&paths.real, &paths.given];
    let places = &places[..if paths.real == paths.given { 1 } else { 2 }];
    for place in places {
        for ending in ["-shm", "-wal", "-journal"] {
            let log = paths::beside(place, ending);
            let Ok(found) = fs::symlink_metadata(&log) else {
                continue;
            };
            let mut to = paths::beside(aside, ending);
            if to.exists() {
                to = free_name(&to, "other");
            }
            let moved = match ending == "-shm" || found.len() == 0 {
                // The index of a log has no content of its own.
                true => fs::remove_file(&log),
                false => fs::rename(&log, &to).map(|()| logs.push(to.clone())),
            };
            moved.map_err(|error| unwritten_error(&to, error.to_string()))?;
        }
    }
    Ok(logs)
}

async fn truncate_log(database: &Path) {
    let Ok(writer) = file::open_writer(database).await else {
        return;
    };
    let fold = "PRAGMA wal_checkpoint(TRUNCATE)";
    // What is left in the log is kept with the file.
    let _ = writer.connection().execute_unprepared(fold).await;
    writer.close().await;
}

async fn check_sound(copy: &Path) -> Result<(), CopyError> {
    let checked = check(&DatabaseLocation::File(copy)).await?;
    let bad = |(name, found): CheckResult| found.err().map(|why| format!("{name}: {why}"));
    // Figures that cannot be true read as 0.
    let checked = checked
        .into_iter()
        .filter(|(name, _)| *name != FIGURES_CHECK);
    let wrong: Vec<String> = checked.filter_map(bad).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(CopyError::Unsound {
        file: copy.display().to_string(),
        why: wrong.join("; "),
    })
}

fn unwritten_error(file: &Path, why: String) -> CopyError {
    CopyError::Unwritten {
        file: file.display().to_string(),
        why,
    }
}
