//! Access: whether this process or a running program may work in a home. A process that uses the
//! home only for a moment, such as a command or a program that starts, closes or has lost its `run.json`, is
//! waited for.

use std::time::Duration;

use tokio::time::Instant;

use crate::host::home::{Home, HomeLock, LockError, RunFile};

const MAX_WAIT: Duration = Duration::from_secs(30);
/// The wait after which it is reported. Most commands end earlier.
const QUIET_WAIT: Duration = Duration::from_millis(500);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub enum HomeAccess {
    /// This process, as long as it keeps the lock.
    Own(HomeLock),
    /// The program that runs there. Commands send their requests to it.
    Running(RunFile),
}

/// Finds out which process may work in a home. It waits for a process that holds the lock and is no
/// running program. `notify` gets a sentence about the wait.
///
/// # Errors
/// That process keeps the home for too long, or the system refuses.
pub async fn acquire_home(home: &Home, notify: impl Fn(&str)) -> Result<HomeAccess, LockError> {
    let started = Instant::now();
    let mut is_announced = false;
    loop {
        if let Some(running) = RunFile::read(home) {
            return Ok(HomeAccess::Running(running));
        }
        let (directory, holder) = match home.lock() {
            Ok(lock) => return Ok(HomeAccess::Own(lock)),
            Err(LockError::Held { directory, holder }) => (directory, holder),
            Err(other) => return Err(other),
        };
        let waited = started.elapsed();
        if waited >= MAX_WAIT {
            return Err(LockError::Busy {
                directory,
                holder,
                waited,
            });
        }
        if waited >= QUIET_WAIT && !is_announced {
            is_announced = true;
            let who = holder.map(|pid| format!(" (process {pid})"));
            notify(&format!(
                "waiting for another zoea{}, which is using {}",
                who.unwrap_or_default(),
                directory.display()
            ));
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Takes the lock of a home in which no program may run.
///
/// # Errors
/// A program runs there, or an error of [`acquire_home`].
pub async fn lock_home(home: &Home, notify: impl Fn(&str)) -> Result<HomeLock, LockError> {
    match acquire_home(home, notify).await? {
        HomeAccess::Own(lock) => Ok(lock),
        HomeAccess::Running(running) => Err(LockError::Held {
            directory: home.directory().to_owned(),
            holder: Some(running.pid),
        }),
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    fn home() -> (tempfile::TempDir, Home) {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        (directory, home)
    }

    fn run_file() -> RunFile {
        RunFile {
            pid: 4242,
            control: "http://127.0.0.1:1/mcp".into(),
            metrics: None,
            started_at: chrono::DateTime::from_timestamp_millis(1_700_000_000_123).unwrap(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_that_has_the_home_is_waited_for() {
        let (_directory, home) = home();
        let held = home.lock().unwrap();
        let messages = Mutex::new(Vec::new());
        let release = async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            drop(held);
        };
        let waiting = lock_home(&home, |text| messages.lock().push(text.to_string()));
        let (lock, ()) = tokio::join!(waiting, release);
        lock.unwrap();
        let messages = messages.into_inner();
        let pid = format!("(process {})", std::process::id());
        assert!(
            messages.len() == 1 && messages[0].contains(&pid),
            "{messages:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_never_ends_is_not_waited_for_without_end() {
        let (_directory, home) = home();
        let _held = home.lock().unwrap();
        let refusal = lock_home(&home, |_| {}).await.unwrap_err();
        let text = refusal.to_string();
        assert!(matches!(refusal, LockError::Busy { .. }), "{text}");
        assert!(text.contains("for 30s"), "{text}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_program_that_starts_is_waited_for_until_it_can_be_asked() {
        let (_directory, home) = home();
        let held = home.lock().unwrap();
        let publish = async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            held.publish(&run_file()).unwrap()
        };
        let (found, _guard) = tokio::join!(acquire_home(&home, |_| {}), publish);
        let found = found.unwrap();
        assert!(
            matches!(&found, HomeAccess::Running(run) if *run == run_file()),
            "{found:?}"
        );
        let refusal = lock_home(&home, |_| {}).await.unwrap_err();
        let is_at_once = matches!(
            refusal,
            LockError::Held {
                holder: Some(4242),
                ..
            }
        );
        assert!(is_at_once, "{refusal}");
    }
}
