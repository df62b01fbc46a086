//! Permissions: closes the program's own files and directories to other users, and nothing else.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::HomeError;

const OTHERS_BITS: u32 = 0o077;

/// The bits with which group and others can change a directory.
const OTHERS_WRITE_BITS: u32 = 0o022;

/// Closes the directory if it contains only the program's files. Otherwise it may be shared: then
/// its mode stays, and a sentence for the operator is returned if needed.
pub(super) fn close_directory(directory: &Path) -> Result<Option<String>, HomeError> {
    let refused = |action| HomeError::refused(action, directory);
    let metadata = fs::metadata(directory).map_err(refused("look at"))?;
    let mode = metadata.permissions().mode() & 0o7777;
    if mode & OTHERS_BITS == 0 {
        return Ok(None);
    }
    if holds_only_ours(directory).map_err(refused("read"))? {
        fs::set_permissions(directory, Permissions::from_mode(0o700))
            .map_err(refused("close to other users"))?;
        return Ok(None);
    }
    if mode & OTHERS_WRITE_BITS != 0 {
        return Err(HomeError::Exposed {
            directory: directory.to_owned(),
            mode,
        });
    }
    Ok(Some(format!(
        "{} can be read by other users (mode {mode:04o}) and holds files that are not zoea's, so its mode \
         is unchanged; if it is meant for zoea alone, run chmod 700 on it",
        directory.display()
    )))
}

/// Closes the program's own files in the directory. The configuration belongs to the operator. The
/// credentials are closed by their reader, which also reports it.
pub(super) fn close_files(directory: &Path) -> Result<(), HomeError> {
    let entries = fs::read_dir(directory).map_err(HomeError::refused("read", directory))?;
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_made_by_us);
        // The metadata of the entry itself: the target of a link is not the program's file.
        let Some(metadata) = entry
            .metadata()
            .ok()
            .filter(|found| is_ours && found.is_file())
        else {
            continue;
        };
        if metadata.permissions().mode() & OTHERS_BITS != 0 {
            match fs::set_permissions(entry.path(), Permissions::from_mode(0o600)) {
                // Another process has removed the file meanwhile.
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                closed => {
                    let path = entry.path();
                    closed.map_err(HomeError::refused("close to other users", &path))?;
                }
            }
        }
    }
    Ok(())
}

fn holds_only_ours(directory: &Path) -> io::Result<bool> {
    // The operator's own files of a home, and the directories in it.
    const BESIDE: [&str; 10] = [
        zoea_settings::CREDENTIALS_FILE,
        "system-prompt.md",
        super::OFFLINE,
        super::INCIDENTS,
        "screens",
        "exports",
        "reports",
        "deleted",
        "routines",
        "galaxy",
    ];
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let is_ours = name.to_str().is_some_and(|name| {
            // Setup leaves copies of the configuration: zoea.toml.before-setup-1 …
            is_made_by_us(name)
                || name.starts_with(zoea_settings::CONFIG_FILE)
                || BESIDE.contains(&name)
        });
        if !is_ours {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_made_by_us(name: &str) -> bool {
    const OWN_FILES: [&str; 12] = [
        "zoea.db",
        "zoea.log",
        "zoea.lock",
        "zoea.history",
        "zoea.views.json",
        super::FREEZE_FILE,
        super::RAISE_FILE,
        "home.id",
        "headless.err",
        "run.json",
        "control.token",
        super::MODEL_CHECKS_FILE,
    ];
    // A prefix also matches derived names: zoea.db-wal, zoea.log.1, run.json.new …
    OWN_FILES.iter().any(|ours| name.starts_with(ours))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use zoea_system::files::ensure_private_file;

    use super::*;
    use crate::host::home::Home;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn directory_with(mode: u32, files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let outer = tempfile::tempdir().unwrap();
        let directory = outer.path().join("home");
        fs::create_dir(&directory).unwrap();
        for file in files {
            fs::write(directory.join(file), "").unwrap();
            fs::set_permissions(directory.join(file), Permissions::from_mode(0o644)).unwrap();
        }
        fs::set_permissions(&directory, Permissions::from_mode(mode)).unwrap();
        (outer, directory)
    }

    #[test]
    fn a_new_home_is_closed_to_others_with_all_that_leads_to_it() {
        let outer = tempfile::tempdir().unwrap();
        let directory = outer.path().join("a/b");
        let home = Home::open(&directory).unwrap();
        let offline = home.offline().unwrap();
        assert_eq!(mode(&outer.path().join("a")), 0o700);
        assert_eq!(mode(&directory), 0o700);
        assert_eq!(mode(offline.directory()), 0o700);
        assert_eq!(offline.database(), directory.join("offline/zoea.db"));
        assert_eq!(fs::read_dir(offline.directory()).unwrap().count(), 0);
    }

    #[test]
    fn an_open_home_of_ours_is_closed() {
        let ours = [
            "zoea.toml",
            "zoea.db",
            "zoea.db-wal",
            "zoea.log.3",
            "control.token",
        ];
        for files in [&[][..], &ours] {
            let (_outer, directory) = directory_with(0o777, files);
            assert_eq!(Home::open(&directory).unwrap().warnings(), [] as [&str; 0]);
            assert_eq!(mode(&directory), 0o700);
        }
    }

    #[test]
    fn a_home_with_all_that_a_swarm_leaves_is_ours() {
        let files = [
            "zoea.toml.before-setup-1",
            "credentials.json",
            "system-prompt.md",
            "home.id",
            "headless.err",
        ];
        let (_outer, directory) = directory_with(0o755, &files);
        {
            let home = Home::open(&directory).unwrap();
            assert_eq!(home.warnings(), [] as [&str; 0]);
            for inner in [home.exports(), home.reports(), home.deleted()] {
                fs::create_dir(inner).unwrap();
            }
            for inner in [home.routines(), home.screens(), directory.join("galaxy")] {
                fs::create_dir(inner).unwrap();
            }
            home.keep_incident(1, "").unwrap();
            home.offline().unwrap();
        }
        fs::set_permissions(&directory, Permissions::from_mode(0o755)).unwrap();
        assert_eq!(Home::open(&directory).unwrap().warnings(), [] as [&str; 0]);
        assert_eq!(mode(&directory), 0o700);
        assert_eq!(mode(&directory.join("headless.err")), 0o600);
    }

    #[test]
    fn our_files_are_closed_and_others_are_left_alone() {
        let names = [
            "zoea.toml",
            "zoea.db",
            "zoea.log.1",
            "run.json",
            "control.token",
            "notes.txt",
        ];
        let (_outer, directory) = directory_with(0o700, &names);
        symlink(directory.join("notes.txt"), directory.join("zoea.log")).unwrap();
        Home::open(&directory).unwrap();
        let modes = names.map(|name| mode(&directory.join(name)));
        assert_eq!(modes, [0o644, 0o600, 0o600, 0o600, 0o600, 0o644]);
    }

    #[test]
    fn a_directory_that_also_holds_other_things_keeps_its_mode() {
        let (_outer, directory) = directory_with(0o755, &["zoea.toml", "main.rs"]);
        for _run in 1..=2 {
            let home = Home::open(&directory).unwrap();
            let expected = format!(
                "{} can be read by other users (mode 0755) and holds files that are not zoea's, so its mode \
                 is unchanged; if it is meant for zoea alone, run chmod 700 on it",
                directory.display()
            );
            assert_eq!(home.warnings(), [expected]);
            assert_eq!(mode(&directory), 0o755);
            ensure_private_file(&home.database()).unwrap();
        }
    }

    #[test]
    fn a_shared_directory_is_refused() {
        let (_outer, directory) = directory_with(0o1777, &["somebody-elses"]);
        let error = Home::open(&directory).unwrap_err().to_string();
        let expected = format!(
            "{} can be written by other users (mode 1777) and holds files that are not zoea's; if it \
             is meant for zoea alone, run chmod 700 on it, else choose another directory with --home",
            directory.display()
        );
        assert_eq!(error, expected);
        assert_eq!(mode(&directory), 0o1777);
    }

    #[test]
    fn what_is_no_directory_is_refused_with_a_remedy() {
        let (_outer, directory) = directory_with(0o700, &["file"]);
        let file = directory.join("file");
        let error = Home::open(&file).unwrap_err().to_string();
        let name = file.display();
        assert_eq!(
            error,
            format!("{name} is not a directory; choose another one with --home")
        );
        let error = Home::open(file.join("below")).unwrap_err().to_string();
        let expected = format!(
            "cannot create {name}/below: Not a directory (os error 20); \
             choose another directory with --home"
        );
        assert_eq!(error, expected);
    }
}
