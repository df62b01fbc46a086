//! The home's identity: a name by which a database that many homes share knows this one. A copy of a
//! home gets a name of its own.

use std::fs::{self, File};
use std::io::{self, Write};

use rustix::fs::{AtFlags, StatxFlags, statx};
use zoea_system::files::open_regular;

use super::{Home, HomeError, HomeLock, replace};

const MACHINE_FILES: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeId {
    pub id: String,
    /// For the operator: the home was copied, and why that matters.
    pub note: Option<String>,
}

impl HomeLock {
    /// The name of this home, made when it is first needed. It stays the same as long as its file is the
    /// same one, wherever the home is moved: a copy of the file, in another home, from a backup or on a
    /// cloned machine, makes a new name.
    pub fn home_id(&self) -> Result<HomeId, HomeError> {
        let home = &self.home;
        let refused = |action| HomeError::refused(action, home.directory());
        let file = home.directory().join("home.id");
        let kept = match open_regular(&file) {
            Ok(opened) => Some((mark_of(&opened), fs::read_to_string(&file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(cause) => return Err(refused("read")(cause)),
        };
        let (mark, text) = match kept {
            Some((mark, text)) => (mark, text.map_err(refused("read"))?),
            None => (String::new(), String::new()),
        };
        let mut lines = text.lines().map(str::trim);
        let before = lines.next().unwrap_or_default();
        let marked = lines.next();
        if !before.is_empty() && marked == Some(&*mark) {
            return Ok(HomeId {
                id: before.to_string(),
                note: None,
            });
        }
        // Earlier versions wrote no mark.
        let is_kept = !before.is_empty() && marked.is_none();
        let id = match is_kept {
            true => before.to_string(),
            false => uuid::Uuid::new_v4().to_string(),
        };
        home.keep_id(&id).map_err(refused("write in"))?;
        let is_copied = !before.is_empty() && !is_kept;
        let note = is_copied.then(|| copied_note(home, before, &id));
        Ok(HomeId { id, note })
    }
}

impl Home {
    fn keep_id(&self, id: &str) -> io::Result<()> {
        let file = self.directory().join("home.id");
        replace::replace_with(&file, |new| {
            let mark = mark_of(new);
            new.write_all(format!("{id}\n{mark}\n").as_bytes())
        })
    }
}

fn copied_note(home: &Home, before: &str, id: &str) -> String {
    format!(
        "{} was copied, restored from a backup or moved to another machine, so it counts as a new home on the \
         database ({id}; before: {before}). It takes no Mysis that another process may still hold. If a \
         process of the former home is frozen, `zoea processes drain NAME` frees its Myses",
        home.directory().display()
    )
}

/// What tells a file from its copies: its inode, when it came to be, and its machine. Numbers of devices
/// are none of it: they may change whenever a disk is mounted.
fn mark_of(file: &File) -> String {
    let asked = StatxFlags::INO | StatxFlags::BTIME;
    let found = statx(file, "", AtFlags::EMPTY_PATH, asked).ok();
    let born = found
        .filter(|found| StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME))
        .map(|found| (found.stx_btime.tv_sec, found.stx_btime.tv_nsec));
    let inode = found.map_or(0, |found| found.stx_ino);
    let (seconds, nanoseconds) = born.unwrap_or_default();
    let machine = MACHINE_FILES
        .iter()
        .find_map(|place| fs::read_to_string(place).ok());
    let machine = machine.as_deref().map_or("unknown", str::trim);
    format!("inode {inode}, born {seconds}.{nanoseconds:09}, machine {machine}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn identity(directory: &Path) -> HomeId {
        let home = Home::open(directory).unwrap();
        home.lock().unwrap().home_id().unwrap()
    }

    fn copy(from: &Path, to: &Path) {
        fs::create_dir(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }

    #[test]
    fn a_home_keeps_its_name_also_when_it_is_moved() {
        let place = tempfile::tempdir().unwrap();
        let (one, other) = (place.path().join("one"), place.path().join("other"));
        let first = identity(&one);
        assert_eq!(first.note, None);
        assert_eq!(identity(&one), first);
        fs::rename(&one, &other).unwrap();
        assert_eq!(identity(&other), first);
    }

    #[test]
    fn a_copy_gets_a_name_of_its_own_and_says_so_once() {
        let place = tempfile::tempdir().unwrap();
        let (one, other) = (place.path().join("one"), place.path().join("other"));
        let original = identity(&one);
        copy(&one, &other);
        let copied = identity(&other);
        assert_ne!(copied.id, original.id);
        let note = copied.note.unwrap();
        assert!(
            note.contains(&original.id) && note.contains(&copied.id),
            "{note}"
        );
        assert_eq!(
            identity(&other),
            HomeId {
                id: copied.id,
                note: None
            }
        );
        assert_eq!(identity(&one), original);
    }

    #[test]
    fn a_name_from_a_backup_is_new_and_one_of_an_earlier_version_stays() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().join("home");
        let first = identity(&home);
        let file = home.join("home.id");
        // The content of a copy in place of its own, in the same file.
        let saved = fs::read_to_string(&file).unwrap();
        fs::remove_file(&file).unwrap();
        fs::write(&file, saved).unwrap();
        assert_ne!(identity(&home).id, first.id);
        fs::write(&file, "of-before\n").unwrap();
        let kept = identity(&home);
        assert_eq!((&*kept.id, kept.note), ("of-before", None));
        assert_eq!(identity(&home).id, "of-before");
        fs::write(&file, "").unwrap();
        assert!(!identity(&home).id.is_empty());
    }
}
