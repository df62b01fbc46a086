//! The end of a file of lines. A block of lines is appended whole or not at all, also when the disk
//! accepts only a part of it.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

#[derive(Debug)]
pub(crate) struct Tail {
    file: File,
    /// The length of the file in bytes, up to the end of the last whole block.
    length: u64,
    /// Whether a torn block may follow.
    is_torn: bool,
}

impl Tail {
    /// Opens or makes a file that only its owner can read.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).mode(0o600).open(path)?;
        Ok(Self {
            length: file.metadata()?.len(),
            file,
            is_torn: false,
        })
    }

    /// Appends lines. After an error they can be appended again.
    pub(crate) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.file.set_len(self.length)?;
        }
        self.is_torn = true;
        if let Err(error) = self.file.write_all(lines) {
            // If truncating fails, the next append tries it again first.
            self.is_torn = self.file.set_len(self.length).is_err();
            return Err(error);
        }
        self.is_torn = false;
        self.length += lines.len() as u64;
        Ok(())
    }
}
