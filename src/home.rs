//! The home directory: everything the program keeps, where it lies, and who may see it.
//!
//! Directories are 0700 and files 0600. Whatever in it is not the program's is left alone.

mod control_token;
mod identity;
mod lock;
pub mod log;
mod permissions;
mod replace;
mod run_file;

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use lock::{HomeLock, LockError};
pub use run_file::{RunFile, RunGuard};

use crate::settings::{CONFIG_FILE, CREDENTIALS_FILE};

/// A home directory that is there, is writable and is closed to other users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    directory: PathBuf,
    warnings: Vec<String>,
}

/// Why a home directory cannot be used, and what to do about it.
#[derive(Debug, Error)]
pub enum HomeError {
    /// Something else has its name.
    #[error("{} is not a directory; choose another one with --home", directory.display())]
    NotADirectory {
        /// The path that was given.
        directory: PathBuf,
    },
    /// Others could put their files in the place of ours.
    #[error(
        "{} can be written by other users (mode {mode:04o}) and holds files that are not zoea's; \
         if it is meant for zoea alone, run chmod 700 on it, else choose another directory with --home",
        directory.display()
    )]
    Exposed {
        /// The directory.
        directory: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file with the control interface's token holds something else.
    #[error("{} holds no token; delete it, and the next run makes a new one", file.display())]
    NoToken {
        /// The file.
        file: PathBuf,
    },
    /// The system refuses.
    #[error("cannot {action} {}: {cause}; {}", path.display(), remedy_for(cause))]
    Refused {
        /// A verb: what was tried.
        action: &'static str,
        /// What it was tried on.
        path: PathBuf,
        /// The system's words.
        cause: io::Error,
    },
}

impl Home {
    /// Opens the home `directory`; creates it if it is not there.
    ///
    /// # Errors
    /// Says why it cannot be used, and what to do about it.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, HomeError> {
        let directory = directory.into();
        create_home(&directory)?;
        let warnings = permissions::close_directory(&directory)?
            .into_iter()
            .collect();
        let home = Self {
            directory,
            warnings,
        };
        home.check_writable()?;
        permissions::close_files(&home.directory)?;
        Ok(home)
    }

    /// A home inside this one, for runs that must not touch it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn offline(&self) -> Result<Self, HomeError> {
        Self::open(self.directory.join("offline"))
    }

    /// The offline home inside this one, if a swarm runs there now.
    #[must_use]
    pub fn running_offline(&self) -> Option<Self> {
        if !self.directory.join("offline").is_dir() {
            return None;
        }
        let offline = self.offline().ok()?;
        RunFile::read(&offline).is_some().then_some(offline)
    }

    /// Sentences for the operator about what was found when it was opened.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The directory itself.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The SQLite file; [`zoea_system::files::ensure_private_file`] before SQLite creates it.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.directory.join("zoea.db")
    }

    /// The configuration, where the current directory has none.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.directory.join(CONFIG_FILE)
    }

    /// The providers' keys.
    #[must_use]
    pub fn credentials(&self) -> PathBuf {
        self.directory.join(CREDENTIALS_FILE)
    }

    /// The operator's own system prompt; there is a built-in one where it does not exist.
    #[must_use]
    pub fn system_prompt(&self) -> PathBuf {
        self.directory.join("system-prompt.md")
    }

    /// Where conversations are written to from the terminal.
    #[must_use]
    pub fn exports(&self) -> PathBuf {
        self.directory.join("exports")
    }

    /// Where the reports of each day are written.
    #[must_use]
    pub fn reports(&self) -> PathBuf {
        self.directory.join("reports")
    }

    /// The newest log; older ones beside it.
    #[must_use]
    pub fn log_file(&self) -> PathBuf {
        self.directory.join("zoea.log")
    }

    /// How to reach the running program.
    #[must_use]
    pub fn run_file(&self) -> PathBuf {
        self.directory.join("run.json")
    }

    /// The control interface's token.
    #[must_use]
    pub fn token_file(&self) -> PathBuf {
        self.directory.join("control.token")
    }

    /// What the operator wrote at the terminal, for the next run.
    #[must_use]
    pub fn history(&self) -> PathBuf {
        self.directory.join("zoea.history")
    }

    /// Keeps what the operator wrote at the terminal, in the place of what was kept before.
    ///
    /// # Errors
    /// The system's, if it refuses.
    pub fn keep_history(&self, lines: &str) -> io::Result<()> {
        replace::replace_without_sync(&self.history(), lines.as_bytes())
    }

    /// Writes the report of a day, in the place of any other of that name.
    ///
    /// # Errors
    /// The system's, if it refuses.
    pub fn put_report(&self, name: &str, text: &str) -> io::Result<()> {
        let directory = self.reports();
        create_private(&directory)?;
        replace::replace_without_sync(&directory.join(name), text.as_bytes())
    }

    /// Where pictures of the screen and what is written from it go.
    #[must_use]
    pub fn screens(&self) -> PathBuf {
        self.directory.join("screens")
    }

    fn lock_file(&self) -> PathBuf {
        self.directory.join("zoea.lock")
    }

    fn check_writable(&self) -> Result<(), HomeError> {
        // A file without a name, or with one of its own: other commands try at the same moment.
        tempfile::tempfile_in(&self.directory)
            .map(drop)
            .map_err(|cause| self.refused("write in", cause))
    }

    fn refused(&self, action: &'static str, cause: io::Error) -> HomeError {
        HomeError::Refused {
            action,
            path: self.directory.clone(),
            cause,
        }
    }
}

fn create_home(directory: &Path) -> Result<(), HomeError> {
    if directory.exists() && !directory.is_dir() {
        return Err(HomeError::NotADirectory {
            directory: directory.to_owned(),
        });
    }
    create_private(directory).map_err(|cause| HomeError::Refused {
        action: "create",
        path: directory.to_owned(),
        cause,
    })
}

/// Creates a directory if there is none, closed to other users.
fn create_private(directory: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
}

fn remedy_for(cause: &io::Error) -> &'static str {
    use io::ErrorKind::{PermissionDenied, QuotaExceeded, StorageFull};
    if matches!(cause.kind(), StorageFull | QuotaExceeded) {
        "free some space there"
    } else if cause.kind() == PermissionDenied {
        "make it belong to you, or choose another directory with --home"
    } else {
        "choose another directory with --home"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_open_a_home_at_the_same_moment() {
        let directory = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        Home::open(directory.path()).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
