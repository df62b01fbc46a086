//! Commands that only read, in a home that cannot be written, as on a read-only mount: they read a copy
//! of it that ends with them.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;
use tempfile::TempDir;
use zoea_settings::{CONFIG_FILE, CREDENTIALS_FILE, Environment};

use crate::interface::cli::CliCommand;
use crate::interface::cli::accounts::AccountsCommand;
use crate::interface::cli::db::DbCommand;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::mysis::MysisCommand;
use crate::interface::cli::out;
use crate::interface::cli::routine::RoutineCommand;

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

/// Whether a command leaves the home as it is.
fn only_reads(command: &CliCommand) -> bool {
    match command {
        CliCommand::Status(_)
        | CliCommand::Log(_)
        | CliCommand::Search(_)
        | CliCommand::Events(_)
        | CliCommand::Prompt(_)
        | CliCommand::Books(_)
        | CliCommand::Samples(_)
        | CliCommand::Report(_)
        | CliCommand::Export(_) => true,
        CliCommand::Mysis(command) => matches!(command, MysisCommand::List { .. }),
        CliCommand::Held(args) => args.only_lists(),
        CliCommand::Reminders(args) => args.only_lists(),
        CliCommand::Db(command) => matches!(command, DbCommand::Check(_)),
        CliCommand::Accounts(command) => matches!(command, AccountsCommand::List { .. }),
        CliCommand::Routine(command) => matches!(command, RoutineCommand::List),
        CliCommand::Run(_)
        | CliCommand::Budget(_)
        | CliCommand::Attach(_)
        | CliCommand::Setup(_)
        | CliCommand::Init(_)
        | CliCommand::Doctor(_)
        | CliCommand::Send(_)
        | CliCommand::Broadcast(_)
        | CliCommand::Mission(_)
        | CliCommand::Note(_)
        | CliCommand::Remind(_)
        | CliCommand::Answer(_)
        | CliCommand::Incident(_)
        | CliCommand::Processes(_)
        | CliCommand::Wait(_)
        | CliCommand::Freeze
        | CliCommand::Thaw
        | CliCommand::Import(_)
        | CliCommand::Completions(_)
        | CliCommand::Man(_)
        | CliCommand::AsChild(_) => false,
        #[cfg(feature = "simulators")]
        CliCommand::Simulator(_) => false,
    }
}

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
    if !command.is_some_and(only_reads) {
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
