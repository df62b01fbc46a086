//! Settles, before a database is opened, which log belongs to it. SQLite lays any log over any file
//! and removes the log of a missing one, so this is decided before SQLite sees them. The caller holds
//! the home's lock.

use std::io;
use std::path::{Path, PathBuf};

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement};

use super::last_commit;
use super::log_file::read_log;
use super::mark::{FileState, Mark, state_of};
use super::paths::{DatabasePaths, free_name, remove_if_there};
use super::{OpenError, error_text, file, loss};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Belonging {
    Yes,
    No,
    /// The marks do not tell: an older version wrote them, or none.
    Unknown,
}

/// Compares the marks of a file and of its log. A file has the mark before the log's first commit, or
/// that of a commit in the log which was carried into the file.
pub(super) fn compare_marks(state: FileState, log: &[Mark]) -> Belonging {
    let is_in_log = |mark: Mark| {
        let mut marks = log.iter();
        marks.any(|of_log| [of_log.before, of_log.last].contains(&mark.last))
    };
    let is_marked = log.iter().any(|mark| mark.last != 0);
    let begins_anew = log.first().is_some_and(|mark| mark.before == 0);
    match state {
        FileState::None => Belonging::No,
        FileState::Foreign => Belonging::Unknown,
        FileState::Blank(_) | FileState::Filled(_) if log.is_empty() => Belonging::Unknown,
        // The log of a young database holds everything from the beginning on.
        FileState::Blank(mark) if mark.last == 0 && (begins_anew || !is_marked) => Belonging::Yes,
        FileState::Filled(mark) if mark.last == 0 => Belonging::Unknown,
        FileState::Blank(mark) | FileState::Filled(mark) => match is_in_log(mark) {
            true => Belonging::Yes,
            false => Belonging::No,
        },
    }
}

/// Settles what stands at the path. Returns a note for the operator if a log was set aside.
///
/// # Errors
/// Going on could lose what was acknowledged. The error says what to do.
pub(super) async fn prepare_files(paths: &DatabasePaths) -> Result<Option<String>, OpenError> {
    let unreadable = |error: io::Error| file::unusable_because(&paths.given, error.to_string());
    loss::check_over(paths)?;
    check_log_of_link(paths)?;
    let (state, log) = read_files(paths).map_err(unreadable)?;
    let belonging = belonging_of(paths, state, log.as_deref()).await?;
    match (belonging, state) {
        (Belonging::Yes, _) => {
            check_last_commit(paths, state, log.as_deref())?;
            Ok(None)
        }
        (Belonging::No, FileState::None | FileState::Blank(_)) => Err(log_without_file(paths)),
        (Belonging::No, FileState::Foreign | FileState::Filled(_)) => {
            set_log_aside(paths).map(Some).map_err(unreadable)
        }
        (Belonging::Unknown, _) => Err(log_in_doubt(paths)),
    }
}

/// Whether the log of a closed database belongs to it; also if there is none.
///
/// # Errors
/// It cannot be found out.
pub(super) async fn find_belonging(paths: &DatabasePaths) -> Result<Belonging, OpenError> {
    // A file that cannot be read is told by whoever opens it.
    match read_files(paths) {
        Ok((state, log)) => belonging_of(paths, state, log.as_deref()).await,
        Err(_) => Ok(Belonging::Unknown),
    }
}

fn read_files(paths: &DatabasePaths) -> io::Result<(FileState, Option<Vec<Mark>>)> {
    Ok((state_of(&paths.real)?, read_log(&paths.log())?))
}

async fn belonging_of(
    paths: &DatabasePaths,
    state: FileState,
    log: Option<&[Mark]>,
) -> Result<Belonging, OpenError> {
    match log.map_or(Belonging::Yes, |log| compare_marks(state, log)) {
        Belonging::Unknown => try_log(paths).await,
        told @ (Belonging::Yes | Belonging::No) => Ok(told),
    }
}

/// Checks that nothing about the place of a database waits for the operator: a loss, or a log that was
/// left behind.
///
/// # Errors
/// Something does. The error says what to do.
pub fn check_place(path: &Path) -> Result<(), OpenError> {
    let paths = DatabasePaths::of(path);
    loss::check_over(&paths)?;
    check_log_of_link(&paths)
}

/// Checks that a reader who does not hold the home's lock does not read a log that belongs to another
/// file. A running program may begin the log anew between two looks at it.
///
/// # Errors
/// It does.
pub(super) fn check_for_reader(path: &Path) -> Result<(), OpenError> {
    let paths = DatabasePaths::of(path);
    for _ in 0..3 {
        // What cannot be read is told by whoever opens it.
        let Ok((state, Some(log))) = read_files(&paths) else {
            return Ok(());
        };
        match compare_marks(state, &log) {
            Belonging::Yes | Belonging::Unknown => return Ok(()),
            Belonging::No => {}
        }
    }
    Err(OpenError::Lost(format!(
        "the log {} belongs to another file than {}: start zoea in its home once (zoea status will do), \
         which sets it aside",
        paths.log().display(),
        paths.given.display()
    )))
}

/// The error for a home whose database is gone: `trace` tells that there was one, `copy` may take its
/// place.
pub fn gone_error(path: &Path, trace: &Path, copy: Option<&Path>) -> OpenError {
    let paths = DatabasePaths::of(path);
    OpenError::Lost(format!(
        "{} is missing or empty, but this home has had a swarm ({} exists), so zoea did not start; put \
         a copy in its place by {}{}",
        paths.given.display(),
        trace.display(),
        paths.command("restore", Some(copy.unwrap_or(Path::new("BACKUP")))),
        loss::way_on(&paths)
    ))
}

/// Where the file of a database is, if its path is a link.
pub fn real_place(path: &Path) -> PathBuf {
    DatabasePaths::of(path).real
}

/// A log beside a link was left there when the file was moved behind the link.
fn check_log_of_link(paths: &DatabasePaths) -> Result<(), OpenError> {
    let left = paths.log_of_link().filter(|log| {
        let content = read_log(log);
        content.is_ok_and(|content| content.is_some())
    });
    let Some(left) = left else {
        return Ok(());
    };
    let (from, to) = (left.display(), paths.log());
    Err(OpenError::Lost(format!(
        "{} is a link to {}, but the log is not beside that file: move it by mv {from} {}",
        paths.given.display(),
        paths.real.display(),
        to.display()
    )))
}

fn log_without_file(paths: &DatabasePaths) -> OpenError {
    OpenError::Lost(format!(
        "{} is missing or empty, but its log {} exists, so zoea did not start; put the file back, or \
         put a backup in its place: {}",
        paths.given.display(),
        paths.log().display(),
        paths.command("restore", Some(Path::new("BACKUP")))
    ))
}

fn log_in_doubt(paths: &DatabasePaths) -> OpenError {
    OpenError::Lost(format!(
        "{} is damaged, with its log {} and without it; put a backup in its place: {}",
        paths.given.display(),
        paths.log().display(),
        paths.command("restore", Some(Path::new("BACKUP")))
    ))
}

fn check_last_commit(
    paths: &DatabasePaths,
    state: FileState,
    log: Option<&[Mark]>,
) -> Result<(), OpenError> {
    let Some(noted) = last_commit::read(paths) else {
        return Ok(());
    };
    let of_file = match state {
        // What is no database is told by whoever opens it.
        FileState::Foreign => return Ok(()),
        FileState::None => None,
        FileState::Blank(mark) | FileState::Filled(mark) => Some(mark),
    };
    let is_other_copy = of_file.is_some_and(|mark| mark.is_copy() && mark.last != noted.first);
    let mut marks = of_file.iter().chain(log.into_iter().flatten());
    if is_other_copy || marks.any(|mark| [mark.before, mark.last].contains(&noted.last)) {
        return Ok(());
    }
    Err(OpenError::Lost(format!(
        "the last that was acknowledged is missing in {}: its log {} was removed, cut or replaced after \
         the program was killed; put the log back, put a backup in its place by {}{}",
        paths.given.display(),
        paths.log().display(),
        paths.command("restore", Some(Path::new("BACKUP"))),
        loss::way_on(paths)
    )))
}

/// Moves a log out of the way that belongs to another file.
fn set_log_aside(paths: &DatabasePaths) -> io::Result<String> {
    let (log, aside) = (paths.log(), free_name(&paths.real, "old-log"));
    std::fs::rename(&log, &aside)?;
    remove_if_there(&paths.log_index())?;
    Ok(format!(
        "the log {} belonged to another file than {}: it was set aside as {}",
        log.display(),
        paths.given.display(),
        aside.display()
    ))
}

/// Finds out whether a log belongs to its file where the marks do not tell. With its own log a
/// database is sound and has whatever the file has.
async fn try_log(paths: &DatabasePaths) -> Result<Belonging, OpenError> {
    let unusable = |error: DbErr| file::unusable_error(&paths.given, &error);
    let with_log = sound(file::open_reader(&paths.real).await).await;
    let with_log = with_log.map_err(unusable)?;
    let alone = sound(file::open_without_log(&paths.real).await).await;
    let alone = alone.map_err(unusable)?;
    let newest = match &alone {
        Some(alone) => newest_event(alone).await,
        None => None,
    };
    let belonging = match (&with_log, &alone, newest) {
        (Some(with_log), Some(_), Some(newest)) => match has_event(with_log, newest).await {
            true => Belonging::Yes,
            false => Belonging::No,
        },
        (Some(_), _, _) => Belonging::Yes,
        (None, Some(_), _) => Belonging::No,
        (None, None, _) => Belonging::Unknown,
    };
    for connection in [with_log, alone].into_iter().flatten() {
        // The answers are there, so an error here changes nothing.
        let _ = connection.close().await;
    }
    Ok(belonging)
}

/// A connection to a sound database; `None` if it is damaged.
///
/// # Errors
/// It could not be found out.
pub(super) async fn sound(
    opened: Result<DatabaseConnection, DbErr>,
) -> Result<Option<DatabaseConnection>, DbErr> {
    let is_damage = |error: &DbErr| {
        let why = error_text(error);
        ["malformed", "not a database"]
            .iter()
            .any(|word| why.contains(word))
    };
    let connection = match opened {
        Err(error) if is_damage(&error) => return Ok(None),
        opened => opened?,
    };
    let check = Statement::from_string(DbBackend::Sqlite, "PRAGMA integrity_check(1)");
    let said = match connection.query_one_raw(check).await {
        Ok(Some(row)) => row.try_get_by_index::<String>(0)?,
        Ok(None) => String::new(),
        Err(error) if is_damage(&error) => error_text(&error),
        Err(error) => return Err(error),
    };
    if said == "ok" {
        return Ok(Some(connection));
    }
    // What is asked is answered, so an error here changes nothing.
    let _ = connection.close().await;
    Ok(None)
}

async fn newest_event(connection: &DatabaseConnection) -> Option<(i64, i64)> {
    let sql = "SELECT number, id FROM event ORDER BY number DESC LIMIT 1";
    let row = query(connection, sql).await?;
    Some((row.try_get_by_index(0).ok()?, row.try_get_by_index(1).ok()?))
}

/// Whether an event is there, or was there and is forgotten since.
async fn has_event(connection: &DatabaseConnection, (number, id): (i64, i64)) -> bool {
    let sql = format!(
        "SELECT count(*) FROM event WHERE (number = {number} AND id = {id}) \
         OR {number} < (SELECT min(number) FROM event)"
    );
    let found = query(connection, &sql).await;
    found.is_some_and(|row| row.try_get_by_index::<i64>(0).is_ok_and(|count| count > 0))
}

async fn query(connection: &DatabaseConnection, sql: &str) -> Option<sea_orm::QueryResult> {
    let asked = Statement::from_string(DbBackend::Sqlite, sql);
    connection.query_one_raw(asked).await.ok().flatten()
}
