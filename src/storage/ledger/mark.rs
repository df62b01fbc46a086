//! The mark in the header of a database file: each commit writes a random number there, and the one
//! of the commit before. So a log says which file it belongs to, which SQLite itself does not check:
//! it lays any log over any file.
//!
//! The two numbers stand in the header's fields `user_version` (this commit) and `application_id`
//! (the commit before), and thus in the first page of each commit in the log.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use uuid::Uuid;
use zoea_system::files::open_regular;

/// The first bytes of each database of SQLite.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The part of the first page that is read: the header, and the head of the list of tables.
const HEADER_BYTES: usize = 108;
const LAST_AT: usize = 60;
const BEFORE_AT: usize = 68;
/// The number of entries in the first page of the list of tables.
const ENTRIES_AT: usize = 103;

/// The mark of a state of the database. Both numbers are 0 in a file of an older version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// The number of the commit before; 0 in a copy to which nothing was added yet.
    pub(super) before: u32,
    pub(super) last: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileState {
    /// Nothing, or an empty file.
    None,
    /// Something else than a database.
    Foreign,
    /// A database without any table.
    Blank(Mark),
    Filled(Mark),
}

impl Mark {
    pub(super) fn of_page(page: &[u8]) -> Mark {
        Mark {
            before: number_at(page, BEFORE_AT),
            last: number_at(page, LAST_AT),
        }
    }

    /// The mark of the commit after this one.
    pub(super) fn next(self) -> Mark {
        Mark {
            before: self.last,
            last: random_number(),
        }
    }

    /// Whether nothing was added to the file since it was made as a copy.
    pub(super) fn is_copy(self) -> bool {
        self.before == 0 && self.last != 0
    }

    pub(super) fn statements(self) -> String {
        let Mark { before, last } = self;
        format!("PRAGMA application_id = {before}; PRAGMA user_version = {last}")
    }
}

/// What stands at this path. To be called only while this process has no connection to it: closing a
/// file ends the locks that a process has on it.
pub(super) fn state_of(path: &Path) -> io::Result<FileState> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    match open_regular(path) {
        Ok(file) => file.take(HEADER_BYTES as u64).read_to_end(&mut header)?,
        Err(error) if error.kind() == ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    if header.is_empty() {
        return Ok(FileState::None);
    }
    if header.len() < HEADER_BYTES || !header.starts_with(MAGIC) {
        return Ok(FileState::Foreign);
    }
    let mark = Mark::of_page(&header);
    Ok(match header[ENTRIES_AT..ENTRIES_AT + 2] {
        [0, 0] => FileState::Blank(mark),
        _ => FileState::Filled(mark),
    })
}

/// Gives a closed database a mark of its own, so that no log belongs to it.
pub(super) fn mark_copy(path: &Path) -> io::Result<()> {
    let mark = Mark::default().next();
    let file = OpenOptions::new().write(true).open(path)?;
    file.write_all_at(&mark.last.to_be_bytes(), LAST_AT as u64)?;
    file.write_all_at(&mark.before.to_be_bytes(), BEFORE_AT as u64)
}

/// A number that SQLite's signed fields can have, and not 0.
fn random_number() -> u32 {
    let random = Uuid::new_v4().as_u128();
    u32::try_from(random & 0x7FFF_FFFF).unwrap_or(1).max(1)
}

/// The number at a place, which stands there in the order of a file of SQLite.
pub(super) fn number_at(page: &[u8], at: usize) -> u32 {
    let bytes = page.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u32::from_be_bytes)
}
