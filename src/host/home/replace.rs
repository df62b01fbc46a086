//! Atomic replacement of a file: a reader finds the old content or the new one, never a part.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Replaces the content of `file`. Returns the new file with its lock, which is taken before other
/// processes can see the new file.
///
/// Only the holder of the home's lock calls this, so no other process writes the temporary file.
pub(super) fn replace(file: &Path, content: &[u8]) -> io::Result<File> {
    let beside = temporary_path(file);
    let mut new = create_private(&beside)?;
    new.try_lock()?;
    new.write_all(content)?;
    new.sync_all()?;
    fs::rename(&beside, file)?;
    Ok(new)
}

/// Replaces `file` by one that `write` fills, without waiting for the disk. A power cut may bring the old
/// content back.
pub(super) fn replace_with(
    file: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let beside = temporary_path(file);
    write(&mut create_private(&beside)?)?;
    fs::rename(&beside, file)
}

/// Replaces the content of `file` without waiting for the disk. A power cut may bring the old
/// content back.
pub(super) fn replace_without_sync(file: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(file, |new| new.write_all(content))
}

/// Creates the file, or empties it. It is closed to other users.
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
