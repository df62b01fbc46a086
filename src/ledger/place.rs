//! Checks before each commit that the database file is still in place. SQLite goes on writing to a
//! file that was removed or replaced, and everything written there is lost when the process ends.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sea_orm::ConnectionTrait;
use tokio::sync::OnceCell;

use super::error_text;
use super::writer::DatabaseWriter;

/// The path of the database, and the identity of the file that was opened there.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    path: PathBuf,
    file: Option<FileId>,
    /// The greatest length of the file since we last shortened it.
    length: AtomicU64,
    /// Whether we are shortening it.
    is_shrinking: AtomicBool,
    /// The result of saving the database after its file was gone.
    rescue: OnceCell<String>,
}

/// The device and inode of a file.
pub(super) type FileId = (u64, u64);

/// The identity of the file at a path; `None` if there is none or it cannot be read.
pub(super) fn file_at(path: &Path) -> Option<FileId> {
    let file = fs::metadata(path).ok()?;
    Some((file.dev(), file.ino()))
}

/// A free name beside a file. Existing copies belong to the operator and are kept.
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

impl DatabaseFile {
    /// The database that was just opened at this path.
    pub(super) fn of(path: &Path) -> DatabaseFile {
        DatabaseFile {
            path: path.to_path_buf(),
            file: file_at(path),
            length: AtomicU64::new(0),
            is_shrinking: AtomicBool::new(false),
            rescue: OnceCell::new(),
        }
    }

    /// Checks whether the open database is still the file at its path. If not, saves its content to
    /// another file. The error says what happened, where the content is, and what to do.
    pub(super) async fn check_in_place(&self, writer: &DatabaseWriter) -> Result<(), String> {
        let Some(what) = self.find_trouble() else {
            return Ok(());
        };
        let saved = self.rescue.get_or_init(|| self.save_copy(writer)).await;
        Err(format!(
            "the database {} {what} while the program runs; {saved}",
            self.path.display()
        ))
    }

    fn find_trouble(&self) -> Option<&'static str> {
        match fs::metadata(&self.path) {
            Ok(file) if Some((file.dev(), file.ino())) != self.file => {
                Some("was replaced by another file")
            }
            Ok(file) if file.len() == 0 => Some("was emptied"),
            Ok(_) if self.is_shrinking.load(Ordering::Relaxed) => None,
            Ok(file) => {
                let longest = self.length.fetch_max(file.len(), Ordering::Relaxed);
                (file.len() < longest).then_some("was cut short")
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Some("was removed"),
            // A file that cannot be inspected may still be writable.
            Err(_) => None,
        }
    }

    /// Allows the file to become shorter.
    pub(super) fn begin_to_shrink(&self) {
        self.is_shrinking.store(true, Ordering::Relaxed);
    }

    /// Forbids the file to become shorter.
    pub(super) fn end_of_shrinking(&self) {
        self.length.store(0, Ordering::Relaxed);
        self.is_shrinking.store(false, Ordering::Relaxed);
    }

    /// Saves the content of the open database, which is complete as long as this process lives.
    async fn save_copy(&self, writer: &DatabaseWriter) -> String {
        let file = free_name(&self.path, "rescued");
        match save_into(&file, writer).await {
            Ok(()) => format!(
                "what it held is saved in {}: stop the program, put that in its place, start again",
                file.display()
            ),
            Err(why) => format!(
                "what it held could not be saved ({why}): stop the program and restore a copy"
            ),
        }
    }
}

/// Writes a copy that only its owner can read, like the database itself.
pub(super) async fn save_into(file: &Path, open: &impl ConnectionTrait) -> Result<(), String> {
    let mut made = fs::OpenOptions::new();
    made.write(true).create_new(true).mode(0o600);
    made.open(file).map_err(|error| error.to_string())?;
    // SQLite treats an existing empty file like a missing one.
    let name = file.display().to_string().replace('\'', "''");
    let vacuum = format!("VACUUM INTO '{name}'");
    let saved = open.execute_unprepared(&vacuum).await;
    saved.map(|_| ()).map_err(|error| error_text(&error))
}
