//! The tail of a file of lines: what is appended stands there whole or not at all, also where the disk
//! takes a part of it only.

use std::{
    fs::File,
    io::{self, Write as _},
};

/// A file that is open for appending.
#[derive(Debug)]
pub(super) struct Tail {
    file: File,
    /// How long it is, as far as it is whole.
    length: u64,
    /// Whether something may stand behind that.
    is_torn: bool,
}

impl Tail {
    pub(super) fn of(file: File) -> io::Result<Self> {
        Ok(Self {
            length: file.metadata()?.len(),
            file,
            is_torn: false,
        })
    }

    /// Appends lines. Where that fails, they can be appended again.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.file.set_len(self.length)?;
        }
        self.is_torn = true;
        if let Err(error) = self.file.write_all(lines) {
            // Else the next one does it first.
            self.is_torn = self.file.set_len(self.length).is_err();
            return Err(error);
        }
        self.is_torn = false;
        self.length += lines.len() as u64;
        Ok(())
    }
}
