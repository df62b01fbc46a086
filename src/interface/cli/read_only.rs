//! Commands that only read, in a home that cannot be written, as on a read-only mount or a full disk: they
//! read a copy of it that ends with them, also where a signal ends them.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use zoea_settings::{CONFIG_FILE, CREDENTIALS_FILE};
use zoea_system::files::{create_private, open_regular};

use crate::host::home::{Home, LockError};
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::transient::TransientDirectory;

const DATABASE: &str = "zoea.db";
/// What opening a home may write, before anything of the command itself is.
const OPENING_BYTES: usize = 1 << 16;

/// What of a home says what was and what holds. What is printed is cleaned of the credentials: a row may be
/// older than the configuration that names its words as a secret.
const COPIED: [&str; 10] = [
    DATABASE,
    "zoea.db-wal",
    "zoea.db.lost",
    "zoea.frozen",
    "zoea.raised",
    "zoea.views.json",
    "system-prompt.md",
    "proofs.json",
    CONFIG_FILE,
    CREDENTIALS_FILE,
];
/// What tells that a home has had a swarm. The copy needs none of their contents.
const TRACES: [&str; 3] = [TRACE, "home.id", "control.token"];
const TRACE: &str = "zoea.db.last";
const ROUTINES: &str = "routines";
/// What tells, with its name, the home of offline play from others.
const GALAXY: &str = "galaxy";

/// The options of a command, and the copy of its home that it reads, which lasts as long as this.
pub(super) struct CommandHome {
    global: GlobalArgs,
    copy: Option<TransientDirectory>,
}

impl CommandHome {
    pub(super) fn new(global: GlobalArgs) -> CommandHome {
        CommandHome { global, copy: None }
    }

    /// The options of a command that only reads: where the home cannot be written, of a copy of it.
    pub(super) fn for_reading(&mut self) -> anyhow::Result<&GlobalArgs> {
        self.copy = redirect(&mut self.global)?;
        Ok(&self.global)
    }

    /// The options of any other command.
    pub(super) fn for_writing(&self) -> &GlobalArgs {
        &self.global
    }
}

fn redirect(global: &mut GlobalArgs) -> anyhow::Result<Option<TransientDirectory>> {
    // Whoever needs a home says what is wrong with it.
    let Ok(home) = global.home_directory() else {
        return Ok(None);
    };
    let written =
        tempfile::tempfile_in(&home).and_then(|mut file| file.write_all(&[0; OPENING_BYTES]));
    match written.map_err(|error| error.kind()) {
        Err(ErrorKind::ReadOnlyFilesystem) => copy_home(&home, global).map(Some),
        Err(ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => Ok(copy_of_full(&home, global)),
        Ok(()) | Err(_) => Ok(None),
    }
}

/// A copy of a home whose disk is full. There is none while a program is at work in the home, which can be
/// asked, and none where the copy finds no room: opening the home then tells what is wrong.
fn copy_of_full(home: &Path, global: &mut GlobalArgs) -> Option<TransientDirectory> {
    if !home.join(DATABASE).exists() {
        return None;
    }
    let locked = Home::open(home).map(|home| home.lock());
    if let Ok(Err(LockError::Held { .. })) = locked {
        return None;
    }
    copy_home(home, global).ok()
}

/// Has a command read a copy of its home.
fn copy_home(home: &Path, global: &mut GlobalArgs) -> anyhow::Result<TransientDirectory> {
    let copy = TransientDirectory::make(|| tempfile::Builder::new().prefix("zoea-copy-").tempdir())
        .context("make a directory for a copy of the home")?;
    let place = copy.path().join(home.file_name().unwrap_or_default());
    make_directories(home, &place).context("make a directory for a copy of the home")?;
    for (from, to) in copied_files(home, &place) {
        copy_file(&from, &to)?;
    }
    out::note(&format!(
        "{} is on a file system that cannot be written, or is full: this is read from a copy",
        home.display()
    ));
    global.home = Some(place);
    Ok(copy)
}

/// Makes what of the copy has no contents.
fn make_directories(home: &Path, place: &Path) -> io::Result<()> {
    let mut private = DirBuilder::new();
    private.recursive(true).mode(0o700);
    private.create(place.join(ROUTINES))?;
    if home.join(GALAXY).is_dir() {
        private.create(place.join(GALAXY))?;
    }
    if TRACES.iter().any(|name| home.join(name).exists()) {
        File::create(place.join(TRACE))?;
    }
    Ok(())
}

/// The files that are copied, each with its place. Some may not be there.
fn copied_files(home: &Path, place: &Path) -> Vec<(PathBuf, PathBuf)> {
    let routines = fs::read_dir(home.join(ROUTINES)).into_iter().flatten();
    let routines = routines.flatten().map(|routine| routine.path());
    let is_routine =
        |file: &PathBuf| file.is_file() && file.extension().is_some_and(|it| it == "json");
    let routines = routines.filter(is_routine).filter_map(|from| {
        let to = place.join(ROUTINES).join(from.file_name()?);
        Some((from, to))
    });
    let files = COPIED
        .iter()
        .map(|name| (home.join(name), place.join(name)));
    files.chain(routines).collect()
}

/// Copies a file for its owner alone. One that is not there is left out.
fn copy_file(from: &Path, to: &Path) -> anyhow::Result<()> {
    let copied =
        open_regular(from).and_then(|mut from| io::copy(&mut from, &mut create_private(to)?));
    match copied {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("copy {} to read it", from.display()))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}
