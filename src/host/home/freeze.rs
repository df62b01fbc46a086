//! `zoea.frozen`: the file that is there while the swarm is frozen. It contains since when.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use super::{FREEZE_FILE, Home, replace};

impl Home {
    /// Since when the swarm of this home is frozen, as it was stored; `None` if it is not frozen. A
    /// file that cannot be read counts, with an empty text: nothing leaves by mistake.
    pub fn freeze_mark(&self) -> Option<String> {
        match fs::read_to_string(self.freeze_file()) {
            Ok(text) => Some(text.trim().to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(_) => Some(String::new()),
        }
    }

    /// Stores since when the swarm is frozen, or that it is not. It is on disk by then. Only the
    /// holder of the home's lock calls this.
    ///
    /// # Errors
    /// The system's error. A mark that could not be taken back for good is there again.
    pub fn keep_freeze_mark(&self, since: Option<&str>) -> io::Result<()> {
        match since {
            Some(since) => {
                drop(replace::replace(&self.freeze_file(), since.as_bytes())?);
                self.sync_directory()
            }
            None => self.take_back_mark(|| self.sync_directory()),
        }
    }

    fn take_back_mark(&self, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let known = self.freeze_mark();
        match fs::remove_file(self.freeze_file()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let synced = sync();
        if let (Err(_), Some(since)) = (&synced, known) {
            // The swarm stays frozen, so the next start must find it so. A failure here is the one
            // that is told.
            let _ = replace::replace(&self.freeze_file(), since.as_bytes());
        }
        synced
    }

    pub(super) fn sync_directory(&self) -> io::Result<()> {
        File::open(self.directory())?.sync_all()
    }

    /// The file that is there while the swarm is frozen.
    pub fn freeze_file(&self) -> PathBuf {
        self.directory().join(FREEZE_FILE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freeze_is_there_until_it_is_taken_back() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::open(directory.path().join("home")).unwrap();
        assert_eq!(home.freeze_mark(), None);
        home.keep_freeze_mark(Some("2026-03-11T18:00:00.000Z"))
            .unwrap();
        assert_eq!(
            home.freeze_mark().as_deref(),
            Some("2026-03-11T18:00:00.000Z")
        );
        for _ in 0..2 {
            home.keep_freeze_mark(None).unwrap();
            assert_eq!(home.freeze_mark(), None);
        }
        home.keep_freeze_mark(Some("2026-03-11T18:00:00.000Z"))
            .unwrap();
        let failed = home.take_back_mark(|| Err(io::Error::other("the disk is gone")));
        assert!(failed.is_err());
        assert_eq!(
            home.freeze_mark().as_deref(),
            Some("2026-03-11T18:00:00.000Z")
        );
        home.keep_freeze_mark(None).unwrap();
        fs::create_dir(directory.path().join("home").join(FREEZE_FILE)).unwrap();
        assert_eq!(home.freeze_mark().as_deref(), Some(""));
    }
}
