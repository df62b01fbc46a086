//! The files of a database: where it really is, its log beside it, and what is kept beside it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use zoea_system::files::create_private;

const MAX_LINKS: usize = 40;

/// The device and inode of a file.
pub(super) type FileId = (u64, u64);

#[derive(Clone, Debug)]
pub(super) struct DatabasePaths {
    /// The path as it was given, absolute. Copies and notes are kept beside it.
    pub(super) given: PathBuf,
    /// The place of the file, if the path is a link; else the same. SQLite keeps the log there.
    pub(super) real: PathBuf,
}

impl DatabasePaths {
    pub(super) fn of(path: &Path) -> DatabasePaths {
        let given = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let mut real = given.clone();
        for _ in 0..MAX_LINKS {
            let Ok(target) = fs::read_link(&real) else {
                break;
            };
            let directory = real.parent().map(Path::to_path_buf);
            real = directory.unwrap_or_default().join(target);
        }
        DatabasePaths { given, real }
    }

    pub(super) fn log(&self) -> PathBuf {
        beside(&self.real, "-wal")
    }

    /// The index of the log, which has no content of its own.
    pub(super) fn log_index(&self) -> PathBuf {
        beside(&self.real, "-shm")
    }

    /// Where the log of a file was that stands behind a link now.
    pub(super) fn log_of_link(&self) -> Option<PathBuf> {
        (self.given != self.real).then(|| beside(&self.given, "-wal"))
    }

    pub(super) fn loss_note(&self) -> PathBuf {
        beside(&self.given, ".lost")
    }

    pub(super) fn last_commit_note(&self) -> PathBuf {
        beside(&self.given, ".last")
    }

    /// A command for this database, with whole paths; `file` is its last word.
    pub(super) fn command(&self, words: &str, file: Option<&Path>) -> String {
        let home = self.given.parent().unwrap_or(Path::new("/"));
        let mut command = format!("zoea --home {} db {words}", shell_word(home));
        if let Some(file) = file {
            command.push(' ');
            command.push_str(&shell_word(file));
        }
        command
    }
}

fn shell_word(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+:@%,".contains(letter);
    match path.chars().all(is_plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A free name beside a file. Existing copies belong to the operator and are kept.
pub(super) fn free_name(path: &Path, ending: &str) -> PathBuf {
    let mut name = beside(path, &format!(".{ending}"));
    let mut number = 1;
    while fs::symlink_metadata(&name).is_ok() {
        number += 1;
        name = beside(path, &format!(".{ending}.{number}"));
    }
    name
}

/// The identity of what stands at a path, which may be a link; `None` if there is nothing or it
/// cannot be read.
pub(super) fn entry_at(path: &Path) -> Option<FileId> {
    fs::symlink_metadata(path).ok().map(|entry| id_of(&entry))
}

pub(super) fn id_of(entry: &fs::Metadata) -> FileId {
    (entry.dev(), entry.ino())
}

pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Copies a file to one that only its owner can read.
pub(super) fn copy_private(mut from: File, to: &Path) -> io::Result<()> {
    let mut to = create_private(to)?;
    io::copy(&mut from, &mut to)?;
    to.sync_all()
}

/// Removes a database with the files beside it that SQLite makes. Returns whether the database was there.
pub(super) fn remove_database(path: &Path) -> io::Result<bool> {
    let was_there = fs::symlink_metadata(path).is_ok();
    for ending in ["", "-wal", "-shm", "-journal"] {
        remove_if_there(&beside(path, ending))?;
    }
    Ok(was_there)
}

/// Makes the directory entry of a file durable, if the system can do so.
pub(super) fn sync_directory(file: &Path) {
    let directory = file.parent().map(fs::File::open);
    if let Some(Ok(directory)) = directory {
        // The content is durable already. A system that does not support this handles directories
        // differently.
        let _ = directory.sync_all();
    }
}
