//! The lock: one process owns a home. The system releases the lock when that process ends in any
//! way.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use super::{Home, HomeError, owners};

/// The right to write in a home; given back when it is dropped.
#[derive(Debug)]
pub struct HomeLock {
    pub(super) home: Home,
    file: File,
    /// The owners of leases that held it before.
    gone: Vec<String>,
}

/// Why the lock was not given.
#[derive(Debug, Error)]
pub enum LockError {
    #[error(
        "another zoea{} is using {}; see it with zoea attach, end it, or choose another directory with --home",
        holder.map(|pid| format!(" (process {pid})")).unwrap_or_default(),
        directory.display()
    )]
    Held {
        directory: PathBuf,
        /// That process, if it has said so.
        holder: Option<u32>,
    },
    /// A process has held it for long, and it does not serve clients: a command, or a program that cannot write
    /// `run.json`.
    #[error(
        "another zoea{} has been using {} for {}s and answers no commands: it is a command, which you can wait for \
         or end, or a swarm that cannot write run.json (zoea.log says why); you can also choose another directory \
         with --home",
        holder.map(|pid| format!(" (process {pid})")).unwrap_or_default(),
        directory.display(),
        waited.as_secs()
    )]
    Busy {
        directory: PathBuf,
        /// The id of that process, if the lock file has it.
        holder: Option<u32>,
        waited: Duration,
    },
    #[error(transparent)]
    Home(#[from] HomeError),
}

impl Home {
    /// Takes the lock without waiting.
    pub fn lock(&self) -> Result<HomeLock, LockError> {
        let path = self.lock_file();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(HomeError::refused("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let directory = self.directory().to_owned();
                return Err(LockError::Held {
                    directory,
                    holder: owners::read_holder(&file),
                });
            }
            Err(TryLockError::Error(cause)) => {
                return Err(HomeError::refused("lock", &path)(cause).into());
            }
        }
        let gone = owners::take_over(&file).map_err(HomeError::refused("write", &path))?;
        Ok(HomeLock {
            home: self.clone(),
            file,
            gone,
        })
    }
}

impl HomeLock {
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The owners of leases that ran in this home and are known to be gone, newest first.
    pub fn gone_owners(&self) -> &[String] {
        &self.gone
    }

    /// Notes the owner of the leases of this process, so that the next process here knows that it is gone.
    pub fn note_owner(&self, owner: &str) -> Result<(), HomeError> {
        let owners = std::iter::once(owner).chain(self.gone.iter().map(String::as_str));
        let owners: Vec<&str> = owners.take(owners::MAX_OWNERS).collect();
        owners::write_holder(&self.file, &owners)
            .map_err(HomeError::refused("write", &self.home.lock_file()))
    }
}

impl Drop for HomeLock {
    fn drop(&mut self) {
        // The explicit unlock is needed: a process that is just being started may still have a copy
        // of the descriptor. A failure does not matter, as the file is closed next.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufRead, BufReader, Read};
    use std::process::{Child, ChildStdout, Command, Stdio};

    use super::*;
    use zoea_settings::Environment;

    const HOLDER_HOME: &str = "ZOEA_TEST_LOCK_HOLDER_HOME";

    /// The test's other process. Without the variable this test does nothing.
    #[test]
    fn another_process_holds_the_lock_until_its_input_ends() {
        let environment = Environment::from_process();
        let Some(directory) = environment.get(HOLDER_HOME) else {
            return;
        };
        let _lock = Home::open(directory).unwrap().lock().unwrap();
        println!("\nlocked");
        io::copy(&mut io::stdin(), &mut io::sink()).unwrap();
    }

    /// The other process. Its output has a reader as long as it lives.
    struct Holder {
        process: Child,
        _output: BufReader<ChildStdout>,
    }

    /// Starts the process and waits until it has the lock.
    fn start_holder(home: &Home) -> Holder {
        let part = "host::home::lock::tests::another_process_holds_the_lock_until_its_input_ends";
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", part, "--nocapture"])
            .env(HOLDER_HOME, home.directory())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let said = output
            .by_ref()
            .lines()
            .map(Result::unwrap)
            .find(|line| line == "locked");
        assert_eq!(said.as_deref(), Some("locked"));
        Holder {
            process,
            _output: output,
        }
    }

    #[test]
    fn a_second_lock_is_refused_until_the_first_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        let lock = home.lock().unwrap();
        let refusal = home.lock().unwrap_err().to_string();
        let expected = format!(
            "another zoea (process {}) is using {}; see it with zoea attach, end it, or choose \
             another directory with --home",
            std::process::id(),
            directory.path().display()
        );
        assert_eq!(refusal, expected);
        drop(lock);
        assert!(home.lock().is_ok());
    }

    #[test]
    fn the_lock_of_another_process_ends_when_it_is_killed() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        let mut holder = start_holder(&home);
        let refusal = home.lock().unwrap_err();
        let killed = holder.process.kill().and_then(|()| holder.process.wait());
        assert!(
            matches!(refusal, LockError::Held { holder: Some(pid), .. } if pid == holder.process.id()),
            "{refusal}"
        );
        assert!(killed.is_ok(), "{killed:?}");
        assert!(home.lock().is_ok());
    }

    #[test]
    fn the_lock_of_another_process_ends_with_it() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        let mut holder = start_holder(&home);
        assert!(home.lock().is_err());
        drop(holder.process.stdin.take());
        holder.process.wait().unwrap();
        assert!(home.lock().is_ok());
    }

    #[test]
    fn homes_do_not_share_a_lock() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        let _lock = home.lock().unwrap();
        assert!(home.offline().unwrap().lock().is_ok());
    }
}
