//! The home directory: every file that the program keeps, its path, and its permissions.
//!
//! Directories are 0700 and files 0600. Files that are not the program's are left alone.

mod control_token;
mod freeze;
mod identity;
mod incidents;
mod lock;
pub mod log;
mod owners;
mod permissions;
mod raise;
mod replace;
mod run_file;
mod traces;

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use thiserror::Error;
use zoea_settings::{CONFIG_FILE, CREDENTIALS_FILE};

pub use identity::HomeId;
pub use lock::{HomeLock, LockError};
pub use run_file::{RunFile, RunGuard};
pub use traces::Traces;

const MODEL_CHECKS_FILE: &str = "proofs.json";

const OFFLINE: &str = "offline";

const INCIDENTS: &str = "incidents";

const FREEZE_FILE: &str = "zoea.frozen";
const RAISE_FILE: &str = "zoea.raised";

/// A home directory that exists, is writable and is closed to other users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    directory: PathBuf,
    warnings: Vec<String>,
}

/// The reason why a home directory cannot be used, with the remedy.
#[derive(Debug, Error)]
pub enum HomeError {
    /// Something that is not a directory has its name.
    #[error("{} is not a directory; choose another one with --home", directory.display())]
    NotADirectory { directory: PathBuf },
    /// Other users could replace the program's files.
    #[error(
        "{} can be written by other users (mode {mode:04o}) and holds files that are not zoea's; \
         if it is meant for zoea alone, run chmod 700 on it, else choose another directory with --home",
        directory.display()
    )]
    Exposed { directory: PathBuf, mode: u32 },
    /// The file for the control interface's token has other content.
    #[error("{} holds no token; delete it, and the next run makes a new one", file.display())]
    NoToken { file: PathBuf },
    #[error("cannot {action} {}: {cause}; {}", path.display(), remedy_for(cause))]
    Refused {
        /// The operation, as a verb.
        action: &'static str,
        path: PathBuf,
        cause: io::Error,
    },
}

impl Home {
    /// Opens the home `directory`. Creates it if it does not exist.
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

    /// The home inside this one for offline runs, which must not touch this one.
    pub fn offline(&self) -> Result<Self, HomeError> {
        Self::open(self.directory.join(OFFLINE))
    }

    /// Whether this is the home of offline runs inside another one, with the state of its game.
    pub fn is_offline(&self) -> bool {
        let is_inside = self
            .directory
            .file_name()
            .is_some_and(|name| name == OFFLINE);
        is_inside && self.directory.join("galaxy").is_dir()
    }

    /// The offline home inside this one, if a swarm runs there now.
    pub fn running_offline(&self) -> Option<Self> {
        if !self.directory.join(OFFLINE).is_dir() {
            return None;
        }
        let offline = self.offline().ok()?;
        RunFile::read(&offline).is_some().then_some(offline)
    }

    /// Sentences for the operator about problems that opening it has found.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The SQLite file. [`zoea_system::files::ensure_private_file`] creates it before SQLite does.
    pub fn database(&self) -> PathBuf {
        self.directory.join("zoea.db")
    }

    /// The configuration file, for a current directory without one.
    pub fn config_file(&self) -> PathBuf {
        self.directory.join(CONFIG_FILE)
    }

    pub fn credentials(&self) -> PathBuf {
        self.directory.join(CREDENTIALS_FILE)
    }

    /// The operator's own system prompt. Without this file the built-in one is used.
    pub fn system_prompt(&self) -> PathBuf {
        self.directory.join("system-prompt.md")
    }

    pub fn routines(&self) -> PathBuf {
        self.directory.join("routines")
    }

    /// The directory for conversations that the terminal exports.
    pub fn exports(&self) -> PathBuf {
        self.directory.join("exports")
    }

    /// Makes this directory, for its owner only.
    pub fn make_exports(&self) -> io::Result<()> {
        create_private(&self.exports())
    }

    /// The directory for copies of deleted Myses.
    pub fn deleted(&self) -> PathBuf {
        self.directory.join("deleted")
    }

    pub fn reports(&self) -> PathBuf {
        self.directory.join("reports")
    }

    /// The newest log file. Older ones are beside it.
    pub fn log_file(&self) -> PathBuf {
        self.directory.join("zoea.log")
    }

    pub fn run_file(&self) -> PathBuf {
        self.directory.join("run.json")
    }

    /// The file of the control interface's token.
    pub fn token_file(&self) -> PathBuf {
        self.directory.join("control.token")
    }

    /// The operator's input history at the terminal, for the next run.
    pub fn history(&self) -> PathBuf {
        self.directory.join("zoea.history")
    }

    /// Replaces the stored input history.
    pub fn keep_history(&self, lines: &str) -> io::Result<()> {
        replace::replace_without_sync(&self.history(), lines.as_bytes())
    }

    pub fn view_choices(&self) -> PathBuf {
        self.directory.join("zoea.views.json")
    }

    /// Replaces the stored choices about the views.
    pub fn keep_view_choices(&self, text: &str) -> io::Result<()> {
        replace::replace_without_sync(&self.view_choices(), text.as_bytes())
    }

    /// Writes a daily report. It replaces one of the same name.
    pub fn put_report(&self, name: &str, text: &str) -> io::Result<()> {
        let directory = self.reports();
        create_private(&directory)?;
        replace::replace_without_sync(&directory.join(name), text.as_bytes())
    }

    /// The file with what proofs learnt about model servers.
    pub fn model_checks(&self) -> PathBuf {
        self.directory.join(MODEL_CHECKS_FILE)
    }

    /// Replaces what proofs learnt. A swarm may read the file and another command may write it
    /// meanwhile, so the file is replaced as a whole.
    pub fn keep_model_checks(&self, text: &str) -> io::Result<()> {
        let mut new = tempfile::Builder::new()
            .prefix(MODEL_CHECKS_FILE)
            .tempfile_in(&self.directory)?;
        new.write_all(text.as_bytes())?;
        new.as_file().sync_all()?;
        new.persist(self.model_checks())?;
        Ok(())
    }

    /// The directory for screenshots and for text that is written from the screen.
    pub fn screens(&self) -> PathBuf {
        self.directory.join("screens")
    }

    fn lock_file(&self) -> PathBuf {
        self.directory.join("zoea.lock")
    }

    fn check_writable(&self) -> Result<(), HomeError> {
        // The file has no name or a unique one, because other commands may test at the same moment.
        tempfile::tempfile_in(&self.directory)
            .map(drop)
            .map_err(HomeError::refused("write in", &self.directory))
    }
}

impl HomeError {
    /// What an error of the system becomes that came of doing this with this path.
    fn refused(action: &'static str, path: &Path) -> impl Fn(io::Error) -> HomeError {
        move |cause| HomeError::Refused {
            action,
            path: path.to_owned(),
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
    create_private(directory).map_err(HomeError::refused("create", directory))
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
