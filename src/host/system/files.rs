//! Files from outside: only regular files are opened, and only a bounded length is read.
//!
//! Opening a pipe can wait for its other end, and a device may have no end at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Opens a regular file for reading. Never waits.
pub fn open_regular(file: &Path) -> io::Result<File> {
    let without_waiting = OFlags::NONBLOCK.bits().cast_signed();
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(without_waiting)
        .open(file)?;
    if opened.metadata()?.is_file() {
        return Ok(opened);
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is not a regular file; name one that is no directory, pipe or device",
    ))
}

/// The text of a regular file of at most `max_bytes`, without a byte order mark.
pub fn read_text(file: &Path, max_bytes: u64) -> io::Result<String> {
    let mut text = String::new();
    open_regular(file)?
        .take(max_bytes.saturating_add(1))
        .read_to_string(&mut text)?;
    if text.len() as u64 > max_bytes {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is longer than the {max_bytes} bytes that are read of such a file"),
        ));
    }
    Ok(without_mark(text))
}

/// The text without the byte order mark that editors of Windows put in front.
pub fn without_mark(mut text: String) -> String {
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    text
}

/// Creates a file that does not exist. It is closed to other users from its first moment, unlike a file that
/// a library creates.
pub fn create_private(file: &Path) -> io::Result<File> {
    let mut made = OpenOptions::new();
    made.write(true).create_new(true).mode(0o600).open(file)
}

/// Writes a file that does not exist, closed to other users. If it cannot be written whole, none is left: the next
/// attempt would find it there.
pub fn write_private(file: &Path, content: &[u8]) -> io::Result<()> {
    let mut made = create_private(file)?;
    let written = made.write_all(content).and_then(|()| made.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(file);
    }
    written
}

/// Creates the file, empty, unless it exists.
pub fn ensure_private_file(file: &Path) -> io::Result<()> {
    match create_private(file) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_regular_files_are_read_and_only_so_far() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a");
        std::fs::write(&file, "1234").unwrap();
        assert_eq!(read_text(&file, 4).unwrap(), "1234");
        std::fs::write(&file, "\u{feff}{}").unwrap();
        assert_eq!(read_text(&file, 5).unwrap(), "{}");
        std::fs::write(&file, "1234").unwrap();
        let long = read_text(&file, 3).unwrap_err();
        assert_eq!(long.kind(), io::ErrorKind::FileTooLarge, "{long}");
        let pipe = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for other in [
            &*pipe,
            directory.path(),
            Path::new("/dev/full"),
            Path::new("/dev/zero"),
        ] {
            let refused = read_text(other, 4).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput, "{refused}");
        }
        let none = read_text(&directory.path().join("none"), 4).unwrap_err();
        assert_eq!(none.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_private_file_is_made_once_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("zoea.db");
        ensure_private_file(&file).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::write(&file, "kept").unwrap();
        ensure_private_file(&file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    }
}
