//! Commands that only read, in a home that cannot be written, as on a read-only mount: they read a copy
//! of it that ends with them.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;
use tempfile::TempDir;
use zoea_settings::{CONFIG_FILE, CREDENTIALS_FILE, Environment};

use crate::interface::cli::CliCommand;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;

/// What of a home says what was, and how a program that runs in it is reached.
const COPIED: [&str; 9] = [
    "zoea.db",
    "zoea.db-wal",
    "home.id",
    "run.json",
    "control.token",
    "system-prompt.md",
    "proofs.json",
    CONFIG_FILE,
    CREDENTIALS_FILE,
];

/// Lets a command that only reads use a copy of the home where the home cannot be written. The copy
/// lasts as long as what is returned.
///
/// # Errors
/// The home cannot be copied.
pub(super) fn redirect(
    command: Option<&CliCommand>,
    global: &mut GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<Option<TempDir>> {
    if !command.is_some_and(CliCommand::only_reads) {
        return Ok(None);
    }
    // Whoever needs a home says what is wrong with it.
    let Ok(home) = environment.home_directory(global.home.as_deref()) else {
        return Ok(None);
    };
    let is_read_only = match tempfile::tempfile_in(&home) {
        Ok(_) => false,
        Err(error) => error.kind() == ErrorKind::ReadOnlyFilesystem,
    };
    if !is_read_only {
        return Ok(None);
    }
    let copy = tempfile::Builder::new().prefix("zoea-copy-").tempdir();
    let copy = copy.context("make a directory for a copy of the home")?;
    for name in COPIED {
        copy_file(&home.join(name), &copy.path().join(name))?;
    }
    out::note(&format!(
        "{} is on a file system that cannot be written: this is read from a copy",
        home.display()
    ));
    global.home = Some(copy.path().to_path_buf());
    Ok(Some(copy))
}

/// Copies a file for its owner alone. One that is not there is left out.
fn copy_file(from: &Path, to: &Path) -> anyhow::Result<()> {
    let mut made = fs::OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::mode(&mut made, 0o600);
    let copied = fs::File::open(from).and_then(|mut from| {
        let mut to = made.write(true).create_new(true).open(to)?;
        std::io::copy(&mut from, &mut to)
    });
    match copied {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("copy {} to read it", from.display()))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}
