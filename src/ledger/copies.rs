//! Copies: backs up a database to another file while a program may use it, and restores it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use sea_orm::ConnectionTrait;
use thiserror::Error;

use super::check::{CheckResult, DatabaseLocation, FIGURES_CHECK, check};
use super::place::free_name;
use super::place::save_into;
use super::{OpenError, file, opening};

/// Why a backup or a restore failed.
#[derive(Debug, Error)]
pub enum CopyError {
    /// The source cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file exists, and no file is ever overwritten.
    #[error("{0} exists already; name a file that does not")]
    Exists(String),
    /// The copy cannot be written.
    #[error("write {file}: {why}; free some space there, or choose another file")]
    Unwritten {
        /// The file.
        file: String,
        /// The system's message.
        why: String,
    },
    /// The backup cannot be read. Nothing was replaced.
    #[error("read {file}: {why}; name a file that `zoea db backup` wrote")]
    Unreadable {
        /// The file.
        file: String,
        /// The system's message.
        why: String,
    },
    /// The copy is not sound. Nothing was replaced.
    #[error("{file} is not sound, and nothing was replaced: {why}")]
    Unsound {
        /// The file.
        file: String,
        /// The finding.
        why: String,
    },
}

/// The result of a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreResult {
    /// Where the replaced database is now.
    pub replaced: Option<PathBuf>,
}

/// Writes the database to another file as of one moment. Returns the size in bytes. Writers are not
/// delayed. Only its owner can read the copy.
///
/// # Errors
/// The other file exists or cannot be written, or the copy is not sound.
pub async fn back_up(database: &Path, to: &Path) -> Result<u64, CopyError> {
    if to.exists() {
        return Err(CopyError::Exists(to.display().to_string()));
    }
    let reader = opening::open_for_reading(database).await?;
    let saved = save_into(to, &reader).await;
    // The copy is made, so an error here changes nothing.
    let _ = reader.close().await;
    let finished = match saved {
        Ok(()) => sync_and_check(to).await,
        Err(why) => Err(unwritten_error(to, why)),
    };
    if finished.is_err() {
        // An incomplete copy is of no use. It may not even exist.
        let _ = fs::remove_file(to);
    }
    finished
}

/// Makes a copy durable and checks it.
async fn sync_and_check(copy: &Path) -> Result<u64, CopyError> {
    let refused = |error: io::Error| unwritten_error(copy, error.to_string());
    let file = File::open(copy).map_err(refused)?;
    file.sync_all().map_err(refused)?;
    sync_directory(copy);
    check_sound(copy).await?;
    Ok(file.metadata().map_err(refused)?.len())
}

/// Puts a copy in the place of a database that no program uses (the caller holds the home's lock).
/// The copy is checked before anything changes, and the database that was there is kept beside it.
/// If the process is killed, one of the two is in place and complete.
///
/// # Errors
/// The copy is not our database, is not sound, or cannot be put there.
pub async fn restore(copy: &Path, database: &Path) -> Result<RestoreResult, CopyError> {
    let [beside, ..] = restore_files(database);
    remove_unfinished_restore(database)
        .map_err(|error| unwritten_error(&beside, error.to_string()))?;
    let sound = match write_copy(copy, &beside) {
        Ok(()) => match opening::migrate_copy(&beside).await {
            Ok(()) => check_sound(&beside).await,
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error),
    };
    if sound.is_err() {
        // A copy that was not put in place is of no use.
        let _ = remove_unfinished_restore(database);
    }
    sound?;
    let replaced = match database.metadata() {
        Ok(found) if found.len() > 0 => Some(set_aside(database).await?),
        // An empty file belongs to a program that wrote nothing. It is not kept.
        Ok(_) | Err(_) => None,
    };
    fs::rename(&beside, database).map_err(|error| unwritten_error(database, error.to_string()))?;
    sync_directory(database);
    // Removes the files that checking the copy left beside it.
    let _ = remove_unfinished_restore(database);
    Ok(RestoreResult { replaced })
}

/// The files of a restore in progress: the copy, and the files that appear beside it while it is
/// checked.
fn restore_files(database: &Path) -> [PathBuf; 4] {
    ["", "-wal", "-shm", "-journal"].map(|ending| {
        let mut beside = database.as_os_str().to_owned();
        beside.push(".restoring");
        beside.push(ending);
        PathBuf::from(beside)
    })
}

/// Removes the files of a killed restore (the caller holds the home's lock). Returns a note if
/// there was a copy that had not been put in place.
///
/// # Errors
/// It cannot be removed.
pub fn remove_unfinished_restore(database: &Path) -> io::Result<Option<String>> {
    let mut note = None;
    for (file, is_copy) in restore_files(database)
        .into_iter()
        .zip([true, false, false, false])
    {
        match fs::remove_file(&file) {
            Ok(()) if is_copy => {
                note = Some(format!(
                    "a restore was cut short before it replaced anything; what it left behind, {}, is \
                     removed: give the command again",
                    file.display()
                ));
            }
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(note)
}

/// Copies a file. The copy is never readable by other users.
fn write_copy(from: &Path, to: &Path) -> Result<(), CopyError> {
    let opened = zoea_system::files::open_regular(from);
    let mut opened = opened.map_err(|error| CopyError::Unreadable {
        file: from.display().to_string(),
        why: error.to_string(),
    })?;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let written = options.open(to).and_then(|mut to| {
        io::copy(&mut opened, &mut to)?;
        to.sync_all()
    });
    written.map_err(|error| unwritten_error(to, error.to_string()))
}

/// Empties the database's log and gives the file a second name, so that the first one can go to
/// another file.
async fn set_aside(database: &Path) -> Result<PathBuf, CopyError> {
    let aside = free_name(database, "replaced");
    let refused = |error: io::Error| unwritten_error(&aside, error.to_string());
    // An empty log means that the file is complete. A damaged database keeps its log.
    let is_folded = truncate_log(database).await;
    fs::hard_link(database, &aside).map_err(refused)?;
    for ending in ["-wal", "-shm"] {
        let with = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let log = with(database);
        let moved = match is_folded {
            true => fs::remove_file(&log),
            false => fs::rename(&log, with(&aside)),
        };
        match moved {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(refused(error)),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(aside)
}

async fn truncate_log(database: &Path) -> bool {
    let Ok(writer) = file::open_writer(database).await else {
        return false;
    };
    let folded = writer
        .connection()
        .execute_unprepared("PRAGMA wal_checkpoint(TRUNCATE)")
        .await;
    writer.close().await;
    folded.is_ok()
}

async fn check_sound(copy: &Path) -> Result<(), CopyError> {
    let checked = check(&DatabaseLocation::File(copy)).await?;
    let bad = |(name, found): CheckResult| found.err().map(|why| format!("{name}: {why}"));
    // Figures that cannot be true are repaired whenever the copy is opened.
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

/// Makes a new directory entry durable, if the system can do so.
fn sync_directory(file: &Path) {
    let directory = file.parent().map(File::open);
    if let Some(Ok(directory)) = directory {
        // The content is durable already. A system that does not support this handles directories
        // differently.
        let _ = directory.sync_all();
    }
}

fn unwritten_error(file: &Path, why: String) -> CopyError {
    CopyError::Unwritten {
        file: file.display().to_string(),
        why,
    }
}
