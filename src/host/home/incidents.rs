//! `HOME/incidents`: the newest exchanges that failed, a file each.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Home, INCIDENTS, create_private, replace};

const MAX_INCIDENTS: usize = 20;

impl Home {
    /// Keeps the text of an incident that happened at this time, and forgets the oldest ones. If the clock was
    /// set back, its name has a later time: it is the newest one all the same.
    pub fn keep_incident(&self, at_ms: i64, text: &str) -> io::Result<()> {
        let directory = self.directory().join(INCIDENTS);
        create_private(&directory)?;
        let newest = self.incidents()?.last().and_then(|file| named_time(file));
        let at_ms = match newest {
            Some(newest) if newest > at_ms => newest.saturating_add(1),
            Some(_) | None => at_ms,
        };
        let name = |number: u32| directory.join(format!("{at_ms:013}-{number:02}.json"));
        let free = (0..100).map(name).find(|file| !file.exists());
        let file = free.unwrap_or_else(|| name(99));
        replace::create_private(&file)?.write_all(text.as_bytes())?;
        let kept = self.incidents()?;
        let surplus = kept.len().saturating_sub(MAX_INCIDENTS);
        for old in &kept[..surplus] {
            // One that cannot be removed is tried again with the next incident.
            let _ = fs::remove_file(old);
        }
        Ok(())
    }

    /// The files of the incidents, oldest first.
    pub fn incidents(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(self.directory().join(INCIDENTS)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let files = entries.flatten().map(|entry| entry.path());
        let is_incident = |file: &PathBuf| file.extension().is_some_and(|kind| kind == "json");
        let mut files: Vec<PathBuf> = files.filter(is_incident).collect();
        files.sort();
        Ok(files)
    }
}

/// The time in the name of an incident's file.
fn named_time(file: &Path) -> Option<i64> {
    let (time, _) = file.file_stem()?.to_str()?.split_once('-')?;
    time.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_newest_incidents_are_kept_and_closed_to_others() {
        let parent = tempfile::tempdir().unwrap();
        let home = Home::open(parent.path().join("home")).unwrap();
        assert_eq!(home.incidents().unwrap(), Vec::<PathBuf>::new());
        for at in 0..30 {
            home.keep_incident(1_000 + at / 2, &format!("{at}"))
                .unwrap();
        }
        let kept = home.incidents().unwrap();
        assert_eq!(kept.len(), MAX_INCIDENTS);
        let texts: Vec<String> = kept
            .iter()
            .map(|file| fs::read_to_string(file).unwrap())
            .collect();
        let newest: Vec<String> = (10..30).map(|at| at.to_string()).collect();
        assert_eq!(texts, newest);
        let mode = |file: &PathBuf| fs::metadata(file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&kept[0]), 0o600);
        assert_eq!(mode(&home.directory().join(INCIDENTS)), 0o700);
        // The directory is the program's own.
        assert!(Home::open(home.directory()).unwrap().warnings().is_empty());
    }

    #[test]
    fn the_newest_one_is_the_last_one_also_where_the_clock_was_set_back() {
        let parent = tempfile::tempdir().unwrap();
        let home = Home::open(parent.path().join("home")).unwrap();
        for at in 0..MAX_INCIDENTS {
            home.keep_incident(1_795_789_800_000, &format!("{at}"))
                .unwrap();
        }
        for text in ["earlier", "a bit later", "earlier again"] {
            home.keep_incident(5, text).unwrap();
            let kept = home.incidents().unwrap();
            assert_eq!(kept.len(), MAX_INCIDENTS);
            let last = kept.last().map(fs::read_to_string);
            assert_eq!(last.unwrap().unwrap(), text);
        }
    }
}
