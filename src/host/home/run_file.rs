//! `run.json`: the addresses of the running program. The program holds a lock on it while it lives,
//! so a file that a killed program left is known to be stale.

use std::convert::Infallible;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize, Serializer};
use tokio::time::MissedTickBehavior;
use zoea_system::files::open_regular;

use super::{Home, HomeError, HomeLock, replace};

/// The addresses of the running program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    pub pid: u32,
    /// The URL of its control interface.
    pub control: String,
    /// The URL of its metrics, if it serves any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<String>,
    #[serde(serialize_with = "with_milliseconds")]
    pub started_at: DateTime<Utc>,
}

/// How often the program looks whether its file is there. A command waits longer than that.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// Keeps `run.json`, and removes it when it is dropped.
#[derive(Debug)]
pub struct RunGuard {
    path: PathBuf,
    content: Arc<[u8]>,
    file: File,
}

impl RunFile {
    /// The file of the program that runs now; `None` if none runs.
    pub fn read(home: &Home) -> Option<Self> {
        let mut file = open_regular(&home.run_file()).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => {}
            Ok(()) | Err(TryLockError::Error(_)) => return None,
        }
        let mut text = String::new();
        file.read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The file of a program that ended without removing it: it was killed, or the machine failed.
    pub fn left_behind(lock: &HomeLock) -> Option<RunFile> {
        // Who has the lock of the home knows that no other program runs there.
        let text = fs::read_to_string(lock.home.run_file()).ok()?;
        serde_json::from_str(&text).ok()
    }
}

impl HomeLock {
    /// Writes `run.json`. It replaces an older one.
    pub fn publish(&self, run: &RunFile) -> Result<RunGuard, HomeError> {
        let path = self.home.run_file();
        let written = || {
            let content: Arc<[u8]> = serde_json::to_vec(run)?.into();
            let file = replace::replace(&path, &content)?;
            io::Result::Ok((content, file))
        };
        let (content, file) = written().map_err(HomeError::refused("write", &path))?;
        Ok(RunGuard {
            path,
            content,
            file,
        })
    }
}

impl RunGuard {
    /// Writes the file again whenever it is gone, cut or replaced. Without it no command finds the program, and each
    /// would advise the operator to end it.
    pub async fn keep(&mut self) -> Infallible {
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_told = false;
        loop {
            looks.tick().await;
            match self.renew().await {
                Ok(false) => is_told = false,
                Ok(true) => {
                    is_told = false;
                    tracing::warn!("run.json was gone or changed, and is written again");
                }
                Err(error) if !is_told => {
                    is_told = true;
                    tracing::warn!(%error, "failed to write run.json again; commands cannot reach the program");
                }
                Err(_) => {}
            }
        }
    }

    /// Writes the file again if it is not as it was written. Returns whether it was not.
    async fn renew(&mut self) -> io::Result<bool> {
        let (path, content) = (self.path.clone(), self.content.clone());
        let own = self.file.try_clone()?;
        // A disk that is far away may not answer.
        let renewed = tokio::task::spawn_blocking(move || {
            let is_whole = own.metadata()?.len() == content.len() as u64;
            match is_whole && leads_to(&path, &own) {
                true => Ok(None),
                false => replace::replace(&path, &content).map(Some),
            }
        });
        let Some(file) = renewed.await.map_err(io::Error::other)?? else {
            return Ok(false);
        };
        self.file = file;
        Ok(true)
    }

    /// Whether the path still leads to this file, and not to a newer one.
    fn is_current(&self) -> bool {
        leads_to(&self.path, &self.file)
    }
}

fn leads_to(path: &Path, file: &File) -> bool {
    let inode = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (named, own) = (fs::metadata(path), file.metadata());
    named.is_ok_and(|named| own.is_ok_and(|own| inode(named) == inode(own)))
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        if self.is_current() {
            // A file that cannot be removed is recognised as stale.
            let _ = fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

/// RFC 3339, UTC.
fn with_milliseconds<S: Serializer>(time: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn run(control: &str) -> RunFile {
        RunFile {
            pid: 4242,
            control: control.into(),
            metrics: None,
            started_at: DateTime::from_timestamp_millis(1_700_000_000_123).unwrap(),
        }
    }

    fn home() -> (tempfile::TempDir, Home) {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path()).unwrap();
        (directory, home)
    }

    #[test]
    fn it_is_there_as_long_as_its_guard_is() {
        let (_directory, home) = home();
        let lock = home.lock().unwrap();
        assert_eq!(RunFile::read(&home), None);
        let guard = lock.publish(&run("http://127.0.0.1:1/mcp")).unwrap();
        assert_eq!(RunFile::read(&home), Some(run("http://127.0.0.1:1/mcp")));
        drop(guard);
        assert_eq!(RunFile::read(&home), None);
        assert!(!home.run_file().exists());
    }

    #[tokio::test]
    async fn it_is_written_again_when_it_is_gone_cut_or_another_one() {
        let (_directory, home) = home();
        let lock = home.lock().unwrap();
        let ours = run("http://127.0.0.1:1/mcp");
        let mut guard = lock.publish(&ours).unwrap();
        assert!(!guard.renew().await.unwrap());
        let path = home.run_file();
        let spoilers: [fn(&Path); 4] = [
            |path| fs::remove_file(path).unwrap(),
            |path| fs::write(path, "").unwrap(),
            |path| {
                File::options()
                    .write(true)
                    .open(path)
                    .unwrap()
                    .set_len(9)
                    .unwrap()
            },
            |path| {
                let copy = path.with_extension("copy");
                fs::copy(path, &copy).unwrap();
                fs::rename(&copy, path).unwrap();
            },
        ];
        for spoil in spoilers {
            spoil(&path);
            assert_eq!(RunFile::read(&home), None);
            assert!(guard.renew().await.unwrap());
            assert_eq!(RunFile::read(&home).as_ref(), Some(&ours));
            assert!(!guard.renew().await.unwrap());
        }
        drop(guard);
        assert!(!path.exists());
    }

    #[test]
    fn it_is_written_as_the_contract_says() {
        let (_directory, home) = home();
        let lock = home.lock().unwrap();
        let metrics = Some("http://127.0.0.1:9464/metrics".to_owned());
        let _guard = lock
            .publish(&RunFile {
                metrics,
                ..run("http://127.0.0.1:1/mcp")
            })
            .unwrap();
        let expected = r#"{"pid":4242,"control":"http://127.0.0.1:1/mcp","metrics":"http://127.0.0.1:9464/metrics","started_at":"2023-11-14T22:13:20.123Z"}"#;
        assert_eq!(fs::read_to_string(home.run_file()).unwrap(), expected);
        let mode = fs::metadata(home.run_file()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn one_that_was_left_behind_is_as_good_as_none() {
        let (_directory, home) = home();
        fs::write(
            home.run_file(),
            serde_json::to_vec(&run("http://127.0.0.1:1/mcp")).unwrap(),
        )
        .unwrap();
        assert_eq!(RunFile::read(&home), None);
        let lock = home.lock().unwrap();
        assert_eq!(RunFile::read(&home), None);
        let _guard = lock.publish(&run("http://127.0.0.1:2/mcp")).unwrap();
        assert_eq!(RunFile::read(&home), Some(run("http://127.0.0.1:2/mcp")));
    }

    #[test]
    fn the_guard_of_an_older_one_leaves_the_newer_one_alone() {
        let (_directory, home) = home();
        let lock = home.lock().unwrap();
        let older = lock.publish(&run("http://127.0.0.1:1/mcp")).unwrap();
        let newer = lock.publish(&run("http://127.0.0.1:2/mcp")).unwrap();
        drop(older);
        assert_eq!(RunFile::read(&home), Some(run("http://127.0.0.1:2/mcp")));
        drop(newer);
        assert!(!home.run_file().exists());
    }
}
