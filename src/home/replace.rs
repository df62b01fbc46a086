//! Replacing a file at once: whoever reads it finds the old content or the new, never a part.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Puts `content` in the place of whatever `file` holds. The lock on the answer, which is the new
/// file, is taken before the new file can be seen.
///
/// Only the holder of the home's lock calls this, so nobody else writes the file beside it.
pub(super) fn replace(file: &Path, content: &[u8]) -> io::Result<File> {
    let beside = temporary_path(file);
    let mut new = create_private(&beside)?;
    new.try_lock()?;
    new.write_all(content)?;
    new.sync_all()?;
    fs::rename(&beside, file)?;
    Ok(new)
}

/// Puts `content` in the place of whatever `file` holds, without waiting for the disk: a power cut
/// may bring the old content back.
pub(super) fn replace_without_sync(file: &Path, content: &[u8]) -> io::Result<()> {
    let beside = temporary_path(file);
    create_private(&beside)?.write_all(content)?;
    fs::rename(&beside, file)
}

/// Creates the file, or empties it, closed to other users.
pub(super) fn create_private(file: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(file)
}

fn temporary_path(file: &Path) -> std::path::PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    name.into()
}
