//! `zoea.raised`: the file with what the operator allowed the swarm for one day, beyond its limits.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::{Home, RAISE_FILE, replace};

impl Home {
    /// What was stored last; `None` if nothing was.
    pub fn kept_raise(&self) -> io::Result<Option<String>> {
        match fs::read_to_string(self.raise_file()) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Stores it. It is on disk by then. Only the holder of the home's lock calls this.
    pub fn keep_raise(&self, raise: &str) -> io::Result<()> {
        drop(replace::replace(&self.raise_file(), raise.as_bytes())?);
        self.sync_directory()
    }

    pub fn raise_file(&self) -> PathBuf {
        self.directory().join(RAISE_FILE)
    }
}
