//! Directories that end with their command, also where a signal ends it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::emulate_default_handler;
use tempfile::TempDir;

/// How often a directory is removed into which the command may put a file meanwhile.
const MAX_REMOVALS: u32 = 10;

/// The directories of this process. The first thread that receives a signal removes all of them.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A directory that is removed when this is dropped, or when a signal ends the program before. A command keeps it to
/// its end: once it is dropped, signals do nothing.
pub(super) struct TransientDirectory {
    directory: TempDir,
    signals: Handle,
    watcher: Option<JoinHandle<()>>,
}

impl TransientDirectory {
    pub(super) fn make(make: impl FnOnce() -> io::Result<TempDir>) -> io::Result<Self> {
        // From before there is something to remove.
        let mut signals = Signals::new(ending_signals())?;
        let mut made = TransientDirectory {
            signals: signals.handle(),
            directory: make()?,
            watcher: None,
        };
        OPEN.lock().push(made.path().to_path_buf());
        let watcher = std::thread::Builder::new().name("dir-signals".to_string());
        let watcher = watcher.spawn(move || {
            if let Some(signal) = signals.forever().next() {
                let open = OPEN.lock();
                open.iter().for_each(|place| remove(place));
                // The program ends as it would without this thread. Where that fails, the command goes on.
                let _ = emulate_default_handler(signal);
            }
        });
        made.watcher = Some(watcher?);
        Ok(made)
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }
}

impl Drop for TransientDirectory {
    fn drop(&mut self) {
        self.signals.close();
        if let Some(watcher) = self.watcher.take() {
            // Nothing in it panics.
            let _ = watcher.join();
        }
        OPEN.lock().retain(|place| place != self.directory.path());
    }
}

/// The signals that end a command, but for those that were ignored as it began (`nohup`), as far as that is known.
fn ending_signals() -> Vec<i32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let is_ignored = |signal: &i32| ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1);
    let mut signals = vec![SIGHUP, SIGINT, SIGTERM];
    signals.retain(|signal| !is_ignored(signal));
    signals
}

fn remove(place: &Path) {
    for _ in 0..MAX_REMOVALS {
        if fs::remove_dir_all(place).is_ok() {
            return;
        }
    }
}
