//! The log file: lines are appended, each file has a bounded size, and the number of files is
//! bounded.
//!
//! No failure here stops the program. A line that cannot be written is dropped and counted. The
//! next line that can be written is preceded by one with the count.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{SecondsFormat, Utc};

/// The size limit of one log file, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The number of older log files beside the newest.
const MAX_OLD_LOGS: u32 = 5;

/// A log file that is rotated before it exceeds its size limit.
#[derive(Debug)]
pub struct RotatingFile {
    path: PathBuf,
    max_bytes: u64,
    kept: u32,
    open: Option<OpenLogFile>,
    dropped: DroppedLines,
}

/// The number of dropped lines that the log does not mention yet.
#[derive(Debug, Clone, Default)]
pub struct DroppedLines(Arc<AtomicU64>);

#[derive(Debug)]
struct OpenLogFile {
    file: File,
    bytes: u64,
    /// The file itself, whatever has its name.
    identity: (u64, u64),
}

impl DroppedLines {
    pub fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn forget(&self, reported: u64) {
        self.0.fetch_sub(reported, Ordering::Relaxed);
    }
}

impl RotatingFile {
    /// The log at `path`, with older files at `path.1` to `path.5`. No file is opened before the
    /// first line.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::with_limits(path, MAX_BYTES, MAX_OLD_LOGS)
    }

    /// A log with `kept` older files, at least one. Each file has at most `max_bytes`.
    fn with_limits(path: impl Into<PathBuf>, max_bytes: u64, kept: u32) -> Self {
        let dropped = DroppedLines::default();
        Self {
            path: path.into(),
            max_bytes,
            kept,
            open: None,
            dropped,
        }
    }

    /// The counter of dropped lines, for code that drops lines before they get here.
    pub fn dropped(&self) -> DroppedLines {
        self.dropped.clone()
    }

    /// Appends the line, which ends in a newline, or drops it.
    pub fn write_line(&mut self, line: &[u8]) {
        if self.append_with_notice(line).is_err() {
            self.dropped.count();
        }
    }

    fn append_with_notice(&mut self, line: &[u8]) -> io::Result<()> {
        let unreported = self.dropped.get();
        if unreported > 0 {
            self.append(dropped_notice(unreported).as_bytes())?;
            self.dropped.forget(unreported);
        }
        self.append(line)
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let length = line.len() as u64;
        if length > self.max_bytes {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        let mut open = self.take_open()?;
        if open.bytes + length > self.max_bytes {
            drop(open);
            self.rotate()?;
            open = self.take_open()?;
        }
        if let Err(error) = open.file.write_all(line) {
            // A part of the line may have been written. Truncating keeps every line whole.
            open.file.set_len(open.bytes)?;
            return Err(error);
        }
        open.bytes += length;
        self.open = Some(open);
        Ok(())
    }

    /// The open file, or the file opened again after a failure, or where another one or none has its name.
    fn take_open(&mut self) -> io::Result<OpenLogFile> {
        let Some(open) = self.open.take() else {
            return self.open_file();
        };
        let named = fs::metadata(&self.path).map(|named| (named.dev(), named.ino()));
        if named.is_ok_and(|named| named == open.identity) {
            return Ok(open);
        }
        drop(open);
        let mut open = self.open_file()?;
        let line = warning("the log file was removed or moved while it was in use", "");
        open.file.write_all(line.as_bytes())?;
        open.bytes += line.len() as u64;
        Ok(open)
    }

    fn open_file(&self) -> io::Result<OpenLogFile> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&self.path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.permissions().mode() & 0o077 != 0 {
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        let mut bytes = metadata.len();
        if bytes > 0 && !ends_a_line(&mut file)? {
            file.write_all(b"\n")?;
            bytes += 1;
        }
        Ok(OpenLogFile {
            file,
            bytes,
            identity: (metadata.dev(), metadata.ino()),
        })
    }

    /// Moves every file one number up. The oldest is replaced, and the path of the newest becomes
    /// free.
    fn rotate(&self) -> io::Result<()> {
        for place in (1..self.kept).rev() {
            match fs::rename(self.older_path(place), self.older_path(place + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        fs::rename(&self.path, self.older_path(1))
    }

    fn older_path(&self, place: u32) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!(".{place}"));
        name.into()
    }
}

fn ends_a_line(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn dropped_notice(dropped: u64) -> String {
    warning("log lines were dropped", &format!(",\"dropped\":{dropped}"))
}

fn warning(message: &str, fields: &str) -> String {
    let now = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
    let target = module_path!();
    format!(
        "{{\"timestamp\":\"{now}\",\"level\":\"WARN\",\"fields\":{{\"message\":\"{message}\"{fields}}},\
         \"target\":\"{target}\"}}\n"
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn lines(path: &Path) -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.ends_with('\n'), "{text}");
        text.lines().map(str::to_owned).collect()
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_files_stay_within_their_bound_and_the_newest_lines_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("zoea.log");
        let mut log = RotatingFile::with_limits(&path, 100, 2);
        for number in 0..1000 {
            log.write_line(format!("line {number:04}\n").as_bytes());
            let bytes = |name: &String| fs::metadata(directory.path().join(name)).unwrap().len();
            assert!(
                names(directory.path())
                    .iter()
                    .map(bytes)
                    .all(|bytes| bytes <= 100)
            );
        }
        assert_eq!(
            names(directory.path()),
            ["zoea.log", "zoea.log.1", "zoea.log.2"]
        );
        let kept: Vec<String> = ["zoea.log.2", "zoea.log.1", "zoea.log"]
            .iter()
            .flat_map(|name| lines(&directory.path().join(name)))
            .collect();
        let expected: Vec<String> = (970..1000)
            .map(|number| format!("line {number:04}"))
            .collect();
        assert_eq!(kept, expected);
        assert_eq!(log.dropped().get(), 0);
    }

    #[test]
    fn a_later_run_appends_to_what_is_there_and_closes_it_to_others() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("zoea.log");
        fs::write(&path, "whole\ncut by a cra").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        RotatingFile::new(&path).write_line(b"next\n");
        RotatingFile::new(&path).write_line(b"last\n");
        assert_eq!(lines(&path), ["whole", "cut by a cra", "next", "last"]);
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }

    #[test]
    fn dropped_lines_are_counted_and_told_of_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("later/zoea.log");
        let mut log = RotatingFile::with_limits(&path, 1000, 1);
        log.write_line(b"lost\n");
        log.write_line(b"lost, too\n");
        assert_eq!(log.dropped().get(), 2);
        fs::create_dir(directory.path().join("later")).unwrap();
        log.write_line(b"kept\n");
        log.write_line(b"kept, too\n");
        let lines = lines(&path);
        let notice: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
        assert_eq!(
            notice["fields"],
            serde_json::json!({"message": "log lines were dropped", "dropped": 2})
        );
        assert_eq!(notice["level"], "WARN");
        assert_eq!(lines[1..], ["kept", "kept, too"]);
        assert_eq!(log.dropped().get(), 0);
    }

    #[test]
    fn a_line_that_no_file_can_hold_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("zoea.log");
        let mut log = RotatingFile::with_limits(&path, 200, 1);
        log.write_line(format!("{}\n", "x".repeat(200)).as_bytes());
        assert_eq!(log.dropped().get(), 1);
        log.write_line(b"short\n");
        assert_eq!(lines(&path)[1], "short");
    }

    #[test]
    fn a_file_that_is_removed_or_moved_while_it_is_in_use_is_begun_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("zoea.log");
        let mut log = RotatingFile::new(&path);
        log.write_line(b"one\n");
        fs::remove_file(&path).unwrap();
        log.write_line(b"two\n");
        let found = lines(&path);
        assert!(found[0].contains("removed or moved"), "{found:?}");
        assert_eq!(found[1..], ["two"]);
        // As programs do that rotate the logs of others.
        let moved = directory.path().join("zoea.log.old");
        fs::rename(&path, &moved).unwrap();
        log.write_line(b"three\n");
        log.write_line(b"four\n");
        assert_eq!(lines(&path)[1..], ["three", "four"]);
        assert_eq!(lines(&moved).len(), 2);
        assert_eq!(log.dropped().get(), 0);
    }

    #[test]
    fn where_no_file_can_be_moved_the_bound_holds_all_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("zoea.log");
        fs::create_dir_all(directory.path().join("zoea.log.1/in-the-way")).unwrap();
        let mut log = RotatingFile::with_limits(&path, 10, 1);
        for _ in 0..10 {
            log.write_line(b"12345\n");
        }
        assert_eq!(lines(&path), ["12345"]);
        assert_eq!(log.dropped().get(), 9);
    }
}
