//! `zoea.db.last`: the mark of the last commit, while the database is open. After a kill it tells
//! whether the log is still there as it was: a log that was removed or cut meanwhile leaves a sound
//! database, which lacks the last that was acknowledged.
//!
//! It is never synced, so it counts only on the same machine since it was started, and only where it
//! was not copied. It is removed when the database is closed.

use parking_lot::Mutex;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use zoea_system::files::create_private;

use super::mark::Mark;
use super::paths::{DatabasePaths, FileId, id_of, remove_if_there};

/// What changes with each start of the machine; `None` if it cannot be read.
static BOOT_ID: LazyLock<Option<String>> = LazyLock::new(|| {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_string())
});

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CommittedMarks {
    pub(super) first: u32,
    pub(super) last: u32,
}

#[derive(Debug)]
pub(super) struct LastCommit {
    path: PathBuf,
    open: Mutex<Option<OpenNote>>,
}

#[derive(Debug)]
struct OpenNote {
    file: File,
    first: u32,
}

impl LastCommit {
    pub(super) fn of(paths: &DatabasePaths) -> LastCommit {
        LastCommit {
            path: paths.last_commit_note(),
            open: Mutex::new(None),
        }
    }

    /// Notes a commit. A note that cannot be written is removed: none is better than an old one.
    pub(super) fn note(&self, mark: Mark) {
        let mut open = self.open.lock();
        if self.write(&mut open, mark).is_err() {
            *open = None;
            // It may not even exist.
            let _ = remove_if_there(&self.path);
        }
    }

    fn write(&self, open: &mut Option<OpenNote>, mark: Mark) -> io::Result<()> {
        let note = match open {
            Some(note) => note,
            None => {
                remove_if_there(&self.path)?;
                open.insert(OpenNote {
                    file: create_private(&self.path)?,
                    first: mark.before,
                })
            }
        };
        let marks = CommittedMarks {
            first: note.first,
            last: mark.last,
        };
        let text = text_of(id_of(&note.file.metadata()?), marks)?;
        note.file.write_all_at(text.as_bytes(), 0)
    }

    /// Removes the note: the log is in the database now.
    pub(super) fn remove(&self) {
        *self.open.lock() = None;
        // One that stays tells the truth.
        let _ = remove_if_there(&self.path);
    }
}

/// The content of the note: all lines have the same length, so that a newer one covers an older one.
fn text_of((device, inode): FileId, marks: CommittedMarks) -> io::Result<String> {
    let boot = BOOT_ID.as_ref().ok_or(io::ErrorKind::NotFound)?;
    let CommittedMarks { first, last } = marks;
    Ok(format!(
        "{boot} {device:020} {inode:020} {first:010} {last:010}\n"
    ))
}

/// The marks that the last process noted, if they can be believed.
pub(super) fn read(paths: &DatabasePaths) -> Option<CommittedMarks> {
    let path = paths.last_commit_note();
    let text = fs::read_to_string(&path).ok()?;
    let mut numbers = text.split_whitespace().rev();
    let (last, first) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    let marks = CommittedMarks { first, last };
    let expected = text_of(id_of(&fs::metadata(&path).ok()?), marks).ok()?;
    (text == expected).then_some(marks)
}
