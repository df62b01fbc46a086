//! Disks: how much room is left on the one that a file is on.

use std::io;
use std::path::Path;

use rustix::fs::statvfs;

/// The bytes that this process may still write to the disk of a file or directory.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let disk = statvfs(path)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_tells_its_room_and_a_path_that_does_not_exist_is_an_error() {
        let directory = tempfile::tempdir().expect("a directory");
        assert!(free_bytes(directory.path()).expect("room") > 0);
        assert!(free_bytes(&directory.path().join("nowhere")).is_err());
    }
}
