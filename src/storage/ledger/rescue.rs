//! Saves the content of a database whose files were taken away while it was open.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat};
use sea_orm::sqlx::SqlitePool;
use sea_orm::{ConnectionTrait, DatabaseConnection};
use zoea_system::files::create_private;

use super::connection::read_number;
use super::loss::SavedContent;
use super::mark::mark_copy;
use super::paths::{DatabasePaths, beside, free_name, remove_database, sync_directory};
use super::{error_text, file, settling};

/// Saves the content of the open database, which is complete as long as this process lives, unless
/// its files were cut. Where the log was, its beginning is saved with the file, if that is in place.
pub(super) async fn save(
    paths: &DatabasePaths,
    open: &SqlitePool,
    is_in_place: bool,
) -> SavedContent {
    let unfinished = beside(&paths.given, ".rescuing");
    let open: DatabaseConnection = open.clone().into();
    let put = || put_in_place(&unfinished, free_name(&paths.given, "rescued"));
    let why = match save_all(&unfinished, &open).await.and_then(|()| put()) {
        Ok(file) => return SavedContent::All(file),
        Err(why) => why,
    };
    if is_in_place
        && let Ok(until) = save_beginning(&unfinished, paths).await
        && let Ok(file) = put()
    {
        return SavedContent::Part { file, until };
    }
    let _ = remove_database(&unfinished);
    SavedContent::Nothing(why)
}

/// Keeps a copy of an open database beside it. It gets its name once it is complete and durable.
pub(super) async fn keep_copy(
    database: &Path,
    copy: &Path,
    open: &impl ConnectionTrait,
) -> Result<(), String> {
    let unfinished = beside(database, ".copying");
    // A killed process may have left one.
    remove_database(&unfinished).map_err(|error| error.to_string())?;
    save_into(&unfinished, open).await?;
    let kept = sync_file(&unfinished)
        .and_then(|()| put_in_place(&unfinished, copy.to_path_buf()).map(drop));
    if kept.is_err() {
        // A copy without its name is of no use.
        let _ = remove_database(&unfinished);
    }
    kept
}

fn put_in_place(unfinished: &Path, file: PathBuf) -> Result<PathBuf, String> {
    fs::rename(unfinished, &file).map_err(|error| error.to_string())?;
    sync_directory(&file);
    // Checking the copy may leave files beside it.
    let _ = remove_database(unfinished);
    Ok(file)
}

async fn save_all(to: &Path, open: &impl ConnectionTrait) -> Result<(), String> {
    remove_database(to).map_err(|error| error.to_string())?;
    save_into(to, open).await?;
    check_durable(to).await
}

fn sync_file(copy: &Path) -> Result<(), String> {
    let saved = fs::File::open(copy).and_then(|file| file.sync_all());
    saved.map_err(|error| error.to_string())
}

async fn check_durable(copy: &Path) -> Result<(), String> {
    sync_file(copy)?;
    sync_directory(copy);
    let refused = |error| error_text(&error);
    let sound = settling::sound(file::open_without_log(copy).await).await;
    let Some(connection) = sound.map_err(refused)? else {
        return Err("the copy is damaged".to_string());
    };
    connection.close().await.map_err(refused)
}

/// Saves the file with what is left of its log. Returns the time of the newest event in it.
async fn save_beginning(to: &Path, paths: &DatabasePaths) -> Result<String, String> {
    let refused = |error: std::io::Error| error.to_string();
    remove_database(to).map_err(refused)?;
    fs::copy(&paths.real, to).map_err(refused)?;
    if paths.log().exists() {
        fs::copy(paths.log(), beside(to, "-wal")).map_err(refused)?;
    }
    let writer = file::open_writer(to).await;
    let writer = writer.map_err(|error| error_text(&error))?;
    let newest = "SELECT coalesce(max(at), 0) FROM event";
    let newest = read_number(writer.connection(), newest).await;
    writer.close().await;
    let at = newest.map_err(|error| error_text(&error))?;
    mark_copy(to).map_err(refused)?;
    check_durable(to).await?;
    let at = DateTime::from_timestamp_millis(at).unwrap_or_default();
    Ok(at.to_rfc3339_opts(SecondsFormat::Secs, true))
}

/// Writes a copy that only its owner can read, like the database itself. No log belongs to it.
pub(super) async fn save_into(file: &Path, open: &impl ConnectionTrait) -> Result<(), String> {
    create_private(file).map_err(|error| error.to_string())?;
    let saved = vacuum_into(file, open).await;
    if saved.is_err() {
        // An incomplete copy is of no use.
        let _ = fs::remove_file(file);
    }
    saved
}

/// SQLite treats an existing empty file like a missing one.
async fn vacuum_into(file: &Path, open: &impl ConnectionTrait) -> Result<(), String> {
    let name = file.display().to_string().replace('\'', "''");
    let vacuum = format!("VACUUM INTO '{name}'");
    let saved = open.execute_unprepared(&vacuum).await;
    saved.map_err(|error| error_text(&error))?;
    mark_copy(file).map_err(|error| error.to_string())
}
