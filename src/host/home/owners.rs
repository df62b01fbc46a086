//! Who ran here: the processes that held this home's lock and are therefore gone.
//!
//! Each process that runs Myses of a shared database notes the owner of its leases in the lock file, with
//! the place of that file: the machine since it started, the device and the inode. Whoever has the lock and
//! finds the same place knows that those processes are gone, because each of them held this very lock. As
//! long as one of them lives it has the file open, so no other file can have its place. A copy of the file
//! has another place, and so has a clone of the machine.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;

/// Where Linux says since which start of the machine it runs.
const BOOT_FILE: &str = "/proc/sys/kernel/random/boot_id";
/// The most owners that are kept. Each start takes what all of them left.
pub(super) const MAX_OWNERS: usize = 8;
/// The most bytes of a lock file that are read.
const MAX_BYTES: u64 = 4096;

/// Takes a lock file over: writes this process's id into it, for processes that are refused, and returns
/// the owners of leases that are known to be gone.
pub(super) fn take_over(file: &File) -> io::Result<Vec<String>> {
    let text = read(file)?;
    let mut lines = text.lines().skip(1).map(str::trim);
    let place = lines.next();
    let gone: Vec<String> = match (place, place_of(file)?) {
        (Some(noted), Some(place)) if noted == place => lines
            .filter(|owner| !owner.is_empty())
            .map(str::to_string)
            .collect(),
        (_, _) => Vec::new(),
    };
    let owners: Vec<&str> = gone.iter().map(String::as_str).collect();
    write_holder(file, &owners)?;
    Ok(gone)
}

/// The process that has the lock, if it has said so.
pub(super) fn read_holder(file: &File) -> Option<u32> {
    read(file).ok()?.lines().next()?.trim().parse().ok()
}

fn read(mut file: &File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes the file in one piece, so that a kill leaves the old content or the new one.
pub(super) fn write_holder(mut file: &File, owners: &[&str]) -> io::Result<()> {
    let mut text = format!("{}\n", std::process::id());
    match place_of(file)? {
        _ if owners.is_empty() => {}
        Some(place) => text.push_str(&format!("{place}\n{}\n", owners.join("\n"))),
        None => tracing::warn!(
            "{BOOT_FILE} cannot be read: if this process is killed, the next one here waits until its leases end \
             before it takes its Myses back"
        ),
    }
    file.rewind()?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

/// The place of a file, by which no other file goes as long as this one is open; `None` where the system
/// does not tell.
fn place_of(file: &File) -> io::Result<Option<String>> {
    let found = file.metadata()?;
    let boot = fs::read_to_string(BOOT_FILE).unwrap_or_default();
    let boot = boot.trim();
    let place = format!("{boot} {} {}", found.dev(), found.ino());
    Ok((!boot.is_empty()).then_some(place))
}

#[cfg(test)]
mod tests {
    use super::super::Home;
    use super::*;

    #[test]
    fn who_noted_itself_in_this_lock_is_gone_once_another_one_has_it() {
        let place = tempfile::tempdir().unwrap();
        let home = Home::open(place.path().join("one")).unwrap();
        for (noted, gone) in [("a", vec![]), ("b", vec!["a"]), ("c", vec!["b", "a"])] {
            // A command comes between, and changes nothing of it.
            assert_eq!(home.lock().unwrap().gone_owners(), gone);
            let lock = home.lock().unwrap();
            assert_eq!(lock.gone_owners(), gone);
            lock.note_owner(noted).unwrap();
        }
        // Moved, it is the same file.
        let moved = place.path().join("moved");
        fs::rename(home.directory(), &moved).unwrap();
        let moved = Home::open(&moved).unwrap();
        assert_eq!(moved.lock().unwrap().gone_owners(), ["c", "b", "a"]);
        for number in 0..20 {
            let lock = moved.lock().unwrap();
            lock.note_owner(&number.to_string()).unwrap();
        }
        assert_eq!(moved.lock().unwrap().gone_owners().len(), MAX_OWNERS);
    }

    #[test]
    fn of_a_copied_lock_nothing_is_known() {
        let place = tempfile::tempdir().unwrap();
        let home = Home::open(place.path().join("one")).unwrap();
        let lock = home.lock().unwrap();
        lock.note_owner("a").unwrap();
        let copy = Home::open(place.path().join("copy")).unwrap();
        fs::copy(home.lock_file(), copy.lock_file()).unwrap();
        assert_eq!(copy.lock().unwrap().gone_owners(), [] as [&str; 0]);
        // Nor where another machine, or the same one since another start, wrote it.
        drop(lock);
        let text = fs::read_to_string(home.lock_file()).unwrap();
        let boot = fs::read_to_string(BOOT_FILE).unwrap();
        fs::write(home.lock_file(), text.replace(boot.trim(), "another-start")).unwrap();
        assert_eq!(home.lock().unwrap().gone_owners(), [] as [&str; 0]);
        for spoilt in ["", "\n", "17", "17\n\n\n", "\u{0}\n1 2 3\na"] {
            fs::write(home.lock_file(), spoilt).unwrap();
            assert_eq!(home.lock().unwrap().gone_owners(), [] as [&str; 0]);
        }
    }
}
