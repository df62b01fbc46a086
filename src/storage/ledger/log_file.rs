//! Reads the log of a database (`zoea.db-wal`) as SQLite does when it opens the file: up to the last
//! commit before the first frame that is cut or wrong.

use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

use zoea_system::files::open_regular;

use super::mark::{Mark, number_at};

pub(super) const LOG_HEADER_BYTES: usize = 32;
pub(super) const FRAME_HEADER_BYTES: usize = 24;
/// The first number of a log, without the bit that says how its checksums are made.
const MAGIC: u32 = 0x377F_0682;
const VERSION: u32 = 3_007_000;
/// Where the log's header has its salts, which each frame repeats.
pub(super) const SALTS: std::ops::Range<usize> = 16..24;

struct Checksum {
    is_big_endian: bool,
    sums: [u32; 2],
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let word = |bytes: &[u8]| {
            let bytes = bytes.try_into().unwrap_or_default();
            match self.is_big_endian {
                true => u32::from_be_bytes(bytes),
                false => u32::from_le_bytes(bytes),
            }
        };
        for pair in bytes.chunks_exact(8) {
            let [first, second] = self.sums;
            let first = first.wrapping_add(word(&pair[..4])).wrapping_add(second);
            let second = second.wrapping_add(word(&pair[4..])).wrapping_add(first);
            self.sums = [first, second];
        }
    }

    fn is(&self, bytes: &[u8]) -> bool {
        self.sums == [number_at(bytes, 0), number_at(bytes, 4)]
    }
}

/// The marks of a log's commits that wrote the first page, in their order; `None` if there is no log, or no
/// commit in it.
pub(super) fn read_log(path: &Path) -> io::Result<Option<Vec<Mark>>> {
    let file = match open_regular(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut file = BufReader::with_capacity(1 << 16, file);
    let mut header = [0; LOG_HEADER_BYTES];
    if !fill(&mut file, &mut header)? {
        return Ok(None);
    }
    let magic = number_at(&header, 0);
    let page_bytes = number_at(&header, 8) as usize;
    let is_known = magic & !1 == MAGIC && number_at(&header, 4) == VERSION;
    if !is_known || !page_bytes.is_power_of_two() || !(512..=65_536).contains(&page_bytes) {
        return Ok(None);
    }
    let mut checksum = Checksum {
        is_big_endian: magic & 1 == 1,
        sums: [0; 2],
    };
    checksum.add(&header[..24]);
    if !checksum.is(&header[24..]) {
        return Ok(None);
    }
    let mut frame = vec![0; FRAME_HEADER_BYTES + page_bytes];
    let (mut marks, mut open, mut has_commit) = (Vec::new(), Vec::new(), false);
    while fill(&mut file, &mut frame)? {
        let (head, page) = frame.split_at(FRAME_HEADER_BYTES);
        checksum.add(&head[..8]);
        checksum.add(page);
        let (number_of_page, is_commit) = (number_at(head, 0), number_at(head, 4) != 0);
        if number_of_page == 0 || head[8..16] != header[SALTS] || !checksum.is(&head[16..]) {
            break;
        }
        if number_of_page == 1 {
            open.push(Mark::of_page(page));
        }
        if is_commit {
            marks.append(&mut open);
            has_commit = true;
        }
    }
    Ok(has_commit.then_some(marks))
}

/// Fills the buffer; `false` at the end of the file.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
